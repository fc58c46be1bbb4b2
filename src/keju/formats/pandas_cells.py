"""Texts that go through pandas: which it takes for missing values or numbers, and how they come out as they were."""

from __future__ import annotations

from collections.abc import Sequence

_MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
"""What pandas reads as no value."""


def reads_missing(text: str) -> bool:
    """Whether pandas reads a cell of this text as no value."""
    return text in _MISSING


def kept(text: str) -> str:
    """`text`, with a space after it where pandas would take it for a missing value; `original` undoes it."""
    return f"{text} " if text.rstrip(" ") in _MISSING else text


def original(cell: str) -> str:
    """The text that `kept` was given."""
    return cell[:-1] if cell.endswith(" ") and cell.rstrip(" ") in _MISSING else cell


def rewritten(texts: Sequence[str], *, gaps: bool) -> bool:
    """Whether a column of these texts alone is one of numbers to pandas that it writes in another way: `03` as 3, or,
    where the column has `gaps`, 3 as 3.0."""
    if not texts or not all(map(_is_number, texts)):
        return False
    return gaps or any(text != str(int(text) if text.isdecimal() else float(text)) for text in texts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text not in _MISSING
