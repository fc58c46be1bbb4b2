"""Parquet files as rows of plain values, with nothing known of items. Needs the extra `parquet`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.errors import BadFile, MissingExtra
from keju.formats.folders import files_below

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SHARD = re.compile(r"-(\d{5})-of-(\d{5})(-[0-9a-f]{8,})?$")
"""How the hub numbers the files of one table: `test-00000-of-00002`, some with a hash."""
_READ_BYTES, _READ_ROWS = 1 << 23, 1000
"""Of rows that are held while reading; a row may bring several pictures of megabytes."""


def parquet_files(path: Path, most: int | None = None) -> list[Path]:
    """The Parquet files at `path`: itself, or those in the folder and below it, in order of their names.

    Raises as `files_below` does.
    """
    if not path.is_dir():
        return [path] if path.suffix.lower() == ".parquet" and path.is_file() else []
    return sorted(file for file in files_below(path, (".parquet",), most) if file.is_file())


def refuse_incomplete(files: Iterable[Path]) -> None:
    """Raises `BadFile` naming what is missing of a series of files, numbered as the hub does: `x-00000-of-00003`."""
    series: dict[tuple[Path, str, int], set[int]] = {}
    for file in files:
        if numbered := SHARD.search(file.stem):
            key = (file.parent, file.stem[: numbered.start()], int(numbered[2]))
            series.setdefault(key, set()).add(int(numbered[1]))
    for (folder, name, count), there in series.items():
        if missing := sorted(set(range(count)) - there):
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            lacking = folder / f"{name}-{missing[0]:05}-of-{count:05}.parquet"
            raise BadFile(
                f"{lacking}: is missing{more}; fetch the whole data set again, or name one file to read it alone"
            )


@contextmanager
def opened(file: Path) -> Iterator[pq.ParquetFile]:
    """The opened file; what it is damaged by becomes a `BadFile`, also while its rows are read."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("parquet", f"reading {file}") from error
    try:
        # Memory mapping and pre-buffering would hold whole column chunks: pictures of a hundred rows.
        with pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 20) as table:
            yield table
    except (pa.ArrowException, OSError) as error:
        raise BadFile(f"{file}: not a readable Parquet file ({error}); fetch or write it again") from error


def rows(
    table: pq.ParquetFile, columns: list[str] | None = None, groups: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of an opened file as plain values, a few held at a time; of all row groups, or of `groups`."""
    wanted = list(range(table.num_row_groups) if groups is None else groups)
    met = [table.metadata.row_group(number) for number in wanted]
    heaviest = max((group.total_byte_size // max(1, group.num_rows) for group in met), default=0)
    size = max(1, min(_READ_ROWS, _READ_BYTES // max(1, heaviest)))
    for batch in table.iter_batches(batch_size=size, row_groups=wanted, columns=columns, use_threads=False):
        yield from batch.to_pylist()


def footer(file: Path) -> bytes:
    """The bytes of a Parquet file's description of itself, which stands at its end; empty where it is no such file."""
    with file.open("rb") as opened_file:
        size = opened_file.seek(0, os.SEEK_END)
        opened_file.seek(max(0, size - 8))
        tail = opened_file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != b"PAR1" or length > size:
            return b""
        opened_file.seek(size - 8 - length)
        return opened_file.read(length)
