"""Answers that do not come from the question: letters, echoes, places."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import SquareTable

from command_line import Keju, in_process
from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.results.bias import bias_tables, echoes, letter_bias, letters
from keju.results.circular import circular, circular_scores, circular_tables, position_bias
from keju.results.overview import overview
from keju.results.pairs import pairs
from keju.results.replies import echo_of, excerpt, language_of_reply
from keju.results.scores import score
from keju.stats import marginal_homogeneity
from keju.variants import apply, parse_variants
from making import benchmark
from marked_runs import items, marked, run

keju = pytest.fixture(in_process)


def mark(reply):
    made = benchmark(1)
    return marked(made.items, [reply], protocol="robust").items[0]


# the test


@given(st.lists(st.lists(st.integers(1, 30), min_size=4, max_size=4), min_size=4, max_size=4))
def test_the_test_is_stuart_and_maxwells(table):
    found, oracle = marginal_homogeneity([table]), SquareTable(np.array(table), shift_zeros=False).homogeneity()
    assert found.statistic == pytest.approx(oracle.statistic, abs=1e-9)
    assert (found.df, found.p) == (oracle.df, pytest.approx(oracle.pvalue, abs=1e-12))


def test_with_two_labels_it_is_mcnemars_without_correction():
    assert marginal_homogeneity([[[50, 10], [25, 15]]]).statistic == pytest.approx((10 - 25) ** 2 / 35)


def test_groups_add_up_and_unused_labels_count_for_nothing():
    table = [[50, 10, 0], [25, 15, 0], [0, 0, 0]]
    one = marginal_homogeneity([table])
    assert (one.df, one.discordant) == (1, 35)
    two = marginal_homogeneity([table, table])
    assert (two.statistic, two.df) == (pytest.approx(2 * one.statistic), 2)


def test_perfect_answers_show_no_bias_and_nonsense_is_refused():
    found = marginal_homogeneity([np.diag([3, 9, 1])])
    assert (found.statistic, found.df, found.p) == (0.0, 0, 1.0)
    for wrong in ([], [[[1, 2]]], [[[1, -1], [0, 0]]]):
        with pytest.raises(Misuse):
            marginal_homogeneity(wrong)


# letters


def test_a_model_that_gives_one_letter_is_named():
    """Paper 001, section 4: UnifiedIO-2-XL chose A in 807 of 900 items."""
    of = items("ABCD" * 225)
    tables = letter_bias([marked(of, "A" * 807 + "BCD" * 31, model="echo"), marked(of, "ABCD" * 225, model="good")])
    echo, good = tables.rows
    assert (echo["most"], echo["most_share"], echo["key_share"]) == ("A", 807 / 900, 0.25)
    assert echo["p_holm"] < 1e-9
    assert (good["p"], good["chi_square"]) == (1.0, 0.0)
    assert any(
        note.startswith("echo gives A in 89.7 % of its answers; it is the key in 25.0 %") for note in tables.notes
    )
    assert not any("good gives" in note for note in tables.notes)


def test_letters_stand_beside_the_keys_of_the_same_items():
    of = items("AABBCCDD" * 2)
    rows = {row["letter"]: row for row in letters([marked(of, "AAAAC?DD" * 2)]).rows}
    assert [(rows[x]["chosen"], rows[x]["keyed"]) for x in "ABCD"] == [(8, 4), (0, 4), (2, 2), (4, 4)]
    assert [rows[x]["recall"] for x in "ABCD"] == [1.0, 0.0, 1.0, 1.0]


def test_each_set_of_options_has_its_own_rows_and_small_ones_are_counted_only():
    of = (*items("ABCD" * 3), *items("AB" * 5, options="AB")[:9])
    of = tuple(item if i < 12 else type(item)(f"x{i}", item.wordings, item.answer) for i, item in enumerate(of))
    table = letters([marked(of, "A" * 21)])
    assert {row["options"] for row in table.rows} == {"ABCD"}
    assert any("Left out: 1 sets" in note for note in table.notes)
    assert letter_bias([marked(of, "A" * 21)]).rows[0]["df"] == 4  # 3 + 1


def test_drawn_letters_are_not_the_models():
    of = items("ABCD" * 5)
    (row,) = letter_bias([marked(of, "?" * 20, protocol="multi-tw")]).rows
    assert (row["n"], row.get("p")) == (0, None)


# echoes


@pytest.mark.parametrize(
    ("reply", "echo"),
    [
        ("京剧", "first-option"),
        ("京劇。", "first-option"),  # the other script, a full stop
        ("越剧", "other-option"),
        ("京剧 黄梅戏 越剧 川剧", "options"),
        ("A: 京剧\nB: 黄梅戏\nC: 越剧", "options"),
        ("图中是什么剧种？编号1。A. 京剧", "question"),
        ("A. 京剧", None),
        ("答案：A", None),
        ("这是京剧，因为脸谱", None),
        ("A", None),
        ("", None),
    ],
)
def test_what_a_reply_repeats(reply, echo):
    assert echo_of(mark(reply)) == echo


def test_an_option_that_is_its_own_label_is_an_answer():
    of = items("A", options="AB")
    named = type(of[0].wording)("en", "Which line?", {"A": "A", "B": "B"})
    item = type(of[0])("1", {"en": named}, "A")
    assert echo_of(marked([item], ["A"]).items[0]) is None


def test_echoes_of_the_first_option_are_tested_against_chance():
    """Paper 001, section 4: in 78 cases the model echoed the first option's description."""
    of = benchmark(100).items
    table = echoes(
        [marked(of, ["京剧"] * 78 + ["越剧"] * 2 + ["A"] * 20, model="echo"), marked(of, ["A"] * 100, model="m")]
    )
    echo, other = table.rows
    assert (echo["echoes"], echo["one"], echo["first"], echo["expected"]) == (80, 80, 78, 20.0)
    assert echo["p_chance"] < 1e-9
    assert (other["echoes"], other["p_chance"], other["example"]) == (0, None, None)
    assert echoes([marked(of, ["A"] * 100)]) is None


