"""The protocols that there are: those shipped with keju, and a user's own TOML files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from keju.errors import BadFile, Misuse
from keju.protocols.protocol import Protocol

_SHIPPED = files("keju.protocols") / "builtin"


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
    return _read(_text_of(path), str(path))


@cache
def _shipped(name: str) -> Protocol:
    return _read((_SHIPPED / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from None


def _read(text: str, place: str) -> Protocol:
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadFile(f"{place}: not valid TOML: {error}") from None
    return Protocol.from_json(data, place)
