"""What an exam's items are worth: how hard each is, whether it tells candidates apart, and KR-20 of the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.marks import as_marks

FEWEST = 3
"""Candidates that a correlation needs: two always lie on a line."""


@dataclass(frozen=True, slots=True)
class ItemFigures:
    n: int
    """Candidates who answered the item."""
    right: int
    discrimination: float | None
    """Point-biserial correlation of the item's mark with the candidate's share right on the *other* items (corrected);
    None for fewer than three candidates, or where either does not vary."""

    @property
    def difficulty(self) -> float | None:
        """Share of candidates who are right: high is easy, as test theory has it. None where nobody answered."""
        return self.right / self.n if self.n else None


def item_figures(right: ArrayLike, answered: ArrayLike | None = None) -> list[ItemFigures]:
    """Figures of each item from `right`, shape `(candidates, items)`; `answered`, of the same shape, says which marks
    count (default: all).

    Where all answered all, the discrimination is the usual corrected one: item against total without the item
    (Henrysson 1963, Psychometrika 28:211). Raises `Misuse` for unequal shapes.
    """
    marks = as_marks(right, dimensions=2)
    there = np.ones_like(marks) if answered is None else as_marks(answered, "answered", dimensions=2)
    if marks.shape != there.shape:
        raise Misuse(f"right and answered must have one shape, not {marks.shape} and {there.shape}")
    one = (marks & there).astype(np.float64)
    others = np.maximum(there.sum(axis=1, keepdims=True) - there, 1)
    rest = (one.sum(axis=1, keepdims=True) - one) / others
    return [
        ItemFigures(int(there[:, j].sum()), int(one[:, j].sum()), _correlation(one[:, j], rest[:, j], there[:, j]))
        for j in range(marks.shape[1])
    ]


def kr20(right: ArrayLike) -> float | None:
    """Kuder-Richardson formula 20 (1937, Psychometrika 2:151) of `right`, shape `(candidates, items)`.

    Variances are over N, as Σpq is. None where all candidates have the same total. Raises `Misuse` for fewer than two
    candidates or items.
    """
    marks = as_marks(right, dimensions=2).astype(np.float64)
    candidates, items = marks.shape
    if candidates < 2 or items < 2:
        raise Misuse(f"KR-20 needs at least two candidates and two items, not {candidates} and {items}")
    variance = float(np.var(marks.sum(axis=1)))
    if variance == 0:
        return None
    share = marks.mean(axis=0)
    return float(items / (items - 1) * (1 - (share * (1 - share)).sum() / variance))


def _correlation(one: NDArray[np.float64], rest: NDArray[np.float64], there: NDArray[np.bool_]) -> float | None:
    if there.sum() < FEWEST:
        return None
    x, y = one[there] - one[there].mean(), rest[there] - rest[there].mean()
    scale = math.sqrt(float((x @ x) * (y @ y)))
    return max(-1.0, min(1.0, float(x @ y) / scale)) if scale > 1e-12 else None  # equal shares differ by rounding
