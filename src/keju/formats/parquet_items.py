"""The items of keju's own Parquet files, read where they lie: what is held of each is its id and its place."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from keju.benchmark import Problem
from keju.digests import Stamp
from keju.errors import BadFile
from keju.formats.jsonl import item_in
from keju.formats.parquet_files import opened, rows
from keju.formats.parquet_rows import BYTES, Rows
from keju.formats.unpacked import unpack
from keju.items import Item, MediaKind, Medium
from keju.phrase import Phrase

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_Make: TypeAlias = Callable[[MediaKind, str, bytes], Medium]
"""Makes a medium of kind, name and bytes."""


class _Index(NamedTuple):
    stamps: list[Stamp]
    ids: list[str]
    files: array[int]
    rows: array[int]
    """Of each item, its file and its row there, from 0."""
    problems: list[Problem]
    reach: int


class ParquetItems:
    """A `Source` of the items of several files, in order of their positions.

    The first look reads every row but the media's bytes, and raises `BadFile` for one that is no whole item.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files

    @property
    def problems(self) -> list[Problem]:
        """What was met while reading."""
        return self._index.problems

    @property
    def reach(self) -> int:
        """How many items the positions speak of."""
        return self._index.reach

    @property
    def ids(self) -> Sequence[str]:
        return self._index.ids

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        index = self._index
        with ExitStack() as stack:
            cursors: dict[int, _Cursor] = {}
            for place in places:
                number = index.files[place]
                file = self._files[number]
                if number not in cursors:
                    if _stamp(file) != index.stamps[number]:
                        raise BadFile(f"{file}: was changed while it was in use; start again")
                    cursors[number] = _Cursor(stack.enter_context(opened(file)))
                yield cursors[number].item(index.rows[place], file)

    @cached_property
    def _index(self) -> _Index:
        stamps = [_stamp(file) for file in self._files]
        seen: dict[str, str] = {}
        positions, files, numbers = array("q"), array("Q"), array("Q")
        problems: list[Problem] = []
        for which, file in enumerate(self._files):
            with opened(file) as table:
                columns = Rows(table.schema_arrow.names)
                for number, row in enumerate(rows(table, _without_bytes(table))):
                    item = _item(columns, row, file, number, _sighted)
                    place = f"{file}: row {number + 1}"
                    if item.id in seen:
                        raise BadFile(f"{place}: id {item.id!r} stands in {seen[item.id]} too; ids must be unique")
                    problems += [_missing(item, medium, file, number) for medium in item.media if not medium.exists]
                    position = row.get("position")
                    positions.append(len(seen) if position is None else position)
                    seen[item.id] = place
                    files.append(which)
                    numbers.append(number)
        ids, order = list(seen), sorted(range(len(seen)), key=positions.__getitem__)
        files, numbers = (array("Q", (column[at] for at in order)) for column in (files, numbers))
        return _Index(stamps, [ids[at] for at in order], files, numbers, problems, max(positions, default=-1) + 1)


class _Cursor:
    """Reads one file forwards; it starts again at a row group where the row that is asked for is not ahead in this."""

    def __init__(self, table: pq.ParquetFile) -> None:
        self._table = table
        self._columns = Rows(table.schema_arrow.names)
        counts = (table.metadata.row_group(number).num_rows for number in range(table.num_row_groups))
        self._starts = [0, *accumulate(counts)]
        self._rows: Iterator[dict[str, Any]] = iter(())
        self._next = -1

    def item(self, number: int, file: Path) -> Item:
        """The item of a row, from 0."""
        group = bisect_right(self._starts, number) - 1
        if not self._starts[group] <= self._next <= number:
            self._next = self._starts[group]
            self._rows = rows(self._table, groups=range(group, self._table.num_row_groups))
        while self._next < number:
            next(self._rows)
            self._next += 1
        self._next += 1
        return _item(self._columns, next(self._rows), file, number, unpack)


def _item(columns: Rows, row: Mapping[str, Any], file: Path, number: int, make: _Make) -> Item:
    place = f"{file}: row {number + 1}"
    return item_in(columns.item(row, place), place, partial(_taken, columns.media(row), make))


def _taken(held: Mapping[str, deque[tuple[str, bytes]]], make: _Make, kind: str, name: str) -> Medium:
    """The next medium of a row, out of those whose bytes it holds; without bytes where it is not the next of them."""
    medium_kind: MediaKind = "audio" if kind == "audio" else "image"
    following = held[medium_kind]
    if following and following[0][0] == name:
        return make(medium_kind, *following.popleft())
    return Medium(medium_kind, name)


def _sighted(kind: MediaKind, name: str, data: bytes) -> Medium:
    """A medium that is there, and was not read."""
    return Medium(kind, name, data=data)


def _without_bytes(table: pq.ParquetFile) -> list[str]:
    """The columns of a file but the bytes of media, of which it names each leaf: `image.path`."""
    leaves = (table.schema.column(number).path for number in range(len(table.schema)))
    return [leaf for leaf in leaves if not BYTES.fullmatch(leaf)]


def _missing(item: Item, medium: Medium, file: Path, number: int) -> Problem:
    what = Phrase(
        f"{medium.kind} {medium.name} is not in the file; it was absent when the file was made",
        f"文件里没有 {medium.name}：制作时就已缺失",
    )
    return Problem(item.id, "media_missing", what, file.name, number + 1)


def _stamp(file: Path) -> Stamp:
    try:
        return Stamp.of(file, file.stat())
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror or error}") from error
