"""Tables as one XLSX workbook: a sheet a table, and a sheet of notes. Texts stay texts, figures stay figures."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from keju.items import NOTHING
from keju.phrase import Phrase
from keju.printable import printable
from keju.reports.numbers import fields
from keju.reports.wording import Language, about, cells, heading, in_language, is_text, kinds, notes, title, word
from keju.results.table import Column, Kind, Table

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

CELL_LIMIT = 32_767
"""Most UTF-16 units that Excel keeps in a cell; of a file with more it deletes rows."""

WIDEST = 60
"""Characters of the widest column; a longer text is broken into lines."""

LINE = 15.0
"""Points of a line."""

MOST_LINES, MOST_OF_A_NOTE = 4, 27
"""Lines that a row may have, of a table and of the notes (Excel's rows end at 409 points); of a longer text
the first is seen, as sheets show what has no room."""

FORMATS: Mapping[Kind, str] = {
    "share": r"0.0\ %",
    "difference": r"+0.0\ %;-0.0\ %;0.0\ %",
    "interval": r"0.0\ %",
    "count": "#,##0",
    "seconds": r"0.00\ \s",
    "p": '[<0.001]"< 0.001";0.000',
}
"""Number format by kind. The value beneath is the raw one: 0.73, shown as 73.0 %."""


def to_xlsx(
    tables: Sequence[Table], *, title: str = "", meta: Mapping[str, Any] = NOTHING, language: Language = "en"
) -> bytes:
    """The workbook as bytes. An interval takes two columns; a cell without a value is empty, so that it never counts.

    A text beyond `CELL_LIMIT` is cut and says so at its end and on the sheet of notes.
    """
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    names = sheet_names([*(table.name for table in tables), word("notes", language)])
    cut = sum(_fill(book.create_sheet(name), table, language) for name, table in zip(names, tables, strict=False))
    _fill_notes(book.create_sheet(names[-1]), _note_lines(tables, title, meta, language, cut), language)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def sheet_names(names: Sequence[str]) -> list[str]:
    """The names as Excel takes them: at most 31 characters, none of `[]:*?/\\`, unlike each other in any case."""
    taken: list[str] = []
    for name in names:
        stem = re.sub(r"[\[\]:*?/\\\n\t]", "_", printable(name)).strip("' ")[:31] or "_"
        unique, number = stem, 2
        while unique.casefold() in (other.casefold() for other in taken):
            unique = f"{stem[: 30 - len(str(number))]}-{number}"
            number += 1
        taken.append(unique)
    return taken


def _fill(sheet: Worksheet, table: Table, language: Language) -> int:
    """Writes the table; returns how many texts were cut."""
    marked = any(kinds(row) for row in table.rows)
    heads = [name for column in table.columns for name in _heads(column, language)]
    figures = [not is_text(column) for column in table.columns for _ in _heads(column, language)]
    _write_header(sheet, heads + [word("remark", language)] * marked, [*figures, False])
    cut = 0
    for number, row in enumerate(table.rows, start=2):
        values = [(value, column.kind) for column in table.columns for value in fields(column, row)]
        values += [("; ".join(word(kind, language) for kind in kinds(row)), "text")] * marked
        for position, (value, kind) in enumerate(values, start=1):
            cut += _put(sheet, number, position, value, kind, language)
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = sheet.dimensions
    _set_widths(sheet, table, heads, language)
    _fit_to_paper(sheet)
    sheet.print_title_rows = "1:1"
    return cut


def _fit_to_paper(sheet: Worksheet) -> None:
    """As wide as a page, and as many pages as it needs."""
    from openpyxl.worksheet.properties import PageSetupProperties

    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", int(sheet.PAPERSIZE_A4)
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.page_setup.fitToHeight = 0


def _write_header(sheet: Worksheet, heads: Sequence[str], figures: Sequence[bool]) -> None:
    from openpyxl.styles import Alignment, Font

    for position, head in enumerate(heads, start=1):
        _put(sheet, 1, position, head, "text", "en")
        cell = sheet.cell(1, position)
        cell.font = Font(bold=True)
        side = "right" if figures[position - 1] else "left"  # over figures, which stand at the right
        cell.alignment = Alignment(wrap_text=True, vertical="top", horizontal=side)


def _put(
    sheet: Worksheet, row: int, column: int, value: Any, kind: Kind, language: Language, most: int = MOST_LINES
) -> bool:
    """Writes one cell, in up to `most` lines; returns whether its text was cut."""
    from openpyxl.styles import Alignment
    from rich.cells import cell_len

    cell = sheet.cell(row, column)
    if value is None or value == "":
        return False
    if not isinstance(value, str):
        cell.value = value
        cell.number_format = FORMATS.get(kind, "General")
        return False
    text = printable(in_language(value, language))
    shown = _cut(text, language)
    cell.value = shown
    cell.data_type = "s"  # openpyxl would make `=A` a formula and `#N/A` an error
    cell.quotePrefix = True  # and Excel would, once someone edits the cell
    lines = math.ceil(cell_len(shown) / (WIDEST - 4))  # a word that does not fit leaves the end of a line empty
    if 1 < lines <= most:
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        height = sheet.row_dimensions[row].height or LINE
        sheet.row_dimensions[row].height = max(height, LINE * lines)  # not every program finds it out
    return shown != text


def _cut(text: str, language: Language) -> str:
    if len(text.encode("utf-16-le")) // 2 <= CELL_LIMIT:
        return text
    n = f"{len(text):,}"
    mark = in_language(Phrase(f" … [cut: {n} characters in all]", f" … [已截断：全文 {n} 字]"), language)
    kept = text.encode("utf-16-le")[: 2 * (CELL_LIMIT - len(mark))].decode("utf-16-le", "ignore")
    return kept + mark


def _set_widths(sheet: Worksheet, table: Table, heads: Sequence[str], language: Language) -> None:
    """Room for the longest line, where a Chinese character takes two places, between 8 and `WIDEST`; what tells
    people nothing is there and folded away."""
    from openpyxl.utils import get_column_letter
    from rich.cells import cell_len

    drawn = [cells(table, row, language) for row in table.rows]
    owners = [i for i, column in enumerate(table.columns) for _ in _heads(column, "en")]
    for position, (owner, head) in enumerate(zip(owners, heads, strict=True), start=1):
        lines = [line for row in drawn for line in row[owner][:2000].split("\n")]
        longest = max((cell_len(line) for line in lines), default=0)
        width = min(WIDEST, max(8, longest, cell_len(head) + 3))  # 3: the filter's button
        sheet.column_dimensions[get_column_letter(position)].width = width + 1
        sheet.column_dimensions[get_column_letter(position)].hidden = table.columns[owner].hidden


def _note_lines(
    tables: Sequence[Table], name: str, meta: Mapping[str, Any], language: Language, cut: int
) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = [(name, "")] if name else []
    lines += about(meta)
    for table in tables:
        lines += [(title(table, language), note) for note in notes(table, language) or [""]]
    if cut:
        many, most = f"{cut:,} texts were" if cut > 1 else "one text was", f"{CELL_LIMIT:,}"
        note = Phrase(
            f"{many} cut: a cell holds {most} characters. The JSON and CSV forms hold them whole.",
            f"{cut:,} 段文字已截断：一个单元格最多容纳 {most} 字。JSON 和 CSV 中为全文。",
        )
        lines.append(("", in_language(note, language)))
    return lines


def _fill_notes(sheet: Worksheet, lines: Sequence[tuple[str, str]], language: Language) -> None:
    for number, pair in enumerate(lines, start=1):
        for position, text in enumerate(pair, start=1):
            _put(sheet, number, position, text, "text", language, most=MOST_OF_A_NOTE)
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 40, WIDEST + 1
    _fit_to_paper(sheet)


def _heads(column: Column, language: Language) -> tuple[str, ...]:
    head = heading(column, language)
    if column.kind != "interval":
        return (head,)
    return tuple(f"{head}, {word(end, language)}" for end in ("low", "high"))
