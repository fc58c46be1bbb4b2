"""How a question is put and how its answer is read.

A `Protocol` is data: templates by language, place of the media, generation settings, parser, and what an invalid answer
counts as (`protocol.py`, `template.py`; the shipped ones in `builtin/*.toml`, read by `library.py`).
A parser turns a reply into an `Extraction` (`parsers.py`, `robust.py`).
"""

from keju.protocols.extraction import Extraction, Reason, Seen, draw
from keju.protocols.library import builtin_protocols, load_protocol
from keju.protocols.parsers import PARSERS, extract
from keju.protocols.protocol import Protocol
from keju.protocols.template import Template

__all__ = [
    "PARSERS",
    "Extraction",
    "Protocol",
    "Reason",
    "Seen",
    "Template",
    "builtin_protocols",
    "draw",
    "extract",
    "load_protocol",
]
