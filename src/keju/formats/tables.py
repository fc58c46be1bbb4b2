"""Tables as people keep them (CSV, TSV, XLSX, JSON Lines) → rows of text, every cell as its program shows it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.encodings import Decoded, decode
from keju.formats.json_text import parse_json
from keju.formats.workbooks import Shown, read_workbook
from keju.items import NOTHING
from keju.phrase import Phrase, in_chinese

SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl")
_SEPARATORS = {
    ",": Phrase("comma", "逗号"),
    ";": Phrase("semicolon", "分号"),
    "\t": Phrase("tab", "制表符"),
}
_CELL_LIMIT = 1 << 24
"""Characters of one CSV field; the standard library's 131,072 is less than a base64 picture or a long passage."""


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    """Line (or sheet row) on which it begins, from 1."""
    cells: Mapping[str, str]
    """Column → text; empty cells are left out."""
    odd: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Column → why its text is not what an author typed (a date, an error value, a cell too many)."""


@dataclass(frozen=True, slots=True)
class Table:
    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    decoded: Decoded | None = None
    """How the text was decoded; None for a workbook."""
    ignored: tuple[str, ...] = ()
    """Worksheets that were not read."""


def read_table(path: Path, encoding: str | None = None) -> Table:
    """The table in `path`; of a workbook the first worksheet that is not empty.

    Raises `BadFile` where it is empty or has no header, one column, or columns of one name; `EncodingUnclear` as
    `decode` does.
    """
    try:
        if path.suffix.lower() == ".xlsx":
            return _workbook(path)
        decoded = decode(path.read_bytes(), path, encoding)
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from error
    if path.suffix.lower() == ".jsonl":
        return _json_lines(path, decoded)
    return _delimited(path, decoded)


def odd_cells(row: Row) -> dict[str, Phrase]:
    """Column → what is odd about its cell, as a sentence; that of a row with too many cells stands under ''."""
    return {
        column: Phrase(f"column {column!r} holds {why}", f"列 {column!r} 的内容是{in_chinese(why)}")
        if column
        else Phrase(why, in_chinese(why))
        for column, why in row.odd.items()
    }


def _json_lines(path: Path, decoded: Decoded) -> Table:
    rows = []
    for number, line in enumerate(decoded.text.split("\n"), 1):
        if line.strip():
            row = parse_json(line, path, number)
            if not isinstance(row, dict):
                raise BadFile(f"{path}:{number}: expected one JSON object a line")
            rows.append(
                Row(number, {name: _json_cell(value) for name, value in row.items() if value not in (None, "")})
            )
    columns = tuple(dict.fromkeys(name for row in rows for name in row.cells))
    return Table(path.name, columns, tuple(rows), decoded)


def _json_cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _delimited(path: Path, decoded: Decoded) -> Table:
    text = decoded.text
    declared = re.match(r"sep=(.)\r?\n", text)  # Excel's own first line
    if declared:
        text = text[declared.end() :]
    separator = declared[1] if declared else _separator(text, path)
    csv.field_size_limit(_CELL_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = _header(next(reader, []), path)
        rows = tuple(_delimited_rows(reader, header, 1 if declared else 0))
    except csv.Error as error:
        raise BadFile(f"{path}:{reader.line_num}: {error}; check the quotation marks on this line") from error
    return Table(path.name, header, rows, decoded)


def _separator(text: str, path: Path) -> str:
    header = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    counts = {separator: len(next(csv.reader([header], delimiter=separator), [])) for separator in _SEPARATORS}
    if not text.strip():
        raise BadFile(f"{path}: is empty")
    best = max(counts, key=lambda separator: counts[separator])
    if counts[best] < 2:
        raise BadFile(f"{path}:1: the header has one column only; separate columns by comma, semicolon or tab")
    if len([separator for separator in counts if counts[separator] == counts[best]]) > 1:
        raise BadFile(f"{path}:1: cannot tell which character separates the columns; use one of comma, semicolon, tab")
    return best


def _delimited_rows(reader: Any, header: tuple[str, ...], above: int) -> Iterator[Row]:
    line, between = reader.line_num, reader.dialect.delimiter
    separator = _SEPARATORS.get(between, Phrase(between, between))
    for cells in reader:
        begins, line = line + 1 + above, reader.line_num
        if any(cell.strip() for cell in cells):
            many = Phrase(
                f"{len(cells)} cells under {len(header)} columns; put quotes round a cell with a {separator}",
                f"{len(header)} 列之下有 {len(cells)} 个单元格；含{separator.zh}的单元格请加引号",
            )
            spare = {"": many} if any(cells[len(header) :]) else {}
            yield Row(begins, {name: cell for name, cell in zip(header, cells, strict=False) if cell}, spare)


def _header(cells: Iterable[str], path: Path) -> tuple[str, ...]:
    names = [cell.strip().strip("\ufeff\u200b") for cell in cells]
    while names and not names[-1]:
        names.pop()
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadFile(f"{path}:1: the column {twice[0]!r} occurs twice; give each column its own name")
    if not any(names):
        raise BadFile(f"{path}: no header row; the first row must name the columns")
    return tuple(names)


def _workbook(path: Path) -> Table:
    grid, ignored = read_workbook(path)
    first = next(number for number, cells in enumerate(grid) if any(cell.text for cell in cells))
    header = _header((cell.text for cell in grid[first]), path)
    rows = tuple(_workbook_row(number, cells, header) for number, cells in enumerate(grid[first + 1 :], first + 2))
    return Table(path.name, header, tuple(row for row in rows if row.cells), ignored=tuple(ignored))


def _workbook_row(number: int, cells: Iterable[Shown], header: tuple[str, ...]) -> Row:
    named = list(zip(header, cells, strict=False))
    odd = {name: cell.odd for name, cell in named if cell.odd}
    return Row(number, {name: cell.text for name, cell in named if cell.text}, odd)
