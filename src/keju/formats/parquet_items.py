"""The items of keju's own Parquet files: held, or read where they lie."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from keju.benchmark import Problem
from keju.errors import BadFile
from keju.formats.jsonl import item_in
from keju.formats.parquet_files import opened, rows
from keju.formats.parquet_places import Make, Places, sighted
from keju.formats.parquet_rows import BYTES, Rows
from keju.formats.unpacked import unpack
from keju.items import Item, MediaKind, Medium
from keju.phrase import Phrase

if TYPE_CHECKING:
    import pyarrow.parquet as pq


class Held(NamedTuple):
    items: tuple[Item, ...]
    problems: list[Problem]
    """What was met while reading."""
    reach: int
    """How many items the positions speak of."""


def held(files: Sequence[Path]) -> Held:
    """The items of several files, in order of their positions, their media unpacked.

    Raises `BadFile` for a row that is no whole item.
    """
    problems: list[Problem] = []
    met = sorted(_each(files, unpack, problems), key=lambda each: each.position)
    return Held(tuple(each.item for each in met), problems, max((each.position for each in met), default=-1) + 1)


class ParquetItems:
    """A `Source` of the same items, read where they lie.

    It looks once at every row but the media's bytes, and raises `BadFile` as `held` does.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.problems: list[Problem] = []
        """What was met while reading."""
        self._places = Places(files)
        positions = array("q")
        for number, row, item, position in _each(files, sighted, self.problems):
            self._places.add(item.id, number, row)
            positions.append(position)
        self._places.sort(positions)
        self.reach = max(positions, default=-1) + 1
        """How many items the positions speak of."""

    @property
    def ids(self) -> Sequence[str]:
        return self._places.ids

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        for _, number, row, cells in self._places.read(places):
            yield _item(Rows(cells.keys()), cells, self._places.files[number], row, unpack)


class _Met(NamedTuple):
    file: int
    row: int
    """Number in its file, from 0."""
    item: Item
    position: int


def _each(files: Sequence[Path], make: Make, problems: list[Problem]) -> Iterator[_Met]:
    """Every row of the files, in their order; the bytes of media are read unless they are but `sighted`."""
    seen: dict[str, str] = {}
    for which, file in enumerate(files):
        with opened(file) as table:
            columns = Rows(table.schema_arrow.names)
            for number, row in enumerate(rows(table, _without_bytes(table) if make is sighted else None)):
                item = _item(columns, row, file, number, make)
                place = f"{file}: row {number + 1}"
                if item.id in seen:
                    raise BadFile(f"{place}: id {item.id!r} stands in {seen[item.id]} too; ids must be unique")
                problems += [_missing(item, medium, file, number) for medium in item.media if not medium.exists]
                position = row.get("position")
                yield _Met(which, number, item, len(seen) if position is None else position)
                seen[item.id] = place


def _item(columns: Rows, row: Mapping[str, Any], file: Path, number: int, make: Make) -> Item:
    place = f"{file}: row {number + 1}"
    return item_in(columns.item(row, place), place, partial(_taken, columns.media(row), make))


def _taken(held: Mapping[str, deque[tuple[str, bytes]]], make: Make, kind: str, name: str) -> Medium:
    """The next medium of a row, out of those whose bytes it holds; without bytes where it is not the next of them."""
    medium_kind: MediaKind = "audio" if kind == "audio" else "image"
    following = held[medium_kind]
    if following and following[0][0] == name:
        return make(medium_kind, *following.popleft())
    return Medium(medium_kind, name)


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
