"""Where the rows of items lie in several Parquet files: what is held of each is its id and its place."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from keju.digests import Stamp
from keju.errors import BadFile
from keju.formats.parquet_files import opened, rows
from keju.items import MediaKind, Medium

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Make: TypeAlias = Callable[[MediaKind, str, bytes], Medium]
"""Makes a medium of kind, name and bytes."""


def sighted(kind: MediaKind, name: str, data: bytes) -> Medium:
    """A medium that is there, of an item that is looked at once and not held."""
    return Medium(kind, name, data=data)


class Found(NamedTuple):
    id: str
    file: int
    row: int
    """Number in its file, from 0."""
    cells: dict[str, Any]


class Places:
    """The rows of items, added once in any order of files and read again in any order of places."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self.ids: list[str] = []
        self._stamps = [_stamp(file) for file in files]
        self._files, self._rows = array("Q"), array("Q")

    def add(self, item_id: str, file: int, row: int) -> None:
        """The next item is the row of this number, from 0, of the file of this number."""
        self.ids.append(item_id)
        self._files.append(file)
        self._rows.append(row)

    def sort(self, positions: Sequence[int]) -> None:
        """Put the items in the order of their positions."""
        order = sorted(range(len(self.ids)), key=positions.__getitem__)
        self.ids = [self.ids[at] for at in order]
        self._files, self._rows = (array("Q", (column[at] for at in order)) for column in (self._files, self._rows))

    def read(self, places: Iterable[int], columns: Sequence[list[str] | None] | None = None) -> Iterator[Found]:
        """What stands at each place; of each file the columns that `columns` names for it.

        Raises `BadFile` where a file has changed.
        """
        with ExitStack() as stack:
            cursors: dict[int, _Cursor] = {}
            for place in places:
                file, row = self._files[place], self._rows[place]
                if file not in cursors:
                    path = self.files[file]
                    if _stamp(path) != self._stamps[file]:
                        raise BadFile(f"{path}: was changed while it was in use; start again")
                    cursors[file] = _Cursor(stack.enter_context(opened(path)), columns[file] if columns else None)
                yield Found(self.ids[place], file, row, cursors[file].row(row))


class _Cursor:
    """Reads one file forwards; it starts again at a row group where the row that is asked for is not ahead in this."""

    def __init__(self, table: pq.ParquetFile, columns: list[str] | None) -> None:
        self._table = table
        self._columns = columns
        counts = (table.metadata.row_group(number).num_rows for number in range(table.num_row_groups))
        self._starts = [0, *accumulate(counts)]
        self._rows: Iterator[dict[str, Any]] = iter(())
        self._next = -1

    def row(self, number: int) -> dict[str, Any]:
        """The values of a row, from 0."""
        group = bisect_right(self._starts, number) - 1
        if not self._starts[group] <= self._next <= number:
            self._next = self._starts[group]
            self._rows = rows(self._table, self._columns, range(group, self._table.num_row_groups))
        while self._next < number:
            next(self._rows)
            self._next += 1
        self._next += 1
        return next(self._rows)


def _stamp(file: Path) -> Stamp:
    try:
        return Stamp.of(file, file.stat())
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror or error}") from error
