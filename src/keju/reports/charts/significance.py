"""Who is better than whom: differences of paired tests as a square, those that may be chance left pale."""

from __future__ import annotations

from typing import Any

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
from keju.reports.charts.heat import CELL, room
from keju.reports.charts.style import BLUE, COLUMN, INK, WIDTH
from keju.reports.wording import Language, heading
from keju.results.table import Table

LEVEL = 0.05
"""Holm-adjusted p below which a difference is coloured: the level at which both papers test."""

WORSE = "#d55e00"
"""Okabe and Ito's vermilion, told from the blue by every kind of colour vision."""


def significance(table: Table) -> Chart:
    """Each pair of `first` and `second` as two cells with the difference, from the side of the row.

    Coloured where `p_holm` is below `LEVEL`; pairs that were not tested stay empty.
    """
    return drawn(table, lambda language: _view(table, language))


def _view(table: Table, language: Language) -> Any:
    alt = altair()
    names = list(dict.fromkeys(row[key] for key in ("first", "second") for row in table.rows))
    difference, adjusted = column_of(table, "difference"), column_of(table, "p_holm")
    axis = {"title": None, "scale": positions(names)}
    base = alt.Chart(data(_cells(table, names, language))).encode(
        y=alt.Y("row:O", axis=named_axis(names), **axis),
        x=alt.X("column:O", axis=slanted_heads(names), **axis),
        tooltip=[
            alt.Tooltip("pair:N", title=heading(difference, language)),
            alt.Tooltip("p:N", title=heading(adjusted, language)),
        ],
    )
    sure = f"datum.adjusted !== null && datum.adjusted < {LEVEL}"
    shade = (
        alt.when(f"{sure} && datum.value > 0")
        .then(alt.value(BLUE))
        .when(f"{sure} && datum.value < 0")
        .then(alt.value(WORSE))
        .otherwise(alt.value("#e8e8e8"))
    )
    ink = alt.when(sure).then(alt.value("white")).otherwise(alt.value(INK))
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=1).encode(color=shade),
        base.mark_text(opacity=room(len(names))).encode(text="shown:N", color=ink),
    ).properties(width=max(WIDTH, COLUMN * len(names)), height=CELL * len(names))


def _cells(table: Table, names: list[str], language: Language) -> list[dict[str, Any]]:
    difference, adjusted = column_of(table, "difference"), column_of(table, "p_holm")
    found = []
    for row in table.rows:
        value = figure(difference, row)
        if value is None:
            continue
        for one, other, signed in (("first", "second", value), ("second", "first", -value)):
            shown = text(difference, {**row, "difference": signed}, language).replace("-", "\N{MINUS SIGN}")
            found.append(
                {
                    "row": names.index(row[one]),
                    "column": names.index(row[other]),
                    "value": signed,
                    "shown": shown,
                    "pair": f"{row[one]} − {row[other]}: {shown}",
                    "adjusted": figure(adjusted, row),
                    "p": text(adjusted, row, language),
                }
            )
    return found
