"""A data set folder for the Hugging Face hub: one Parquet file a split, media inside, and a README that names them.

Columns: `id`; `image` and `audio` (`images`, `audios` where an item has several), as the library `datasets` shows them;
`question`, `options`, and so on, once for each language (`question_en`); `answer`; `labels`; `split`. What these cannot
say stands in columns of keju's own: `languages` (the first is the original), `media` (order, and what is absent),
`extra` (JSON), `position`. The card is kept in each file's metadata. Needs the extra `parquet`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.benchmark import Benchmark, Problem, Stream
from keju.errors import BadFile, MissingExtra
from keju.formats.folders import MOST_FOLDERS, TooWide
from keju.formats.format import Format
from keju.formats.parquet_files import footer, opened, parquet_files, refuse_incomplete
from keju.formats.parquet_items import ParquetItems, held
from keju.formats.parquet_rows import Needs, row_of, schema_of
from keju.items import Item
from keju.phrase import Phrase

if TYPE_CHECKING:
    import pyarrow.parquet as pq

META = b"keju_benchmark"
"""Key of the file metadata that holds name and card, and tells keju's files from others."""
COUNT = b"keju_items"
"""Key of the number of items in all files of the set."""
GROUP_ROWS = 100
"""Rows of a row group: what the hub's viewer asks of sets with pictures."""
_GROUP_BYTES = 1 << 25
"""Bytes of media after which a row group ends early: all that is held while writing."""
LARGE = 100_000
"""Rows from which items are not held."""
_NAMED = re.compile(r'^ +path: "(data/[^"*?\[]+\.parquet)"$', re.MULTILINE)
"""A file's name in the list of a README, as `configs` writes it."""
_SPLITS = {"val": "validation", None: "test"}
"""What the hub calls splits; a benchmark without any is a test set."""


def sniff(path: Path) -> bool:
    try:
        files = parquet_files(path, MOST_FOLDERS)
    except TooWide:
        return False
    if not files:
        return False
    end = footer(files[0])  # a damaged file has none: reading it says so
    return META in end or (not end and files[0].parent in (path.parent, path / "data"))


def read(path: Path, *, encoding: str | None = None) -> Benchmark:  # noqa: ARG001 (its text is always UTF-8)
    """Read the Parquet files of the folder `path`, or that one file, as `write` makes them.

    Raises `BadFile` for a damaged file, a row that is no whole item and a folder that lacks a file of its set,
    `MissingExtra` without pyarrow.
    """
    files, card, total, told = parquet_files(path), dict[str, Any](), 0, 0
    if path.is_dir():
        refuse_incomplete(files)
        _refuse_unlike_readme(path)
    for file in files:
        with opened(file) as table:
            card = card or _card(table, file)
            total += table.metadata.num_rows
            stated = (table.schema_arrow.metadata or {}).get(COUNT, b"")
            told = max(told, int(stated) if stated.isdigit() else 0)
    source = ParquetItems(files) if total >= LARGE else held(files)
    items = Stream(source) if isinstance(source, ParquetItems) else source.items
    name = str(card.pop("name", "") or path.resolve().stem)
    problems = (*source.problems, *_elsewhere(path, total, max(told, source.reach)))
    return Benchmark(name, items, card, problems, "parquet", path)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write `data/SPLIT-00000-of-00001.parquet` for each split, and a README.md with which `datasets` opens them."""
    splits = write_splits(benchmark, path)
    text = f"---\n{configs(benchmark, splits)}---\n# {benchmark.name}\n\n{_HOW_TO_OPEN}"
    (path / "README.md").write_bytes(text.encode("utf-8"))


def write_splits(benchmark: Benchmark, folder: Path) -> dict[str, str]:
    """Write the Parquet files below `folder`: the hub's name of each split → path of its file in `folder`.

    The same benchmark gives the same bytes. Media are held in memory a row group at a time.
    """
    needs = Needs.of(benchmark)
    names = {split: _hub_name(split, alone=len(needs.splits) == 1) for split in needs.splits}
    schema = schema_of(needs, positions=len(set(names.values())) > 1)
    head = {"name": benchmark.name, **benchmark.card}
    meta = {**schema.metadata, META: json.dumps(head, ensure_ascii=False).encode("utf-8"), COUNT: str(len(benchmark))}
    (folder / "data").mkdir(parents=True, exist_ok=True)
    files = {}
    for name in sorted(set(names.values()), key=_hub_order):
        files[name] = f"data/{name}-00000-of-00001.parquet"
        placed = ((at, item) for at, item in enumerate(benchmark) if names[item.split] == name)
        _write(placed, schema.with_metadata(meta), folder / files[name])
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


def _refuse_unlike_readme(folder: Path) -> None:
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
    if missing := [name for name in _NAMED.findall(text) if not (folder / name).is_file()]:
        raise BadFile(
            f"{folder}: {', '.join(missing)} is missing, which README.md names; fetch the whole data set again"
        )


def _elsewhere(path: Path, count: int, told: int) -> list[Problem]:
    """The problem of one file of a set of `told` items, as a list of none or one; `BadFile` for a folder."""
    if count >= told:
        return []
    if path.is_dir():
        raise BadFile(
            f"{path}: holds {count} of the {told} items of its set: a split's file is missing; fetch the whole set "
            "again, or name one file to read it alone"
        )
    what = Phrase(f"holds {count} of the {told} items of its set", f"只含该数据集 {told} 题中的 {count} 题")
    return [Problem(None, "rows_filtered", what, path.name)]


def _card(table: pq.ParquetFile, file: Path) -> dict[str, Any]:
    try:
        card = json.loads((table.schema_arrow.metadata or {})[META])
    except (KeyError, ValueError):
        raise BadFile(f"{file}: not written by keju; read it with --mapping") from None
    return dict(card)


def _write(placed: Iterable[tuple[int, Item]], schema: Any, file: Path) -> None:
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


def _hub_name(split: str | None, *, alone: bool) -> str:
    """What the hub calls a split: a word; `other` for items without one beside items with one."""
    if split is None and not alone:
        return "other"
    return re.sub(r"\W+", "_", _SPLITS.get(split, split) or "test")


def _hub_order(name: str) -> tuple[int, str]:
    usual = ("train", "validation", "test")
    return (usual.index(name) if name in usual else len(usual), name)


_HOW_TO_OPEN = """```python
from datasets import Audio, load_dataset

data = load_dataset("path/of/this/folder")
# Clips stay as they are, and need no decoder: data.cast_column("audio", Audio(decode=False))
```
"""

FORMAT = Format(
    "parquet", "a data set folder for the Hugging Face hub, as keju writes it: data/*.parquet", sniff, read, write
)
