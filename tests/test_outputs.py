"""Plain files of outputs: what counts as a reply, how keys are read, and that no reply meets another item's key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.benchmark import Benchmark
from keju.errors import BadFile, KejuError, Misuse
from keju.formats.outputs import READERS, Outputs, fields, read_outputs
from keju.formats.outputs.building import key_of
from keju.formats.outputs.fields import options_in, verdict_of
from keju.formats.outputs.outcomes import record_of
from keju.items import Item, Wording

ROLES = {"A": "生", "B": "旦", "C": "净", "D": "丑"}


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def row(n: int, reply: str | None = "B", **more: Any) -> dict[str, Any]:
    return {"id": f"q{n}", "question": f"第{n}题唱什么？", "options": ROLES, "answer": "B", "response": reply, **more}


def exam(n: int = 3, **options: dict[str, str]) -> Benchmark:
    asked = options.get("options", ROLES)
    return Benchmark(
        "exam", tuple(Item(f"q{i}", {"zh-Hans": Wording("zh-Hans", f"第{i}题唱什么？", asked)}, "B") for i in range(n))
    )


def one(path: Path, **options: Any) -> Outputs:
    (outputs,) = read_outputs(path, **options)
    return outputs


def codes(outputs: Outputs) -> list[str]:
    return [problem.code for problem in outputs.problems]


# What the file itself holds


def test_a_benchmark_is_built_from_question_options_and_key(tmp_path: Path) -> None:
    outputs = one(jsonl(tmp_path / "m.jsonl", row(0, subject="戏曲"), row(1, "答案：C")))
    item = outputs.benchmark["q0"]
    assert (item.answer, dict(item.options), item.wording.language) == ("B", ROLES, "zh-Hans")
    assert item.labels == {"subject": "戏曲"}
    assert [record.text for record in outputs.records.values()] == ["B", "答案：C"]
    assert (outputs.model, outputs.format, outputs.problems) == ("m", "plain", ())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"A": "x", "B": "y"}, {"A": "x", "B": "y"}),
        (["x", "y", "z"], {"A": "x", "B": "y", "C": "z"}),
        ("['x', \"it's\"]", {"A": "x", "B": "it's"}),
        ('["x", "y"]', {"A": "x", "B": "y"}),
        (["（A）x", "（B）y"], {"A": "x", "B": "y"}),
        (["A. x", "B. y"], {"A": "x", "B": "y"}),
        (["B. x", "A. y"], {"A": "B. x", "B": "A. y"}),  # marks that are not the places' own are text
        ({"text": ["x", "y"], "label": ["1", "2"]}, {"1": "x", "2": "y"}),
    ],
)
def test_options_are_read_in_every_form_that_tools_write(
    tmp_path: Path, options: Any, expected: dict[str, str]
) -> None:
    outputs = one(jsonl(tmp_path / "m.jsonl", {"id": 1, "question": "?", "options": options, "output": "A"}))
    assert dict(outputs.benchmark["1"].options) == expected


def test_options_stand_in_columns_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "m.csv"
    table.write_text("id,question,A,B,answer,reply\n7,唱?,生,旦,B,NA\n8,唱?,生,旦,A,None\n", encoding="utf-8")
    outputs = one(table)
    assert dict(outputs.benchmark["7"].options) == {"A": "生", "B": "旦"}
    assert [record.text for record in outputs.records.values()] == ["NA", "None"]


@pytest.mark.parametrize(
    ("gold", "label", "code"),
    [
        ("B", "B", None),
        ("旦", "B", None),
        ("(b)", "B", None),
        (["C"], "C", None),
        (3, "D", None),
        (None, None, "answer_missing"),
        ("", None, "answer_missing"),
        ("AC", None, "answer_multiple"),
        (["A", "C"], None, "answer_multiple"),
        ("末", None, "answer_unusable"),
        (4, None, "answer_unusable"),
        (True, None, "answer_unusable"),
    ],
)
def test_a_key_is_a_label_a_text_or_an_index(gold: Any, label: str | None, code: str | None) -> None:
    assert key_of(gold, ROLES) == (label, code)


def test_a_key_that_is_the_text_of_two_options_is_no_key(tmp_path: Path) -> None:
    choices = ["15", "100", "50", "50"]
    path = jsonl(
        tmp_path / "m.jsonl",
        {"pid": 1, "question": "?", "choices": choices, "answer": "15", "response": "A"},
        {"pid": 2, "question": "?", "choices": choices, "answer": "50", "response": "C"},
    )
    outputs = one(path)
    assert [item.answer for item in outputs.benchmark] == ["A", None]
    assert codes(outputs) == ["options_identical", "answer_ambiguous", "options_identical"]


def test_ids_that_count_anew_in_each_subject_take_the_subject(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", row(0, id=0, subject="law"), row(1, id=0, subject="art"))
    assert list(one(path).records) == ["law/0", "art/0"]


def test_two_outputs_for_one_item_are_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"m\.jsonl:3: item q0 already has an output \(line 1\)"):
        read_outputs(jsonl(tmp_path / "m.jsonl", row(0), row(1), row(0)))


def test_each_model_in_a_file_is_one_run(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", row(0, model="a"), row(0, "C", model="b"), row(1, model="a"))
    assert [(o.model, list(o.records)) for o in read_outputs(path)] == [("a", ["q0", "q1"]), ("b", ["q0"])]


def test_a_file_without_ids_is_numbered_and_says_so(tmp_path: Path) -> None:
    rows = [{key: value for key, value in row(n).items() if key != "id"} for n in range(2)]
    outputs = one(jsonl(tmp_path / "m.jsonl", *rows))
    assert list(outputs.records) == ["1", "2"]
    assert codes(outputs) == ["ids_from_position"]


def test_a_json_object_of_outputs_by_id_is_read(tmp_path: Path) -> None:
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"7": {"question": "?", "choices": ["x", "y"], "answer": "y", "response": "B"}}))
    assert one(path).benchmark["7"].answer == "B"


# What became of the call


@pytest.mark.parametrize(
    ("text", "stop", "error", "status", "kind"),
    [
        ("B", None, None, "answered", None),
        ("", "stop", None, "answered", None),
        ("The answer is", "length", None, "truncated", None),
        ("The answer is", "max_tokens", None, "truncated", None),
        (None, None, None, "failed", "bad-reply"),
        ("B", None, "HTTP 500", "failed", "model"),
        ("Failed to obtain answer via API.", None, None, "failed", "model"),
        ("Failed to obtain answer: Timeout D", None, None, "failed", "model"),
        ("[LMMS_EVAL_REQUEST_FAILED after 5 retries] D", None, None, "failed", "model"),
        ("content_filter: the answer must not be A", "content_filter", None, "blocked", "blocked"),
        ("maximum context length is 8192", "model_length", None, "failed", "bad-request"),
    ],
)
def test_a_failed_call_is_never_a_reply(
    text: str | None, stop: str | None, error: str | None, status: str, kind: str | None
) -> None:
    record = record_of("q", text, stop=stop, error=error)
    assert record.status == status
    assert (record.text is None) == (kind is not None)
    assert (record.error or {}).get("kind") == kind


def test_a_null_reply_stays_a_failed_item_and_n_does_not_shrink(tmp_path: Path) -> None:
    outputs = one(jsonl(tmp_path / "m.jsonl", row(0, None), row(1), row(2, error={"message": "HTTP 429"})))
    assert len(outputs.benchmark) == 3
    assert [record.status for record in outputs.records.values()] == ["failed", "answered", "failed"]


def test_the_reply_is_what_the_model_said_not_what_a_parser_made_of_it(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", row(0, "Rather C", prediction="C", is_correct=False))
    assert one(path).records["q0"].text == "Rather C"
    only = jsonl(tmp_path / "n.jsonl", {"id": 1, "question": "?", "options": ["x", "y"], "prediction": "B"})
    assert one(only).records["1"].text == "B"


# The other tool's marks


@pytest.mark.parametrize(
    ("value", "mark"),
    [
        (True, True),
        (0, False),
        (1.0, True),
        ("False", False),
        ("1", True),
        (0.5, None),
        (float("nan"), None),
        ("B", None),
    ],
)
def test_only_plain_marks_are_marks(value: Any, mark: bool | None) -> None:
    assert verdict_of(value) is mark


def test_marks_come_from_a_verdict_or_from_what_the_tool_read(tmp_path: Path) -> None:
    by_verdict = one(jsonl(tmp_path / "a.jsonl", row(0, is_correct=True), row(1, is_correct=False)))
    assert dict(by_verdict.marks) == {"q0": True, "q1": False}
    by_parse = one(jsonl(tmp_path / "b.jsonl", row(0, published_parse="B"), row(1, published_parse="D")))
    assert dict(by_parse.marks) == {"q0": True, "q1": False}
    assert dict(one(jsonl(tmp_path / "c.jsonl", row(0))).marks) == {}


# Joining to a benchmark


def test_outputs_join_by_id_in_benchmark_order(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "m.jsonl", {"id": "q2", "reply": "C"}, {"id": "q0", "reply": "A"}, {"id": "q1", "reply": "B"}
    )
    outputs = one(path, benchmark=exam())
    assert [(id_, record.text) for id_, record in outputs.records.items()] == [("q0", "A"), ("q1", "B"), ("q2", "C")]


def test_outputs_join_by_position_where_the_question_proves_it(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "m.jsonl", *({"prompt": f"请看。\n第{n}题唱什么？\n请回答。", "text": "B"} for n in range(3))
    )
    assert list(one(path, benchmark=exam()).records) == ["q0", "q1", "q2"]


def test_outputs_in_another_order_join_by_their_text(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", *({"prompt": f"第{n}题唱什么？", "text": str(n)} for n in (2, 0, 1)))
    assert [record.text for record in one(path, benchmark=exam()).records.values()] == ["0", "1", "2"]


def test_outputs_without_id_or_question_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be checked"):
        read_outputs(jsonl(tmp_path / "m.jsonl", {"text": "B"}, {"text": "C"}), benchmark=exam())


def test_another_question_under_the_same_id_is_refused(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", row(0), row(1, question="谁写的？"))
    with pytest.raises(BadFile, match=r"m\.jsonl:2: item q1: the file asks '谁写的？'"):
        read_outputs(path, benchmark=exam())


def test_options_in_another_order_are_refused(tmp_path: Path) -> None:
    """The letters of the old order would be marked by the key of the new one."""
    turned = dict(zip(ROLES, reversed(ROLES.values()), strict=True))
    with pytest.raises(BadFile, match=r"option A is '生' in the file and '丑' in the benchmark"):
        read_outputs(jsonl(tmp_path / "m.jsonl", row(0)), benchmark=exam(1, options=turned))


def test_options_are_compared_where_they_stand_in_the_prompt(tmp_path: Path) -> None:
    prompt = "第0题唱什么？\nA. 旦\nB. 生\nC. 净\nD. 丑\n请选择。"
    with pytest.raises(BadFile, match="option A"):
        read_outputs(jsonl(tmp_path / "m.jsonl", {"id": "q0", "prompt": prompt, "text": "B"}), benchmark=exam(1))


def test_missing_unknown_and_differently_keyed_outputs_are_told(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "m.jsonl", row(0), row(1, answer="C"), row(9))
    outputs = one(path, benchmark=exam())
    assert codes(outputs) == ["gold_differs", "output_unknown", "output_missing"]
    assert len(outputs.benchmark) == 3
    assert outputs.benchmark["q1"].answer == "B"
    assert "1 of 3 items have no output in the file: q2" in str(outputs.problems[-1])


def test_a_file_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="do not belong to benchmark exam"):
        read_outputs(jsonl(tmp_path / "m.jsonl", {"id": "x", "text": "B"}), benchmark=exam())


def test_options_in_a_prompt_are_its_last_run_of_labelled_lines() -> None:
    prompt = "Example:\nA. no\nB. yes\n\nQuestion: which?\nA) Peking\nB) Kun\nC) Yue\nAnswer:"
    assert options_in(prompt) == (
        "Example:\nA. no\nB. yes\n\nQuestion: which?",
        {"A": "Peking", "B": "Kun", "C": "Yue"},
    )
    assert options_in("A. only") == ("A. only", {})


# What is no file of outputs


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.jsonl", '{"id": 1, "text": "B"}\n{"id": 2, "te', r"m\.jsonl:2: not JSON"),
        ("m.jsonl", '{"id": 1, "text": "B"}\n[1]\n', r"m\.jsonl:2: holds a list"),
        (
            "m.jsonl",
            '{"id": 1, "question": "?", "text": "B"}\n',
            r"m\.jsonl:1: item 1: the file does not hold its options",
        ),
        ("m.json", "[1, 2]", "not a file of outputs that keju knows"),
        ("m.json", '{"a": {"text": "B"}, "b": {"text": "B"}, "c": 1}', "not a file of outputs"),
        ("m.json", "[]", "not a file of outputs"),
        ("m.txt", "B\nC\n", "not a file of outputs"),
        ("m.jsonl", "", "not a file of outputs"),
        ("m.csv", "id,reply\n", "holds no outputs"),
        ("m.xlsx", "PK\x03\x04 cut short", "cut short or damaged"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadFile, match=message):
        read_outputs(tmp_path / name)


def test_a_missing_path_an_unknown_format_and_an_empty_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="does not exist"):
        read_outputs(tmp_path / "none.jsonl")
    with pytest.raises(BadFile, match="no file of outputs in this folder"):
        read_outputs(tmp_path)
    with pytest.raises(Misuse, match=", ".join(READERS)):
        read_outputs(tmp_path, format="helm")


def test_a_folder_of_one_format_is_read_whole(tmp_path: Path) -> None:
    jsonl(tmp_path / "a.jsonl", row(0))
    jsonl(tmp_path / "b.jsonl", row(0, "C"))
    (tmp_path / "notes.txt").write_text("two models")
    assert [outputs.model for outputs in read_outputs(tmp_path)] == ["a", "b"]


TOOLS = {
    *("resps", "arguments", "filtered_resps", "doc", "input_media", "token_counts", "model_output", "sample_score"),
    *("messages", "samples", "eval", "index2ans", "usage", "language", "subject", "error", "status", "image", "model"),
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({*fields.ID, *fields.REPLY, *fields.GOLD, *fields.OPTIONS, *fields.QUESTION, *TOOLS}))


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=8), min_size=1, max_size=3), st.sampled_from(["jsonl", "json"]))
def test_no_content_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], suffix: str) -> None:
    """Whatever stands in the fields: outputs, or an error that keju raises on purpose."""
    path = tmp_path_factory.mktemp("any") / f"m.{suffix}"
    path.write_text(json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows)), encoding="utf-8")
    for format in (None, *READERS):
        try:
            for outputs in read_outputs(path, format=format):
                assert outputs.records.keys() == {item.id for item in outputs.benchmark}
        except KejuError:
            pass


def test_a_workbook_of_outputs_keeps_every_text(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "question", "A", "B", "answer", "reply"])  # type: ignore[union-attr]
    for n, reply in enumerate(["=A", "NA", "None", "+B", "1.0", 2.0], 1):
        book.active.append([f"x{n}", "?", "生", "旦", "A", reply])  # type: ignore[union-attr]
    book.save(tmp_path / "m.xlsx")
    records = one(tmp_path / "m.xlsx").records
    assert [record.text for record in records.values()] == ["=A", "NA", "None", "+B", "1.0", "2"]
