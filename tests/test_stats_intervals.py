"""Intervals of one accuracy: they meet published values and oracles, and never show more certainty than there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, bootstrap
from statsmodels.stats.proportion import proportion_confint

from keju.errors import Misuse
from keju.stats import accuracy_interval, clustered_interval
from keju.stats.resampling import law_of_sum
from real_failures import bug_cases


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 3000))
    return draw(st.integers(0, n)), n


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("6-stats") if p.id in ("ST-11", "ST-13")])
def test_known_failures_of_other_tools(case):
    given_, expected = case["input"], case["expected"]
    if case["id"] == "ST-13":
        found = accuracy_interval(given_["correct"], given_["n"], resamples=given_["resamples"], seed=given_["seed"])
        assert found.pair == pytest.approx(expected["ci95"], abs=expected["tolerance"])
        assert [f"{x:.2f}" for x in found.pair] == expected["two_decimals"]
        assert found.method == "bootstrap"
        return
    for (k, n), pair in zip(given_["counts"], expected["wilson"], strict=True):
        found = accuracy_interval(k, n)
        assert found.pair == pytest.approx(pair, abs=expected["tolerance"])
        assert found.method == "wilson"


@given(counts())
def test_wilson_equals_statsmodels(kn):
    k, n = kn
    low, high = proportion_confint(k, n, method="wilson")
    assert accuracy_interval(k, n, "wilson").pair == pytest.approx((low, high), abs=1e-9)


@given(counts())
def test_an_interval_holds_its_estimate_and_stays_within_0_and_1(kn):
    k, n = kn
    for method in ("bootstrap", "exact", "wilson"):
        found = accuracy_interval(k, n, method)
        assert 0 <= found.low <= k / n + 1e-12
        assert k / n - 1e-12 <= found.high <= 1
        assert found.low < found.high


@given(counts().filter(lambda kn: kn[1] >= 30 and 0 < kn[0] < kn[1]), st.sampled_from([0.9, 0.95, 0.99]))
def test_exact_is_the_quantile_of_the_binomial(kn, level):
    k, n = kn
    found = accuracy_interval(k, n, "exact", level=level)
    edges = binom.ppf([(1 - level) / 2, (1 + level) / 2], n, k / n) / n
    assert np.abs(np.array(found.pair) - edges).max() < 1.01 / n  # ppf itself rounds at a jump of the law


def test_the_bootstrap_is_that_of_resampled_items():
    """An index bootstrap over the items themselves gives the same percentiles, within its own noise."""
    marks = np.repeat([1, 0], [223, 77])
    naive = bootstrap((marks,), np.mean, n_resamples=10_000, method="percentile", rng=1).confidence_interval
    assert accuracy_interval(223, 300).pair == pytest.approx((naive.low, naive.high), abs=0.01)


def test_the_seed_decides_the_draw():
    assert accuracy_interval(300, 1000, seed=3) == accuracy_interval(300, 1000, seed=3)
    ends = {accuracy_interval(300, 1000, seed=seed, resamples=1000).pair for seed in range(20)}
    assert len(ends) > 1


@given(st.integers(1, 40), st.lists(st.floats(0.01, 1), min_size=2, max_size=3))
def test_the_law_of_a_sum_is_the_convolution_of_its_draws(n, shares):
    shares = np.array(shares) / sum(shares)
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, shares)
    assert law_of_sum(shares, n) == pytest.approx(law, abs=1e-12)


def test_clusters_of_one_item_give_the_plain_bootstrap():
    marks = np.repeat([1, 0], [140, 60])
    alone = clustered_interval(marks, range(200))
    assert alone.method == "clustered bootstrap"
    assert alone.pair == pytest.approx(accuracy_interval(140, 200).pair, abs=0.011)


def test_items_that_share_a_passage_widen_the_interval():
    marks = np.repeat([1, 0, 1, 1, 0], 40)
    clusters = np.repeat(np.arange(20), 10)
    wide = clustered_interval(marks, clusters.tolist())
    plain = accuracy_interval(120, 200)
    assert wide.high - wide.low > 2 * (plain.high - plain.low)


def test_clustered_percentiles_are_those_of_drawn_clusters():
    rng = np.random.default_rng(5)
    clusters = rng.integers(0, 60, 300)
    marks = rng.random(300) < 0.3 + 0.5 * (clusters % 2)
    by_cluster = [marks[clusters == c] for c in np.unique(clusters)]
    naive = [
        np.concatenate([by_cluster[i] for i in rng.integers(0, len(by_cluster), len(by_cluster))]).mean()
        for _ in range(4000)
    ]
    found = clustered_interval(marks, clusters.tolist())
    assert found.pair == pytest.approx(np.quantile(naive, [0.025, 0.975]), abs=0.012)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 0), "empty"),
        ((3, 2), "3 right of 2"),
        ((-1, 2), "-1 right"),
        ((0.5, 2), "0.5 of 2"),
        ((float("nan"), 2), "nan of 2"),
        ((1, 2, "normal"), "normal"),
    ],
)
def test_impossible_counts_are_named(arguments, named):
    with pytest.raises(Misuse, match=named):
        accuracy_interval(*arguments)


def test_a_nan_among_the_marks_is_an_error_that_says_where():
    with pytest.raises(Misuse, match="position 2"):
        clustered_interval([1, 0, float("nan")], "abc")
    with pytest.raises(Misuse, match="position 1"):
        clustered_interval([1, None, 0], "abc")
    with pytest.raises(Misuse, match="empty"):
        clustered_interval([], [])
    with pytest.raises(Misuse, match="at least two"):
        clustered_interval([1, 0], "aa")
    with pytest.raises(Misuse, match="resamples"):
        accuracy_interval(50, 100, resamples=3)
    with pytest.raises(Misuse, match="level"):
        accuracy_interval(50, 100, level=95)
