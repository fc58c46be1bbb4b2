"""The rest of the floor: chance, precision and recall, groups, ranks, seconds, power; and its face."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2_contingency, spearmanr
from sklearn.metrics import precision_recall_fscore_support

import keju.stats
from keju.errors import Misuse
from keju.stats import (
    above_chance,
    detectable_difference,
    durations,
    heterogeneity,
    items_needed,
    mcnemar_counts,
    precision_recall,
    spearman,
)
from real_failures import bug_cases


def test_every_name_of_the_face_is_there_and_documented():
    for name in keju.stats.__all__:
        assert getattr(keju.stats, name).__doc__, name


def test_scipy_is_not_imported_before_a_test_needs_it():
    code = "import sys, keju.results.leaderboard; sys.exit('scipy' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONPATH": os.pathsep.join(sys.path)}, check=False
        ).returncode
        == 0
    )


# chance


@given(st.integers(1, 200), st.floats(0.05, 0.95), st.data())
def test_equal_chances_give_the_binomial_test(n, p, data):
    k = data.draw(st.integers(0, n))
    found = above_chance(k, [p] * n)
    assert found.p == pytest.approx(binomtest(k, n, p, alternative="greater").pvalue, rel=1e-9)
    assert found.expected == pytest.approx(n * p)


@given(st.lists(st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=12), st.data())
def test_unequal_chances_are_counted_exactly(chances, data):
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    k = data.draw(st.integers(0, len(chances)))
    assert above_chance(k, chances).p == pytest.approx(law[k:].sum(), abs=1e-12)


def test_chance_of_multi_tw():
    """407 items of three options and 493 of four: 28.8 % overall (paper 001, §2.2)."""
    chances = [1 / 3] * 407 + [1 / 4] * 493
    found = above_chance(330, chances)
    assert found.expected / 900 == pytest.approx(0.28769, abs=1e-5)
    assert 0 < found.p < 1e-6
    assert above_chance(0, chances).p == pytest.approx(1)


@pytest.mark.parametrize("chances", [[1.5], [-0.1], [], [float("nan")]])
def test_impossible_chances_are_an_error(chances):
    with pytest.raises(Misuse, match="chances"):
        above_chance(0, chances)


# precision, recall, F1

LABELS = st.sampled_from("ABCD")


@given(st.lists(st.tuples(LABELS, LABELS | st.none()), min_size=1, max_size=80))
def test_precision_and_recall_equal_scikit_learn(pairs):
    keys, predicted = zip(*pairs, strict=True)
    found = precision_recall(keys, predicted)
    labels = sorted(set(keys))
    filled = [label or "invalid" for label in predicted]
    for average in ("macro", "weighted"):
        *expected, _ = precision_recall_fscore_support(keys, filled, labels=labels, average=average, zero_division=0)
        quality = getattr(found, average)
        assert (quality.precision, quality.recall, quality.f1) == pytest.approx(expected)
    right, valid = sum(key == label for key, label in pairs), sum(label is not None for label in predicted)
    assert found.micro.recall == right / len(pairs)
    assert found.micro.precision == (right / valid if valid else 0)


def test_micro_scores_are_the_accuracy_where_every_reply_is_valid():
    found = precision_recall("ABCA", "ABDA").micro
    assert (found.precision, found.recall, found.f1) == (0.75, 0.75, 0.75)


def test_an_item_without_key_counts_and_is_never_right():
    found = precision_recall(["A", None], ["A", "A"])
    assert (found.micro.recall, found.micro.precision) == (0.5, 0.5)
    assert (found.weighted.recall, found.weighted.precision) == (1.0, 0.5)
    assert precision_recall([None], [None]).weighted.f1 == 0


@pytest.mark.shared
def test_published_multi_tw_run(shared):
    lines = (shared / "data/multi-tw/outputs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    weighted = precision_recall([row["answer"] for row in rows], [row["generation"] for row in rows]).weighted
    assert (weighted.precision, weighted.recall, weighted.f1) == pytest.approx((0.811164, 0.797980, 0.798395), abs=1e-6)


# groups


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=2, max_size=8))
def test_heterogeneity_equals_scipy(groups):
    correct = [min(k, n) for k, n in groups]
    n = [size for _, size in groups]
    found = heterogeneity(correct, n)
    if 0 < sum(correct) < sum(n):
        wrong = [size - k for k, size in zip(correct, n, strict=True)]
        expected = chi2_contingency([correct, wrong], correction=False)
        assert (found.statistic, found.p, found.df) == pytest.approx(
            (expected.statistic, expected.pvalue, expected.dof), rel=1e-6, abs=1e-9
        )
        assert found.smallest_expected == pytest.approx(expected.expected_freq.min())
    else:
        assert (found.statistic, found.p) == (0, 1)


def test_an_empty_group_is_left_out_of_the_test():
    assert heterogeneity([3, 0, 5], [10, 0, 10]) == heterogeneity([3, 5], [10, 10])
    with pytest.raises(Misuse, match="two"):
        heterogeneity([3, 0], [10, 0])
    with pytest.raises(Misuse, match="more right"):
        heterogeneity([3, 11], [10, 10])


# ranks


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=9, max_size=40))
def test_spearman_equals_scipy(pairs):
    x, y = zip(*pairs, strict=True)
    found = spearman(x, y)
    if found.rho is None:
        assert len(set(x)) == 1 or len(set(y)) == 1
        return
    expected = spearmanr(x, y)
    assert (found.rho, found.n) == pytest.approx((expected.statistic, len(pairs)))
    if abs(found.rho) < 1 - 1e-9:
        assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_few_models_get_an_exact_p():
    """Of the six orders of three, two are as extreme as a perfect one: p = 1/3, never 0."""
    assert spearman([1, 2, 3], [10, 20, 30]).p == pytest.approx(1 / 3)
    assert spearman([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]).p == pytest.approx(2 / 720)
    assert spearman([1, 2, 3], [5, 5, 5]).undefined
    with pytest.raises(Misuse, match="three pairs"):
        spearman([1, 2], [1, 2])


# seconds


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=50))
def test_durations_are_ordered(seconds):
    found = durations(seconds)
    assert found.median <= found.p90 <= found.p95 <= found.p99 <= max(seconds)
    assert found.total == pytest.approx(sum(seconds))
    assert (found.n, found.mean) == (len(seconds), pytest.approx(np.mean(seconds)))


def test_a_clock_read_in_the_wrong_order_is_an_error():
    with pytest.raises(Misuse, match=r"-0\.5"):
        durations([1.0, -0.5])
    with pytest.raises(Misuse, match="empty"):
        durations([])


# power


@given(st.integers(20, 5000), st.floats(0.05, 1.0))
def test_difference_and_items_invert_each_other(n, discordant):
    difference = detectable_difference(n, discordant=discordant)
    if difference is None or math.isclose(difference, discordant):
        return
    assert items_needed(difference + 1e-9, discordant=discordant) in (n, n + 1)


def test_the_power_promised_is_the_power_had():
    """1,000 simulated studies at the detectable difference reject in about 80 of 100."""
    n, share = 1000, 0.3
    difference = detectable_difference(n, discordant=share)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(n, [(share + difference) / 2, (share - difference) / 2, 1 - share], size=1000)
    rejected = np.mean([mcnemar_counts(int(b), int(c), "chi2").p < 0.05 for b, c, _ in draws])
    assert rejected == pytest.approx(0.8, abs=0.04)


def test_a_difference_beyond_the_discordant_share_cannot_be():
    assert detectable_difference(5, discordant=0.1) is None
    with pytest.raises(Misuse, match="discordant"):
        items_needed(0.2, discordant=0.1)
    with pytest.raises(Misuse, match="alpha"):
        items_needed(0.1, discordant=0.2, alpha=5)


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("6-stats") if p.id == "ST-27"])
def test_micro_and_macro_of_paper_000(case):
    """The two means of Table 4 differ; `heterogeneity` takes sizes, so neither can stand for the other."""
    sizes, accuracy, expected = case["input"]["sizes"], case["input"]["accuracy"], case["expected"]
    correct = [round(n * share) for n, share in zip(sizes, accuracy, strict=True)]
    assert sum(correct) / sum(sizes) == pytest.approx(expected["micro"], abs=expected["tolerance"])
    assert np.mean(accuracy) == pytest.approx(expected["macro"], abs=expected["tolerance"])
    assert heterogeneity(correct, sizes).groups == 8
