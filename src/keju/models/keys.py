"""Where an endpoint's key comes from, and how it is kept out of everything that is printed or stored."""

from __future__ import annotations

import os
import re
import stat
import warnings
from pathlib import Path

from keju.errors import BadFile, MissingKey, Misuse

HIDDEN = "[key hidden]"
_STARRED = re.compile(r"[\w-]{2,}\*{3,}[\w-]*")  # servers echo a refused key half starred: `sk-ab***yz`


class Secret:
    """A key that no `repr`, `str` or `vars` shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """The key itself; the Authorization header is its only use."""
        return self._value

    def scrub(self, received: bytes) -> bytes:
        """What a server sent, without the key, should it have echoed it."""
        return received.replace(self._value.encode(), HIDDEN.encode())


def without_starred(text: str) -> str:
    """A server's error text without a key that it shows half starred."""
    return _STARRED.sub(HIDDEN, text)


def find_key(variable: str | None, file: str | Path | None = None, *, required: bool, needed_by: str) -> Secret | None:
    """The key in `file`, else in the environment variable `variable`, else None.

    Raises `MissingKey` where it is `required` and there is none, `Misuse` where it holds characters that no header can
    carry.
    """
    if file is not None:
        value, place = _read(Path(file)), f"file {file}"
    else:
        value, place = os.environ.get(variable or "", "").strip(), f"environment variable {variable}"
    if not value:
        if not required and file is None:
            return None
        raise MissingKey(_missing(variable, place, needed_by))
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise Misuse(
            f"the key in {place} holds blanks or characters outside ASCII; store the bare key and nothing else"
        )
    return Secret(value)


def _missing(variable: str | None, place: str, needed_by: str) -> str:
    if variable is None:
        return f"{needed_by} needs a key, and {place} is empty"
    return f"{needed_by} needs a key, and {place} is empty. Set it: export {variable}=…   (or give a key file)"


def _read(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        value = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadFile(f"key file {path} cannot be read: {reason}") from None  # the cause would carry the bytes
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        warnings.warn(f"key file {path} can be read by other users; run: chmod 600 {path}", stacklevel=4)
    return value
