"""Confidence intervals of an accuracy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from keju.errors import Misuse
from keju.stats.marks import as_marks
from keju.stats.resampling import RESAMPLES, clustered_means, law_of_sum, percentile_positions, tails

Method = Literal["bootstrap", "exact", "wilson"]
SMALL = 30
"""Below so many items the bootstrap's percentiles are too coarse, and Wilson's interval stands in."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float
    method: str
    """How it was made: `bootstrap`, `exact`, `wilson`, `clustered bootstrap`, `agresti-min`, `analytic`."""
    level: float = 0.95

    @property
    def pair(self) -> tuple[float, float]:
        return self.low, self.high


def accuracy_interval(
    k: int,
    n: int,
    method: Method = "bootstrap",
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Interval of the accuracy k / n.

    `bootstrap`: percentiles over `resamples` resamples of the items (paper 000). `exact`: the limit of that for ever
    more resamples, which are quantiles of Binomial(n, k/n) / n. `wilson`: Wilson (1927), and always where k is 0 or n
    or n < 30, where a bootstrap shows more certainty than there is; `Interval.method` says which one came out.
    Raises `Misuse` for n = 0, k outside 0..n, or numbers that are not whole.
    """
    k, n = _counts(k, n)
    if method not in ("bootstrap", "exact", "wilson"):
        raise Misuse(f"there is no interval {method!r}; there is bootstrap, exact, wilson")
    if method == "wilson" or k in (0, n) or n < SMALL:
        return wilson(k, n, level=level)
    law = law_of_sum([1 - k / n, k / n], n)
    draws = resamples if method == "bootstrap" else None
    low, high = percentile_positions(law, level=level, resamples=draws, seed=seed)
    return Interval(low / n, high / n, method, level)


def wilson(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of k / n (1927, J. Am. Stat. Assoc. 22:209); k may be a sum of shares."""
    share = k / n
    z2 = normal_quantile(level) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) + z2 / (4 * n)) / n) / (1 + z2 / n)
    low = 0.0 if k == 0 else middle - half
    return Interval(low, 1.0 if k == n else middle + half, "wilson", level)


def clustered_interval(
    marks: ArrayLike,
    clusters: Iterable[Hashable],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap of the accuracy over whole clusters: items that share a picture, a clip or a passage.

    Wilson's interval stands in as in `accuracy_interval`. Raises `Misuse` where all items share one cluster.
    """
    right = as_marks(marks)
    means = clustered_means(right.astype(np.float64), clusters, resamples=resamples, seed=seed)
    if right.all() or not right.any() or len(right) < SMALL:
        return wilson(int(right.sum()), len(right), level=level)
    low, high = np.quantile(means, tails(level))
    return Interval(float(low), float(high), "clustered bootstrap", level)


def normal_quantile(level: float) -> float:
    """How many standard errors an interval of this level reaches to each side: 1.96 for 0.95."""
    return NormalDist().inv_cdf(float(tails(level)[1]))


def _counts(k: int, n: int) -> tuple[int, int]:
    if k % 1 != 0 or n % 1 != 0:  # NaN too
        raise Misuse(f"an accuracy is a count of a count; {k} of {n} is not")
    if n < 1:
        raise Misuse("the group is empty: an accuracy of no items has no interval")
    if not 0 <= k <= n:
        raise Misuse(f"{k} right of {n} items is impossible")
    return int(k), int(n)
