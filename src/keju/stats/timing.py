"""Seconds that calls took, in the figures that latency is reported in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from keju.errors import Misuse
from keju.stats.marks import as_numbers


@dataclass(frozen=True, slots=True)
class Durations:
    """All in seconds; percentiles interpolate between neighbours."""

    n: int
    total: float
    """Sum over the calls. With several in flight this is more than the time that passed."""
    mean: float
    median: float
    p90: float
    p95: float
    p99: float


def durations(seconds: ArrayLike) -> Durations:
    """Summary of `seconds`, one value a call. Raises `Misuse` for none, NaN or a negative duration."""
    values = as_numbers(seconds, "durations")
    if (values < 0).any():
        raise Misuse(f"durations: {values.min()} s is negative; the clock was read in the wrong order")
    percentiles = (float(p) for p in np.quantile(values, [0.5, 0.9, 0.95, 0.99]))
    return Durations(len(values), float(values.sum()), float(values.mean()), *percentiles)
