"""Which pictures look alike: difference hashes compared in blocks, confirmed by small thumbnails.

Twenty thousand pictures are two hundred million pairs; they are compared as arrays, a thousand rows at a time, and only
the nearest earlier picture of each is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_ROWS = 1024  # hashes compared at a time with all earlier ones
_CORRELATION = 0.9
"""What the thumbnails of look-alikes must reach: line drawings on white paper share hash bits without looking alike."""
_NEVER = 65  # a distance beyond 64 bits


@dataclass(frozen=True, slots=True)
class Look:
    """What is compared of a picture."""

    dhash: str
    thumb: str
    splits: frozenset[str]
    """Splits in which it is shown; pictures of one split, or of none, are never across splits."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest picture before one, by index, and the differing bits of their hashes."""

    index: int
    distance: int


@lru_cache(maxsize=2)
def nearest(looks: tuple[Look, ...], within: int) -> tuple[tuple[Nearest | None, Nearest | None], ...]:
    """For each picture the nearest before it within so many bits, and the nearest of those in another split."""
    import numpy as np

    hashes = np.array([int(look.dhash, 16) for look in looks], dtype=np.uint64)
    thumbs = _standardised([look.thumb for look in looks])
    codes, apart = _splits([look.splits for look in looks])
    found: list[tuple[Nearest | None, Nearest | None]] = []
    for start in range(0, len(looks), _ROWS):
        end = min(start + _ROWS, len(looks))
        distance = differing(hashes[start:end, None] ^ hashes[None, :end])
        unlike = thumbs[start:end] @ thumbs[:end].T < _CORRELATION
        unlike |= np.arange(end)[None, :] >= np.arange(start, end)[:, None]
        distance[unlike] = _NEVER
        near = _least(distance, within)
        distance[~apart[codes[start:end, None], codes[None, :end]]] = _NEVER
        found += zip(near, _least(distance, within), strict=True)
    return tuple(found)


def _least(distance: Any, within: int) -> list[Nearest | None]:
    columns = distance.argmin(axis=1)
    values = distance[range(len(columns)), columns]
    return [
        Nearest(int(column), int(value)) if value <= within else None
        for column, value in zip(columns, values, strict=True)
    ]


def differing(bits: Any) -> Any:
    """Bits set in each of an array of 64-bit numbers."""
    import numpy as np

    if hasattr(np, "bitwise_count"):  # NumPy 2
        return np.bitwise_count(bits)
    table = np.array([number.bit_count() for number in range(2**16)], dtype=np.uint8)
    return table[bits.view(np.uint16).reshape(*bits.shape, 4)].sum(axis=-1, dtype=np.uint8)


def _standardised(thumbs: Sequence[str]) -> Any:
    """Rows of mean 0 and length 1, so that a product is a correlation; a row of zeros where a picture is plain."""
    import numpy as np

    rows = np.frombuffer(bytes.fromhex("".join(thumbs)), np.uint8).reshape(len(thumbs), -1).astype(np.float32)
    rows -= rows.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _splits(sets: Sequence[frozenset[str]]) -> tuple[Any, Any]:
    """A number for each distinct set of splits, and which numbers have splits that the other has not."""
    import numpy as np

    distinct = list(dict.fromkeys(sets))
    number = {each: index for index, each in enumerate(distinct)}
    apart = [[bool(one and other and len(one | other) > 1) for other in distinct] for one in distinct]
    return np.array([number[each] for each in sets]), np.array(apart, dtype=bool)
