"""How figures are spread: a summary row, and ranges of equal width with the number of figures in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from keju.results.table import Column, Table

MOST_RANGES = 20
"""Ranges of a histogram: more show noise, fewer hide the shape."""

SUMMARY = (
    Column("count", "N", "count", "数量"),
    Column("mean", "Mean", "number", "平均"),
    Column("median", "Median", "number", "中位数"),
    Column("least", "Least", "number", "最小"),
    Column("most", "Most", "number", "最大"),
)


def summary(figures: Sequence[float]) -> dict[str, Any]:
    """The cells of `SUMMARY`; without figures all but the count are None."""
    if not figures:
        return {"count": 0}
    ranked = sorted(figures)
    middle = len(ranked) // 2
    median = ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2
    return {
        "count": len(ranked),
        "mean": math.fsum(ranked) / len(ranked),
        "median": median,
        "least": ranked[0],
        "most": ranked[-1],
    }


def ranges(name: str, title: tuple[str, str], figures: Sequence[float], counted: Column) -> Table:
    """The histogram of figures, 0 or more, as a table: `from` (included), `to` (not included) and their number.

    Ranges begin at a multiple of their width, which is 1, 2 or 5 times a power of ten; whole figures get whole ranges.
    """
    low, high = min(figures), max(figures)
    width = _width(high - low, whole=all(float(figure).is_integer() for figure in figures))
    first = math.floor(low / width)
    counts = [0] * (math.floor(high / width) - first + 1)
    for figure in figures:
        counts[math.floor(figure / width) - first] += 1
    rows = tuple(
        {"from": round((first + i) * width, 9), "to": round((first + i + 1) * width, 9), counted.key: n}
        for i, n in enumerate(counts)
    )
    columns = (Column("from", "From", "number", "自"), Column("to", "To below", "number", "至（不含）"), counted)
    return Table(name, title[0], columns, rows, title_zh=title[1])


def _width(span: float, *, whole: bool) -> float:
    """The least round width that makes at most `MOST_RANGES` ranges of `span`, wherever they begin."""
    least = span / (MOST_RANGES - 1)
    if whole:
        least = max(least, 1.0)
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    return next(power * step for step in (1, 2, 5, 10) if power * step >= least)
