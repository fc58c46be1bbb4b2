"""The rows of a large file of items, read where they lie: what is held of each is its id and its place in the file."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from keju.benchmark import Problem
from keju.digests import Stamp
from keju.errors import BadFile
from keju.formats.media import Found
from keju.items import Item

LARGE = 1 << 25
"""Bytes of a file from which its items are not held: 100,000 text items, which with their records take 330 MB as
objects. Marking them as columns is quicker from 20,000 on (`benchmarks/RESULTS-scale.md`)."""

Parse = Callable[[str, int], tuple[Item, list[Found]]]
"""A line and its number → its item, and the item's media as far as they are there."""


def is_large(file: Path) -> bool:
    """Whether the file holds more items than should be held as objects; False where there is none."""
    return file.is_file() and file.stat().st_size >= LARGE


class _Index(NamedTuple):
    stamp: Stamp
    ids: list[str]
    offsets: array[int]
    problems: list[Problem]


class Rows:
    """A `Source` of items. The first look at it reads every row once, and raises `BadFile` as reading them all does."""

    def __init__(self, file: Path, parse: Parse) -> None:
        self._file = file
        self._parse = parse

    @property
    def is_utf8(self) -> bool:
        """Whether the file is UTF-8 for certain; of another encoding only a look at the whole text can tell."""
        return self._index is not None

    @property
    def problems(self) -> list[Problem]:
        """What was met while reading."""
        return self._known.problems

    @property
    def ids(self) -> Sequence[str]:
        return self._known.ids

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        index = self._known
        with self._file.open("rb") as file:
            if Stamp.of(self._file, os.fstat(file.fileno())) != index.stamp:
                raise BadFile(f"{self._file}: was changed while it was in use; start again")
            at = 0
            for place in places:
                if at != index.offsets[place]:
                    at = file.seek(index.offsets[place])
                line = file.readline()
                at += len(line)
                yield self._parse(line.decode().rstrip("\n"), place + 1)[0]

    @property
    def _known(self) -> _Index:
        if self._index is None:
            raise BadFile(f"{self._file}: is not UTF-8 throughout; write it anew as UTF-8")
        return self._index

    @cached_property
    def _index(self) -> _Index | None:
        try:
            with self._file.open("rb") as file:
                stamp = Stamp.of(self._file, os.fstat(file.fileno()))
                return _index_of(file, stamp, self._file, self._parse)
        except UnicodeDecodeError:
            return None
        except OSError as error:
            raise BadFile(f"{self._file}: cannot be read: {error.strerror or error}") from error


def _index_of(lines: Iterable[bytes], stamp: Stamp, file: Path, parse: Parse) -> _Index | None:
    """None where the text may be of another encoding: it has a mark, a NUL, or no character that others lack."""
    seen: dict[str, int] = {}
    offsets, problems, at = array("Q"), list[Problem](), 0
    ascii_only, wide = True, False
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8").rstrip("\n")
        if b"\0" in line or (number == 1 and text.startswith("\ufeff")):
            return None
        if not wide and not line.isascii():
            ascii_only, wide = False, max(text) > "\u07ff"  # see `keju.formats.encodings.decode`
        if text.strip():
            item, found = parse(text, number)
            if item.id in seen:
                raise twice(item.id, file, number, seen[item.id])
            seen[item.id] = number
            offsets.append(at)
            problems += [problem for there in found for problem in there.problem(item.id, file.name, number)]
        at += len(line)
    return _Index(stamp, list(seen), offsets, problems) if ascii_only or wide else None


def twice(item_id: str, file: Path, number: int, before: int) -> BadFile:
    """The error of an id that stands on two lines."""
    return BadFile(f"{file}:{number}: id {item_id!r} stands on line {before} too; ids must be unique")
