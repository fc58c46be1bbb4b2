"""Does accuracy differ between groups of items, or is the spread what chance makes?"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from keju.errors import Misuse
from keju.stats.marks import as_numbers, same_length


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    statistic: float
    """Pearson's chi-square on `df` degrees of freedom; 0 where all items of all groups have the same mark."""
    df: int
    p: float
    groups: int
    smallest_expected: float
    """Smallest expected count of a cell; below 5 the p-value is rough (Cochran 1954)."""


def heterogeneity(correct: ArrayLike, n: ArrayLike) -> Heterogeneity:
    """Chi-square test that groups have one accuracy: `correct` right of `n` items in each, both of shape `(groups,)`.

    Groups of no items are left out. Raises `Misuse` where fewer than two are left or counts are impossible.
    """
    from scipy.special import chdtrc

    right, size = as_numbers(correct, "correct"), as_numbers(n, "n")
    same_length(right, size)
    if ((right < 0) | (right > size)).any():
        raise Misuse("a group cannot have more right answers than items, nor fewer than none")
    right, size = right[size > 0], size[size > 0]
    if len(size) < 2:
        raise Misuse("comparing groups needs at least two that hold items")
    share = right.sum() / size.sum()
    spread = share * (1 - share)
    statistic = float((((right - size * share) ** 2) / (size * spread)).sum()) if spread > 0 else 0.0
    df = len(size) - 1
    expected = float(size.min() * min(share, 1 - share))
    return Heterogeneity(statistic, df, float(chdtrc(df, statistic)), len(size), expected)
