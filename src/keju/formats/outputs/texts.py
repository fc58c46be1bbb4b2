"""Lines of JSON, whole JSON files and tables from disk, with errors that name the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.encodings import decode
from keju.formats.json_text import parse_json
from keju.formats.tables import read_table
from keju.formats.workbooks import DAMAGE, opened, rows_in


@contextmanager
def written_by(tool: str, place: object) -> Iterator[None]:
    """Reading what `tool` should have written at `place`: a field that is missing or of another kind is a `BadFile`."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadFile(f"{place}: is not as {tool} writes it ({type(error).__name__}: {error})") from error


def text_of(path: Path) -> str:
    """The whole file as text. Raises `BadFile` where it cannot be read or its encoding is not clear."""
    try:
        return decode(path.read_bytes(), path).text
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line that is not blank. Raises `BadFile` at the first that is no JSON object."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if line.strip():
            row = parse_json(line, path, number)
            if not isinstance(row, dict):
                raise BadFile(f"{path}:{number}: holds a {type(row).__name__}; each line must be one output, an object")
            yield number, row


def json_whole(path: Path) -> Any:
    """The value of a JSON file. Raises `BadFile`."""
    return parse_json(text_of(path), path)


def table(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """(row number, column → text) of a CSV, TSV or XLSX table with a header row; an empty cell is an empty text.

    No text is taken for a missing value: `NA` and `None` are replies. Raises `BadFile`.
    """
    if is_zip(path):
        yield from _workbook(path)
        return
    whole = read_table(path)
    for row in whole.rows:
        yield row.line, {name: row.cells.get(name, "") for name in whole.columns}


def is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _workbook(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The first worksheet, with formulas as they are written: some writers store the reply `=A` as one."""
    try:
        with opened(path, values=False) as book:
            rows = [list(map(_cell, cells)) for cells in rows_in(book.worksheets[0], path, values=True)]
    except DAMAGE as error:
        raise BadFile(f"{path}: is not an XLSX workbook that can be read ({error}); save it again as .xlsx") from error
    yield from _named(path, rows)


def _named(path: Path, rows: list[list[str]]) -> Iterable[tuple[int, dict[str, str]]]:
    header = [name.strip() for name in rows[0]] if rows else []
    if twice := next((name for name in header if name and header.count(name) > 1), None):
        raise BadFile(f"{path}:1: the column {twice!r} occurs twice; give each column its own name")
    for number, cells in enumerate(rows[1:], 2):
        if any(cells):
            filled = [*cells, *[""] * (len(header) - len(cells))]  # a row ends with its last cell
            yield number, {name: cell for name, cell in zip(header, filled, strict=False) if name}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # as a spreadsheet shows it
    return str(value)
