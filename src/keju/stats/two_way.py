"""People and items, resampled together: 3 people on 100 items are not 300 independent answers.

The pigeonhole bootstrap (McCullagh 2000, Bernoulli 6:285; Owen 2007, Ann. Appl. Stat. 1:386) draws people and items
with replacement, each by itself, and takes the answers where they meet. It errs on the side of too wide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.intervals import SMALL, Interval, wilson
from keju.stats.marks import as_marks
from keju.stats.resampling import RESAMPLES, checked, tails

METHOD = "two-way bootstrap"


def two_way_interval(marks: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95) -> Interval:
    """Interval of a group's mean accuracy from its `marks`, shape `(people, items)`. One person: items alone vary.

    Wilson's interval over items stands in as in `accuracy_interval`: where all or no marks are right, or few items.
    """
    right = as_marks(marks, dimensions=2)
    n = right.shape[1]
    if right.all() or not right.any() or n < SMALL:
        return wilson(float(right.mean()) * n, n, level=level)
    means = _means([right], seed, checked(resamples))[:, 0]
    return _percentiles(means, level)


def two_way_difference(
    a: ArrayLike, b: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Interval of the difference in mean accuracy of two groups on the same items, `(people, items)` each; a model is
    a group of one. Every resample takes the same items for both.

    Raises `Misuse` where the groups were asked different numbers of items.
    """
    first, second = as_marks(a, "a", dimensions=2), as_marks(b, "b", dimensions=2)
    if first.shape[1] != second.shape[1]:
        raise Misuse(f"both groups must answer the same items; here are {first.shape[1]} and {second.shape[1]}")
    means = _means([first, second], seed, checked(resamples))
    return _percentiles(means[:, 0] - means[:, 1], level)


def _percentiles(values: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(values, tails(level))
    return Interval(float(low), float(high), METHOD, level)


def _means(groups: Sequence[NDArray[np.bool_]], seed: int, resamples: int) -> NDArray[np.float64]:
    """Each group's mean in each resample, shape `(resamples, groups)`."""
    rng = np.random.default_rng(seed)
    n = groups[0].shape[1]
    items = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    means = []
    for marks in groups:
        people = rng.multinomial(len(marks), np.full(len(marks), 1 / len(marks)), size=resamples)
        means.append(((people @ marks) * items).sum(axis=1) / (len(marks) * n))
    return np.column_stack(means)
