"""The words around a table's figures, in English and Chinese: headings, titles, marks of rows and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from keju.errors import Misuse
from keju.phrase import Phrase, in_chinese, listed
from keju.printable import printable
from keju.reports.numbers import cell, raw
from keju.results.table import Column, Table

Language = Literal["en", "zh"]

WORDS: Mapping[str, tuple[str, str]] = {
    "published": ("published figures, not measured here", "已发表的数据，非本次测得"),
    "faint": ("fewer than 10 items", "不足 10 题"),
    "low": ("low", "下限"),
    "high": ("high", "上限"),
    "remark": ("Remark", "备注"),
    "notes": ("Notes", "说明"),
    "table": ("Table", "表"),
    "tables": ("Tables", "表格"),
    "contents": ("Contents", "目录"),
    "figures": ("The figures", "数据"),
    "items": ("Items", "题目"),
    "runs": ("Runs", "运行"),
    "plot": ("0 to 100 %", "0 至 100 %"),
}
"""Key → (English, Chinese)."""

MARKS: Mapping[str, str] = {"published": "†", "faint": "‡"}
"""What follows the first cell of a row that carries `_published` or `_faint`."""


def chinese(language: Language) -> bool:
    """Whether the report is in Chinese. Raises `Misuse` where the language is neither `en` nor `zh`."""
    if language not in ("en", "zh"):
        raise Misuse(f"reports are written in 'en' or 'zh', not in {language!r}")
    return language == "zh"


def in_language(text: str, language: Language) -> str:
    """The text in the language, where it is a `Phrase`; any other text as it is."""
    return in_chinese(text) if chinese(language) else text


def word(key: str, language: Language) -> str:
    """The word for `key`."""
    return WORDS[key][chinese(language)]


def heading(column: Column, language: Language) -> str:
    """The column's heading; the English one where there is no Chinese one."""
    return printable((chinese(language) and column.title_zh) or column.title)


def title(table: Table, language: Language) -> str:
    """The table's title; the English one where there is no Chinese one."""
    return printable((chinese(language) and table.title_zh) or table.title)


def kinds(row: Mapping[str, Any]) -> list[str]:
    """Which of `published` and `faint` the row is."""
    return [kind for kind in MARKS if row.get(f"_{kind}")]


def for_people(table: Table) -> Table:
    """The table as people are shown it: hidden columns go; so do counts that are all 0, and a note names them."""
    table = replace(table, columns=tuple(column for column in table.columns if not column.hidden))
    gone = [column for column in table.columns if column.hide_zero and _all_zero(column, table)]
    if not gone:
        return table
    names = listed(Phrase(heading(column, "en"), heading(column, "zh")) for column in gone)
    note = Phrase(f"Not shown, as every count is 0: {names}.", f"以下各列计数全为 0，未列出：{names.zh}。")
    kept = tuple(column for column in table.columns if column not in gone)
    return replace(table, columns=kept, notes=(*table.notes, note))


def _all_zero(column: Column, table: Table) -> bool:
    return {raw(column, row) for row in table.rows} - {None} == {0}


def cells(table: Table, row: Mapping[str, Any], language: Language) -> list[str]:
    """The row as people read it, one text a column, with the row's marks after the first."""
    drawn = [cell(column, row, zh=chinese(language)) for column in table.columns]
    if drawn and (marks := "".join(MARKS[kind] for kind in kinds(row))):
        drawn[0] += f" {marks}"
    return drawn


def notes(table: Table, language: Language) -> list[str]:
    """What stands under the table: the meaning of the marks that occur, then the table's own notes."""
    used = [kind for kind in MARKS if any(row.get(f"_{kind}") for row in table.rows)]
    marks = [f"{MARKS[kind]} {word(kind, language)}" for kind in used]
    return marks + [printable(in_language(note, language)) for note in table.notes]


def about(meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What `meta` says of the report, as people read it; of a list its members with commas between."""
    return [(printable(str(key)), printable(_said(value))) for key, value in meta.items()]


def _said(value: Any) -> str:
    return ", ".join(str(one) for one in value) if isinstance(value, list | tuple) else str(value)


def is_text(column: Column) -> bool:
    """Whether the column holds words (set to the left) rather than figures (to the right)."""
    return column.kind == "text"
