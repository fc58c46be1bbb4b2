"""Figures as people read them, in cells and in the sentences under a table: rounded once, in one way."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

_ANY_FLOAT = Context(prec=350)  # the greatest float has 309 digits before the point


def rounded(value: float | Decimal, places: int) -> Decimal:
    """Half goes up, as in spreadsheets: the same figure must not read 81.2 in one file and 81.3 in another."""
    figure = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _ANY_FLOAT)
    return abs(figure) if figure.is_zero() else figure  # no -0.0


def points(share: float) -> Decimal:
    """A share of 1 in percentage points, to one decimal."""
    return rounded(Decimal(str(share)).scaleb(2), 1)


def percent(share: float) -> str:
    """`20.8 %` for 0.208."""
    return f"{points(share)} %"


def p_value(p: float) -> str:
    """`0.012`, or `< 0.001`."""
    return "< 0.001" if p < 0.001 else str(rounded(p, 3))


def p_equals(p: float) -> str:
    """`p = 0.012`, or `p < 0.001`."""
    drawn = p_value(p)
    return f"p {drawn}" if drawn.startswith("<") else f"p = {drawn}"
