"""The bootstrap without resamples: where the law of a resampled total is known, it is drawn from that law.

Resampling N items and adding their marks is adding N independent draws of one mark. The law of that sum has a closed
form, so B resamples are one multinomial draw of B over its N + 1 values, whatever B is, instead of N × B indices.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from keju.errors import Misuse

RESAMPLES = 10_000
"""Paper 000, "Statistical Analysis"."""


def law_of_sum(shares: Sequence[float], n: int) -> NDArray[np.float64]:
    """Probability of each total of `n` independent draws of the values 0, 1, … that have these `shares`.

    The generating function of the sum is that of one draw to the n-th power; it is read off by a Fourier transform.
    """
    size = n * (len(shares) - 1) + 1
    width = size if size < LONG else min(size, _width(shares, n))
    law = np.fft.irfft(np.fft.rfft(shares, width) ** n, width)
    law = np.clip(law, 0, None)  # rounding leaves about -1e-16 where the probability is nil
    law = np.asarray(law / law.sum(), dtype=np.float64)
    return law if width == size else _placed(law, shares, n, size)


LONG = 1 << 17
"""Totals from which only those near the mean are computed: of a million items a transform takes half a second."""


def _width(shares: Sequence[float], n: int) -> int:
    """A power of two that holds every total within forty standard errors of the mean."""
    values = np.arange(len(shares))
    variance = n * (np.dot(shares, values**2) - np.dot(shares, values) ** 2)
    return 1 << math.ceil(math.log2(80 * math.sqrt(max(variance, 1.0))))


def _placed(law: NDArray[np.float64], shares: Sequence[float], n: int, size: int) -> NDArray[np.float64]:
    """The law of the totals modulo `len(law)`, put where the totals near the mean stand among all `size`."""
    width = len(law)
    mean = n * float(np.dot(shares, np.arange(len(shares))))
    first = min(max(0, round(mean) - width // 2), size - width)
    whole = np.zeros(size)
    whole[first : first + width] = np.roll(law, -(first % width))
    return whole


def percentile_positions(
    law: NDArray[np.float64], *, level: float, resamples: int | None, seed: int
) -> tuple[int, int]:
    """Where in `law` the lower and upper percentile of `resamples` draws lie; None: of the law itself."""
    counts = law if resamples is None else np.random.default_rng(seed).multinomial(checked(resamples), law)
    cumulative = np.cumsum(counts) / counts.sum()
    low, high = np.searchsorted(cumulative, tails(level) - np.array([1e-12, 1e-12]))  # 0.975 must meet 9750/10000
    return int(low), min(int(high), len(law) - 1)


def clustered_means(
    values: NDArray[np.float64], clusters: Iterable[Hashable], *, resamples: int, seed: int
) -> NDArray[np.float64]:
    """Mean of `values` in each of `resamples` draws of whole clusters. Shape `(resamples,)`.

    Clusters of equal size and total are exchangeable, so their multinomial weights are drawn together.
    """
    codes: dict[Hashable, int] = {}
    index = np.array([codes.setdefault(cluster, len(codes)) for cluster in clusters])
    if len(index) != len(values):
        raise Misuse(f"every value needs its cluster; here are {len(values)} values and {len(index)} clusters")
    if len(codes) < 2:
        raise Misuse("resampling clusters needs at least two of them; all items share one")
    sums = np.column_stack([np.bincount(index, weights=values), np.bincount(index)])
    kinds, count = np.unique(sums, axis=0, return_counts=True)
    weights = np.random.default_rng(seed).multinomial(len(codes), count / len(codes), size=checked(resamples))
    return np.asarray((weights @ kinds[:, 0]) / (weights @ kinds[:, 1]), dtype=np.float64)


def tails(level: float) -> NDArray[np.float64]:
    """The two shares that an interval of this level cuts at: 0.025 and 0.975 for 0.95."""
    if not 0 < level < 1:
        raise Misuse(f"level must lie between 0 and 1, as 0.95 does; not {level}")
    return np.array([(1 - level) / 2, (1 + level) / 2])


def checked(resamples: int) -> int:
    """`resamples`, or `Misuse` where they are too few for a percentile."""
    if resamples < 100:
        raise Misuse(f"a percentile interval needs at least 100 resamples, not {resamples}")
    return resamples
