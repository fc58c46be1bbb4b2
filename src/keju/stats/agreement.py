"""Do raters give the same labels? Chance-corrected agreement, each coefficient with its raw agreement and an interval.

Every coefficient here is 1 − Do / De, observed over expected disagreement; they differ in what they expect of chance.
Both parts are functions of sums over items, so a bootstrap over items is one product of weights and item features.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from keju.errors import Misuse
from keju.stats.intervals import Interval, wilson
from keju.stats.rated import Rated, absent, count, possible, rated, with_ratings
from keju.stats.resampling import checked, tails

Floats = NDArray[np.float64]
Metric = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["linear", "quadratic"]
RESAMPLES = 2_000
FEW = 10
"""With fewer disagreements a bootstrap of κ covers far too little (simulated: 61 % for 95 %); Wilson stands in."""
NIL = 1e-12
"""An expected disagreement below this is rounding: there is no variance to agree about."""


@dataclass(frozen=True, slots=True)
class Agreement:
    coefficient: str
    value: float | None
    """None where it is undefined; `undefined` then says why."""
    observed: float
    """Raw agreement: share of rater pairs that agree, mean over items. Not to be read as the coefficient."""
    expected: float | None
    """Agreement by chance, as this coefficient sees it; None where distances count."""
    interval: Interval | None
    items: int
    """Items with at least two ratings; the others can neither agree nor disagree."""
    categories: int
    disagreements: int
    """Items on which not all raters agree."""
    undefined: str | None = None
    se: float | None = None
    """Cohen only: large-sample standard error (Fleiss, Cohen & Everitt 1969, Psychol. Bull. 72:323)."""
    se_null: float | None = None
    """Cohen only: the same under no agreement, for testing κ = 0."""


Parts = Callable[[Floats], tuple[Floats, Floats]]
"""Item weights `(resamples, items)` → observed and expected disagreement, `(resamples,)` each."""


def cohen_kappa(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    weights: Weights | None = None,
    categories: Sequence[Hashable] | None = None,
    **bootstrap: Any,
) -> Agreement:
    """Cohen's kappa (1960) of two raters' labels of the same items; weighted (1968) for ordered labels.

    `categories`: every label in order, where some were never given: steps between labels are counted in it.
    `bootstrap`: `seed`, `resamples`, `level`. Raises `Misuse` for unequal lengths, no items, or a missing label.
    """
    if len(a) != len(b):
        raise Misuse(f"both raters must label the same items; here are {len(a)} and {len(b)}")
    if missing := [at for at, pair in enumerate(zip(a, b, strict=True)) if any(absent(x) for x in pair)]:
        raise Misuse(f"Cohen's kappa needs both labels of every item; one is missing at position {missing[0]}")
    ratings = count(list(zip(a, b, strict=True)), categories)
    first, second = (count([[x] for x in side], ratings.categories).counts for side in (a, b))
    distance = _distances(len(ratings.categories), weights)
    apart = ((first @ distance) * second).sum(axis=1)

    def parts(w: Floats) -> tuple[Floats, Floats]:
        n = w.sum(axis=1)
        return w @ apart / n, (((w @ first) @ distance) * (w @ second)).sum(axis=1) / n**2

    name = f"Cohen's kappa, {weights} weights" if weights else "Cohen's kappa"
    errors = _cohen_errors(first.T @ second, 1 - distance)
    return _estimate(name, parts, ratings, weights is None, errors, **bootstrap)


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]], **bootstrap: Any) -> Agreement:
    """Fleiss' kappa (1971, Psychol. Bull. 76:378) of `ratings`, one row of labels an item; None is a gap."""
    counted = rated(ratings)
    parts = _by_prevalence(counted, lambda p: 1 - (p**2).sum(axis=1))
    return _estimate("Fleiss' kappa", parts, counted, **bootstrap)


def gwet_ac1(ratings: Sequence[Sequence[Hashable]], *, categories: int | None = None, **bootstrap: Any) -> Agreement:
    """Gwet's AC1 (2008, Br. J. Math. Stat. Psychol. 61:29) of `ratings`, one row of labels an item.

    `categories`: how many labels could be given, where not all of them were.
    """
    counted = rated(ratings)
    q = possible(counted, categories)
    parts = _by_prevalence(counted, lambda p: 1 - (p * (1 - p)).sum(axis=1) / (q - 1))
    return _estimate("Gwet's AC1", parts, counted, **bootstrap)


