"""Marking a run, and the leaderboard: N never shrinks, a failed call is no answer, nothing measured is not zero."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.items import Medium
from keju.protocols import load_protocol
from keju.records import Record
from keju.results.leaderboard import leaderboard
from keju.results.marked import marked_items
from keju.results.scores import score
from keju.runs.run import Run
from marked_runs import items, marked, run
from real_failures import bug_cases


def column_keys(table):
    return [column.key for column in table.columns if not column.hidden]


def test_counts_of_a_run_with_every_fate():
    s = marked(items("AAAAAAAA"), ["A", "B", "?", "!", "#", "-", "A", "答案也许是A或B"])
    assert (s.n, s.answered, s.valid, s.invalid, s.correct) == (8, 5, 3, 2, 2)
    assert (s.failed, s.blocked, s.pending, s.truncated, s.drawn) == (1, 1, 1, 0, 0)
    assert (s.accuracy, s.accuracy_answered, s.valid_response_rate) == (2 / 8, 2 / 5, 3 / 8)
    assert not s.complete
    assert not s.settled
    assert s.above_chance is None


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("5-run") if p.id == "RN-09"])
def test_failed_calls_stay_in_the_denominator(case):
    given_, expected = case["input"], case["expected"]
    replies = "A" * given_["correct"] + "B" * given_["wrong"] + "?" * given_["unparsed"] + "!" * given_["api_errors"]
    s = marked(items("A" * given_["n"]), replies)
    assert (s.n, s.accuracy, s.valid_response_rate) == (
        expected["n"],
        expected["accuracy"],
        expected["valid_response_rate"],
    )
    assert s.precision == pytest.approx(expected["accuracy_given_valid"])
    assert (s.failed, s.complete) == (expected["api_errors"], expected["complete"])


@pytest.mark.shared
@pytest.mark.parametrize("case", [p for p in bug_cases("6-stats") if p.id in ("ST-15", "ST-29", "ST-31", "ST-33")])
def test_known_failures_of_other_tools(case):
    given_, expected = case["input"], case["expected"]
    match case["id"]:
        case "ST-15":
            s = marked(items("A" * 10), ["!" if x is None else "A" if x else "B" for x in given_["scores"]])
            assert (s.accuracy, s.n) == (expected["accuracy_over_N"], expected["n"])
            assert (s.accuracy_answered, s.answered) == (expected["accuracy_over_scored"], expected["n_scored"])
            assert s.n - s.answered == expected["undefined"]
        case "ST-29":
            three, four = items("A" * 407, options="ABC", kind="image"), items("A" * 493)
            both = (*three, *(item_with_id(item, f"x{item.id}") for item in four))
            s = marked(both, "?" * 900, protocol="multi-tw")
            assert s.drawn == 900
            assert s.expected_accuracy == pytest.approx(expected["expected_accuracy_with_fallback"], abs=1e-5)
            assert s.accuracy_without_draws == expected["accuracy_without_fallback"]
            assert s.valid_response_rate == expected["valid_response_rate"]
            keys = column_keys(leaderboard([s]))
            assert {"expected_accuracy", "accuracy_without_draws", "valid_response_rate"} <= set(keys)
        case "ST-31":
            s = marked(items("A", genre=["昆曲"]), "A")
            empty, one = s.by("genre", values=list(given_["groups"]))
            assert (empty.accuracy, empty.interval) == (None, None)
            assert one.accuracy == expected["昆曲"]["accuracy"]
            assert one.interval.pair == pytest.approx(expected["昆曲"]["ci_wilson"], abs=1e-4)
            assert one.faint
        case _:
            s = marked(items("A" * 100), "A" * 73 + "B" * 27)
            assert leaderboard([s]).rows[0]["accuracy"] == expected["json"]


def item_with_id(item, item_id):
    return replace(item, id=item_id)


def test_nothing_answered_is_not_zero():
    s = marked(items("AB"), "!-")
    assert (s.accuracy, s.accuracy_answered, s.valid_response_rate, s.interval) == (None, None, None, None)
    assert (s.expected_accuracy, s.accuracy_without_draws) == (None, None)
    assert s.by("modality")[0].accuracy is None
    assert leaderboard([s]).rows[0]["accuracy"] is None


def test_failures_count_as_wrong_only_when_asked_and_the_table_says_so():
    asked = run(items("AAAA"), "AA!#")
    s = score(asked, count_failures_as_wrong=True)
    assert s.settled
    assert not s.complete
    assert s.accuracy == 0.5
    table = leaderboard([s])
    assert "counted as wrong" in table.rows[0]["state"]
    assert any("counted as wrong answers, as asked" in note for note in table.notes)
    pending = score(run(items("AAAA"), "AA!-"), count_failures_as_wrong=True)
    assert not pending.settled, "an item that was never asked is no failure"


def test_an_item_without_key_is_never_right_and_is_named():
    s = marked(items("A?"), "AA")
    assert (s.correct, s.without_key, s.chance) == (1, ("0001",), 0.125)
    assert any("0001" in note for note in leaderboard([s]).notes)


def test_a_cut_reply_is_read_and_counted_apart():
    of = items("AA")
    records = {of[0].id: Record(of[0].id, "truncated", "A"), of[1].id: Record(of[1].id, "answered", "A")}
    s = score(Run("m", Benchmark("b", of), load_protocol("multi-tw"), records))
    assert (s.truncated, s.answered, s.complete) == (1, 2, True)
    assert leaderboard([s]).rows[0]["truncated"] == 1


def test_another_parser_marks_the_same_replies_anew():
    stored = run(items("BBBB"), ["B", "答案：B", "Answer: B", "B"], protocol="tco-strict")
    strict, robust, first = score(stored), score(stored, parser="robust"), score(stored, parser="first-letter")
    assert (strict.correct, robust.correct, first.correct) == (2, 4, 3)
    assert (strict.parser, robust.parser) == ("strict", "robust")
    with pytest.raises(Misuse, match="magic"):
        score(stored, parser="magic")


def test_a_run_without_items_cannot_be_marked():
    with pytest.raises(Misuse, match="no items"):
        score(Run("m", Benchmark("b", ()), load_protocol("tco"), {}))


@given(st.lists(st.sampled_from(["A", "B", "?", "!", "#", "-"]), min_size=1, max_size=40))
def test_every_item_has_one_fate(replies):
    s = marked(items("A" * len(replies)), replies)
    assert s.valid + s.invalid + s.blocked + s.failed + s.pending == s.n == len(replies)
    assert sum(cell.n for cell in s.by("modality")) == s.n
    if s.accuracy is not None:
        assert 0 <= s.accuracy <= s.accuracy_answered <= 1
        assert s.correct <= s.valid <= s.answered
    leaderboard([s])


def test_groups_follow_the_benchmark_and_name_what_there_is():
    s = marked(items("AAAA", genre=["昆曲", "京剧", "昆曲", "京剧"]), "ABAA")
    assert [(c.value, c.n, c.correct, c.accuracy) for c in s.by("genre")] == [("昆曲", 2, 2, 1.0), ("京剧", 2, 1, 0.5)]
    assert [c.value for c in s.by("options")] == ["4"]
    with pytest.raises(Misuse, match="genre"):
        s.by("level")


def test_items_with_the_same_picture_are_no_independent_evidence():
    picture = Medium("image", "one.png", data=b"1")
    shared_picture = tuple(replace(item, media=(picture,)) for item in items("A" * 20))
    own = tuple(item_with_id(item, f"x{item.id}") for item in items("A" * 40, kind="image"))
    s = marked((*shared_picture, *own), "A" * 20 + "AB" * 20)
    assert s.interval_clustered.method == "clustered bootstrap"
    assert s.interval_clustered.low < s.interval.low
    assert "interval_clustered" in column_keys(leaderboard([s]))
    assert marked(own, "AB" * 20).interval_clustered is None


def test_the_leaderboard_ranks_incomplete_runs_last():
    of = items("A" * 40)
    best_but_open = marked(of, "A" * 39 + "!", model="open")
    good, poor = marked(of, "A" * 30 + "B" * 10, model="good"), marked(of, "A" * 10 + "B" * 30, model="poor")
    table = leaderboard([poor, best_but_open, good])
    assert [row["model"] for row in table.rows] == ["good", "poor", "open"]
    open_row = table.rows[-1]
    assert open_row["state"] == "incomplete: 1 of 40 unanswered"
    assert (open_row["accuracy"], open_row["accuracy_answered"]) == (39 / 40, 1.0)
    assert (open_row["n"], open_row["answered"], open_row["p_chance"]) == (40, 39, None)
    assert any(note.startswith("Incomplete: open.") for note in table.notes)


def test_a_complete_leaderboard_has_one_denominator():
    table = leaderboard([marked(items("A" * 40), "A" * 30 + "B" * 10)])
    assert not {"state", "answered", "accuracy_answered", "drawn", "pending"} & set(column_keys(table))
    row = table.rows[0]
    assert (row["accuracy"], row["chance"], row["valid_response_rate"]) == (0.75, 0.25, 1.0)
    assert row["p_chance"] < 1e-6
    assert row["interval"][0] < 0.75 < row["interval"][1]


def test_rows_that_cannot_be_compared_say_so():
    of = items("AB")
    table = leaderboard([marked(of, "AB"), marked(of, "AB", protocol="tco-strict"), marked(items("A"), "A")])
    notes = " ".join(table.notes)
    for difference in ("protocols", "parsers", "numbers of items"):
        assert f"differ in their {difference}" in notes
    with pytest.raises(Misuse, match="at least one"):
        leaderboard([])


def test_every_item_is_listed_with_its_reply():
    table = marked_items(marked(items("ABC", genre=["x", "y", "z"]), ["A", "?", "!"]))
    first, second, third = table.rows
    assert (first["label"], first["key"], first["correct"], first["label_genre"]) == ("A", "A", 1, "x")
    assert (second["label"], second["correct"], second["reason"], second["text"]) == (None, 0, "refusal", "我不知道")
    assert (third["status"], third["correct"], third["error"]) == ("failed", None, "HTTP 500")
    assert column_keys(table)[-1] == "text"


@pytest.mark.shared
def test_real_runs_in_traditional_chinese(shared):
    """Two models on 688 items: published counts by first letter, and the paper's exact rule that turns the ranking."""
    folder = shared / "data/outputs-ceval-zhtw"
    known = json.loads((folder / "known_answers.json").read_text(encoding="utf-8"))
    found = {}
    for model, expected in known["models"].items():
        lines = (folder / f"{model}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        of = items("".join(row["ground_truth"] for row in rows))
        replies = [row["raw_output"] or "" for row in rows]
        stored = run(of, replies, model=model, protocol="multi-tw")
        first, strict = score(stored), score(stored, parser="strict")
        assert first.n == expected["n"]
        assert sum(mark.correct and mark.valid for mark in first.items) == expected["correct"]
        assert first.valid == expected["published_valid"]
        assert strict.valid == expected["tco_strict_valid"]
        assert score(stored, parser="first-letter").interval.pair == pytest.approx(
            expected["bootstrap95_percentile_ref"], abs=0.006
        )
        found[model] = first, strict
    assert found["gpt-4o"][0].accuracy > found["llama3.1-8b"][0].accuracy
    assert found["gpt-4o"][1].accuracy < found["llama3.1-8b"][1].accuracy


@pytest.mark.shared
def test_the_real_multi_tw_run(shared):
    """316 of 396 right: 147 of 196 on images, 169 of 200 on audio."""
    folder = shared / "data/multi-tw"
    lines = (folder / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    known = {item["id"]: item for item in json.loads((folder / "items.json").read_text(encoding="utf-8"))}
    of = []
    for row in rows:
        item = known[row["id"]]
        labels = "ABCD"[: len(item["options"])]
        made = items(row["answer"], options=labels, kind="image" if item["image"] else "audio")[0]
        of.append(item_with_id(made, row["id"]))
    s = marked(of, [row["generation"] for row in rows], protocol="multi-tw")
    assert (s.correct, s.n) == (316, 396)
    assert {cell.value: (cell.correct, cell.n) for cell in s.by("modality")} == {
        "image": (147, 196),
        "audio": (169, 200),
    }
    assert (s.weighted.precision, s.weighted.recall, s.weighted.f1) == pytest.approx(
        (0.811164, 0.797980, 0.798395), abs=1e-6
    )
