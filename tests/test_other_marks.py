"""Another tool's marks beside ours: every reason why two marks can differ, and real files."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from command_line import Keju, in_process
from keju import api
from keju.errors import Misuse
from keju.formats.outputs import Theirs, read_outputs
from keju.results.other_marks import WHY, other_marks
from keju.results.scores import score
from marked_runs import items, run

keju = pytest.fixture(in_process)


def why(reply, verdict, read="A", their_key="A", key="A"):
    """Why the mark of one item differs."""
    (item,) = items(key)
    one = replace(
        run([item], [reply], protocol="robust"), verdicts={item.id: verdict}, theirs={item.id: Theirs(read, their_key)}
    )
    summary, _ = other_marks([one], [score(one)])
    (row,) = summary.rows
    return next(name for name, said in WHY.items() if said == row["why"])


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("same", {"reply": "A", "verdict": True}),
        ("same", {"reply": "也许吧", "verdict": False, "read": ""}),
        ("failure", {"reply": "!", "verdict": False, "read": ""}),
        ("failure", {"reply": "#", "verdict": True}),
        ("missing", {"reply": "-", "verdict": False}),
        ("missing", {"reply": "A", "verdict": None}),
        ("no-key", {"reply": "A", "verdict": True, "key": "?"}),
        ("key", {"reply": "A", "verdict": False, "their_key": "B"}),
        ("refusal", {"reply": "抱歉，我不知道", "verdict": True}),
        ("none", {"reply": "也许吧", "verdict": True}),
        ("guess", {"reply": "也许吧", "verdict": True, "read": ""}),
        ("unread", {"reply": "答案：A", "verdict": False, "read": ""}),
        ("other-label", {"reply": "A", "verdict": False, "read": "B"}),
        ("unsaid", {"reply": "A", "verdict": False, "read": None}),
        ("marking", {"reply": "A", "verdict": False}),
    ],
)
def test_why_two_marks_differ(expected, given):
    assert why(**given) == expected


def test_the_items_that_differ_are_listed_with_both_readings():
    of = items("AAB")
    one = run(of, ["A", "答案：A", "!"], protocol="robust")
    theirs = {item.id: Theirs(read, "A") for item, read in zip(of, ["A", "B", ""], strict=True)}
    one = replace(one, verdicts=dict.fromkeys(theirs, False) | {"0000": True}, theirs=theirs)
    summary, listed = other_marks([one], [score(one)])
    assert [(row["id"], row["theirs"], row["ours"], row["ours_right"]) for row in listed.rows] == [
        ("0001", "B", "A", "right"),
        ("0002", "nothing", "failed", None),
    ]
    assert summary.notes[0].startswith("fake/model: 33.3 % by theirs, 66.7 % by ours, over all 3 items; 2 differ.")


def test_right_by_another_letter_does_not_pass_unseen():
    """Both call it wrong, but they read a letter out of a refusal."""
    (item,) = items("A")
    one = replace(run([item], ["?"], protocol="robust"), verdicts={item.id: False}, theirs={item.id: Theirs("I", "A")})
    summary, listed = other_marks([one], [score(one)])
    assert "Of the same marks 1 rest on another letter" in summary.notes[0]
    assert listed.notes == ("No item is marked differently.",)


def test_runs_that_keju_asked_have_no_other_marks():
    one = run(items("A"), "A")
    with pytest.raises(Misuse, match="other tools wrote and marked"):
        other_marks([one], [score(one)])


def test_marks_by_their_verdicts_are_made_anew_for_the_comparison():
    (item,) = items("A")
    one = replace(run([item], ["A"], protocol="robust"), verdicts={item.id: False}, theirs={item.id: Theirs("B", "A")})
    summary, _ = other_marks([one], [score(one, parser="theirs")])
    assert (summary.rows[0]["why"], summary.rows[0]["ours_right"]) == (WHY["other-label"], 1)


# what files say


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


OPTIONS = {"A": "sheng", "B": "dan"}


def test_a_reading_is_a_label_however_it_is_written(tmp_path):
    rows = [
        {"id": str(n), "question": "Q", "options": OPTIONS, "answer": "A", "response": "…", "published_pred": read}
        for n, read in enumerate(["B", "(b)", "dan", "UNKNOWN", ""])
    ]
    (found,) = read_outputs(write(tmp_path / "x.jsonl", *rows))
    assert [found.theirs[str(n)].read for n in range(5)] == ["B", "B", "B", "", ""]
    rows = [{name: value for name, value in row.items() if name != "published_pred"} for row in rows]
    (found,) = read_outputs(write(tmp_path / "y.jsonl", *rows))
    assert found.theirs["0"] == Theirs(None, "A")


def test_the_key_of_the_file_is_kept_beside_the_benchmarks(keju: Keju, tmp_path):
    row = {"id": "1", "question": "Q", "options": OPTIONS, "response": "B"}
    benchmark = write(tmp_path / "bench.jsonl", {"id": "1", "question": "Q", "options": OPTIONS, "answer": "A"})
    path = write(tmp_path / "out.jsonl", {**row, "answer": "B", "correct": True})
    code, out, _ = keju("score", path, "--benchmark", benchmark, "--other-marks", "--json")
    tables = {table["name"]: table for table in json.loads(out)["tables"]}
    assert code == 0
    (row,) = tables["other_marks_items"]["rows"]
    assert (row["why"], row["key"], row["their_key"]) == ("another key", "A", "B")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "model", "theirs", "differ"),
    [
        ("outputs-mathvista", "bard", 144, 8),
        ("outputs-mathvista", "gpt4", 134, 68),
        ("outputs-mmmu-pro", "gpt-4o_vision_direct", 119, 4),
        ("outputs-ceval-zhtw", "gpt-4o", 489, 0),
    ],
)
def test_real_files(shared, folder, model, theirs, differ):
    """Their right answers are the published ones; what differs was looked at one by one."""
    (one,) = api.open_runs([shared / "data" / folder / f"{model}.jsonl"])
    summary, listed = other_marks([one], [api.score(one)])
    assert sum(row["theirs_right"] for row in summary.rows) == theirs
    assert len(listed.rows) == differ
    assert sum(row["n"] for row in summary.rows) == len(one.benchmark)


@pytest.mark.shared
def test_a_published_parser_reads_letters_out_of_refusals(shared):
    (one,) = api.open_runs([shared / "data" / "outputs-mmmu-pro" / "gpt-4o_vision_direct.jsonl"])
    _, listed = other_marks([one], [api.score(one)])
    refused = [row for row in listed.rows if row["why"] == WHY["refusal"]]
    assert [(row["theirs"], row["ours"]) for row in refused] == [("I", "refusal"), ("A", "refusal"), ("I", "refusal")]


@pytest.mark.shared
def test_a_log_of_inspect_tells_what_was_read(shared):
    (found,) = read_outputs(shared / "data" / "interop" / "inspect_ai" / "mmlu-summary-choices.eval")
    assert {said.read for said in found.theirs.values()} <= {"A", "B", "C", "D", ""}
    assert any(said.read for said in found.theirs.values())