def test_the_language_of_a_reply_is_seen_and_a_lone_letter_has_none():
    assert [language_of_reply(mark(reply)) for reply in ("这是京剧", "這是京劇", "It is A", "A", "??")] == [
        *("zh-Hans", "zh-Hant", "en"),
        *(None, None),
    ]
    assert excerpt(mark("a\nb " * 60)).endswith("…")
    assert len(excerpt(mark("a" * 200))) == 80


# places


def rotated(answer, *, most=4, model="m", n=8):
    """Runs of `n` items in `most` rotations; `answer(item)` gives the reply."""
    made = benchmark(n)
    runs = []
    for by in range(most):
        of = apply(made, parse_variants([f"rotate={by}"])).items
        variant = {"rotate": str(by)} if by else None
        runs.append(marked(of, [answer(item) for item in of], model=model, variant=variant))
    return runs


def place_of(text):
    return lambda item: next(label for label, option in item.options.items() if option == text)


def test_who_goes_by_content_is_right_in_every_rotation_or_in_none():
    (row,) = circular(rotated(place_of("京剧"))).rows
    assert (row["rotations"], row["n"], row["accuracy"], row["circular"]) == (4, 8, 0.25, 0.25)
    assert (row["sometimes"], row["never"], row["same"], row["same_letter"]) == (0.0, 0.75, 1.0, 0.0)


def test_who_always_says_a_is_right_once_and_never_in_all():
    scores = rotated(lambda item: "A")
    (row,) = circular(scores).rows
    assert (row["accuracy"], row["circular"], row["sometimes"], row["same_letter"]) == (0.25, 0.0, 1.0, 1.0)
    rows = position_bias(scores).rows
    assert [(row["place"], row["chosen_share"], row["recall"]) for row in rows] == [
        (1, 1.0, 1.0),
        *((place, 0.0, 0.0) for place in (2, 3, 4)),
    ]
    assert any(
        "100.0 points apart; Cochran's Q = 24.00, df = 3, p < 0.001" in note for note in position_bias(scores).notes
    )


def test_models_are_paired_by_what_they_have_right_in_every_rotation():
    scores = [*rotated(lambda item: item.answer, model="knows"), *rotated(lambda item: "A", model="says a")]
    (row,) = pairs(circular_scores(scores)).rows
    assert (row["first"], row["difference"], row["only_first"]) == ("knows [rotate=all]", 1.0, 8)


def test_an_item_without_an_answer_in_one_rotation_is_not_counted():
    scores = rotated(lambda item: "!" if item.id == "0001" and item.answer == "B" else item.answer)
    (row,) = circular(scores).rows
    assert (row["n"], row["circular"]) == (7, 1.0)
    (turned,) = circular_scores(scores)
    assert (turned.answered, turned.n, turned.settled) == (7, 8, False)


def test_two_of_four_rotations_are_named_and_show_no_place():
    scores = rotated(lambda item: "A", most=2)
    assert any("Not every place was tried: m (2 of 4)" in note for note in circular(scores).notes)
    assert [table.name for table in circular_tables(scores)] == ["circular"]
    with pytest.raises(Misuse, match="--circular"):
        position_bias(scores)
    with pytest.raises(Misuse, match="several rotations"):
        circular(scores[:1])


def test_options_that_may_not_move_are_counted_as_not_moved():
    of = items("ABCD")  # their texts name letters, so that variants leave them
    runs = [marked(of, "ABCD", variant={"rotate": str(by)}) for by in range(4)]
    assert apply(Benchmark("b", of), parse_variants(["rotate=1"])).items == of
    (row,) = circular(runs).rows
    assert (row["fixed"], row["same"], row["circular"]) == (4, None, 1.0)


# the command line


def test_circular_evaluation_from_end_to_end(keju: Keju) -> None:
    model = ("-m", "baseline/longest-option", "--limit", "8")
    code, out, _ = keju("run", "teahouse", *model, "--circular", "--json")
    assert (code, len(json.loads(out)["tables"][0]["rows"])) == (0, 4)
    code, out, _ = keju("compare", "runs", "--circular", "--json")
    tables = json.loads(out)["tables"]
    assert (code, [table["name"] for table in tables]) == (0, ["circular", "position_bias"])
    assert tables[0]["rows"][0]["rotations"] == 4


def test_a_report_measures_rotations_by_themselves_and_pairs_the_runs_in_their_own_order():
    runs = [
        run(apply(benchmark(8), parse_variants([f"rotate={by}"])).items, "A" * 8, model=m, variant=variant)
        for m in ("a", "b")
        for by in range(4)
        for variant in ([{"rotate": str(by)}] if by else [{}])
    ]
    tables = {table.name: table for table in overview(runs, [score(one) for one in runs])}
    assert {"circular", "position_bias", "letter_bias", "letters", "item_analysis", "power"} <= tables.keys()
    assert [(row["first"], row["second"]) for row in tables["pairs"].rows] == [("a", "b")]
    assert "other_marks" not in tables


def test_bias_tables_are_those_that_say_something():
    assert [table.name for table in bias_tables([marked(items("AB"), "AB")])] == ["letter_bias", "letters"]


def test_the_only_set_of_a_run_is_shown_however_small_and_its_test_is_called_rough():
    s = marked(items("AABB"), "AAAA", model="m")
    assert [row["_faint"] for row in letters([s]).rows] == [True] * 4
    assert "Rough, as few answers differ from the key: m." in letter_bias([s]).notes
