"""Names beside and above a chart, cut so that what tells them apart is seen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from unicodedata import east_asian_width

SHORT = 17
"""Letters that a name may have and be shown whole on a phone, where it has some 130 pixels."""

BEGINNING = 5
"""The part of the room, a fifth, that the beginning of a cut name has at least."""

_PROVIDERS = re.compile(r"\A(?:[^\s/]+/)+")
_WORD = re.compile(r"[#._-]?[0-9A-Za-z]{0,8}\Z")


def unprovided(names: Sequence[str]) -> list[str]:
    """Names without the `provider/` that all share, where one is long."""
    if max(map(len, names), default=0) <= SHORT:
        return list(names)
    shared = "".join(_PROVIDERS.findall(names[0]))
    while shared and not all(name.startswith(shared) and name != shared for name in names):
        shared = "".join(shared[:-1].rpartition("/")[:2])
    return [name.removeprefix(shared) for name in names]


def cut_apart(names: Sequence[str], letters: int) -> list[str]:
    """Names of which those that would be one when they are cut at their end after `letters` are cut in their middle:
    `qwen2-…7b-instruct`. The others stay whole, for the axis to cut. A Chinese letter counts as two."""
    groups = _alike({name: _head(name, letters) for name in names})
    while True:
        shown = {name: short for group in groups for name, short in _cut(group, letters).items()}
        place = {name: number for number, group in enumerate(groups) for name in group}
        clashes = [
            c for c in _alike({n: _head(s, letters) for n, s in shown.items()}) if len({place[n] for n in c}) > 1
        ]
        if not clashes:
            return [shown[name] for name in names]
        joined = {place[name] for name in clashes[0]}
        groups = [g for n, g in enumerate(groups) if n not in joined] + [[n for n in shown if place[n] in joined]]


def _alike(seen: Mapping[str, str]) -> list[list[str]]:
    """Names by what is seen of them."""
    groups: dict[str, list[str]] = {}
    for name, short in seen.items():
        groups.setdefault(short, []).append(name)
    return list(groups.values())


def _cut(names: Sequence[str], letters: int) -> dict[str, str]:
    """Names that begin alike, without the most of what they share; what follows may begin alike again."""
    least = max(1, letters // BEGINNING)
    room = letters - least - 1
    if len(names) == 1 or room < 2:  # alone, or they differ in too many places for so little room
        return {name: name for name in names}
    shared = commonprefix(list(names))  # noqa: RUF071 (of texts, letter by letter, is what is wanted)
    start = max(len(_WORD.sub("", shared)), least)  # a word that begins alike is shown from its first letter
    rests = {name: name[start:] for name in names}
    ends = dict(zip(rests.values(), cut_apart(list(rests.values()), room), strict=True))
    found = {}
    for name, rest in rests.items():
        end = _head(ends[rest], room)
        found[name] = f"{_head(name[:start], letters - _width(end) - 1, mark='')}…{end}"
    return found


def _head(name: str, letters: int, mark: str = "…") -> str:
    """The name as far as it is seen: whole, or its beginning and a mark."""
    if _width(name) <= letters:
        return name
    kept = ""
    for letter in name:
        if _width(kept + letter) > letters - len(mark):
            break
        kept += letter
    return kept + mark


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
