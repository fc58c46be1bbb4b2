"""Are all options the key equally often?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from keju.errors import Misuse
from keju.stats.marks import as_numbers


@dataclass(frozen=True, slots=True)
class Uniformity:
    statistic: float
    """Pearson's chi-square on `df` degrees of freedom, added over the groups."""
    df: int
    p: float
    smallest_expected: float
    """Smallest expected count of a cell; below 5 the p-value is rough (Cochran 1954)."""


def uniformity(groups: Sequence[ArrayLike]) -> Uniformity:
    """Chi-square test that within each group all cells are equally likely; `groups` are counts of shape `(cells,)`.

    Items of three and of four options are two groups, whose statistics add up. Groups without counts are left out.
    Raises `Misuse` where none is left, for a group of one cell, and for negative counts.
    """
    from scipy.special import chdtrc

    counts = [as_numbers(group, "counts") for group in groups]
    if any(len(group) < 2 or (group < 0).any() for group in counts):
        raise Misuse("each group needs counts, none negative, of at least two cells")
    counts = [group for group in counts if group.sum() > 0]
    if not counts:
        raise Misuse("there is nothing to count")
    statistic = sum(float(((group - group.mean()) ** 2 / group.mean()).sum()) for group in counts)
    df = sum(len(group) - 1 for group in counts)
    smallest = min(float(group.mean()) for group in counts)
    return Uniformity(statistic, df, float(chdtrc(df, statistic)), smallest)
