"""How a cell is read and drawn: the one place that formats a figure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from keju.errors import Misuse
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

# What XML, TeX and terminals refuse or obey: control characters but tab and newline, halves of surrogate pairs, non-characters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def raw(column: Column, row: Mapping[str, Any]) -> Any:
    """The cell as a plain `str`, `int`, `float`, `bool`, pair of floats or None; None where it is absent or not finite.

    Raises `Misuse` where the value is not of the column's kind: a share of 73 would be drawn as 7,300 %.
    """
    value = row.get(column.key)
    if value is None:
        return None
    if column.kind == "text":
        return value if isinstance(value, str | bool | int | float) else str(value)
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


def cell(column: Column, row: Mapping[str, Any]) -> str:
    """The cell as people read it; see `keju.results.table.Kind` for each kind. Text is made `printable`."""
    value = raw(column, row)
    if value is None:
        return NOTHING_MEASURED
    match column.kind:
        case "text":
            return printable(str(value))
        case "share":
            return f"{_percent(value)} %"
        case "difference":
            return _signed(_percent(value))
        case "interval":
            return f"[{_percent(value[0])}, {_percent(value[1])}]"
        case "seconds":
            return f"{_seconds(value)} s"
        case "p":
            return "< 0.001" if value < 0.001 else str(_rounded(value, 3))
        case _:
            return _number(value)


def printable(text: str) -> str:
    """`text` with `\\n` as its only line end, and U+FFFD for each character that no reader of the text should meet."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


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


def _rounded(value: float, places: int) -> Decimal:
    """Half goes up, as in spreadsheets: the same figure must not read 81.2 in one file and 81.3 in another."""
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return abs(rounded) if rounded.is_zero() else rounded  # no -0.0


def _percent(share: float) -> Decimal:
    return _rounded(float(Decimal(str(share)).scaleb(2)), 1)


def _signed(figure: Decimal) -> str:
    return str(figure) if figure.is_zero() else f"{figure:+}"


def _seconds(value: float) -> str:
    places = 3 if value < 0.1 else 2 if value < 10 else 1 if value < 1000 else 0
    return f"{_rounded(value, places):,}"


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) < 0.0005:
        return f"{value:.1e}"
    places = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{_rounded(value, places):,}"
