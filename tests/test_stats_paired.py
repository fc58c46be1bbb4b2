"""Paired tests: exact where it matters, symmetric, and never significant where nothing differs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.contingency_tables import cochrans_q as sm_cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.multitest import multipletests

from keju.errors import Misuse
from keju.stats import all_pairs, cochran_q, holm, mcnemar, mcnemar_counts, paired_difference
from real_failures import bug_cases

discordant = st.tuples(st.integers(0, 400), st.integers(0, 400))
marks = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def arrays(both_right, only_first, only_second, both_wrong):
    sizes = [both_right, only_first, only_second, both_wrong]
    return np.repeat([1, 1, 0, 0], sizes), np.repeat([1, 0, 1, 0], sizes)


@pytest.mark.shared
@pytest.mark.parametrize(
    "case", [p for p in bug_cases("6-stats") if p.id in ("ST-01", "ST-03", "ST-05", "ST-07", "ST-09")]
)
def test_known_failures_of_other_tools(case):
    given_, expected = case["input"], case["expected"]
    match case["id"]:
        case "ST-01":
            found = mcnemar(*arrays(*given_.values()))
            assert (found.p, found.statistic, found.note) == (expected["p"], None, expected["note_shown"])
            for method in ("midp", "chi2-cc", "chi2"):
                assert mcnemar(*arrays(*given_.values()), method).p == 1.0
        case "ST-03":
            assert [mcnemar_counts(*pair).p for pair in given_["tables"]] == expected["p_exact"]
            assert mcnemar_counts(7, 7, "chi2-cc").p == 1.0
        case "ST-05":
            a, b = arrays(*(given_[k] for k in ("both_right", "only_first", "only_second", "both_wrong")))
            assert [a.mean(), b.mean()] == expected["accuracy"]
            assert mcnemar(a, b).p == pytest.approx(expected["p_mcnemar_exact"], abs=1e-7)
            near = expected["ci95_difference_paired_bootstrap_near"]
            assert paired_difference(a, b).interval.pair == pytest.approx(near, abs=expected["tolerance_ci"])
        case _:
            found = holm(given_["p"])
            assert list(found.adjusted) == pytest.approx(expected["holm"], abs=1e-9)
            assert found.size == expected.get("family_size_shown", len(given_["p"]))


@pytest.mark.shared
def test_worked_examples(shared):
    cases = json.loads((shared / "data/stats/cases.json").read_text(encoding="utf-8"))
    for case in cases["mcnemar"]:
        b, c = case["table"][0][1], case["table"][1][0]
        tolerance = case.get("tol", 1e-12)
        assert mcnemar_counts(b, c).p == pytest.approx(case["p_exact"], abs=tolerance)
        if "p_cc" in case:
            assert mcnemar_counts(b, c, "chi2-cc").p == pytest.approx(case["p_cc"], abs=tolerance)
        if "chi2_cc" in case:
            assert mcnemar_counts(b, c, "chi2-cc").statistic == pytest.approx(case["chi2_cc"], abs=tolerance)
        if "chi2" in case:
            assert mcnemar_counts(b, c, "chi2").statistic == pytest.approx(case["chi2"], abs=tolerance)
    for case in cases["holm"]:
        assert list(holm(case["raw"]).adjusted) == pytest.approx(case["adjusted"], abs=case["tol"])


@pytest.mark.shared
def test_published_tests_of_real_runs(shared):
    """McNemar exact, with and without correction, and Holm, of real models on real items."""
    ceval = json.loads((shared / "data/outputs-ceval-zhtw/known_answers.json").read_text(encoding="utf-8"))
    vista = json.loads((shared / "data/outputs-mathvista/known_answers.json").read_text(encoding="utf-8"))
    tests = [ceval["mcnemar gpt-4o vs llama3.1-8b"], *vista["mcnemar_top_vs_rest"].values()]
    for known in tests:
        counts = known["table"]["only_first"], known["table"]["only_second"]
        assert mcnemar_counts(*counts).p == pytest.approx(known["exact_p"], rel=1e-9)
        assert mcnemar_counts(*counts, "chi2").p == pytest.approx(known["chi2_p"], rel=1e-9)
        corrected = mcnemar_counts(*counts, "chi2-cc")
        assert (corrected.statistic, corrected.p) == pytest.approx((known["chi2_cc"], known["chi2_cc_p"]), rel=1e-9)
    family = holm([known["exact_p"] for known in tests[1:]])
    assert list(family.adjusted) == pytest.approx([known["holm_p"] for known in tests[1:]], rel=1e-9)


@given(discordant)
def test_exact_equals_statsmodels(bc):
    b, c = bc
    expected = sm_mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_counts(b, c).p == pytest.approx(expected, rel=1e-9)


@given(discordant.filter(lambda bc: abs(bc[0] - bc[1]) > 0))
def test_chi_square_equals_statsmodels_where_counts_differ(bc):
    b, c = bc
    for method, correction in (("chi2-cc", True), ("chi2", False)):
        expected = sm_mcnemar([[0, b], [c, 0]], exact=False, correction=correction)
        found = mcnemar_counts(b, c, method)
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


@given(discordant)
def test_mid_p_is_the_exact_p_less_the_observed_outcome(bc):
    b, c = bc
    mid, exact = mcnemar_counts(b, c, "midp").p, mcnemar_counts(b, c).p
    assert 0 <= mid <= exact + 1e-12
    assert mcnemar_counts(c, b, "midp").p == mid


@given(marks)
def test_swapping_the_two_changes_the_sign_only(pairs):
    a, b = zip(*pairs, strict=True)
    one, other = mcnemar(a, b), mcnemar(b, a)
    assert (one.p, one.only_first, one.only_second) == (other.p, other.only_second, other.only_first)
    assert paired_difference(a, b).difference == pytest.approx(-paired_difference(b, a).difference)


@given(marks)
def test_a_model_against_itself_shows_nothing(pairs):
    a = [x for x, _ in pairs]
    assert mcnemar(a, a).p == 1.0
    same = paired_difference(a, a)
    assert same.difference == 0
    assert same.interval.low < 0 < same.interval.high, "identical runs are no proof that two models are equal"


def test_exact_p_is_that_of_swapping_sides():
    """The permutation distribution of the sign of each discordant item gives the same p."""
    a, b = arrays(0, 9, 2, 0)
    found = permutation_test(
        (a - b, np.zeros_like(a)),
        lambda x, y, axis: (x - y).sum(axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    assert mcnemar(a, b).p == pytest.approx(found.pvalue, abs=1e-9)


def test_the_interval_of_a_difference_is_that_of_resampled_items():
    a, b = arrays(500, 120, 60, 320)
    rng = np.random.default_rng(2)
    draws = [(a[i] - b[i]).mean() for i in (rng.integers(0, 1000, 1000) for _ in range(5000))]
    found = paired_difference(a, b)
    assert found.interval.pair == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.004)
    assert found.interval.method == "bootstrap"


def test_shared_passages_widen_the_interval_of_a_difference():
    a, b = arrays(60, 40, 20, 80)
    plain = paired_difference(a, b).interval
    alone = paired_difference(a, b, clusters=range(200)).interval
    clustered = paired_difference(a, b, clusters=(np.arange(200) // 20).tolist()).interval
    assert alone.pair == pytest.approx(plain.pair, abs=0.011)
    assert clustered.high - clustered.low > 1.5 * (plain.high - plain.low)
    assert clustered.method == "clustered bootstrap"


def test_all_pairs_are_the_single_tests():
    rng = np.random.default_rng(0)
    table = rng.random((6, 200)) < np.linspace(0.3, 0.8, 6)[:, None]
    found = all_pairs(table)
    for i in range(6):
        for j in range(6):
            single = mcnemar(table[i], table[j])
            assert (found.only_first[i, j], found.p[i, j]) == (single.only_first, pytest.approx(single.p))


@settings(max_examples=20)  # the oracle is slow
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_equals_statsmodels(ps):
    assert list(holm(ps).adjusted) == pytest.approx(multipletests(ps, method="holm")[1], abs=1e-12)


@given(st.lists(st.none() | st.floats(0, 1), max_size=20))
def test_holm_keeps_order_and_never_lowers_a_p(ps):
    found = holm(ps)
    assert [p is None for p in found.adjusted] == [p is None for p in ps]
    made = sorted((p, q) for p, q in zip(ps, found.adjusted, strict=True) if p is not None)
    assert all(p <= q <= 1 for p, q in made)
    assert [q for _, q in made] == sorted(q for _, q in made)
    assert found.size == len(made)


def test_cochran_q_equals_statsmodels():
    rng = np.random.default_rng(1)
    table = rng.random((5, 80)) < np.linspace(0.4, 0.7, 5)[:, None]
    expected = sm_cochrans_q(table.T.astype(int))
    found = cochran_q(table)
    assert (found.statistic, found.p, found.df) == pytest.approx((expected.statistic, expected.pvalue, 4))


def test_cochran_q_of_equal_runs_is_nothing():
    assert cochran_q([[1, 0, 1]] * 3).p == 1.0
    with pytest.raises(Misuse, match="two"):
        cochran_q([[1, 0, 1]])


def test_what_cannot_be_paired_is_an_error():
    with pytest.raises(Misuse, match="3 and 2"):
        mcnemar([1, 0, 1], [1, 0])
    with pytest.raises(Misuse, match="second marks: value nan at position 1"):
        paired_difference([1, 0], [1, float("nan")])
    with pytest.raises(Misuse, match="empty"):
        mcnemar([], [])
    with pytest.raises(Misuse, match="bayes"):
        mcnemar([1], [0], "bayes")
    with pytest.raises(Misuse, match="position 1"):
        holm([0.1, float("nan")])
    with pytest.raises(Misuse, match="equally long"):
        all_pairs([[1, 0], [1]])
