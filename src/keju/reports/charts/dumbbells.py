"""Two figures a row, joined: what a change did to each."""

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
from keju.reports.charts.style import COLOURS, INK, STEP, WHOLE, WIDTH
from keju.reports.wording import Language, heading
from keju.results.table import Table


def dumbbells(table: Table, names: Sequence[str], first: tuple[str, str], second: tuple[str, str]) -> Chart:
    """Rows as two points on one line: `first` and `second` are the keys of each side's word and of its figure."""
    return drawn(table, lambda language: _view(table, names, (first, second), language))


def _view(table: Table, names: Sequence[str], sides: Sequence[tuple[str, str]], language: Language) -> Any:
    alt = altair()
    called = row_names(table, names, language)
    figures = column_of(table, sides[0][1])
    points, lines = [], []
    for position, row in enumerate(table.rows):
        ends = [figure(column_of(table, value), row) for _, value in sides]
        lines.append({"row": position, "from": ends[0], "to": ends[1]})
        for (side, value), end in zip(sides, ends, strict=True):
            points.append(
                {
                    "row": position,
                    "name": called[position],
                    "side": text(column_of(table, side), row, language),
                    "value": end,
                    "shown": text(column_of(table, value), row, language),
                }
            )
    order = list(dict.fromkeys(point["side"] for point in points))
    unit = heading(figures, language)
    y = alt.Y("row:O", title=None, axis=named_axis(called), scale=positions(called))
    scale = alt.Scale(domain=[0, 1])
    joined = alt.Chart(data(lines)).mark_rule(strokeWidth=3, opacity=0.35, color=INK)
    dots = alt.Chart(data(points)).mark_point(filled=True, size=90, opacity=1)
    colour = alt.Color("side:N", sort=order, scale=alt.Scale(domain=order, range=list(COLOURS)), title=None)
    return alt.layer(
        joined.encode(
            y=y, x=alt.X("from:Q", title=unit, scale=scale, axis=alt.Axis(values=WHOLE, **axis_of(figures))), x2="to:Q"
        ),
        dots.encode(
            y=y,
            x=alt.X("value:Q", title=unit, scale=scale),
            color=colour.legend(orient="top"),
            tooltip=[
                alt.Tooltip("name:N", title=heading(column_of(table, names[0]), language)),
                alt.Tooltip("side:N", title=heading(column_of(table, sides[0][0]), language)),
                alt.Tooltip("shown:N", title=unit),
            ],
        ),
    ).properties(width=WIDTH, height=STEP * 1.3 * len(table.rows))
