"""How a cell is read and drawn, by its kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from keju.errors import Misuse
from keju.phrase import in_chinese
from keju.printable import printable
from keju.results.figures import p_value, percent, points, rounded
from keju.results.table import Column, Kind

NOTHING_MEASURED = "–"

UNITS: Mapping[Kind, str] = {
    "share": "fraction of 1",
    "difference": "fraction of 1",
    "interval": "fraction of 1, low and high end",
    "count": "1",
    "seconds": "s",
    "p": "probability",
}
"""Unit of the raw value by kind; kinds that are not here have none."""


def raw(column: Column, row: Mapping[str, Any]) -> Any:
    """The cell as a plain `str`, `int`, `float`, `bool`, pair of floats or None; None where it is absent or not finite.

    Raises `Misuse` where the value is not of the column's kind: a share of 73 would be drawn as 7,300 %.
    """
    value = row.get(column.key)
    if value is None:
        return None
    if column.kind == "text":
        return _word(value)
    try:
        if column.kind == "interval":
            low, high = value
            return _pair(_finite(low), _finite(high))
        figure = _finite(value)
    except (TypeError, ValueError) as error:
        raise Misuse(f"column {column.key}: {value!r} cannot be drawn as {column.kind}") from error
    if column.kind == "share" and figure is not None and not -1e-9 <= figure <= 1 + 1e-9:  # the rounding of sums
        raise Misuse(f"column {column.key}: {value!r} is no share; a share lies between 0 and 1")
    return figure


def fields(column: Column, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The raw cell as fields of one unit each: two for an interval, its low and high end; else one."""
    value = raw(column, row)
    if column.kind != "interval":
        return (value,)
    return (None, None) if value is None else tuple(value)


def cell(column: Column, row: Mapping[str, Any], *, zh: bool = False) -> str:
    """The cell as people read it; see `keju.results.table.Kind` for each kind. Text is made `printable`.

    With `zh` a `Phrase` is drawn in Chinese.
    """
    value = raw(column, row)
    if value is None:
        return NOTHING_MEASURED
    return _DRAWN[column.kind](in_chinese(value) if zh else value)


def _word(value: Any) -> str | int | float | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float) else str(value)


def _finite(value: Any) -> int | float | None:
    if value is None:
        return None
    if isinstance(value, str):
        raise TypeError("a figure, not a text, is needed")
    if isinstance(value, int):
        return int(value)
    figure = float(value)
    return figure if math.isfinite(figure) else None


def _pair(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _difference(value: float) -> str:
    moved = points(value)
    return str(moved) if moved.is_zero() else f"{moved:+}"


def _interval(ends: tuple[float, float]) -> str:
    return f"[{points(ends[0])}, {points(ends[1])}]"


def _seconds(value: float) -> str:
    places = 3 if value < 0.1 else 2 if value < 10 else 1 if value < 1000 else 0
    return f"{rounded(value, places):,} s"


def _number(value: float) -> str:
    if math.isclose(value, whole := round(value), rel_tol=1e-9):  # else the last bit of a sum would show
        return f"{whole:,}"
    if abs(value) < 0.0005:
        return f"{value:.1e}"
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{rounded(value, places):,}"


_DRAWN: Mapping[Kind, Callable[[Any], str]] = {
    "text": lambda value: printable(str(value)),
    "share": percent,
    "difference": _difference,
    "interval": _interval,
    "count": _number,
    "seconds": _seconds,
    "p": p_value,
    "number": _number,
}
