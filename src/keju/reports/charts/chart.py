"""A chart: a Vega-Lite specification in each language, and the table whose figures it draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, get_args

from keju.errors import MissingExtra, Misuse
from keju.phrase import Phrase
from keju.reports.charts.names import SHORT, cut_apart, unprovided
from keju.reports.charts.style import LETTER, NAMES
from keju.reports.numbers import cell, raw
from keju.reports.wording import Language, chinese
from keju.results.table import Column, Table

_LINE_ENDS = {0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Characters that JSON allows in a text and Vega's expressions do not."""


HEADS = 130
"""Pixels of a slanted head."""

ROOM = (SHORT, int(NAMES / LETTER), int(340 / LETTER))
"""Letters of a row's name that are seen on a phone, in a file, and on a page (`charts.js` has the pixels)."""


@dataclass(frozen=True, slots=True)
class Chart:
    name: str
    """File stem and key: that of its table, unless one table has several charts."""
    title: Phrase
    table: Table
    """What is drawn; it stands beside the chart, for those who read figures or hear the page."""
    specs: Mapping[Language, Mapping[str, Any]]
    """Vega-Lite, without title, colours of the page or fonts: those belong to where it is shown."""


def drawn(table: Table, view: Callable[[Language], Any], *, name: str | None = None) -> Chart:
    """The chart of a table; `view` makes its Altair chart in one language. Raises `Misuse` for a table without rows."""
    if not table.rows:
        raise Misuse(f"table {table.name} has no rows to draw")
    title = Phrase(table.title, table.title_zh or table.title)
    letters = {"params": [{"name": "letters", "value": int(NAMES / LETTER)}]}
    specs = {language: letters | view(language).to_dict() for language in get_args(Language)}
    return Chart(name or table.name, title, table, specs)


def altair() -> ModuleType:
    """Vega-Altair. Raises `MissingExtra`."""
    try:
        import altair as loaded
    except ImportError:
        raise MissingExtra("charts", "drawing charts") from None
    return loaded


def column_of(table: Table, key: str) -> Column:
    """The column with this key. Raises `Misuse` where there is none."""
    for column in table.columns:
        if column.key == key:
            return column
    raise Misuse(f"table {table.name} has no column {key!r}; it has {', '.join(c.key for c in table.columns)}")


def text(column: Column, row: Mapping[str, Any], language: Language) -> str:
    """A cell as people read it."""
    return cell(column, row, zh=chinese(language))


def figure(column: Column, row: Mapping[str, Any]) -> float | None:
    """A cell as a number to draw; None where nothing was measured."""
    value = raw(column, row)
    return None if value is None else float(value)


def named_axis(names: Sequence[str], **more: Any) -> Any:
    """An axis over rows or columns by their position: two that are called alike stay two.

    Long names go without the provider that all share, which would be all that is left of them on a phone. How much room
    there is for them the parameter `letters` says.
    """
    short = unprovided(names)
    texts = _array(short)
    for letters in sorted(ROOM, reverse=True):
        if (cut := cut_apart(short, letters)) != short:
            texts = f"(letters <= {letters} ? {_array(cut)} : {texts})"
    return altair().Axis(labelExpr=f"{texts}[datum.value]", **more)


def slanted_heads(names: Sequence[str]) -> Any:
    """The axis above columns."""
    return named_axis(cut_apart(unprovided(names), SHORT), orient="top", labelAngle=-30, labelLimit=HEADS)


def _array(names: Sequence[str]) -> str:
    return json.dumps(names, ensure_ascii=False).translate(_LINE_ENDS)


def positions(names: Sequence[str]) -> Any:
    """The scale of a `named_axis`: every place is kept, also where nothing was measured."""
    return altair().Scale(domain=list(range(len(names))))


def axis_of(column: Column) -> dict[str, Any]:
    """How an axis writes figures of the column's kind (d3-format)."""
    match column.kind:
        case "share" | "difference" | "interval":
            return {"format": "~%"}
        case "count":
            return {"format": "~s", "tickMinStep": 1}  # half an item is no item
        case _:
            return {}


def data(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as the data of an Altair chart, whole inside it."""
    return altair().Data(values=[dict(row) for row in rows])
