"""Ratings with their scale settled: names, an order, or figures. What coefficients of agreement are computed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from keju.errors import Misuse
from keju.formats.ratings import Ratings

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
"""What the values are: names, an order, a scale with equal steps, one with a zero."""

MANY = 30
"""Different values beyond which counting exact matches says nothing: only the ICC is given."""


@dataclass(frozen=True)
class Judged:
    """Ratings with their scale settled: what the coefficients are computed of."""

    ratings: Ratings
    scale: Scale
    categories: tuple[Any, ...]
    """All values that could be given, in order."""
    rows: tuple[tuple[Any, ...], ...]
    """Labels as text, scores as numbers; None for a gap."""
    numeric: bool = False
    """Whether the values are figures, and not names or ranks of names."""
    options: tuple[int, ...] | None = None
    """How many labels each item could be given, where the file says so."""

    @property
    def raters(self) -> int:
        return len(self.ratings.raters)

    @cached_property
    def gaps(self) -> int:
        return sum(value is None for row in self.rows for value in row)

    @cached_property
    def both(self) -> int:
        """Items with at least two ratings."""
        return sum(sum(value is not None for value in row) > 1 for row in self.rows)

    @property
    def labels(self) -> bool:
        return self.scale == "nominal"

    @cached_property
    def distinct(self) -> int:
        """How many different values were given."""
        return len({value for row in self.rows for value in row if value is not None})

    def of_items(self, keep: Sequence[int]) -> Judged:
        """The ratings of some items, by position."""
        options = None if self.options is None else tuple(self.options[at] for at in keep)
        return replace(self, rows=tuple(self.rows[at] for at in keep), options=options)

    def of_pair(self, one: int, other: int) -> list[tuple[Any, Any]]:
        """The ratings of two raters, where both gave one."""
        return [(row[one], row[other]) for row in self.rows if row[one] is not None and row[other] is not None]


def judged(ratings: Ratings, scale: Scale | None = None, categories: Sequence[str] | None = None) -> Judged:
    """Settle the scale: as asked; else ordinal where `categories` are given in order or all values are numbers.

    Raises `Misuse` where no item has two ratings, or values do not fit the scale.
    """
    texts = [text for row in ratings.values for text in row if text is not None]
    numeric = all(_number(text) is not None for text in texts)
    settled: Scale = scale or ("ordinal" if numeric else "nominal")
    if categories:
        order = list(categories)
        if unknown := sorted({text for text in texts if text not in order}):
            raise Misuse(f"the rating {unknown[0]!r} is none of the categories {', '.join(order)}")
    if settled == "nominal":
        given = tuple(categories or sorted(set(texts)))
        found = Judged(ratings, settled, given, ratings.values, options=ratings.options)
    elif numeric:
        rows = tuple(tuple(None if text is None else _number(text) for text in row) for row in ratings.values)
        scores = sorted({value for row in rows for value in row if value is not None})
        named = [value for value in map(_number, categories or ()) if value is not None]
        found = Judged(ratings, settled, tuple(named or _every_step(scores)), rows, numeric=True)
    elif categories:
        ranks = {text: float(rank) for rank, text in enumerate(categories, 1)}
        rows = tuple(tuple(None if text is None else ranks[text] for text in row) for row in ratings.values)
        found = Judged(ratings, settled, tuple(ranks.values()), rows)
    else:
        first = next(text for text in texts if _number(text) is None)
        raise Misuse(f"{first!r} is no number; give the order of the labels: --categories low,medium,high")
    if not found.both:
        raise Misuse("no item has two ratings: there is nothing to agree on")
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _every_step(values: Sequence[float]) -> Sequence[float]:
    """Whole scores with those between them that nobody gave: 5 is two steps from 3 even if there is no 4."""
    if all(value == int(value) for value in values) and values and values[-1] - values[0] < MANY:
        return [float(value) for value in range(int(values[0]), int(values[-1]) + 1)]
    return values
