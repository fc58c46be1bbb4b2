"""Is an accuracy better than drawing options?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.marks import as_numbers


@dataclass(frozen=True, slots=True)
class AboveChance:
    observed: int
    expected: float
    """Right answers that drawing gives on average: the sum of the chances."""
    p: float
    """Probability that drawing gives at least as many right answers as observed."""


def above_chance(correct: int, chances: ArrayLike) -> AboveChance:
    """Exact one-sided test of `correct` right answers against drawing, where item i is drawn right with `chances[i]`.

    The number of right draws is Poisson-binomial: the sum of one binomial for each different chance.
    Raises `Misuse` for chances outside 0..1 or a count outside 0..N.
    """
    probabilities = as_numbers(chances, "chances")
    if ((probabilities < 0) | (probabilities > 1)).any():
        raise Misuse("chances must lie in 0..1")
    if not 0 <= correct <= len(probabilities):
        raise Misuse(f"{correct} right of {len(probabilities)} items is impossible")
    law, first = np.ones(1), 0
    for chance, count in zip(*np.unique(probabilities, return_counts=True), strict=True):
        binomial = _binomial(int(count), float(chance))
        there = np.flatnonzero(binomial > (_NIL if count > _MANY else -1))
        law = np.convolve(law, binomial[there[0] : there[-1] + 1])  # all terms positive: tails keep their digits
        first += int(there[0])
    above = float(law[max(0, correct - first) :].sum())
    return AboveChance(correct, float(probabilities.sum()), min(1.0, above))


_MANY, _NIL = 10_000, 1e-150
"""Of so many draws, totals less likely than this are left out: of a million that is all but some ten thousand, and
products of smaller ones would be too small for a float and slow."""


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    if p in (0, 1):
        return np.asarray(np.eye(1, n + 1, int(p) * n)[0], dtype=np.float64)
    k = np.arange(n + 1)
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])  # logarithms: n may be thousands
    log = factorial[n] - factorial - factorial[::-1] + k * math.log(p) + (n - k) * math.log1p(-p)
    return np.asarray(np.exp(log), dtype=np.float64)
