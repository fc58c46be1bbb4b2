"""What differs between two contents of an item: field by field, and inside a field piece by piece."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from keju.script import HAN

Kind = Literal["same", "gone", "new"]
_PIECES = re.compile(rf"[{HAN}]|\w+|\s+|[^\w\s]")
"""Compared as wholes: a Chinese character, a word, blanks, a sign."""


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of the editor's form that differs."""

    name: str
    before: str
    after: str

    @property
    def pieces(self) -> list[Piece]:
        return list(pieces(self.before, self.after))


def differences(before: dict[str, str], after: dict[str, str]) -> list[Difference]:
    """Fields with other texts, in the order of the form; a field that is absent is empty."""
    names = list(dict.fromkeys([*before, *after]))
    pairs = [(name, before.get(name, ""), after.get(name, "")) for name in names]
    return [Difference(name, was, now) for name, was, now in pairs if was != now]


def pieces(before: str, after: str) -> Iterator[Piece]:
    """The two texts as one row of pieces: the same, gone, new."""
    old, new = _PIECES.findall(before), _PIECES.findall(after)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(old[a:b]))
            continue
        if a < b:
            yield Piece("gone", "".join(old[a:b]))
        if c < d:
            yield Piece("new", "".join(new[c:d]))


def merged(base: dict[str, str], mine: dict[str, str], theirs: dict[str, str]) -> dict[str, str]:
    """Both sides' changes since `base`; where both changed a field, mine."""
    made = {}
    for name in dict.fromkeys([*mine, *theirs]):
        was, own, other = base.get(name, ""), mine.get(name, ""), theirs.get(name, "")
        made[name] = other if own == was else own
    return made
