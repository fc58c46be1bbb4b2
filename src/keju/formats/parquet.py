"""A data set folder for the Hugging Face hub: one Parquet file a split, media inside, and a README that names them.

Columns: `id`; `image` and `audio` (`images`, `audios` where an item has several), as the library `datasets` shows them;
`question`, `options`, and so on, once for each language (`question_en`); `answer`; `labels`; `split`. What these cannot
say stands in columns of keju's own: `languages` (the first is the original), `media` (order, and what is absent),
`extra` (JSON), `position`. The card is kept in each file's metadata. Needs the extra `parquet`.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, MissingExtra
from keju.formats.format import Format
from keju.formats.jsonl import item_in
from keju.formats.parquet_rows import Rows, row_of, schema_of
from keju.formats.unpacked import unpack
from keju.items import Item, MediaKind, Medium
from keju.phrase import Phrase

if TYPE_CHECKING:
    import pyarrow.parquet as pq

META = b"keju_benchmark"
"""Key of the file metadata that holds name and card, and tells keju's files from others."""
GROUP_ROWS = 100
"""Rows of a row group: what the hub's viewer asks of sets with pictures."""
_GROUP_BYTES = 1 << 25
"""Bytes of media after which a row group ends early: all that is held while writing."""
_READ_ROWS = 8
"""Rows that are held while reading; a row may bring several pictures of megabytes."""
_SPLITS = {"val": "validation", None: "test"}
"""What the hub calls splits; a benchmark without any is a test set."""


def sniff(path: Path) -> bool:
    files = parquet_files(path)
    return bool(files) and META in _footer(files[0])


def read(path: Path, *, encoding: str | None = None) -> Benchmark:  # noqa: ARG001 (its text is always UTF-8)
    """Read the Parquet files of the folder `path`, or that one file, as `write` makes them.

    Raises `BadFile` for a damaged file or a row that is no whole item, `MissingExtra` without pyarrow.
    """
    card: dict[str, Any] = {}
    placed: list[tuple[int, Item]] = []
    problems: list[Problem] = []
    for file in parquet_files(path):
        with opened(file) as table:
            card = card or _card(table, file)
            reader = Rows(table.schema_arrow.names)
            for number, row in enumerate(rows(table), 1):
                held = reader.media(row)
                item = item_in(
                    reader.item(row, f"{file}: row {number}"), f"{file}: row {number}", partial(_taken, held)
                )
                problems += [_missing(item, medium, file, number) for medium in item.media if not medium.exists]
                placed.append((row.get("position", len(placed)), item))
    name = str(card.pop("name", "") or path.resolve().stem)
    items = tuple(item for _, item in sorted(placed, key=lambda pair: pair[0]))
    return Benchmark(name, items, card, tuple(problems), "parquet", path)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write `data/SPLIT-00000-of-00001.parquet` for each split, and a README.md with which `datasets` opens them."""
    splits = write_splits(benchmark, path)
    text = f"---\n{configs(benchmark, splits)}---\n# {benchmark.name}\n\n{_HOW_TO_OPEN}"
    (path / "README.md").write_bytes(text.encode("utf-8"))


def write_splits(benchmark: Benchmark, folder: Path) -> dict[str, str]:
    """Write the Parquet files below `folder`: the hub's name of each split → path of its file in `folder`.

    The same benchmark gives the same bytes. Media are held in memory a row group at a time.
    """
    groups: dict[str, list[tuple[int, Item]]] = {}
    for position, item in enumerate(benchmark):
        groups.setdefault(_split_name(item.split, benchmark), []).append((position, item))
    schema = schema_of(benchmark, positions=len(groups) > 1)
    head = {"name": benchmark.name, **benchmark.card}
    meta = {**schema.metadata, META: json.dumps(head, ensure_ascii=False).encode("utf-8")}
    (folder / "data").mkdir(parents=True, exist_ok=True)
    files = {}
    for name in sorted(groups, key=_hub_order):
        files[name] = f"data/{name}-00000-of-00001.parquet"
        _write(groups[name], schema.with_metadata(meta), folder / files[name])
    return files


def configs(benchmark: Benchmark, splits: Mapping[str, str]) -> str:
    """The lines of a hub's README that say what the data are and which file holds which split (YAML)."""
    languages = sorted({tag.split("-")[0] for item in benchmark for tag in item.wordings})
    licence = benchmark.card.get("license")
    lines = [f"pretty_name: {json.dumps(str(benchmark.card.get('title') or benchmark.name), ensure_ascii=False)}"]
    lines += [f"license: {json.dumps(licence.lower())}"] if isinstance(licence, str) and licence else []
    lines += [f"language: {json.dumps(languages, ensure_ascii=False)}"]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    for name, file in splits.items():
        lines += [
            f"  - split: {json.dumps(name, ensure_ascii=False)}",
            f"    path: {json.dumps(file, ensure_ascii=False)}",
        ]
    return "\n".join(lines) + "\n"


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files at `path`: itself, or those in the folder and below it, in order of their names."""
    if not path.is_dir():
        return [path] if path.suffix.lower() == ".parquet" and path.is_file() else []
    return sorted(file for file in path.rglob("*.parquet") if file.is_file())


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


def rows(table: pq.ParquetFile, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of an opened file as plain values, a few held at a time."""
    for batch in table.iter_batches(batch_size=_READ_ROWS, columns=columns, use_threads=False):
        yield from batch.to_pylist()


