"""Text that may be shown: nothing in it commands a terminal, or is refused by XML and TeX."""

from __future__ import annotations

import re

# Controls but tab and newline, marks that turn the direction of what follows, halves of surrogate pairs,
# non-characters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """`text` with `\\n` as its only line end, and U+FFFD for each character that no reader of the text should meet."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
