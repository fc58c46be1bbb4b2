"""Agreement of raters: literature values, oracles, and `undefined` with a reason where there is nothing to measure."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as sm_cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as sm_fleiss_kappa

from keju.errors import Misuse
from keju.stats import brennan_prediger, cohen_kappa, fleiss_kappa, gwet_ac1, icc, krippendorff_alpha
from real_failures import bug_cases

# Krippendorff 2004: four coders, twelve units, gaps
CODERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = list(zip(*CODERS, strict=True))
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

tables = st.lists(st.lists(st.sampled_from("ABCD"), min_size=3, max_size=3), min_size=2, max_size=40)


def of_table(table):
    """Two raters' labels that give this table of counts."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def of_counts(counts):
    """Ratings by item that give these counts by category."""
    return [[c for c, count in enumerate(row) for _ in range(count)] for row in counts]


@pytest.mark.shared
def test_worked_examples(shared):
    cases = json.loads((shared / "data/stats/cases.json").read_text(encoding="utf-8"))
    for case in cases["cohen_kappa"]:
        a, b = of_table(case["table"]) if "table" in case else zip(*case["ratings_by_item"], strict=True)
        found = cohen_kappa(a, b)
        if "tol" not in case:
            assert found.value is None
            assert "no variance" in found.undefined
            continue
        assert found.value == pytest.approx(case["kappa"], abs=case["tol"])
        if "z" in case:
            assert found.value / found.se_null == pytest.approx(case["z"], abs=2e-4)
        if "ase" in case:
            assert found.se == pytest.approx(case["ase"], abs=case["tol"])
            weighted, expected = cohen_kappa(a, b, weights="linear"), case["weighted_linear"]
            assert (weighted.value, weighted.se) == pytest.approx((expected["kappa"], expected["ase"]), abs=case["tol"])
        for weights in {"linear", "quadratic"} & case.keys():
            assert cohen_kappa(a, b, weights=weights).value == pytest.approx(case[weights], abs=case["tol"])
    for case in cases["fleiss_kappa"]:
        ratings = of_counts(case["counts"])
        assert fleiss_kappa(ratings).value == pytest.approx(case["kappa"], abs=case["tol"])
        if "free_marginal" in case:
            assert brennan_prediger(ratings).value == pytest.approx(case["free_marginal"], abs=case["tol"])
    for case in cases["krippendorff"]:
        for metric in {"nominal", "interval"} & case.keys():
            assert krippendorff_alpha(case["units"], metric).value == pytest.approx(case[metric], abs=case["tol"])
    for case in cases["icc"]:
        found = icc(case["ratings"])
        for form, value in case["published"].items():
            assert found[form].value == pytest.approx(value, abs=case["tol"])
        assert found.f == pytest.approx(case["f"]["ICC2/3"][0], abs=5e-4)
        assert found["ICC(2,k)"].interval.pair == pytest.approx(case["ci95_k"]["any"], abs=0.006)


@pytest.mark.shared
@pytest.mark.parametrize(
    "case", [p for p in bug_cases("6-stats") if p.id in ("ST-17", "ST-19", "ST-21", "ST-23", "ST-25", "ST-35")]
)
def test_known_failures_of_other_tools(case):
    given_, expected = case["input"], case["expected"]
    match case["id"]:
        case "ST-17" | "ST-21":
            found = cohen_kappa(given_["first"], given_["second"])
            assert found.value == pytest.approx(expected["kappa"], abs=expected["tolerance"])
            assert found.observed == expected["agreement"]
            assert found.categories == expected.get("categories", 2)
        case "ST-19":
            first = [label for label in "ABCD" for _ in range(25)]
            wrong = [25 * k + i for k in range(4) for i in range(4 if k == 0 else 3)]
            second = ["ABCD"[("ABCD".index(x) + 1 + at % 3) % 4] if at in wrong else x for at, x in enumerate(first)]
            found = cohen_kappa(first, second)
            assert found.observed == expected["agreement"]
            assert found.value == pytest.approx(expected["kappa_about"], abs=expected["tolerance"])
        case "ST-35":
            first, second = given_["first"], given_["second"]
            assert cohen_kappa(list(first.values()), list(second.values())).observed == expected["agreement"]
        case _:
            sets = [given_["ratings"]] if "ratings" in given_ else given_["sets"]
            for at, ratings in enumerate(sets):
                found = icc(ratings)
                for name in ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"):
                    if name not in expected:
                        continue
                    value = expected[name][at] if isinstance(expected[name], list) else expected[name]
                    form = f"ICC({name[3]},{'k' if name.endswith('k') else '1'})"
                    assert found[form].value == (value and pytest.approx(value, abs=expected["tolerance"]))
                assert 0 <= found.identical <= 1
                assert bool(found.note) == ("sets" in given_)


