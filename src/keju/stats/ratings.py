"""Do raters give the same scores on a scale? Intraclass correlation, all six forms, always named in full.

Shrout & Fleiss (1979, Psychol. Bull. 86:420), McGraw & Wong (1996, Psychol. Methods 1:30). The forms differ: (3, ·)
forgives a rater who is always a point lower, (2, ·) does not; (·, k) is the reliability of the mean of k raters, (·, 1)
of one. Paper 000 does not say which it reports.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from keju.errors import Misuse
from keju.stats.intervals import Interval, wilson
from keju.stats.marks import as_numbers
from keju.stats.resampling import tails

NEGLIGIBLE = 1e-12
"""Share below which a component of the total sum of squares, or a difference of mean squares, is rounding."""


@dataclass(frozen=True, slots=True)
class ICC:
    form: str
    """`ICC(1,1)`, `ICC(2,1)`, `ICC(3,1)`, `ICC(1,k)`, `ICC(2,k)` or `ICC(3,k)`."""
    value: float | None
    """May be negative: raters then differ within items more than items differ. None where the variance that it is a
    share of is estimated at nil or less."""
    interval: Interval | None
    """None where the value is, where Satterthwaite's approximation fails (estimates far below zero), or where a limit
    leaves the range that the mean of k raters can have."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """What a table of scores tells, shape `(items, raters)`."""

    items: int
    raters: int
    forms: Mapping[str, ICC]
    mean_squares: Mapping[str, float]
    """`items` (MSR), `raters` (MSC), `error` (MSE), `within` (MSW)."""
    f: float | None
    """MSR / MSE, and its p-value: do items differ at all?"""
    p: float | None
    identical: float
    """Share of items that all raters scored alike. At the ceiling this is high while ICC collapses."""
    within_one: float
    """Share of items whose scores lie at most one point apart."""
    note: str = ""
    """Why a value is undefined or looks strange; usually empty."""

    def __getitem__(self, form: str) -> ICC:
        return self.forms[form]


@dataclass(frozen=True, slots=True)
class _Squares:
    n: int
    k: int
    items: float
    raters: float
    error: float
    within: float


def icc(ratings: ArrayLike, *, level: float = 0.95) -> Reliability:
    """All six intraclass correlations of `ratings`, one row an item, one column a rater, with F-based intervals.

    Raises `Misuse` for fewer than two items or raters, and for missing scores: an ICC needs a full table.
    """
    from scipy.special import fdtrc

    scores = as_numbers(ratings, "ratings", dimensions=2)
    if min(scores.shape) < 2:
        raise Misuse(f"an ICC needs at least two items and two raters, not {scores.shape[0]} and {scores.shape[1]}")
    squares = _squares(scores)
    span = np.ptp(scores, axis=1)
    identical, within_one = float((span == 0).mean()), float((span <= 1).mean())
    names = {"items": squares.items, "raters": squares.raters, "error": squares.error, "within": squares.within}
    values = _values(squares)
    forms = {form: ICC(form, value, _interval(form, value, squares, level)) for form, value in values.items()}
    f = squares.items / squares.error if squares.error else None
    df = squares.n - 1
    p = float(fdtrc(df, df * (squares.k - 1), f)) if f is not None else None
    return Reliability(squares.n, squares.k, forms, names, f, p, identical, within_one, _note(squares, identical))


def _squares(scores: NDArray[np.float64]) -> _Squares:
    n, k = scores.shape
    centred = scores - scores.mean()
    total = float((centred**2).sum())
    items = k * float((centred.mean(axis=1) ** 2).sum())
    raters = n * float((centred.mean(axis=0) ** 2).sum())
    items, raters, error, within = (
        part if part > NEGLIGIBLE * total else 0.0 for part in (items, raters, total - items - raters, total - items)
    )
    r, c = items / (n - 1), raters / (k - 1)
    e, w = error / ((n - 1) * (k - 1)), within / (n * (k - 1))
    e, w = (r if math.isclose(part, r, rel_tol=NEGLIGIBLE) else part for part in (e, w))  # ICC 0, not 4e-17
    return _Squares(n, k, r, c, e, w)


def _values(s: _Squares) -> dict[str, float | None]:
    n, k, r, c, e, w = s.n, s.k, s.items, s.raters, s.error, s.within
    parts = {
        "ICC(1,1)": (r - w, r + (k - 1) * w),
        "ICC(2,1)": (r - e, r + (k - 1) * e + k * (c - e) / n),
        "ICC(3,1)": (r - e, r + (k - 1) * e),
        "ICC(1,k)": (r - w, r),
        "ICC(2,k)": (r - e, r + (c - e) / n),
        "ICC(3,k)": (r - e, r),
    }
    return {form: above / below if below > 0 else None for form, (above, below) in parts.items()}


def _interval(form: str, value: float | None, s: _Squares, level: float) -> Interval | None:
    if value is None or s.items == 0:
        return None
    noise = s.within if form.startswith("ICC(1") else s.error
    if value == 1 or (noise == 0 and not form.startswith("ICC(2")):
        return wilson(s.n, s.n, level=level)  # F is infinite: all that is known is n identical items of n
    limits = _agreement_limits(s, level) if form.startswith("ICC(2") else _f_limits(s, noise, form, level)
    if limits is None:
        return None
    low, high = limits
    if form.endswith("k)"):  # Spearman-Brown: one rater's limits carried to the mean of k
        if 1 + (s.k - 1) * low <= 0:
            return None
        low, high = (s.k * x / (1 + (s.k - 1) * x) for x in (low, high))
    return Interval(float(low), float(high), "analytic", level)


def _f_limits(s: _Squares, noise: float, form: str, level: float) -> tuple[float, float]:
    from scipy.special import fdtri

    df = s.n - 1
    other = s.n * (s.k - 1) if form.startswith("ICC(1") else df * (s.k - 1)
    f, upper = s.items / noise, tails(level)[1]
    low, high = f / fdtri(df, other, upper), f * fdtri(other, df, upper)
    return (low - 1) / (low + s.k - 1), (high - 1) / (high + s.k - 1)


def _agreement_limits(s: _Squares, level: float) -> tuple[float, float] | None:
    """Shrout & Fleiss 1979, p. 424: Satterthwaite's degrees of freedom for the raters' and the error variance."""
    from scipy.special import fdtri

    n, k, r, c, e = s.n, s.k, s.items, s.raters, s.error
    rho = (r - e) / (r + (k - 1) * e + k * (c - e) / n)
    spread = n * (1 + (k - 1) * rho) - k * rho
    weighted = k * rho * c
    v = (k - 1) * (n - 1) * (weighted + spread * e) ** 2 / ((n - 1) * weighted**2 + (spread * e) ** 2)
    upper = tails(level)[1]
    low_f, high_f = float(fdtri(n - 1, v, upper)), float(fdtri(v, n - 1, upper))
    if not (math.isfinite(low_f) and math.isfinite(high_f)):
        return None
    rest = k * c + (k * n - k - n) * e
    low, high = n * (r - low_f * e) / (low_f * rest + n * r), n * (high_f * r - e) / (rest + n * high_f * r)
    return (low, high) if low <= rho <= high else None


def _note(s: _Squares, identical: float) -> str:
    if s.items == 0 and s.within == 0:
        return "undefined: no variance, all scores are the same"
    if s.items <= s.error and identical >= 0.5:
        return "the items hardly differ (ceiling): read the share of identical scores, not the ICC"
    if s.items <= s.error:
        return "items differ less than raters do within an item; the ICC is not above zero"
    return ""
