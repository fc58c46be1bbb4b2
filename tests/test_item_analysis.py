"""Item analysis: figures against numpy and worked by hand, and the advice that an author gets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju import api
from keju.checks import check
from keju.errors import Misuse
from keju.reports import to_text, write_report
from keju.results.item_analysis import item_analysis
from keju.results.power import power
from keju.stats import detectable_difference, item_figures, kr20
from making import benchmark
from marked_runs import items, marked

EIGHT = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]], dtype=bool)


def facts(tables):
    return {str(row["fact"]): row["value"] for row in tables[0].rows}


# statistics


def test_discrimination_is_the_correlation_with_the_rest_of_the_exam():
    right = np.random.default_rng(0).random((25, 12)) < 0.6
    for item, figures in enumerate(item_figures(right)):
        rest = np.delete(right, item, axis=1).sum(axis=1)
        assert figures.discrimination == pytest.approx(np.corrcoef(right[:, item], rest)[0, 1])
        assert (figures.n, figures.right) == (25, right[:, item].sum())


def test_a_candidate_counts_only_on_the_items_that_were_answered():
    answered = np.ones_like(EIGHT)
    answered[0, 3] = answered[4, 2] = False
    figures = item_figures(EIGHT, answered)
    assert [(f.n, f.right) for f in figures] == [(6, 5), (6, 4), (5, 2), (5, 1)]
    kept = [0, 1, 2, 3, 5]  # who answered item 2; the rest of candidate 0 is three of three: item 3 was not answered
    rest = [2 / 2, 2 / 3, 2 / 3, 1 / 3, 0.0]
    assert figures[2].discrimination == pytest.approx(np.corrcoef(EIGHT[kept, 2], rest)[0, 1])


def test_what_does_not_vary_has_no_discrimination():
    assert [f.discrimination for f in item_figures([[1, 1], [1, 0]])] == [None, None]  # two candidates
    assert item_figures(np.ones((5, 3)))[0].discrimination is None
    assert item_figures([[1, 0]], [[0, 0]])[0].difficulty is None
    with pytest.raises(Misuse, match="one shape"):
        item_figures([[1, 0]], [[1], [0]])


def test_kr20_by_hand():
    """Totals 4, 3, 2, 1, 3, 0 (variance 65/36); Σpq = 5/36 + 8/36 + 8/36 + 8/36."""
    assert kr20(EIGHT) == pytest.approx(4 / 3 * (1 - (29 / 36) / (65 / 36)))
    assert kr20([[1, 0], [0, 1]]) is None
    with pytest.raises(Misuse, match="at least two"):
        kr20([[1, 0, 1]])


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=2, max_size=9))
def test_kr20_is_cronbachs_alpha_of_right_and_wrong(rows):
    marks = np.array(rows, dtype=float)
    variance = marks.sum(axis=1).var()
    expected = 5 / 4 * (1 - marks.var(axis=0).sum() / variance) if variance else None
    assert kr20(rows) == (pytest.approx(expected) if expected is not None else None)


# tables


def test_each_item_is_told_in_figures():
    of = items("AB")
    choices = ["AB", "AB", "AC", "A?"]
    _, _, every = item_analysis([marked(of, word, model=f"m{i}") for i, word in enumerate(choices)])
    first, second = every.rows
    assert (first["difficulty"], first["share_A"], first["unused"]) == (1.0, 1.0, "B, C, D")
    assert (second["difficulty"], second["share_B"], second["share_C"], second["share_none"]) == (0.5, 0.5, 0.25, 0.25)
    assert first["advice"] == "all 4 candidates are right: it tells nobody apart"
    assert every.for_sheets


def test_a_key_is_doubted_where_the_strongest_agree_on_another_option():
    of = items("A" * 20)
    strong = [marked(of, "C" + "A" * 19, model=f"strong{i}") for i in range(3)]
    weak = [marked(of, "A" + "ABCD" * 4 + "ABC", model=f"weak{i}") for i in range(3)]
    tables = item_analysis([*strong, *weak])
    assert facts(tables)["keys to look at"] == 1
    first = tables[1].rows[0]
    assert first["id"] == "0000"
    assert first["advice"].startswith("look at the key: 3 of the 3 strongest candidates choose C, 0 the key A")
    assert first["choices"] == "A 3 · C 3"
    assert "请核对答案" in first["advice"].zh


def test_candidates_that_guess_say_nothing_of_keys():
    of = items("ABCD" * 5)
    tables = item_analysis([marked(of, "B" * 20, model=f"m{i}") for i in range(5)])
    assert facts(tables)["keys to look at"] is None
    assert not any("look at the key" in row["advice"] for row in tables[1].rows)


def test_an_item_that_the_better_get_wrong_is_named():
    of = items("A" * 13)
    scores = [marked(of, ("A" if k < 4 else "B") + "A" * k + "B" * (12 - k), model=f"m{k}") for k in range(1, 9)]
    row = next(row for row in item_analysis(scores)[1].rows if row["id"] == "0000")
    assert "better candidates do worse (discrimination -0.8" in row["advice"]


def test_the_check_and_the_analysis_have_one_discrimination():
    made = benchmark(8)
    keys = [item.answer for item in made]
    words = [("A" if k < 4 else "B", *keys[1 : k + 1], *["?"] * (7 - k)) for k in range(1, 8)]
    scores = [marked(made.items, ["".join(word) for word in words], model=f"m{k}") for k, words in enumerate(words)]
    found = next(f for f in check(made, marks=api.marks(scores)) if f.code == "S205" and f.item == "0001")
    row = next(row for row in item_analysis(scores)[2].rows if row["id"] == "0001")
    assert found.measured["correlation"] == pytest.approx(row["discrimination"])


def test_wrong_options_that_nobody_chooses_are_told_from_twenty_candidates_on():
    of = items("A" * 4)
    crowd = [marked(of, "AB" * 2 if i % 2 else "CA" * 2, model=f"m{i}") for i in range(20)]
    tables = item_analysis(crowd)
    assert facts(tables)["wrong options chosen by fewer than 5 %"] == 8
    assert "hardly anyone chooses B, D" in next(row["advice"] for row in tables[1].rows if row["id"] == "0000")
    assert facts(item_analysis(crowd[:19]))["wrong options chosen by fewer than 5 %"] is None


def test_people_and_models_sit_one_exam():
    of = items("AB")
    models = [marked(of, "AA", model="m")]
    people = [marked(of, "BB", model="p1"), marked(of, "AB", model="p2"), marked(of[:1], "B", model="p3")]
    tables = item_analysis(models, people)
    assert (facts(tables)["models"], facts(tables)["people"]) == (1, 3)
    first, second = tables[2].rows
    assert (first["n"], first["models_right"], first["people_right"]) == (4, 1.0, pytest.approx(1 / 3))
    assert (second["n"], second["people_right"]) == (3, 1.0)


def test_one_run_a_model_counts_the_first_that_saw_the_media_in_order():
    of = items("AB")
    plain, other = marked(of, "AB", model="m"), marked(of, "BA", model="n")
    extra = [marked(of, "AA", model="m", variant=v) for v in ({"rotate": "1"}, {"media": "none"}, {"language": "en"})]
    tables = item_analysis([extra[0], extra[1], plain, extra[2], other])
    assert facts(tables)["models"] == 2
    assert [row["difficulty"] for row in tables[2].rows] == [0.5, 0.5]
    assert any("m [rotate=1], m [media=none], m [language=en]" in note for note in tables[0].notes)


def test_a_failed_call_is_no_answer():
    of = items("AA")
    every = item_analysis([marked(of, "A!", model="a"), marked(of, "AB", model="b"), marked(of, "#A", model="c")])[2]
    assert [(row["n"], row["difficulty"]) for row in every.rows] == [(2, 1.0), (2, 0.5)]


def test_two_benchmarks_are_not_mixed_and_one_candidate_is_no_exam():
    with pytest.raises(Misuse, match="other options than in"):
        item_analysis([marked(items("A"), "A", model="a"), marked(items("A", options="XYZA"), "A", model="b")])
    with pytest.raises(Misuse, match="at least two candidates"):
        item_analysis([marked(items("A"), "A")])
    with pytest.raises(Misuse, match="nothing to analyse"):
        item_analysis([marked(items("?"), "A", model="a"), marked(items("?"), "A", model="b")])


def test_the_table_of_every_item_is_for_sheets_and_data_only(tmp_path):
    of = items("AB")
    tables = item_analysis([marked(of, "AB", model="a"), marked(of, "AA", model="b")])
    names = {path.relative_to(tmp_path).as_posix() for path in write_report(tables, tmp_path, title="t")}
    assert {"tables/item_statistics.csv", "tables/item_analysis.tex"} <= names
    assert "tables/item_statistics.tex" not in names
    assert "Every item" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "item_statistics" in (tmp_path / "report.json").read_text(encoding="utf-8")


# power


def test_power_tells_what_so_many_items_can_show():
    of = items("A" * 100)
    a, b = marked(of, "A" * 60 + "B" * 40, model="a"), marked(of, "B" * 10 + "A" * 40 + "B" * 50, model="b")
    (row,) = power([b, a]).rows
    assert (row["first"], row["n"], row["difference"], row["discordant"]) == ("a", 100, 0.2, 0.2)
    assert row["detectable"] == detectable_difference(100, discordant=0.2)
    assert row["needed"] < 100
    (row,) = power([a, replace(a, model="same")]).rows
    assert (row["detectable"], row["needed"]) == (None, None)
    assert "–" in to_text(power([a, replace(a, model="same")]))
    with pytest.raises(Misuse, match="answered the same items"):
        power([a])


@pytest.mark.shared
def test_real_models_on_mathvista(shared):
    runs = api.open_runs(sorted((shared / "data" / "outputs-mathvista").glob("*.jsonl")))
    tables = item_analysis([api.score(run) for run in runs])
    told = facts(tables)
    right = np.array([[mark.correct for mark in api.score(run).items] for run in runs], dtype=float)
    assert (told["models"], told["items"]) == right.shape
    assert told["items that nobody answers"] == int((right.sum(axis=0) == 0).sum())
    totals = right.sum(axis=1)
    assert told["KR-20"] == pytest.approx(284 / 283 * (1 - right.var(axis=0).sum() / totals.var()))
    assert told["keys to look at"] is None  # one of the five is above chance, and one does not agree with itself
