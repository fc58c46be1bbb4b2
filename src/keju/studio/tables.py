"""Tables of results as templates draw them, in the language of the interface, with bars beside what they are about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from keju.phrase import Phrase
from keju.reports.numbers import raw
from keju.reports.wording import Language, cells, for_people, heading, is_text, notes, title
from keju.results.labels import heading_of
from keju.results.table import Column, Table
from keju.studio.charts import bar
from keju.studio.form_labels import language_name
from keju.studio.wording import in_taiwan

_LANGUAGE = heading_of("original_language")
_METHODS = {
    "wilson": Phrase("Wilson score interval", "威尔逊得分区间"),
    "bootstrap": Phrase("bootstrap interval", "自助法区间"),
    "two-way bootstrap": Phrase("two-way bootstrap interval", "双向自助法区间"),
}
"""Methods as the command line's tables call them, where space is dear → as people read them."""


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    figure: bool
    """Set to the right."""


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[Cell, ...]
    bar: SafeString | None


@dataclass(frozen=True, slots=True)
class Plot:
    """What a table's bars show."""

    value: Column
    limits: tuple[Column, ...]
    """None, one column that holds both limits, or two."""

    def ends(self, row: Mapping[str, Any]) -> tuple[float, float] | None:
        told = [raw(column, row) for column in self.limits]
        if not told or None in told:
            return None
        low, high = told if len(told) == 2 else told[0]
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Shown:
    name: str
    title: str
    heads: tuple[Cell, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    bars: bool


def shown(table: Table) -> Shown:
    """The table for a page, with bars where one column is what the table is about."""
    table = _in_words(for_people(table))
    language, plot = _language(), _plotted(table.columns)
    most = _most(table, plot) if plot else 1.0
    return Shown(
        table.name,
        _scripted(title(table, language)),
        tuple(Cell(_scripted(heading(column, language)), not is_text(column)) for column in table.columns),
        tuple(_row(table, row, plot, most, language) for row in table.rows),
        tuple(_scripted(note) for note in notes(table, language)),
        plot is not None,
    )


def _in_words(table: Table) -> Table:
    """The table with names for the tags of languages and the methods of intervals."""
    return replace(table, rows=tuple({**row, **_words(row)} for row in table.rows))


def _words(row: Mapping[str, Any]) -> dict[str, str]:
    words: dict[str, str] = {}
    if (method := row.get("interval_method")) in _METHODS:
        words["interval_method"] = _METHODS[method]
    if row.get("label") == _LANGUAGE and row.get("value"):
        words["value"] = language_name(row["value"])
    return words


def _plotted(columns: Sequence[Column]) -> Plot | None:
    """A share with the interval that follows it; a share that stands alone; a coefficient with its two limits."""
    shares = [column for column in columns if column.kind == "share"]
    for share, after in pairwise(columns):
        if share.kind == "share" and after.kind == "interval":
            return Plot(share, (after,))
    by_key = {column.key: column for column in columns}
    if {"value", "low", "high"} <= by_key.keys():
        return Plot(by_key["value"], (by_key["low"], by_key["high"]))
    return Plot(shares[0], ()) if len(shares) == 1 else None


def _row(table: Table, row: Mapping[str, Any], plot: Plot | None, most: float, language: Language) -> Row:
    drawn = zip(cells(table, row, language), table.columns, strict=True)
    value = raw(plot.value, row) if plot else None
    return Row(
        tuple(Cell(_scripted(text), not is_text(column)) for text, column in drawn),
        bar(value, plot.ends(row), row.get("_expected"), most=most) if plot and value is not None else None,
    )


def _most(table: Table, plot: Plot) -> float:
    """The right end of the bars: the largest value or limit, up to the next tenth."""
    ends = [raw(plot.value, row) or 0.0 for row in table.rows]
    ends += [pair[1] for row in table.rows if (pair := plot.ends(row))]
    return min(1.0, math.ceil(max(ends, default=1.0) * 10 - 1e-9) / 10) or 1.0


def _language() -> Language:
    return "zh" if (get_language() or "en").startswith("zh") else "en"


def _scripted(text: str) -> str:
    return in_taiwan(text) if (get_language() or "").lower() == "zh-hant" else text
