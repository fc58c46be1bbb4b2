"""k candidates on the same items: do they differ at all?"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from keju.errors import Misuse
from keju.stats.marks import as_marks


@dataclass(frozen=True, slots=True)
class CochranQ:
    statistic: float
    """Chi-square on `df` degrees of freedom; 0 where no item divides the candidates."""
    df: int
    p: float
    items: int


def cochran_q(marks: ArrayLike) -> CochranQ:
    """Cochran's Q (1950, Biometrika 37:256) of `marks`, shape `(candidates, items)`.

    Raises `Misuse` for fewer than two candidates.
    """
    from scipy.special import chdtrc

    right = as_marks(marks, dimensions=2)
    candidates, items = right.shape
    if candidates < 2:
        raise Misuse("Cochran's Q compares at least two candidates")
    by_candidate, by_item = right.sum(axis=1), right.sum(axis=0)
    total = int(right.sum())
    divided = candidates * total - int((by_item**2).sum())
    statistic = (candidates - 1) * (candidates * int((by_candidate**2).sum()) - total**2) / divided if divided else 0.0
    return CochranQ(float(statistic), candidates - 1, float(chdtrc(candidates - 1, statistic)), items)
