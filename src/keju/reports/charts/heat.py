"""Two labels and a figure: a cell for each pair, darker for more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keju.phrase import Phrase
from keju.reports.charts.chart import (
    Chart,
    altair,
    column_of,
    data,
    drawn,
    figure,
    named_axis,
    positions,
    slanted_heads,
    text,
)
from keju.reports.charts.style import COLUMN, DARK_SHADE, INK, SHADES, WIDTH
from keju.reports.wording import Language, heading, in_language
from keju.results.table import Table

CELL = 28
"""Pixels of a cell's height: a line of text with air around it."""


def heat(table: Table, name: str, values: Sequence[str], across: Phrase) -> Chart:
    """Rows of the table as rows of cells: `name` is the key of their words, `values` are the columns that are shaded.

    `across` says what the columns are. All share one scale, from 0; a cell where nothing was measured stays empty.
    """
    return drawn(table, lambda language: _view(table, name, values, across, language))


def _view(table: Table, name: str, values: Sequence[str], across: Phrase, language: Language) -> Any:
    alt = altair()
    names, shaded = column_of(table, name), [column_of(table, key) for key in values]
    down, along = [text(names, row, language) for row in table.rows], [heading(column, language) for column in shaded]
    measured = [[figure(column, row) for column in shaded] for row in table.rows]
    most = max((value for line in measured for value in line if value is not None), default=0.0) or 1.0
    cells = [
        {
            "row": y,
            "column": x,
            "name": down[y],
            "across": along[x],
            "value": value,
            "shown": text(shaded[x], row, language),
        }
        for y, row in enumerate(table.rows)
        for x, value in enumerate(measured[y])
        if value is not None
    ]
    word, title = heading(names, language), in_language(across, language)
    axis = slanted_heads(along)
    base = alt.Chart(data(cells)).encode(
        y=alt.Y("row:O", title=word, axis=named_axis(down), scale=positions(down)),
        x=alt.X("column:O", title=title, axis=axis, scale=positions(along)),
        tooltip=[alt.Tooltip("name:N", title=word), alt.Tooltip("across:N", title=title)],
    )
    shade = alt.Color("value:Q", scale=alt.Scale(range=SHADES, domain=[0, most]), legend=None)
    ink = alt.when(f"datum.value > {most * DARK_SHADE}").then(alt.value("white")).otherwise(alt.value(INK))
    shades = base.mark_rect(stroke="white", strokeWidth=1).encode(color=shade)
    figures = base.mark_text(opacity=room(len(along))).encode(text="shown:N", color=ink)
    return alt.layer(shades, figures).properties(width=max(WIDTH, COLUMN * len(along)), height=CELL * len(down))


def room(columns: int) -> Any:
    """Opacity of the figures in cells: none where a column is narrower than `COLUMN`; pointer and table tell them."""
    return altair().expr(f"width < {COLUMN * columns} ? 0 : 1")
