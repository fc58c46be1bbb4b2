"""XLSX → cells of text, as the spreadsheet program shows them, and what is odd about them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from keju.errors import BadFile
from keju.formats import archives
from keju.formats.archives import refuse_bomb
from keju.phrase import Phrase

DAMAGE = (
    *archives.DAMAGE,
    *(LookupError, TypeError, AttributeError, SyntaxError, ArithmeticError),
)
"""What zipfile and openpyxl raise on a damaged workbook, according to the part that is damaged (found by fuzzing)."""

MOST_CELLS = 20_000_000
"""Cells of a worksheet that are read: a hundred for each of 200,000 questions."""

_MOST_ROWS = 1 << 20
"""Rows that a worksheet can have."""

LONGEST_CELL = 32_767
"""Characters that a spreadsheet cell holds; writers cut what is longer."""

_NEVER_COMPUTED = Phrase(
    "a formula that was never computed; open and save it in its program", "从未计算的公式；请用表格软件打开并保存"
)
_DATE = Phrase(
    "a date: the program replaced what was typed; format the cell as text and type it again",
    "日期：表格软件改动了输入的内容；请把单元格设为文本后重新输入",
)


class Shown(NamedTuple):
    """One cell."""

    text: str
    odd: str = ""
    """Why the text is not what an author typed, or empty."""


def read_workbook(path: Path) -> tuple[list[list[Shown]], list[str]]:
    """The rows of the first worksheet that is not empty, and the titles of the others that are not.

    Raises `BadFile` where the file is no workbook or holds nothing.
    """
    try:
        sheets = _sheets(path, values=False)
        if any(cell.data_type == "f" for rows in sheets.values() for row in rows for cell in row):
            formulas, sheets = sheets, _sheets(path, values=True)
        else:
            formulas = {}
    except DAMAGE as error:
        raise BadFile(f"{path}: not a readable XLSX workbook ({error}); save it again as .xlsx") from error
    shown = {
        title: [
            [_shown(cell, formula) for cell, formula in _beside(row, formulas.get(title, []), number)]
            for number, row in enumerate(rows)
        ]
        for title, rows in sheets.items()
    }
    filled = [title for title, rows in shown.items() if any(cell.text for row in rows for cell in row)]
    if not filled:
        raise BadFile(f"{path}: the workbook is empty")
    return shown[filled[0]], filled[1:]


def _sheets(path: Path, *, values: bool) -> dict[str, list[tuple[Any, ...]]]:
    """Title → rows of cells; formulas as such, or the `values` that the program computed last."""
    with opened(path, values=values) as book:
        return {sheet.title: rows_in(sheet, path) for sheet in book.worksheets}


@contextmanager
def opened(path: Path, *, values: bool) -> Iterator[Any]:
    """The workbook, to be read row by row. Raises one of `DAMAGE`, or `BadFile` where it is a bomb."""
    from openpyxl import load_workbook

    with ZipFile(path) as archive:
        refuse_bomb(archive, path)
    with warnings.catch_warnings(), path.open("rb") as file:  # openpyxl leaves its own open where it stumbles
        warnings.simplefilter("ignore")  # its notes on styles and extensions concern no cell's text
        yield load_workbook(file, read_only=True, data_only=values)


def rows_in(sheet: Any, path: Path, *, values: bool = False) -> list[tuple[Any, ...]]:
    """The rows of an openpyxl worksheet, each as wide as its cells, as cells or `values`.

    A sheet says of itself how large it is; one that says 16,384 columns would be filled up to them. Raises `BadFile`
    beyond `MOST_CELLS` and beyond the rows that a worksheet can have.
    """
    sheet.reset_dimensions()
    rows: list[tuple[Any, ...]] = []
    cells = 0
    for row in sheet.iter_rows(values_only=values):
        cells += len(row) + 1
        if cells > MOST_CELLS or len(rows) >= _MOST_ROWS:
            raise BadFile(f"{path}: a worksheet that is too large to be read; keep the questions alone in it")
        rows.append(row)
    return rows


def _beside(row: tuple[Any, ...], formulas: list[tuple[Any, ...]], number: int) -> list[tuple[Any, bool]]:
    """Each cell of a row, and whether it is a formula."""
    told = [cell.data_type == "f" for cell in formulas[number]] if number < len(formulas) else []
    return list(zip_longest(row, told, fillvalue=False))


def _shown(cell: Any, formula: bool) -> Shown:
    value = cell.value
    if value is None:
        return Shown("?", _NEVER_COMPUTED) if formula else Shown("")
    if isinstance(value, str):
        wrong = Phrase(f"the error value {value}", f"错误值 {value}")
        return Shown(value, wrong if cell.data_type == "e" else "")
    if isinstance(value, bool):
        return Shown(str(value).upper())
    if isinstance(value, date | time | timedelta):
        return Shown(_iso(value), _DATE)
    if not math.isfinite(value):
        return Shown(str(value), Phrase("no number", "不是数"))
    return Shown(_number(value, cell.number_format or ""))


def _iso(value: date | time | timedelta) -> str:
    """`2026-03-04`, with its time where the cell has one; a span as `1:30:00`."""
    if isinstance(value, timedelta):
        return str(value)
    return value.isoformat().removesuffix("T00:00:00")


def _number(value: float, pattern: str) -> str:
    """A number in the cell formats that question sheets hold: general, leading zeros (`0000`), decimals, percent."""
    if re.fullmatch("0+", pattern):
        return f"{value:0{len(pattern)}.0f}"
    if found := re.fullmatch(r"0(?:\.(0+))?(%?)", pattern):
        return f"{value:.{len(found[1] or '')}{found[2] or 'f'}}"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"
