"""How a quantity is spread: a bar for each range of values."""

from __future__ import annotations

from typing import Any

from keju.phrase import Phrase
from keju.reports.charts.chart import Chart, altair, axis_of, column_of, data, drawn, figure, text
from keju.reports.charts.style import ABOVE_FIGURES, BLUE, WIDTH
from keju.reports.wording import Language, heading, in_language
from keju.results.table import Table

HEIGHT = 200
"""Pixels."""


def histogram(table: Table, low: str, high: str, value: str, quantity: Phrase) -> Chart:
    """Rows as bars that stand side by side: from `low` to `high` on the axis of `quantity`, `value` high."""
    return drawn(table, lambda language: _view(table, (low, high, value), quantity, language))


def _view(table: Table, keys: tuple[str, str, str], quantity: Phrase, language: Language) -> Any:
    alt = altair()
    low, high, value = (column_of(table, key) for key in keys)
    rows: list[dict[str, Any]] = [
        {
            "low": figure(low, row),
            "high": figure(high, row),
            "range": f"{text(low, row, language)} – {text(high, row, language)}",
            "value": figure(value, row),
        }
        for row in table.rows
    ]
    title = in_language(quantity, language)
    step = min(row["high"] - row["low"] for row in rows)
    ends = alt.Axis(grid=False, tickMinStep=step, format=",~f")  # no half ranges, no superfluous zeros
    return (
        alt.Chart(data(rows))
        .mark_bar(color=BLUE, stroke="white", strokeWidth=0.5, strokeOpacity=0.6)
        .encode(
            x=alt.X("low:Q", title=title, scale=alt.Scale(nice=False, zero=False), axis=ends),
            x2="high:Q",
            y=alt.Y("value:Q", title=heading(value, language), axis=alt.Axis(**axis_of(value), **ABOVE_FIGURES)),
            y2=alt.datum(0),
            tooltip=[alt.Tooltip("range:N", title=title), alt.Tooltip("value:Q", title=heading(value, language))],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
