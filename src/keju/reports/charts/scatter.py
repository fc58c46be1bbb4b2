"""Two figures a row against each other, each point with its name."""

from __future__ import annotations

import math
from typing import Any

from keju.reports.charts.chart import Chart, altair, axis_of, column_of, data, drawn, figure, text
from keju.reports.charts.style import ABOVE_FIGURES, BLUE, LETTER, WHOLE, WIDTH
from keju.reports.numbers import raw
from keju.reports.wording import Language, heading
from keju.results.table import Table

HEIGHT = 260
"""Pixels."""
LINE = 14
"""Pixels of a line of text."""


def scatter(table: Table, name: str, x: str, y: str, interval: str) -> Chart:
    """Rows as points where both figures are known: `x` on a logarithmic axis, `y` a share with its `interval`."""
    return drawn(table, lambda language: _view(table, (name, x, y, interval), language))


def _view(table: Table, keys: tuple[str, str, str, str], language: Language) -> Any:
    alt = altair()
    name, x, y, interval = (column_of(table, key) for key in keys)
    rows = []
    for row in table.rows:
        low, high = raw(interval, row) or (None, None)
        place = {"x": figure(x, row), "y": figure(y, row), "low": low, "high": high}
        words = {"name": text(name, row, language), "shown": text(y, row, language), "size": text(x, row, language)}
        if place["x"] is not None and place["y"] is not None:
            rows.append(place | words)
    _label(rows)
    across = alt.X(
        "x:Q",
        title=heading(x, language),
        scale=alt.Scale(type="log", padding=30),
        axis=alt.Axis(format="~g", tickCount=6),
    )
    scale = alt.Scale(domain=[0, 1])
    up = alt.Y(
        "y:Q", title=heading(y, language), scale=scale, axis=alt.Axis(values=WHOLE, **axis_of(y), **ABOVE_FIGURES)
    )
    base = alt.Chart(data(rows)).encode(
        x=across,
        tooltip=[
            alt.Tooltip("name:N", title=heading(name, language)),
            alt.Tooltip("size:N", title=heading(x, language)),
            alt.Tooltip("shown:N", title=heading(y, language)),
        ],
    )
    return alt.layer(
        base.mark_rule(strokeWidth=5, opacity=0.3, color=BLUE).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(y=up),
        base.mark_text(align="left", dx=8, dy=-6).encode(y=up, text="label:N").properties(name="ink_names"),
    ).properties(width=WIDTH, height=HEIGHT)


def _label(rows: list[dict[str, Any]]) -> None:
    """A label for each point whose name has room; the others are told by the pointer and by the table."""
    sizes = [math.log(row["x"]) for row in rows]
    span = max(sizes, default=0) - min(sizes, default=0) or 1.0
    taken: list[tuple[float, float, float]] = []
    for row, size in zip(rows, sizes, strict=True):
        left, down = (size - min(sizes)) / span * WIDTH, row["y"] * HEIGHT
        right = left + LETTER * len(row["name"])
        free = all(right < start or left > end or abs(down - y) > LINE for start, end, y in taken)
        row["label"] = row["name"] if free else ""
        if free:
            taken.append((left, right, down))
