"""The sheet that people fill in: one XLSX workbook a person, the same bytes for the same questions."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from keju.benchmark import Benchmark
from keju.phrase import Phrase
from keju.reports.booklet import WORDS

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

HEADS: Sequence[tuple[Phrase, int]] = (
    (Phrase("No.", "题号"), 10),
    (Phrase("Options", "选项"), 16),
    (Phrase("Answer", "答案"), 16),
    (Phrase("Person", "代号"), 20),
    (Phrase("Group", "组别"), 20),
)
"""Heading and width of each column; `keju.people.sheets` knows them again."""
NEVER = datetime(1980, 1, 1)  # noqa: DTZ001  the earliest that a ZIP archive can say; it has no time zone


def answer_sheet(exam: Benchmark, person: str = "", group: str = "") -> bytes:
    """The workbook. `person` and `group` are filled in; where they are empty, the person fills them in, once."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Answers 答题卡"
    _head(sheet)
    for number, item in enumerate(exam, 1):
        sheet.cell(number + 1, 1, number)
        for column, text in enumerate((" ".join(item.options), "", person, group), 2):
            sheet.cell(number + 1, column, text or None).number_format = "@"  # what is typed stays text, no date
    _choices(sheet, exam)
    _explain(book.create_sheet("How 说明"))
    out = io.BytesIO()
    book.save(out)
    return _timeless(out.getvalue())


def _head(sheet: Worksheet) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    for column, (head, width) in enumerate(HEADS, 1):
        sheet.cell(1, column, f"{head} {head.zh}").font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = width
    sheet.freeze_panes = "A2"


def _choices(sheet: Worksheet, exam: Benchmark) -> None:
    """A list to choose from in each answer's cell; other text can still be typed, and is looked at when read."""
    from openpyxl.worksheet.datavalidation import DataValidation

    lists: dict[str, DataValidation] = {}
    for number, item in enumerate(exam, 1):
        letters = ",".join(item.options)
        if letters not in lists:
            lists[letters] = DataValidation(
                type="list", formula1=f'"{letters}"', allow_blank=True, showErrorMessage=False
            )
            sheet.add_data_validation(lists[letters])
        lists[letters].add(f"C{number + 1}")


def _explain(sheet: Worksheet) -> None:
    from openpyxl.styles import Alignment

    for row, text in enumerate((WORDS["how"], WORDS["how"].zh), 1):
        sheet.cell(row, 1, str(text)).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.column_dimensions["A"].width = 80


def _timeless(workbook: bytes) -> bytes:
    """The workbook without the moment of its making, in its properties and in the archive."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(workbook)) as old, ZipFile(out, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:(created|modified)[^>]*>)[^<]*", rb"\g<1>1980-01-01T00:00:00Z", data)
            entry = ZipInfo(name, NEVER.timetuple()[:6])
            entry.compress_type = ZIP_DEFLATED
            new.writestr(entry, data)
    return out.getvalue()
