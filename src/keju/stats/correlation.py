"""Do two measurements rise together? Spearman's rank correlation, with the N that it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.marks import as_numbers, same_length

EXACT = 8
"""Up to so many pairs all orders (40,320) are counted; beyond, the t approximation holds."""


@dataclass(frozen=True, slots=True)
class Correlation:
    rho: float | None
    """None where it is undefined; `undefined` then says why."""
    n: int
    p: float | None
    """Two-sided: by counting all orders up to N = 8, else by Student's t."""
    undefined: str | None = None


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's rho of paired values, shape `(n,)`; ties take their mean rank.

    Raises `Misuse` for fewer than three pairs, unequal lengths or NaN.
    """
    first, second = as_numbers(x, "first values"), as_numbers(y, "second values")
    same_length(first, second)
    n = len(first)
    if n < 3:
        raise Misuse(f"a correlation needs at least three pairs; here are {n}")
    a, b = _centred_ranks(first), _centred_ranks(second)
    scale = math.sqrt(float((a @ a) * (b @ b)))
    if scale == 0:
        return Correlation(None, n, None, "all values of one side are equal")
    rho = max(-1.0, min(1.0, float(a @ b) / scale))
    return Correlation(rho, n, _p_value(a, b, scale, rho))


def _p_value(a: NDArray[np.float64], b: NDArray[np.float64], scale: float, rho: float) -> float:
    n = len(a)
    if n <= EXACT:
        others = np.array(list(permutations(b.tolist()))) @ a / scale
        return float((np.abs(others) >= abs(rho) - 1e-12).mean())
    from scipy.special import stdtr

    if abs(rho) == 1:
        return 0.0
    t = abs(rho) * math.sqrt((n - 2) / (1 - rho**2))
    return float(2 * stdtr(n - 2, -t))


def _centred_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, index, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[index]
    return np.asarray(rank - rank.mean(), dtype=np.float64)
