"""A point a row on a scale from 0 to 100 %, with its interval, and a tick at chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keju.reports.charts.chart import Chart, altair, axis_of, column_of, data, drawn, figure, named_axis, positions, text
from keju.reports.charts.style import BLUE, COLOURS, INK, STEP, WHOLE, WIDTH
from keju.reports.numbers import raw
from keju.reports.wording import Language, heading
from keju.results.table import Column, Table


def intervals(
    table: Table, names: Sequence[str], value: str, interval: str, *, chance: str | None = None, group: str | None = None
) -> Chart:
    """Rows as points, in the table's order: `names` are the keys of the words that tell a row, `interval` of the ends.

    `chance` is the key of what drawing would give. With `group`, rows of one name stand together and are told apart by
    colour.
    """
    return drawn(table, lambda language: _view(table, names, (value, interval, chance, group), language))


def row_names(table: Table, names: Sequence[str], language: Language) -> list[str]:
    """What each row is called: its words in the columns `names`, as far as they are there."""
    columns = [column_of(table, key) for key in names]
    return [" · ".join(text(c, row, language) for c in columns if row.get(c.key)) for row in table.rows]


def _view(table: Table, names: Sequence[str], keys: tuple[str, str, str | None, str | None], language: Language) -> Any:
    alt = altair()
    figures, ends = column_of(table, keys[0]), column_of(table, keys[1])
    called = row_names(table, names, language)
    places = list(dict.fromkeys(called)) if keys[3] else called
    rows = _rows(table, called, places, keys, language)
    unit, step = heading(figures, language), STEP * (len({row["group"] for row in rows}) if keys[3] else 1)
    axis = alt.Axis(values=WHOLE, **axis_of(figures))
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("row:O", title=None, axis=named_axis(places), scale=positions(places)),
        tooltip=[
            alt.Tooltip("name:N", title=heading(column_of(table, names[0]), language)),
            *([alt.Tooltip("group:N", title=heading(column_of(table, keys[3]), language))] if keys[3] else []),
            alt.Tooltip("shown:N", title=unit),
            alt.Tooltip("ends:N", title=heading(ends, language)),
        ],
    )
    colour: Any = alt.value(BLUE)
    if keys[3]:
        order = list(dict.fromkeys(row["group"] for row in rows))
        base = base.encode(yOffset=alt.YOffset("group:N", sort=order))
        colour = alt.Color("group:N", sort=order, scale=alt.Scale(domain=order, range=list(COLOURS)), title=None)
        colour = colour.legend(orient="top")
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("value:Q", title=unit, axis=axis, scale=scale)
    layers = [
        base.mark_rule(strokeWidth=6, opacity=0.35).encode(x=alt.X("low:Q", title=unit, scale=scale), x2="high:Q", color=colour),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, color=colour),
    ]
    if keys[2]:
        tick = base.mark_tick(color=INK, opacity=0.7, thickness=1.5, size=STEP * 0.7).properties(name="ink_chance")
        layers.append(tick.encode(x=alt.X("chance:Q", title=unit, scale=scale)))
    return alt.layer(*layers).properties(width=WIDTH, height=step * len(places))


def _rows(
    table: Table, called: list[str], places: list[str], keys: tuple[str, str, str | None, str | None], language: Language
) -> list[dict[str, Any]]:
    figures, ends = column_of(table, keys[0]), column_of(table, keys[1])
    chance: Column | None = column_of(table, keys[2]) if keys[2] else None
    group = column_of(table, keys[3]) if keys[3] else None
    rows = []
    for position, (name, row) in enumerate(zip(called, table.rows, strict=True)):
        low, high = raw(ends, row) or (None, None)
        rows.append(
            {
                "row": places.index(name) if group else position,
                "name": name,
                "group": text(group, row, language) if group else "",
                "value": figure(figures, row),
                "shown": text(figures, row, language),
                "low": low,
                "high": high,
                "ends": text(ends, row, language),
                "chance": figure(chance, row) if chance else None,
            }
        )
    return rows
