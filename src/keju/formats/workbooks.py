"""XLSX → cells of text, as the spreadsheet program shows them, and what is odd about them."""

from __future__ import annotations

import math
import re
import struct
import warnings
import zlib
from datetime import date, time, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

from keju.errors import BadFile
from keju.phrase import Phrase

_DAMAGE = (
    *(BadZipFile, zlib.error, struct.error, EOFError),
    *(LookupError, ValueError, TypeError, AttributeError, SyntaxError, RuntimeError, ArithmeticError),
)
"""What zipfile and openpyxl raise on a damaged workbook, according to the part that is damaged (found by fuzzing)."""

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
    except _DAMAGE as error:
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
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's notes on styles and extensions concern no cell's text
        book = load_workbook(path, read_only=True, data_only=values)
        try:
            return {sheet.title: list(sheet.iter_rows()) for sheet in book.worksheets}
        finally:
            book.close()


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
        return Shown(str(value), _DATE)
    if not math.isfinite(value):
        return Shown(str(value), Phrase("no number", "不是数"))
    return Shown(_number(value, cell.number_format or ""))


def _number(value: float, pattern: str) -> str:
    """A number in the cell formats that question sheets hold: general, leading zeros (`0000`), decimals, percent."""
    if re.fullmatch("0+", pattern):
        return f"{value:0{len(pattern)}.0f}"
    if found := re.fullmatch(r"0(?:\.(0+))?(%?)", pattern):
        return f"{value:.{len(found[1] or '')}{found[2] or 'f'}}"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"
