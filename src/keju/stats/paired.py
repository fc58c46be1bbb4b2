"""Two candidates on the same items: is one better, and by how much?

Only the discordant items tell: those that one has right and the other wrong.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.intervals import SMALL, Interval, normal_quantile
from keju.stats.marks import as_marks, same_length
from keju.stats.resampling import RESAMPLES, clustered_means, law_of_sum, percentile_positions, tails

Test = Literal["exact", "midp", "chi2-cc", "chi2"]
TESTS: tuple[Test, ...] = ("exact", "midp", "chi2-cc", "chi2")


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test (1947, Psychometrika 12:153)."""

    only_first: int
    only_second: int
    p: float
    """Two-sided; 1 where no item is discordant."""
    method: Test
    statistic: float | None
    """Chi-square on one degree of freedom; None for the exact tests."""

    @property
    def note(self) -> str:
        """What a reader must know beside the p-value; usually empty."""
        return "" if self.only_first + self.only_second else "no discordant pairs"


@dataclass(frozen=True, slots=True)
class Difference:
    """Accuracy of the first minus accuracy of the second."""

    difference: float
    interval: Interval
    n: int


@dataclass(frozen=True)
class AllPairs:
    """McNemar's test of every candidate against every other. Arrays of shape `(candidates, candidates)`."""

    only_first: NDArray[np.int64]
    """`[i, j]`: items that i has right and j wrong."""
    p: NDArray[np.float64]
    method: Test


def mcnemar(a: ArrayLike, b: ArrayLike, method: Test = "exact") -> McNemar:
    """McNemar's test of two arrays of marks of the same items, in the same order, shape `(items,)`.

    `exact`: binomial on the discordant items. `midp`: the same less half the observed outcome. `chi2-cc`, `chi2`:
    chi-square with and without continuity correction. Raises `Misuse` for unequal lengths and marks that are no marks.
    """
    first, second = as_marks(a, "first marks"), as_marks(b, "second marks")
    same_length(first, second)
    return mcnemar_counts(int((first & ~second).sum()), int((~first & second).sum()), method)


def mcnemar_counts(only_first: int, only_second: int, method: Test = "exact") -> McNemar:
    """The same from the two counts of discordant items."""
    if method not in TESTS:
        raise Misuse(f"there is no test {method!r}; there is {', '.join(TESTS)}")
    if min(only_first, only_second) < 0:
        raise Misuse(f"counts of items cannot be negative: {only_first}, {only_second}")
    p = float(_p_values(np.array([only_first]), np.array([only_second]), method)[0])
    statistic = None
    if method in ("chi2-cc", "chi2") and only_first + only_second:
        statistic = float(_chi_square(np.array([only_first]), np.array([only_second]), method)[0])
    return McNemar(only_first, only_second, p, method, statistic)


def all_pairs(marks: ArrayLike, method: Test = "exact") -> AllPairs:
    """McNemar's test between all rows of `marks`, shape `(candidates, items)`, by one matrix product."""
    right = as_marks(marks, dimensions=2).astype(np.float64)
    only_first = (right @ (1 - right).T).round().astype(np.int64)
    return AllPairs(only_first, _p_values(only_first, only_first.T, method), method)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: Iterable[Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Difference:
    """Difference of two accuracies on the same items, with the percentile interval of a paired bootstrap over items.

    With `clusters` (one name an item) whole clusters are resampled. Where the bootstrap degenerates (fewer than 30
    items, or all items alike, as when none is discordant) the interval is Agresti and Min's (2005, Stat. Med. 24:729).
    """
    first, second = as_marks(a, "first marks"), as_marks(b, "second marks")
    same_length(first, second)
    n = len(first)
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    if clusters is not None:
        means = clustered_means(first.astype(float) - second, clusters, resamples=resamples, seed=seed)
    if n < SMALL or n in (only_first, only_second, n - only_first - only_second):
        interval = _agresti_min(only_first, only_second, n, level)
    elif clusters is not None:
        low, high = np.quantile(means, tails(level))
        interval = Interval(float(low), float(high), "clustered bootstrap", level)
    else:
        law = law_of_sum([only_second / n, 1 - (only_first + only_second) / n, only_first / n], n)
        places = percentile_positions(law, level=level, resamples=resamples, seed=seed)
        interval = Interval(places[0] / n - 1, places[1] / n - 1, "bootstrap", level)
    return Difference((only_first - only_second) / n, interval, n)


def _agresti_min(only_first: int, only_second: int, n: int, level: float) -> Interval:
    b, c, total = only_first + 0.5, only_second + 0.5, n + 2
    middle = (b - c) / total
    half = normal_quantile(level) * math.sqrt((b + c) / total - middle**2) / math.sqrt(total)
    return Interval(max(-1.0, middle - half), min(1.0, middle + half), "agresti-min", level)


def _p_values(b: NDArray[np.int64], c: NDArray[np.int64], method: Test) -> NDArray[np.float64]:
    from scipy.special import bdtr, chdtrc, gammaln

    discordant = b + c
    if method in ("chi2-cc", "chi2"):
        return np.asarray(np.where(discordant == 0, 1.0, chdtrc(1, _chi_square(b, c, method))))
    fewer = np.minimum(b, c)
    doubled = 2 * bdtr(fewer, discordant, 0.5)
    if method == "midp":
        doubled = doubled - np.exp(
            gammaln(discordant + 1) - gammaln(fewer + 1) - gammaln(discordant - fewer + 1) - discordant * math.log(2)
        )
    return np.asarray(np.minimum(1.0, doubled))  # the doubled tail passes 1 where b = c


def _chi_square(b: NDArray[np.int64], c: NDArray[np.int64], method: Test) -> NDArray[np.float64]:
    gap = np.abs(b - c) - (1 if method == "chi2-cc" else 0)
    return np.asarray(np.maximum(gap, 0) ** 2 / np.maximum(b + c, 1))  # the correction never makes equal counts differ
