"""Lines of JSON, whole JSON files and tables from disk, with errors that name the line."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from keju.errors import BadFile

LONGEST_CELL = 32_767
"""Characters that a spreadsheet cell holds; writers cut what is longer."""


def text_of(path: Path) -> str:
    """The whole file as text (UTF-8, with or without BOM). Raises `BadFile`."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFile(f"{path}:{line}: is not UTF-8 text; save the file as UTF-8") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line that is not blank. Raises `BadFile` at the first that is no JSON object."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadFile(f"{path}:{number}: is not JSON ({error}); mend or delete the line") from error
        if not isinstance(row, dict):
            raise BadFile(f"{path}:{number}: holds {type(row).__name__}, not a JSON object; each line is one output")
        yield number, row


def json_whole(path: Path) -> Any:
    """The value of a JSON file. Raises `BadFile`."""
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise BadFile(f"{path}:{error.lineno}: is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path}: is not JSON that can be read ({error})") from error


def table(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """(row number, column → text) of a CSV, TSV or XLSX table with a header row. No cell's text is taken for a
    missing value: `NA` and `None` are replies."""
    rows = _sheet(path) if is_zip(path) else _separated(path)
    _, header = next(rows, (0, []))
    names = [name.strip() for name in header]
    if twice := next((name for name in names if name and names.count(name) > 1), None):
        raise BadFile(f"{path}:1: column {twice!r} occurs twice; rename one")
    for number, cells in rows:
        if any(cells):
            yield number, {name: cell for name, cell in zip(names, cells, strict=False) if name}


def separator_of(header: str) -> str | None:
    """Tab, semicolon or comma, whichever splits the header into most columns; None where none does."""
    best = max("\t;,", key=header.count)
    return best if best in header else None


def is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _separated(path: Path) -> Iterator[tuple[int, list[str]]]:
    text = text_of(path)
    csv.field_size_limit(1 << 30)  # a looping reply passes the default of 128 KiB
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator_of(text.partition("\n")[0]) or ",")
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadFile(f"{path}:{reader.line_num}: is not a table ({error})") from error
        yield start, cells


def _sheet(path: Path) -> Iterator[tuple[int, list[str]]]:
    import zipfile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        # Formulas, not their values: a reply "=A" was stored by some writers as a formula.
        book = openpyxl.load_workbook(path, read_only=True, data_only=False)
        sheet = book.worksheets[0]
        for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
            yield number, [_cell(value) for value in cells]
        book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, IndexError) as error:
        raise BadFile(f"{path}: is not an XLSX workbook that can be read ({error})") from error


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # as a spreadsheet shows it
    return str(value)
