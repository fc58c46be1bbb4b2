"""Ratings as counts: what every coefficient of agreement on labels is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from keju.errors import Misuse

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rated:
    """Ratings as counts: `counts[i, c]` raters gave item i the category c."""

    counts: Floats
    categories: tuple[Any, ...]

    @property
    def raters(self) -> Floats:
        return np.asarray(self.counts.sum(axis=1))

    @property
    def paired(self) -> Floats:
        """1 for items with at least two ratings, else 0."""
        return np.asarray((self.raters > 1).astype(np.float64))

    @property
    def pairwise(self) -> Floats:
        """Share of rater pairs that agree, by item; 0 where there is no pair."""
        return self.alike(np.eye(len(self.categories)))

    @property
    def observed(self) -> float:
        return float(self.pairwise.sum() / self.paired.sum())

    def alike(self, agreement: Floats) -> Floats:
        """Mean agreement of rater pairs, by item, where `agreement[c, d]` is that of two categories; 1 of a category
        with itself."""
        m = self.raters
        return np.asarray((self.counts * (self.counts @ agreement - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1))


def count(rows: Sequence[Sequence[Any]], categories: Sequence[Any] | None = None) -> Rated:
    """The counts of `rows`, one an item. `categories`: all there are, in order; else those found, sorted.

    Raises `Misuse` for a rating that is none of `categories`.
    """
    found = {value for row in rows for value in row if not absent(value)}
    try:
        order = tuple(categories or sorted(found))
    except TypeError:
        order = tuple(sorted(found, key=str))  # labels of mixed types have no order of their own
    if foreign := found - set(order):
        raise Misuse(f"the rating {min(map(str, foreign))!r} is none of the categories {', '.join(map(str, order))}")
    column = {category: at for at, category in enumerate(order)}
    counts = np.zeros((len(rows), len(order)))
    for at, row in enumerate(rows):
        for value in row:
            if not absent(value):
                counts[at, column[value]] += 1
    return Rated(counts, order)


def rated(rows: Sequence[Sequence[Any]], least: int = 1, *, order: Sequence[Any] | None = None) -> Rated:
    """The counts of the items with at least `least` ratings. Raises `Misuse` where no item has two."""
    if not with_ratings(rows, 2):
        raise Misuse("no item has two ratings: there is nothing to agree on")
    return count([rows[at] for at in with_ratings(rows, least)], order)


def with_ratings(rows: Sequence[Sequence[Any]], least: int) -> list[int]:
    """Positions of the items with at least `least` ratings."""
    return [at for at, row in enumerate(rows) if sum(not absent(value) for value in row) >= least]


def possible(ratings: Rated, categories: int | None) -> int:
    """How many labels could be given: `categories`, or as many as were, at least two. Raises `Misuse` for too few."""
    used = len(ratings.categories)
    if categories is not None and categories < max(used, 2):
        raise Misuse(f"{categories} categories cannot be all: the ratings use {used}")
    return categories or max(used, 2)


def absent(value: Any) -> bool:
    """Whether a rater gave none."""
    return value is None or value != value  # noqa: PLR0124  NaN stands for a gap in arrays of floats
