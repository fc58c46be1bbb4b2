"""How a question's text is taken apart. The published failures of other tools are the cases TX-01 to TX-33."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keju.formats.question_text import mark_of, option_lines, parse_options, parse_question, read_answer
from keju.items import LABELS, Wording
from real_failures import bug_cases

TEXT_CASES = [case for case in bug_cases("4-text") if "question" in case.values[0]["expected"]]


@pytest.mark.shared
@pytest.mark.parametrize("case", TEXT_CASES)
def test_known_failures_of_other_tools(case: dict[str, Any]) -> None:
    expected = case["expected"]
    parsed = parse_question(case["input"]["text"].replace("\u200b", ""))
    assert parsed is not None
    assert parsed.question == expected["question"]
    assert dict(parsed.options) == expected["options"]


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in bug_cases("4-text") if case.id == "TX-17"])
def test_known_forms_of_the_answer_file(case: dict[str, Any]) -> None:
    for text, wanted, verdict in zip(
        case["input"]["answer_files"], case["expected"]["answer"], case["expected"]["validation"], strict=True
    ):
        label, code = read_answer(text, case["options"])
        assert label == wanted or (wanted == "C or error" and label in ("C", None)), text
        assert (code is None) == (verdict == "ok"), text


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("(A) 生", ("A", "生")),
        ("（Ａ）生", ("A", "生")),
        ("A. 生", ("A", "生")),
        ("A、生", ("A", "生")),
        ("A：生", ("A", "生")),
        ("  A) 生  ", ("A", "生")),
        ("c. (2)(4)", ("C", "(2)(4)")),
        ("(B)", ("B", "")),
        ("B", ("B", "")),
        ("Actor", None),
        ("1. 红脸", None),
        ("AB. 两项", None),
    ],
)
def test_an_option_mark_is_stripped_once(line: str, mark: tuple[str, str] | None) -> None:
    assert mark_of(line) == mark


def test_options_out_of_order_are_put_in_label_order() -> None:
    parsed = parse_question("问？\nA. 甲\nC. 丙\nB. 乙\nD. 丁")
    assert parsed
    assert list(parsed.options.items()) == [("A", "甲"), ("B", "乙"), ("C", "丙"), ("D", "丁")]
    assert parsed.as_written == ("A. 甲", "B. 乙", "C. 丙", "D. 丁")


def test_two_options_a_line() -> None:
    parsed = parse_question("问？\nA. 甲    B. 乙\nC. 丙    D. 丁")
    assert parsed
    assert dict(parsed.options) == {"A": "甲", "B": "乙", "C": "丙", "D": "丁"}


def test_a_label_inside_an_option_is_text_where_that_label_begins_a_line() -> None:
    parsed = parse_question("问？\n(A) 同 (B) 一样\n(B) 旦\n(C) 净")
    assert parsed
    assert parsed.options["A"] == "同 (B) 一样"


def test_options_in_running_text_must_be_all_there_once_and_in_order() -> None:
    parsed = parse_question("输出 $A, B$，则( )A. 和B. 积C. 差")
    assert parsed
    assert (parsed.question, dict(parsed.options)) == ("输出 $A, B$，则( )", {"A": "和", "B": "积", "C": "差"})
    assert parse_question("问？ A. 和 C. 差") is None


def test_lettered_statements_in_the_stem_are_not_options() -> None:
    parsed = parse_question("A. 红脸忠义\nB. 白脸奸诈\nC. 黑脸贪财\n对的是？\n(A) 一\n(B) 二")
    assert parsed
    assert parsed.question.endswith("对的是？")
    assert list(parsed.options) == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        "问？\nA. 甲\nB. 乙\nD. 丁",  # a gap: C is lost or B is long
        "C. 丙\nA. 甲\nB. 乙",  # an option or the end of the stem
        "问？\n甲\n乙\n丙",  # no marks, and not the paper's five lines
        "(A) 只有一项",
        "",
    ],
)
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    parsed = parse_question(text)
    assert parsed is None or list(parsed.options) == ["A", "B", "C"]


def test_five_bare_lines_are_the_papers_layout() -> None:
    parsed = parse_question("问？\n生\n旦\n净\n丑\n")
    assert parsed
    assert dict(parsed.options) == {"A": "生", "B": "旦", "C": "净", "D": "丑"}
    assert parsed.as_written == ()


def test_an_answer_line_after_the_options_does_not_become_option_text() -> None:
    parsed = parse_question("问？\nA. 甲\nB. 乙\n答案：B")
    assert parsed
    assert (parsed.options["B"], parsed.trailing) == ("乙", "答案：B")


def test_a_list_of_letters_is_options_that_are_pictures() -> None:
    parsed = parse_options(["A", "B", "C"])
    assert parsed
    assert dict(parsed.options) == {"A": "", "B": "", "C": ""}


def test_original_lines_are_not_used_for_options_that_changed() -> None:
    wording = Wording("zh-Hans", "问？", {"A": "新", "B": "旦"}, as_written=("（A）旧", "（B）旦"))
    assert option_lines(wording) == ("(A) 新", "(B) 旦")


LINES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(
    lambda text: mark_of(text) is None and "答案" not in text
)


@given(
    LINES,
    st.lists(LINES, min_size=2, max_size=8),
    st.sampled_from(["({}) {}", "（{}）{}", "{}. {}", "{}、{}", "{}: {}"]),
)
def test_every_way_of_marking_is_read_back(question: str, texts: list[str], mark: str) -> None:
    lines = [mark.format(label, text) for label, text in zip(LABELS, texts, strict=False)]
    parsed = parse_question("\n".join([question, *lines]))
    assert parsed is not None
    assert parsed.question == question.strip()
    assert list(parsed.options.values()) == texts


@given(st.text(max_size=80))
def test_no_text_breaks_the_parser(text: str) -> None:
    parsed = parse_question(text)
    assert parsed is None or "".join(parsed.options) == LABELS[: len(parsed.options)]
    assert read_answer(text, {"A": "生", "B": "旦"})[0] in ("A", "B", None)
