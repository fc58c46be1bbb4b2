"""Replies without a label: their reasons, what they are, and where models refuse."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from command_line import Keju, in_process
from keju import api
from keju.records import Record
from keju.results.invalid import invalid_replies, invalid_tables, refusals
from keju.results.overview import overview
from keju.results.scores import score
from making import benchmark
from marked_runs import items, marked, run

keju = pytest.fixture(in_process)


def by_reason(table):
    return {str(row["reason"]): row for row in table.rows}


def test_true_or_false_instead_of_a_letter_is_found():
    """Paper 000, "Invalid Response Patterns": some models answered T or N."""
    of = items("ABCD" * 5)
    table = invalid_replies([marked(of, ["T"] * 8 + ["N"] * 2 + ["A"] * 10)])
    row = by_reason(table)["not-an-option"]
    assert (row["n"], row["share"], row["usual"], row["languages"]) == (10, 0.5, "T × 8", None)
    assert row["example"] == "0008: N"  # not the usual one once more
    assert row["items"] == "0000, 0001, 0002, 0003, 0004 …"


def test_each_reason_has_its_row_the_most_frequent_first():
    of = items("A" * 8)
    replies = ["", "抱歉，我无法回答。", "抱歉，我无法回答。", "A或B", "Z", "The face is red", "A", "A"]
    table = invalid_replies([marked(of, replies, protocol="robust")])
    counted = {reason: row["n"] for reason, row in by_reason(table).items()}
    assert counted == {"refusal": 2, "empty": 1, "several": 1, "not-an-option": 1, "no-label": 1}
    assert next(iter(counted)) == "refusal"
    assert by_reason(table)["refusal"]["languages"] == "zh-Hans 2"
    assert by_reason(table)["no-label"]["languages"] == "en 1"
    assert by_reason(table)["refusal"]["reason"].zh == "拒答"


def test_what_only_has_the_wrong_form_is_told_from_what_says_nothing():
    of = items("AAA")
    table = invalid_replies([marked(of, ["答案：A", "（A）", "不知道"], protocol="tco-strict")])
    assert by_reason(table)["no-label"]["readable"] == 2
    assert by_reason(table)["refusal"]["readable"] == 0


def test_a_reply_that_was_drawn_for_is_invalid_all_the_same():
    table = invalid_replies([marked(items("AA"), "?A", protocol="multi-tw")])
    assert [row["n"] for row in table.rows] == [1]


def test_echoes_of_the_question_are_counted_among_the_invalid():
    of = benchmark(2).items
    (row,) = invalid_replies([marked(of, ["图中是什么剧种？编号1。", "A"])]).rows
    assert row["echoes"] == 1


def test_a_cut_reply_is_truncated_and_a_failed_call_is_none():
    of = items("AAA")
    made = run(of, ["A", "!", "?"])
    cut = {of[2].id: Record(of[2].id, "truncated", "让我想想")}
    table = invalid_replies([score(replace(made, records={**made.records, **cut}))])
    assert list(by_reason(table)) == ["truncated"]


def test_where_every_reply_has_a_label_there_is_no_table():
    assert invalid_replies([marked(items("A"), "A")]) is None
    assert invalid_tables([marked(items("A", genre=["x"]), "A")], ["genre"]) == []


def test_a_run_in_which_all_is_well_is_named_under_the_others():
    table = invalid_replies([marked(items("A"), "?", model="bad"), marked(items("A"), "A", model="good")])
    assert any("Every reply gave a label: good." in note for note in table.notes)


def test_refusals_are_counted_by_label_with_what_a_filter_blocked():
    of = items("A" * 40, genre=["faces"] * 20 + ["music"] * 20)
    replies = ["抱歉，我不能识别人物。"] * 8 + ["#"] * 2 + ["A"] * 10 + ["A"] * 19 + ["!"]
    table = refusals([marked(of, replies, model="shy"), marked(of, "A" * 40, model="bold")], "genre")
    faces, music = table.rows
    assert (faces["value"], faces["refused_share"], faces["refused"], faces["blocked"]) == ("faces", 0.5, 8, 2)
    assert (music["n"], music["refused_share"]) == (20, 0.0)
    assert faces["interval"][0] < 0.5 < faces["interval"][1]
    assert any(note.startswith("shy: between groups: chi-square 13.33, df 1, p < 0.001") for note in table.notes)
    assert "bold never refused." in table.notes
    assert refusals([marked(of, "A" * 40)], "genre") is None


def test_a_run_without_the_label_has_no_row_of_refusals_and_is_named():
    with_label = marked(items("AA", genre="xy"), "A#", model="opera")
    without = marked(items("AA"), "##", model="tw")
    table = refusals([with_label, without], "genre")
    assert {row["model"] for row in table.rows} == {"opera"}
    assert any("Left out" in note and "tw" in note for note in table.notes)
    assert refusals([marked(items("AA", genre="xy"), "AA"), without], "genre") is None


def test_the_command_line_prints_them(keju: Keju, tmp_path):
    lines = [
        {"id": str(n), "question": "Q", "options": {"A": "x", "B": "y"}, "answer": "A", "response": text, "genre": "g"}
        for n, text in enumerate(["A", "I'm sorry, I can't help with that.", "neither of them"])
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    code, out, _ = keju("score", path, "--invalid", "--by", "genre", "--json")
    tables = {table["name"]: table for table in json.loads(out)["tables"]}
    assert code == 0
    assert [row["reason"] for row in tables["invalid"]["rows"]] == ["refusal", "no-label"]
    assert tables["refusals_by_genre"]["rows"][0]["refused_share"] == pytest.approx(1 / 3)


@pytest.mark.shared
def test_real_refusals_of_gpt_4o(shared):
    """38 replies of the direct vision run decline; the published parser read 169 such of all runs as option I."""
    runs = api.open_runs(sorted((shared / "data" / "outputs-mmmu-pro").glob("*.jsonl")))
    scores = [api.score(one) for one in runs]
    table = next(table for table in overview(runs, scores) if table.name == "invalid")
    (row,) = [row for row in table.rows if row["reason"] == "refusal"]
    assert (row["model"], row["n"]) == ("gpt-4o_vision_direct", 38)
    by_subject = refusals(scores, "subject")
    assert sum(row["refused"] for row in by_subject.rows) == 38