def _taken(held: Mapping[str, deque[tuple[str, bytes]]], kind: str, name: str) -> Medium:
    """The next medium of a row, out of those whose bytes it holds; without bytes where it is not the next of them."""
    medium_kind: MediaKind = "audio" if kind == "audio" else "image"
    following = held[medium_kind]
    return (
        unpack(medium_kind, *following.popleft())
        if following and following[0][0] == name
        else Medium(medium_kind, name)
    )


def _missing(item: Item, medium: Medium, file: Path, number: int) -> Problem:
    what = Phrase(
        f"{medium.kind} {medium.name} is not in the file; it was absent when the file was made",
        f"文件里没有 {medium.name}：制作时就已缺失",
    )
    return Problem(item.id, "media_missing", what, file.name, number)


def _card(table: pq.ParquetFile, file: Path) -> dict[str, Any]:
    try:
        card = json.loads((table.schema_arrow.metadata or {})[META])
    except (KeyError, ValueError):
        raise BadFile(f"{file}: not written by keju; read it with --mapping") from None
    return dict(card)


def _write(placed: list[tuple[int, Item]], schema: Any, file: Path) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("parquet", "writing Parquet") from error
    with pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=False, write_page_index=True) as writer:
        for group in _groups(placed):
            table = pa.Table.from_pylist([row_of(item, position, schema.names) for position, item in group], schema)
            writer.write_table(table, row_group_size=GROUP_ROWS)


def _groups(placed: Iterable[tuple[int, Item]]) -> Iterator[list[tuple[int, Item]]]:
    """The items by row groups."""
    group: list[tuple[int, Item]] = []
    size = 0
    for position, item in placed:
        group.append((position, item))
        size += sum(medium.size for medium in item.media if medium.exists)
        if len(group) == GROUP_ROWS or size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _split_name(split: str | None, benchmark: Benchmark) -> str:
    """What the hub calls a split: a word; `other` for items without one beside items with one."""
    if split is None and any(item.split for item in benchmark):
        return "other"
    return re.sub(r"\W+", "_", _SPLITS.get(split, split) or "test")


def _hub_order(name: str) -> tuple[int, str]:
    usual = ("train", "validation", "test")
    return (usual.index(name) if name in usual else len(usual), name)


def _footer(file: Path) -> bytes:
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


_HOW_TO_OPEN = """```python
from datasets import Audio, load_dataset

data = load_dataset("path/of/this/folder")
# Clips stay as they are, and need no decoder: data.cast_column("audio", Audio(decode=False))
```
"""

FORMAT = Format(
    "parquet", "a data set folder for the Hugging Face hub, as keju writes it: data/*.parquet", sniff, read, write
)
