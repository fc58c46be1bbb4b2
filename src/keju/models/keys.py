"""Where an endpoint's key comes from, and how it is kept out of everything that is printed or stored."""

from __future__ import annotations

import os
import re
import stat
import warnings
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

from keju.errors import BadFile, MissingKey, Misuse

HIDDEN = "[key hidden]"
SHORTEST = 8
"""Characters from which on a key, or half of one, is a secret; no provider's is shorter than 20."""
_STARRED = re.compile(r"[\w-]{2,}\*{3,}[\w-]*")  # servers echo a refused key half starred: `sk-ab***yz`


class Secret:
    """A key that no `repr`, `str` or `vars` shows."""

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._forms = _forms(value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def reveal(self) -> str:
        """The key itself; the Authorization header is its only use."""
        return self._value

    def scrub(self, received: bytes) -> bytes:
        """What a server sent, without the key, should it have echoed it."""
        for form in self._forms:
            received = received.replace(form.encode(), HIDDEN.encode())
        return received

    def is_in(self, text: str) -> bool:
        """Whether the whole key stands in a text."""
        return len(self._value) >= SHORTEST and self._value in text

    def hide(self, text: str) -> str:
        """A text without the key: `scrub` after JSON's escapes are undone and the parts of a stream are joined."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text


def _forms(key: str) -> tuple[str, ...]:
    """How a key may come back, the longest form first: whole, encoded, by halves; none of a word as short as `EMPTY`,
    by which servers without keys are asked, and which a reply may well hold."""
    if len(key) < SHORTEST:
        return ()
    half = len(key) // 2
    halves = (key[:half], key[half:]) if half >= SHORTEST else ()
    encoded = (b64encode(text.encode()).decode().rstrip("=") for text in (f"Bearer {key}", key))
    return tuple(sorted({*encoded, quote(key, safe=""), key, *halves}, key=len, reverse=True))


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
