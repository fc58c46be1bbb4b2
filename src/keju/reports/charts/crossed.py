"""A long table with two words and a figure a row, as shades: one word down, the other across."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from keju.phrase import Phrase
from keju.reports.charts.chart import Chart, column_of
from keju.reports.charts.heat import heat
from keju.results.table import Column, Table

MOST_ACROSS = 9
"""Columns whose heads and figures can be read in the width of a page; with more, the longer side goes down."""


def crossed(table: Table, down: str, across: str, value: str) -> Chart:
    """The figure `value` of each pair of the words in the columns `down` and `across`, in order of appearance."""
    words = {key: list(dict.fromkeys(row[key] for row in table.rows)) for key in (down, across)}
    if len(words[across]) > MOST_ACROSS and len(words[down]) <= len(words[across]):
        down, across = across, down
    figures = column_of(table, value)
    columns = {word: _column(number, word, figures) for number, word in enumerate(words[across])}
    rows: dict[str, dict[str, Any]] = {word: {down: word} for word in words[down]}
    for row in table.rows:
        rows[row[down]][columns[row[across]].key] = row[value]
    wide = replace(table, columns=(column_of(table, down), *columns.values()), rows=tuple(rows.values()))
    title = column_of(table, across)
    keys = [column.key for column in columns.values()]
    return replace(heat(wide, down, keys, Phrase(title.title, title.title_zh or title.title)), table=table)


def _column(number: int, word: str, figures: Column) -> Column:
    return Column(f"value_{number}", word, figures.kind, word.zh if isinstance(word, Phrase) else None)
