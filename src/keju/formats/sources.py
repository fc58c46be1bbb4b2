"""Tables of any make → rows of plain values, with nothing known of questions: Parquet, JSON, JSONL, CSV, TSV, XLSX."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.errors import BadFile
from keju.formats.encodings import decode
from keju.formats.folders import files_below
from keju.formats.json_text import parse_json
from keju.formats.names import from_disk, stem_and_suffix
from keju.formats.parquet_files import SHARD, opened, rows
from keju.formats.placeholders import structured
from keju.formats.tables import odd_cells, read_table
from keju.items import NOTHING
from keju.phrase import Phrase

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".xlsx")
_HEAD = 1 << 16
"""Bytes in which the column names of a text file are looked for."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a data set."""

    path: Path
    told: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """What the file's name says: `{subject}_{split}.csv` tells the subject and the split."""
    table: str = field(init=False)
    """The table that the file is a part of: its name without suffix and number."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", SHARD.sub("", stem_and_suffix(from_disk(self.path.name))[0]))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one file, read as they are asked for."""

    columns: Mapping[str, None]
    """Names, in the order of the file."""
    each: Iterator[tuple[int, Mapping[str, Any]]]
    """Line of the file (or number of the row, from 1, where it has no lines) and values."""
    odd: Mapping[int, Mapping[str, Phrase]] = field(default_factory=dict)
    """Line → column → why its cell is not what an author typed; under '' of a row with too many cells."""


def sources_at(path: Path, patterns: tuple[str, ...]) -> list[Source]:
    """The files at `path` whose own path ends like one of `patterns`; all tables without any.

    A pattern is a name with `*` for anything and `{word}` for what is to be told: `{split}/{subject}.csv`. The hub's
    numbers (`test-00000-of-00002`) are no part of a name.
    """
    return sources_among(tables_at(path), patterns)


def tables_at(path: Path, most: int | None = None) -> dict[Path, str]:
    """Every table at `path` → its path as patterns see it. Raises as `files_below` does."""
    shown = cache(lambda folder: from_disk(str(folder.absolute())).replace("\\", "/"))
    files = files_below(path, SUFFIXES, most) if path.is_dir() else (path,)
    return {file: f"{shown(file.parent)}/{Source(file).table}{file.suffix}" for file in files}


def sources_among(tables: Mapping[Path, str], patterns: tuple[str, ...]) -> list[Source]:
    """Those of `tables_at` that `sources_at` would find, for callers that look for several things."""
    if not patterns:
        return [Source(file) for file in tables]
    found = []
    wanted = [_regex(pattern) for pattern in patterns]
    for file, name in tables.items():
        if match := next((match for regex in wanted if (match := regex.search(name))), None):
            found.append(Source(file, match.groupdict()))
    return found


def columns_of(path: Path, records: str | None = None) -> set[str]:
    """The columns of a file, by a look at its beginning where that tells; empty where none can be told."""
    try:
        if path.suffix.lower() in (".csv", ".tsv", ".jsonl"):
            with path.open("rb") as file:
                head = file.readline(_HEAD).decode("utf-8-sig", "replace").strip()
            if path.suffix.lower() == ".jsonl":
                first = structured(head)
                return set(first) if isinstance(first, dict) else set()
            return set(next(csv.reader([head], delimiter="\t" if "\t" in head else ","), []))
        return set(rows_of(Source(path), records, None, []).columns)
    except (BadFile, OSError, csv.Error):
        return set()


def rows_of(
    source: Source,
    records: str | None,
    encoding: str | None,
    problems: list[Problem],
    wanted: Callable[[Mapping[str, None]], list[str]] = list,
) -> Rows:
    """The rows of a file. `records` is the path to the list inside a JSON file that is more than a list.

    Of Parquet only those of its columns are read that are `wanted`. Raises `BadFile` where the file is no such table.
    """
    suffix = source.path.suffix.lower()
    if suffix == ".parquet":
        return _parquet(source.path, wanted)
    if suffix in (".jsonl", ".json"):
        decoded = decode(source.path.read_bytes(), source.path, encoding)
        if decoded.code:
            problems.append(Problem(None, decoded.code, decoded.message, source.path.name))
        lines = _json_lines if suffix == ".jsonl" else _json
        listed = lines(decoded.text, source.path, records)
        columns = dict.fromkeys(name for _, row in listed for name in row)
        return Rows(columns, iter(listed))
    table = read_table(source.path, encoding)
    if table.decoded and table.decoded.code:
        problems.append(Problem(None, table.decoded.code, table.decoded.message, table.file))
    odd = {row.line: odd_cells(row) for row in table.rows if row.odd}
    return Rows(dict.fromkeys(table.columns), ((row.line, row.cells) for row in table.rows), odd)


def _regex(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}|(\*)", pattern)
    text = ""
    for literal, name, star in zip(pieces[::3], [*pieces[1::3], None], [*pieces[2::3], None], strict=True):
        text += re.escape(literal) + (f"(?P<{name}>[^/]+)" if name else "[^/]*" if star else "")
    return re.compile(f"/{text}$")


def parquet_columns(path: Path) -> dict[str, None]:
    """The columns of a Parquet file, in its order. Raises `BadFile` where it is none."""
    with opened(path) as table:
        return dict.fromkeys(table.schema_arrow.names)


def _parquet(path: Path, wanted: Callable[[Mapping[str, None]], list[str]]) -> Rows:
    columns = parquet_columns(path)

    def each() -> Iterator[tuple[int, Mapping[str, Any]]]:
        with opened(path) as table:
            yield from zip(count(1), rows(table, wanted(columns) or None), strict=False)

    return Rows(columns, each())


def _json_lines(text: str, path: Path, _: str | None) -> list[tuple[int, Mapping[str, Any]]]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = [(number, parse_json(line, path, number)) for number, line in lines]
    return [(number, _object(row, f"{path}:{number}")) for number, row in rows]


def _json(text: str, path: Path, records: str | None) -> list[tuple[int, Mapping[str, Any]]]:
    value = parse_json(text, path)
    beside: dict[str, Any] = {}
    for step in records.split(".") if records else ():
        if not isinstance(value, dict) or step not in value:
            there = ", ".join(value) if isinstance(value, dict) else "a list"
            raise BadFile(f"{path}: nothing at `records` = {records!r}; there is {there}")
        beside |= {name: each for name, each in value.items() if not isinstance(each, list | dict)}
        value = value[step]
    if isinstance(value, dict) and value and all(isinstance(row, dict) for row in value.values()):
        value = [{"key": key, **row} for key, row in value.items()]  # one object an item, by its number
    if not isinstance(value, list):
        raise BadFile(f"{path}: holds one object, no list of rows; name the list in it with `records`")
    return [(number, beside | dict(_object(row, f"{path}: row {number}"))) for number, row in enumerate(value, 1)]


def _object(row: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise BadFile(f"{place}: expected an object with the values of one row")
    return row