def gwet_ac2(
    ratings: Sequence[Sequence[Hashable]],
    weights: Weights = "quadratic",
    *,
    categories: Sequence[Hashable] | None = None,
    **bootstrap: Any,
) -> Agreement:
    """Gwet's AC2 (2014, Handbook of Inter-Rater Reliability): AC1 for ordered labels, where a near miss counts less.

    `categories`: every label in order, where some were never given.
    """
    counted = rated(ratings, order=categories)
    q = max(len(counted.categories), 2)
    alike = 1 - _distances(len(counted.categories), weights)
    share = float(alike.sum()) / (q * (q - 1))
    parts = _by_prevalence(counted, lambda p: 1 - share * (p * (1 - p)).sum(axis=1), counted.alike(alike))
    return _estimate(f"Gwet's AC2, {weights} weights", parts, counted, False, **bootstrap)


def conger_kappa(ratings: Sequence[Sequence[Hashable]], **bootstrap: Any) -> Agreement:
    """Conger's kappa (1980, Psychol. Bull. 88:322): Cohen's for several raters, each with habits of their own.

    `ratings`: one row an item, one column a rater, None for a gap; with two raters and no gap it is Cohen's.
    """
    counted = rated(ratings)
    rows = [row for row in ratings if any(not absent(value) for value in row)]
    places = {category: at for at, category in enumerate(counted.categories)}
    given = np.zeros((len(rows), max(map(len, rows)), len(places)))
    for at, row in enumerate(rows):
        for rater, value in enumerate(row):
            if not absent(value):
                given[at, rater, places[value]] = 1
    given = given[:, given.any(axis=(0, 2))]
    raters = given.shape[1]

    def parts(w: Floats) -> tuple[Floats, Floats]:
        totals = np.tensordot(w, given, 1)
        share = totals / np.maximum(totals.sum(axis=2, keepdims=True), 1)
        chance = share.mean(axis=1) ** 2 - share.var(axis=1, ddof=1) / raters
        return 1 - w @ counted.pairwise / np.maximum(w @ counted.paired, 1), 1 - chance.sum(axis=1)

    return _estimate("Conger's kappa", parts, counted, **bootstrap)


def brennan_prediger(
    ratings: Sequence[Sequence[Hashable]], *, options: int | Sequence[int] | None = None, **bootstrap: Any
) -> Agreement:
    """Brennan & Prediger's kappa (1981): chance is 1 / number of labels that could be given.

    `options`: that number, one for all or one an item; the right coefficient where items have three or four options.
    """
    kept = with_ratings(ratings, 2)
    counted = rated(ratings, 2)
    if options is None or isinstance(options, int):
        chance = np.full(len(kept), 1 / possible(counted, options))
    elif len(options) == len(ratings) and min(options) > 1:
        chance = 1 / np.array(options, dtype=np.float64)[kept]
    else:
        raise Misuse("options must give a number of at least 2 for every item")

    def parts(w: Floats) -> tuple[Floats, Floats]:
        n = w.sum(axis=1)
        return 1 - w @ counted.pairwise / n, 1 - w @ chance / n

    return _estimate("Brennan-Prediger kappa", parts, counted, **bootstrap)


def krippendorff_alpha(ratings: Sequence[Sequence[Any]], metric: Metric = "nominal", **bootstrap: Any) -> Agreement:
    """Krippendorff's alpha (2004) of `ratings`, one row an item, None where a rater gave none.

    `metric`: what a disagreement weighs. All but `nominal` need numbers; `ordinal` uses their order only.
    """
    counted = rated(ratings, 2)
    values = _values(counted.categories, metric)
    scaled = counted.counts / (counted.raters - 1)[:, None]
    inner = np.einsum("ic,id->icd", scaled, counted.counts)
    inner -= np.einsum("ic,cd->icd", scaled, np.eye(len(values)))

    def parts(w: Floats) -> tuple[Floats, Floats]:
        totals = w @ counted.counts
        n = totals.sum(axis=1)
        square = _squared_distances(totals, values, metric)
        met = np.einsum("bi,icd->bcd", w, inner)
        chance = np.einsum("bc,bd->bcd", totals, totals) / (n - 1)[:, None, None]
        return (met * square).sum(axis=(1, 2)) / n, (chance * square).sum(axis=(1, 2)) / n

    return _estimate(f"Krippendorff's alpha, {metric}", parts, counted, metric == "nominal", **bootstrap)


