"""The protocols that there are: those shipped with keju, and a user's own TOML files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from keju.errors import Misuse
from keju.formats.toml_text import read_toml
from keju.protocols.protocol import Protocol

_SHIPPED = Path(str(files("keju.protocols"))) / "builtin"


@cache
def builtin_protocols() -> tuple[str, ...]:
    """Names of the shipped protocols, in alphabetical order."""
    names = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_protocol(name_or_path: str | Path) -> Protocol:
    """The shipped protocol of this name, or the one in this TOML file.

    Raises `Misuse` where there is none of that name, `BadFile` where the file is not a protocol: it names the key.
    """
    if name_or_path in builtin_protocols():
        return _shipped(str(name_or_path))
    path = Path(name_or_path)
    if path.suffix != ".toml" and not path.is_file():
        names = ", ".join(builtin_protocols())
        raise Misuse(f"there is no protocol {str(name_or_path)!r}; there are {names}, or give the path of a .toml file")
    return Protocol.from_json(read_toml(path), str(path))


@cache
def _shipped(name: str) -> Protocol:
    return Protocol.from_json(read_toml(_SHIPPED / f"{name}.toml"), f"{name}.toml")
