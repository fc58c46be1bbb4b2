"""A point a row on a scale from 0 to 100 %, with its interval, and a tick at chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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
from keju.reports.charts.style import BLUE, COLOURS, INK, STEP, WHOLE, WIDTH
from keju.reports.numbers import raw
from keju.reports.wording import Language, heading
from keju.results.table import Table


class _Keys(NamedTuple):
    value: str
    interval: str
    chance: str | None
    group: str | None


def intervals(
    table: Table,
    names: Sequence[str],
    value: str,
    interval: str,
    *,
    chance: str | None = None,
    group: str | None = None,
) -> Chart:
    """Rows as points, in the table's order: `names` are the keys of the words that tell a row, `interval` of the ends.

    `chance` is the key of what drawing would give. With `group`, rows of one name stand together and are told apart by
    colour.
    """
    return drawn(table, lambda language: _view(table, names, _Keys(value, interval, chance, group), language))


def row_names(table: Table, names: Sequence[str], language: Language) -> list[str]:
    """What each row is called: its words in the columns `names`, as far as they are there."""
    columns = [column_of(table, key) for key in names]
    return [" · ".join(text(c, row, language) for c in columns if row.get(c.key)) for row in table.rows]


def _view(table: Table, names: Sequence[str], keys: _Keys, language: Language) -> Any:
    alt = altair()
    figures = column_of(table, keys.value)
    called = row_names(table, names, language)
    places = list(dict.fromkeys(called)) if keys.group else called
    rows = _rows(table, called, places, keys, language)
    groups = list(dict.fromkeys(row["group"] for row in rows))
    unit, scale = heading(figures, language), alt.Scale(domain=[0, 1])
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("row:O", title=None, axis=named_axis(places), scale=positions(places)),
        tooltip=_tooltip(table, names[0], keys, language),
        **(_by_colour(groups) if keys.group else {"color": alt.value(BLUE)}),
    )
    low = alt.X("low:Q", title=unit, scale=scale, axis=alt.Axis(values=WHOLE, **axis_of(figures)))
    layers = [
        base.mark_rule(strokeWidth=6, opacity=0.35).encode(x=low, x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("value:Q", title=unit, scale=scale)),
    ]
    if keys.chance:
        tick = base.mark_tick(opacity=0.7, thickness=1.5, size=STEP * 0.7).properties(name="ink_chance")
        layers.append(tick.encode(x=alt.X("chance:Q", title=unit, scale=scale), color=alt.value(INK)))
    return alt.layer(*layers).properties(width=WIDTH, height=STEP * len(groups) * len(places))


def _by_colour(groups: Sequence[str]) -> dict[str, Any]:
    alt = altair()
    scale = alt.Scale(domain=groups, range=list(COLOURS))
    colour = alt.Color("group:N", sort=groups, scale=scale, title=None, legend=alt.Legend(orient="top"))
    return {"color": colour, "yOffset": alt.YOffset("group:N", sort=groups)}


def _tooltip(table: Table, name: str, keys: _Keys, language: Language) -> list[Any]:
    fields = {"name": name, "group": keys.group, "shown": keys.value, "ends": keys.interval}
    return [
        altair().Tooltip(f"{field}:N", title=heading(column_of(table, key), language))
        for field, key in fields.items()
        if key
    ]


def _rows(
    table: Table, called: Sequence[str], places: Sequence[str], keys: _Keys, language: Language
) -> list[dict[str, Any]]:
    figures, ends = column_of(table, keys.value), column_of(table, keys.interval)
    rows = []
    for position, (name, row) in enumerate(zip(called, table.rows, strict=True)):
        low, high = raw(ends, row) or (None, None)
        place = {"value": figure(figures, row), "low": low, "high": high}
        words = {"name": name, "shown": text(figures, row, language), "ends": text(ends, row, language)}
        rows.append(
            {
                "row": places.index(name) if keys.group else position,
                "group": text(column_of(table, keys.group), row, language) if keys.group else "",
                "chance": figure(column_of(table, keys.chance), row) if keys.chance else None,
            }
            | place
            | words
        )
    return rows
