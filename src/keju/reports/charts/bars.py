"""One bar a row, with its figure at its end."""

from __future__ import annotations

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
from keju.reports.charts.style import BLUE, INK, STEP, WIDTH
from keju.reports.wording import Language, heading
from keju.results.table import Table


def bars(table: Table, name: str, value: str, *, expected: str | None = None) -> Chart:
    """Rows as horizontal bars, in the table's order: `name` is the key of their words, `value` of their figure.

    `expected` is the key of what the figure would be under a hypothesis: a tick across the bar.
    """
    return drawn(table, lambda language: _view(table, name, value, expected, language))


def _view(table: Table, name: str, value: str, expected: str | None, language: Language) -> Any:
    alt = altair()
    names, figures = column_of(table, name), column_of(table, value)
    titles = [text(names, row, language) for row in table.rows]
    rows: list[dict[str, Any]] = [
        {"row": position, "name": title, "value": figure(figures, row), "shown": text(figures, row, language)}
        for position, (title, row) in enumerate(zip(titles, table.rows, strict=True))
    ]
    word, unit = heading(names, language), heading(figures, language)
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("row:O", title=word, axis=named_axis(titles), scale=positions(titles)),
        x=alt.X("value:Q", title=unit, axis=alt.Axis(**axis_of(figures)), scale=alt.Scale(zero=True)),
        tooltip=[alt.Tooltip("name:N", title=word), alt.Tooltip("shown:N", title=unit)],
    )
    layers = [base.mark_bar(color=BLUE)]
    if expected:
        there = [
            row | {"expected": figure(column_of(table, expected), of)} for row, of in zip(rows, table.rows, strict=True)
        ]
        tick = base.properties(data=data(there), name="ink_expected").mark_tick(
            color=INK, opacity=1, thickness=2, size=STEP
        )
        layers.append(tick.encode(x=alt.X("expected:Q", title=unit)))
    layers.append(base.mark_text(align="left", dx=4).encode(text="shown:N").properties(name="ink_figures"))
    return alt.layer(*layers).properties(width=WIDTH, height=STEP * len(rows))
