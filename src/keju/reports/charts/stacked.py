"""A bar a name, made of parts: what a whole consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keju.reports.charts.chart import (
    Chart,
    altair,
    axis_of,
    column_of,
    data,
    drawn,
    figure,
    named_axis,
    positions,
    text,
)
from keju.reports.charts.intervals import row_names
from keju.reports.charts.style import COLOURS, STEP, WIDTH
from keju.reports.wording import Language, heading
from keju.results.table import Table


def stacked(table: Table, names: Sequence[str], part: str, value: str) -> Chart:
    """Rows of the same names as one bar: `part` is the key of what tells its pieces apart, `value` of their length."""
    return drawn(table, lambda language: _view(table, names, part, value, language))


def _view(table: Table, names: Sequence[str], part: str, value: str, language: Language) -> Any:
    alt = altair()
    parts, figures = column_of(table, part), column_of(table, value)
    called = row_names(table, names, language)
    places = list(dict.fromkeys(called))
    rows = [
        {
            "row": places.index(name),
            "name": name,
            "part": text(parts, row, language),
            "value": figure(figures, row),
            "shown": text(figures, row, language),
        }
        for name, row in zip(called, table.rows, strict=True)
    ]
    order = list(dict.fromkeys(row["part"] for row in rows))
    for row in rows:
        row["order"] = order.index(row["part"])
    unit = heading(figures, language) + (" (s)" if figures.kind == "seconds" else "")
    colour = alt.Color("part:N", sort=order, scale=alt.Scale(domain=order, range=list(COLOURS)), title=None)
    scale = alt.Scale(domain=[0, 1]) if figures.kind == "share" else alt.Scale(zero=True)
    return (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            y=alt.Y("row:O", title=None, axis=named_axis(places), scale=positions(places)),
            x=alt.X("value:Q", title=unit, stack="zero", axis=alt.Axis(**axis_of(figures)), scale=scale),
            color=colour.legend(orient="top"),
            order="order:Q",
            tooltip=[
                alt.Tooltip("name:N", title=heading(column_of(table, names[0]), language)),
                alt.Tooltip("part:N", title=heading(parts, language)),
                alt.Tooltip("shown:N", title=unit),
            ],
        )
        .properties(width=WIDTH, height=STEP * len(places))
    )