def test_fleiss_cohen_everitt_standard_errors():
    """The diagnosis example of Fleiss: kappa, both standard errors, and weighted forms."""
    a, b = of_table([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    found = cohen_kappa(a, b)
    assert found.observed == 0.89
    assert (found.value, found.se, found.se_null) == pytest.approx((0.676471, 0.087703, 0.076187), abs=1e-6)
    linear, quadratic = (cohen_kappa(a, b, weights=w) for w in ("linear", "quadratic"))
    assert (linear.value, linear.se) == pytest.approx((0.722222, 0.084301), abs=1e-6)
    assert (quadratic.value, quadratic.se) == pytest.approx((0.755319, 0.086707), abs=1e-6)


@given(tables)
def test_cohen_equals_scikit_learn(rows):
    a, b = [row[0] for row in rows], [row[1] for row in rows]
    found = cohen_kappa(a, b, resamples=100)
    if found.value is None:
        assert len({*a, *b}) == 1
        return
    assert found.value == pytest.approx(cohen_kappa_score(a, b), abs=1e-12)
    labels = sorted({*a, *b})
    for weights in ("linear", "quadratic"):
        weighted = cohen_kappa(a, b, weights=weights, resamples=100).value
        assert weighted == pytest.approx(cohen_kappa_score(a, b, weights=weights, labels=labels), abs=1e-12)


def test_standard_errors_equal_statsmodels():
    rng = np.random.default_rng(4)
    for _ in range(20):
        table = rng.integers(1, 20, (4, 4))
        found, expected = cohen_kappa(*of_table(table.tolist()), resamples=100), sm_cohens_kappa(table)
        assert (found.se, found.se_null) == pytest.approx((expected.std_kappa, expected.std_kappa0))


@given(tables)
def test_fleiss_equals_statsmodels(rows):
    found = fleiss_kappa(rows, resamples=100)
    if found.value is None:
        assert len({label for row in rows for label in row}) == 1
        return
    counts, _ = aggregate_raters(np.array(rows))
    assert found.value == pytest.approx(sm_fleiss_kappa(counts), abs=1e-9)


@given(tables, st.permutations("ABCD"))
def test_names_of_labels_do_not_matter(rows, names):
    renamed = [[names["ABCD".index(label)] for label in row] for row in rows]
    for coefficient in (fleiss_kappa, gwet_ac1, krippendorff_alpha, brennan_prediger):
        one, other = coefficient(rows, resamples=100), coefficient(renamed, resamples=100)
        assert one.value == (other.value and pytest.approx(other.value))


def test_krippendorff_with_gaps():
    expected = {"nominal": 0.743421, "ordinal": 0.815388, "interval": 0.849107, "ratio": 0.797403}
    for metric, value in expected.items():
        found = krippendorff_alpha(UNITS, metric)
        assert found.value == pytest.approx(value, abs=1e-6)
        assert found.items == 11, "the unit with one rating cannot agree"


def test_chance_corrected_coefficients_of_the_same_ratings():
    found = [gwet_ac1(UNITS), fleiss_kappa(UNITS), brennan_prediger(UNITS)]
    assert [round(x.value, 5) for x in found] == [0.77544, 0.76117, 0.77273]
    assert {round(x.observed, 5) for x in found} == {0.81818}


def test_brennan_prediger_knows_that_items_have_three_or_four_options():
    ratings = [["A", "A"]] * 8 + [["A", "B"]] * 2
    options = [3] * 5 + [4] * 5
    chance = (5 / 3 + 5 / 4) / 10
    assert brennan_prediger(ratings, options=options).value == pytest.approx((0.8 - chance) / (1 - chance))
    with pytest.raises(Misuse, match="every item"):
        brennan_prediger(ratings, options=[4])


def test_unanimous_raters_of_varied_items_agree_fully_but_not_surely():
    rows = [[label] * 2 for label in "ABCDABCDABCD"]
    for found in (cohen_kappa(*zip(*rows, strict=True)), fleiss_kappa(rows), krippendorff_alpha(rows)):
        assert found.value == 1
        assert (found.interval.method, found.interval.high) == ("wilson", 1)
        assert found.interval.low < 0.9


def test_one_category_is_undefined_with_a_reason():
    for found in (fleiss_kappa([["A", "A"]] * 5), krippendorff_alpha([["A", "A"]] * 5), cohen_kappa("AAA", "AAA")):
        assert (found.value, found.interval, found.observed) == (None, None, 1.0)
        assert "no variance" in found.undefined


def test_the_bootstrap_interval_resamples_items():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 200)
    second = np.where(rng.random(200) < 0.2, rng.integers(0, 4, 200), first)
    found = cohen_kappa(first.tolist(), second.tolist())
    naive = []
    for _ in range(1000):
        i = rng.integers(0, 200, 200)
        naive.append(cohen_kappa_score(first[i], second[i]))
    assert found.interval.method == "bootstrap"
    assert found.interval.pair == pytest.approx(np.quantile(naive, [0.025, 0.975]), abs=0.02)


def test_icc_of_shrout_and_fleiss_with_intervals():
    found = icc(SHROUT_FLEISS)
    assert found.mean_squares == pytest.approx(
        {"items": 11.2417, "raters": 32.4861, "error": 1.0194, "within": 6.2639}, abs=1e-4
    )
    expected = {
        "ICC(1,1)": (0.1657, -0.1329, 0.7226),
        "ICC(2,1)": (0.2898, 0.0188, 0.7611),
        "ICC(3,1)": (0.7148, 0.3425, 0.9459),
        "ICC(1,k)": (0.4428, -0.8844, 0.9124),
        "ICC(2,k)": (0.6201, 0.0711, 0.9272),
        "ICC(3,k)": (0.9093, 0.6757, 0.9859),
    }
    for form, (value, low, high) in expected.items():
        assert found[form].value == pytest.approx(value, abs=1e-4)
        assert found[form].interval.pair == pytest.approx((low, high), abs=1e-4)


def test_icc_forgives_a_strict_rater_only_in_its_third_form():
    strict = [[x, x - 1] for x in (2, 3, 4, 5, 2, 5)]
    found = icc(strict)
    assert found["ICC(3,1)"].value == pytest.approx(1)
    assert found["ICC(3,1)"].interval.method == "wilson"
    assert found["ICC(2,1)"].value < 0.9
    assert found.identical == 0
    assert found.within_one == 1


def test_icc_is_zero_where_items_vary_as_much_as_error():
    found = icc([[1, 1], [1, 1], [1, 2]])
    assert [form.value for form in found.forms.values()] == [0] * 6
    assert found.f == 1
    assert "not the ICC" in found.note


@given(st.lists(st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=30))
def test_icc_of_any_likert_table_is_a_number_or_undefined(rows):
    for form in icc(rows).forms.values():
        assert form.value is None or (math.isfinite(form.value) and form.value <= 1 + 1e-9)
        if form.interval:
            assert form.interval.low <= form.value + 1e-9
            assert form.value - 1e-9 <= form.interval.high


def test_incomplete_input_is_named():
    with pytest.raises(Misuse, match="position 1"):
        cohen_kappa(["A", None], ["A", "B"])
    with pytest.raises(Misuse, match="2 and 1"):
        cohen_kappa(["A", "B"], ["A"])
    with pytest.raises(Misuse, match="two ratings"):
        fleiss_kappa([["A", None], ["B"]])
    with pytest.raises(Misuse, match="'A'"):
        krippendorff_alpha([["A", "B"]], "ordinal")
    with pytest.raises(Misuse, match="position 1"):
        icc([[1, float("nan")], [2, 3]])
    with pytest.raises(Misuse, match="at least two items"):
        icc([[1, 2, 3]])