def _estimate(
    name: str,
    parts: Parts,
    ratings: Rated,
    chance_is_agreement: bool = True,
    errors: tuple[float | None, float | None] = (None, None),
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Agreement:
    n, observed = len(ratings.counts), ratings.observed
    apart, chance = (float(part[0]) for part in parts(np.ones((1, n))))
    disagreements = int((ratings.pairwise < ratings.paired).sum())
    expected = 1 - chance if chance_is_agreement else None
    facts = (int(ratings.paired.sum()), len(ratings.categories), disagreements)
    if chance < NIL:
        reason = "no variance: all ratings are the same category"
        return Agreement(name, None, observed, expected, None, *facts, undefined=reason)
    value = 1 - apart / chance
    interval = None
    if disagreements >= FEW:
        interval = _bootstrap(parts, n, seed, checked(resamples), level)
    if interval is None or interval.low == interval.high:
        interval = _mapped_wilson(ratings, value, expected, level)
    return Agreement(name, value, observed, expected, interval, *facts, None, *errors)


def _bootstrap(parts: Parts, n: int, seed: int, resamples: int, level: float) -> Interval:
    """Percentiles over resampled items, all ratings of an item together; undefined resamples are no evidence."""
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)
    apart, chance = parts(weights)
    values = 1 - apart[chance > NIL] / chance[chance > NIL]
    low, high = np.quantile(values, tails(level))
    return Interval(float(low), float(high), "bootstrap", level)


def _mapped_wilson(ratings: Rated, value: float, expected: float | None, level: float) -> Interval:
    """Wilson's interval of the raw agreement, carried to the coefficient's scale by its slope."""
    n, observed = float(ratings.paired.sum()), ratings.observed
    raw = wilson(observed * n, n, level=level)
    if expected is None:  # distances count: their mean takes the place of 0 and 1
        expected = float(((ratings.counts.sum(axis=0) / ratings.counts.sum()) ** 2).sum())
    by_chance = 1 - expected or 1.0  # 0 where one category is all there is: a coefficient that is defined then has none
    slope = (1 - value) / (1 - observed) if observed < 1 else 1 / by_chance
    return Interval(1 - (1 - raw.low) * slope, 1 - (1 - raw.high) * slope, "wilson", level)


def _by_prevalence(ratings: Rated, expected: Callable[[Floats], Floats], agreement: Floats | None = None) -> Parts:
    """Items with one rating tell how common a category is, though nothing of agreement (Gwet 2014)."""
    share = ratings.counts / ratings.raters[:, None]
    pairwise = ratings.pairwise if agreement is None else agreement

    def parts(w: Floats) -> tuple[Floats, Floats]:
        pairs = np.maximum(w @ ratings.paired, 1)
        return 1 - w @ pairwise / pairs, expected(w @ share / w.sum(axis=1)[:, None])

    return parts


def _cohen_errors(table: Floats, agreement: Floats) -> tuple[float | None, float | None]:
    """Standard errors of κ, at the estimate and under κ = 0, from the table of counts of both raters' labels."""
    n = float(table.sum())
    joint = table / n
    row, column = joint.sum(axis=1), joint.sum(axis=0)
    chance = float(row @ agreement @ column)
    if chance > 1 - NIL:
        return None, None
    kappa = (float((joint * agreement).sum()) - chance) / (1 - chance)
    mean = (agreement @ column)[:, None] + (row @ agreement)[None, :]
    free = float((joint * (agreement - mean * (1 - kappa)) ** 2).sum()) - (kappa - chance * (1 - kappa)) ** 2
    null = float((np.outer(row, column) * (agreement - mean) ** 2).sum()) - chance**2
    scale = (1 - chance) * n**0.5
    return max(free, 0.0) ** 0.5 / scale, max(null, 0.0) ** 0.5 / scale


def _distances(categories: int, weights: Weights | None) -> Floats:
    steps = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(np.float64)
    if weights is None:
        return (steps > 0).astype(np.float64)
    if weights not in ("linear", "quadratic"):
        raise Misuse(f"there are no {weights!r} weights; there is linear, quadratic")
    share = steps / max(categories - 1, 1)
    return share if weights == "linear" else share**2


def _values(categories: tuple[Any, ...], metric: Metric) -> Floats:
    if metric not in ("nominal", "ordinal", "interval", "ratio"):
        raise Misuse(f"there is no metric {metric!r}; there is nominal, ordinal, interval, ratio")
    if metric == "nominal":
        return np.arange(len(categories), dtype=np.float64)
    try:
        return np.array([float(category) for category in categories])
    except (TypeError, ValueError):
        raise Misuse(f"the {metric} metric needs numbers; the ratings hold {categories[0]!r}") from None


def _squared_distances(totals: Floats, values: Floats, metric: Metric) -> Floats:
    """Shape `(resamples, categories, categories)`. Ordinal distance is the interval distance of mid-ranks."""
    if metric == "nominal":
        return np.broadcast_to(1 - np.eye(len(values)), (len(totals), len(values), len(values)))
    if metric == "ratio":
        sums = np.add.outer(values, values)
        gap = np.divide(np.subtract.outer(values, values), sums, out=np.zeros_like(sums), where=sums != 0)
        return np.broadcast_to(gap**2, (len(totals), *gap.shape))
    place = np.cumsum(totals, axis=1) - totals / 2 if metric == "ordinal" else np.broadcast_to(values, totals.shape)
    return np.asarray((place[:, :, None] - place[:, None, :]) ** 2)
