"""Options that mean nothing to the models that were named: refused where none uses them, else said once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import NamedTuple

from keju.errors import Misuse
from keju.models.catalogue import presets, providers
from keju.models.options import meant

OURS = ("baseline", "embedded", "hf", "replay")
"""Models without a server."""

SERVERS = "models behind a server"
WHOSE = {
    "base_url": SERVERS,
    "key_env": SERVERS,
    "key_file": SERVERS,
    "timeout": SERVERS,
    "stream": "models behind an OpenAI-compatible server",
    "no_check_media": SERVERS,
    "max_wait": "models behind a server, and what transcribes or reads before a model",
    "batch_size": "hf/…",
    "no_cache": "embedded/…, and what transcribes or reads before a model",
}
"""Option → what it is for; other options mean something to every model."""


class Asked(NamedTuple):
    """What an option may depend on of a model."""

    family: str
    """`server`, or one of `OURS`."""
    streams: bool
    perceives: bool
    """Whether a transcriber or a reader stands before it."""


def refuse_unused(models: Iterable[str], args: argparse.Namespace) -> None:
    """Raises `Misuse` where an option that was given means nothing to any of the models; says where to some only."""
    named = {spec: _asked(spec, args) for spec in models}
    for option, whose in WHOSE.items():
        given = getattr(args, option, None)
        if given is None or (given is False and option != "stream"):  # --no-stream is False, other flags are not there
            continue
        without = [spec for spec, asked in named.items() if not _uses(option, asked)]
        shown = ("no_" if given is False else "") + option
        said = f"--{shown.replace('_', '-')} is for {whose}; it means nothing to {', '.join(without)}"
        if without and len(without) == len(named):
            raise Misuse(f"{said}: leave it out")
        if without:
            print(said, file=sys.stderr)


def _asked(spec: str, args: argparse.Namespace) -> Asked:
    name, options = meant(spec, {})
    paper = [preset for preset in presets() if preset.name.lower() == name.lower()]
    place = (paper[0].run if paper else name).partition("/")[0].partition(":")[0]
    dialect = options.dialect or next((p.dialect for p in providers() if p.name == place), None)
    before = [args.transcriber, args.reader, options.transcriber, options.reader, *(p.transcriber for p in paper)]
    return Asked(place if place in OURS else "server", dialect != "ollama-native", any(before))


def _uses(option: str, asked: Asked) -> bool:
    match option:
        case "batch_size":
            return asked.family == "hf"
        case "no_cache":
            return asked.family == "embedded" or asked.perceives
        case "max_wait":
            return asked.family == "server" or asked.perceives
        case "stream":
            return asked.family == "server" and asked.streams
        case _:
            return asked.family == "server"
