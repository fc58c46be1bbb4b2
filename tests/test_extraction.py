"""Replies and the labels that parsers read from them: the papers' rules, ours, and the real failures of other tools."""

from __future__ import annotations

import ast
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from keju.errors import Misuse
from keju.protocols import PARSERS, Extraction, Reason, draw, extract, load_protocol
from real_failures import bug_cases

OPERA = {"A": "生", "B": "旦", "C": "净", "D": "丑"}
PARSER_OF_MODE = {"strict": "strict", "anchored": "anchored", "first_regex": "first-letter", "robust": "robust"}
CASES = bug_cases("1-extraction")


def verdict(text: str, options: dict[str, str], mode: str, item_id: str = "x") -> str:
    """The outcome in the words of the bug cases."""
    if mode == "first_regex":
        found = load_protocol("multi-tw").extract(text, options, item_id=item_id)
    else:
        found = extract(text, options, PARSER_OF_MODE[mode])
    return "FALLBACK" if found.drawn else found.label or "INVALID"


# The real failures of other tools


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in CASES if isinstance(case.values[0]["input"], str)])
def test_failures_of_other_tools_are_not_repeated(case: dict[str, Any]) -> None:
    for mode, expected in case["expected"].items():
        allowed = expected if isinstance(expected, list) else [expected]
        assert verdict(case["input"], case["options"], mode) in allowed, mode


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in CASES if "repeat_items" in case.values[0]["input"]])
def test_draws_differ_between_items(case: dict[str, Any]) -> None:
    asked, expected = case["input"], case["expected"]
    protocol = load_protocol("multi-tw")
    drawn = [
        protocol.extract(asked["reply"], case["options"], item_id=f"{number:04d}")
        for number in range(asked["repeat_items"])
    ]
    counts = Counter(found.label for found in drawn)
    assert all(found.drawn and not found.valid for found in drawn)
    assert len(counts) == expected["distinct_labels"]
    assert max(counts.values()) / len(drawn) <= expected["max_share_of_one_label"]


@pytest.mark.shared
@pytest.mark.parametrize("case", [case for case in CASES if "gold" in case.values[0]["input"]])
def test_an_unread_reply_never_equals_a_missing_key(case: dict[str, Any]) -> None:
    found = extract(case["input"]["reply"], case["options"])
    assert found.label is None
    assert not found.valid


OURS_DIFFERS = {
    "lighteval-010": "`A Peter`: A is read only where Peter is option A's text; else it may be an article",
    "opencompass-002": "`A then C then B` lists three labels and declares none; the last is not the answer",
}


@pytest.mark.shared
def test_robust_meets_the_single_choice_cases_of_six_frameworks(shared: Path) -> None:
    path = shared / "data/extraction-cases/peer_cases.jsonl"
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    single = [case for case in cases if not case["multi"]]
    differs = {c["id"] for c in single if extract(c["text"], dict.fromkeys(c["options"], "")).label != c["expected"]}
    assert differs == set(OURS_DIFFERS)


@pytest.mark.shared
@pytest.mark.parametrize("parser", ["strict", "anchored", "robust"])
def test_no_label_is_read_from_a_refusal(shared: Path, parser: str) -> None:
    path = shared / "data/extraction-cases/real_refusals.jsonl"
    replies = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
    found = {extract(reply, dict.fromkeys("ABCDEFGHIJ", "text"), parser) for reply in replies}
    assert len(replies) == 94
    assert found == {Extraction(None, "refusal")}


@pytest.mark.parametrize(
    "reply",
    [
        "The text does not provide enough information to answer the question.",
        "The picture doesn't give any details of that.",
        "The question lacks the context that one would need.",
        "There is not enough information to say which.",
        "The information given is insufficient to answer.",
        "This cannot be answered as it needs a diagram.",
        "It is impossible to determine which is meant.",
        "It is not possible to give a definite answer.",
        "A correct answer cannot be provided.",
        "No image was provided.",
        "Please provide the complete question.",
        "I do not know.",
        "I must decline to answer that.",
        "The model is unable to view pictures.",
        "题目没有提供足够的信息。",
        "未看到图片，请您上传。",
        "信息不足，难以判断。",
        "缺少必要的资料。",
        "我不便回答这个问题。",
        "录音太吵，听不清。",
        "題目未提供圖片，無從得知。",
        "資訊不足，難以回答。",
        "很抱歉，我聽不到錄音。",
        "缺乏相關資料，沒辦法判斷。",
        "請提供完整的題目。",
    ],
)
@pytest.mark.parametrize("parser", ["strict", "anchored", "robust"])
def test_a_reply_that_declines_in_any_words_is_a_refusal(reply: str, parser: str) -> None:
    assert extract(reply, OPERA, parser) == Extraction(None, "refusal")


@pytest.mark.parametrize(
    "reply",
    [
        "I can't see the picture well, but the answer is (B), surely.",
        "It does not provide enough information. Therefore, the answer is:\n\n(C) Uncertain, as said",
        "甲项无法判断，乙项未提供依据。\n【答案】: B <eoa>",
        "首句不能確定，正確答案應該是C，因為如此。",
        "The costume does not have wide sleeves, as is the custom in this opera.",
        "It is not possible to determine the exact date, yet this is a Kunqu costume.",
        "题目可能有误，选项中没有此值。",
    ],
)
@pytest.mark.parametrize("parser", ["strict", "anchored"])
def test_a_reply_that_answers_in_another_form_is_no_refusal(reply: str, parser: str) -> None:
    assert extract(reply, OPERA, parser) == Extraction(None, "no-label")


@pytest.mark.shared
@pytest.mark.parametrize("model", ["gpt-4o", "llama3.1-8b"])
def test_the_two_papers_rules_give_the_published_counts(shared: Path, model: str) -> None:
    """Real replies, counts published with them: right by first letter, valid by exact match."""
    folder = shared / "data/outputs-ceval-zhtw"
    known = json.loads((folder / "known_answers.json").read_text(encoding="utf-8"))["models"][model]
    rows = [json.loads(line) for line in (folder / f"{model}.jsonl").read_text(encoding="utf-8").splitlines()]
    first = [extract(row["raw_output"] or "", OPERA, "first-letter") for row in rows]
    assert sum(found.label == row["ground_truth"] for found, row in zip(first, rows, strict=True)) == known["correct"]
    assert sum(found.valid for found in first) == known["published_valid"]
    strict = [extract(row["raw_output"] or "", OPERA, "strict") for row in rows]
    assert sum(found.valid for found in strict) == known["tco_strict_valid"]


@pytest.mark.shared
@pytest.mark.parametrize("parser", ["first-letter", "robust", "strict", "anchored"])
def test_one_letter_replies_are_read_alike_by_all(shared: Path, parser: str) -> None:
    path = shared / "data/multi-tw/outputs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [extract(row["generation"], OPERA, parser, truncated=True).label for row in rows]
    assert sum(label == row["answer"] for label, row in zip(found, rows, strict=True)) == 316


@pytest.mark.shared
def test_robust_reads_chain_of_thought_with_ten_options(shared: Path) -> None:
    """Real chain-of-thought replies: what their own parser took from them, except the two that declare nothing."""
    path = shared / "data/outputs-mmmu-pro/gpt-4o_vision_cot.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    options = [dict(zip("ABCDEFGHIJ", ast.literal_eval(row["options"]), strict=False)) for row in rows]
    found = [extract(row["response"], texts) for row, texts in zip(rows, options, strict=True)]
    differing = [
        one.label for one, row in zip(found, rows, strict=True) if one.label and one.label != row["published_pred"]
    ]
    assert differing == []
    assert sum(one.valid for one in found) == len(rows) - 2


# The table of choices in `keju.protocols.parsers`

MODES = ("strict", "anchored", "first_regex", "robust")
CHOICES = [
    (" B\n", "B B B B"),
    ("B.", "B B B B"),
    ("B。", "B B B B"),
    ("b", "B B draw B"),
    ("Ｂ", "- - draw B"),
    ("..C..", "- - C C"),
    ("B..", "- - B B"),
    ("**B**", "- B B B"),
    ("(B)", "- - B B"),
    ("Answer: D", "- D A D"),
    ("answer: d", "- D draw D"),
    ("answer: a red face", "- - draw -"),
    ("Answer： D", "- D A D"),
    ("答案：B", "- - B B"),
    ("Answer: A or B", "- - A -"),
    ("Answer: A\nAnswer: D", "- D A D"),
    ("A\nB", "- - A -"),
    ('```json\n{"prediction": "D"}\n```', "- - D D"),
    ("E", "- - draw -"),
]


@pytest.mark.parametrize(("reply", "expected"), CHOICES)
def test_open_cases_are_settled_as_documented(reply: str, expected: str) -> None:
    words = {"-": "INVALID", "draw": "FALLBACK"}
    for mode, wanted in zip(MODES, expected.split(), strict=True):
        assert verdict(reply, OPERA, mode) == words.get(wanted, wanted), mode


@pytest.mark.parametrize("mode", MODES)
def test_a_label_that_the_item_lacks_is_never_read_nor_drawn_for(mode: str) -> None:
    three = {"A": "在車站", "B": "在郵局", "C": "在圖書館"}
    assert verdict("D", three, mode) == "INVALID"
    assert extract("D", three, PARSER_OF_MODE[mode]).reason == "not-an-option"


def test_first_letter_finds_further_labels_of_the_item() -> None:
    assert extract("E", {**OPERA, "E": "末"}, "first-letter").label == "E"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"prediction": "B"}', Extraction("B")),
        ('{"answer": "B"}', Extraction(None, "not-an-option")),
        ('{"prediction": "b"}', Extraction(None, "not-an-option")),
        ('{"prediction": ["B"]}\nAnswer: C', Extraction("C")),
        ("Choice A is wrong. Correct!", Extraction(None, "no-label")),
        ("The answer is B", Extraction(None, "no-label")),
        ("Final Answer: E", Extraction(None, "not-an-option")),
        ("B\nbecause of the beard\nB.", Extraction("B")),
        ("final  answer:\n C", Extraction("C")),
        ("[" * 100_000, Extraction(None, "no-label")),
        ('{"a":' * 100_000, Extraction(None, "no-label")),
    ],
)
def test_anchored_takes_declarations_only(reply: str, expected: Extraction) -> None:
    assert extract(reply, OPERA, "anchored") == expected


# Our own parser

TEXTS = {"A": "Sheng", "B": "Dan", "C": "Jing", "D": "Chou"}


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("正確答案是（C）", "C"),
        ("綜上所述，答案：Ｃ", "C"),
        ("【答案】 C <eoa>", "C"),
        ("故選 C。", "C"),
        ("因此选择C项", "C"),
        ("我選C", "C"),
        ("答案不是A，而是C。", "C"),
        ("The correct option is not A but C", "C"),
        ("A错，B错，C对，D错", "C"),
        ("<answer>C</answer>", "C"),
        ("答案 - C", "C"),
        ("不是A，我认为是C", "C"),
        ("A、B都不符合题意，C符合题意", "C"),
        ("The correct option letter for the mask is C.", "C"),
        ("I think it's C because of the mask.", "C"),
        ("Option C is correct, option A is not.", "C"),
        ("The answer is C, not A.", "C"),
        ("C is wrong. The answer is not A. It must be D", "D"),
        ("(C) Jing", "C"),
        ("A Sheng", "A"),
        ("c) Jing", "C"),
        ("jing.", "C"),
        ("The answer is Jing.", "C"),
        ("\u200bC", "C"),
        ("C</s>", "C"),
        ("\\boxed{A} no: \\boxed{\\text{C}}", "C"),
        ('Thinking…\n```json\n{"answer": "C"}\n```', "C"),
        ('{"answer": "C. Jing"}', "C"),
        ("<think>Answer: A</think>\n**C**", "C"),
        ("<THINKING>A</THINKING>C", "C"),
        ("◁think▷maybe B◁/think▷ C", "C"),
    ],
)
def test_robust_reads_what_a_reader_would(reply: str, label: str) -> None:
    assert extract(reply, TEXTS).label == label


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (" \n", "empty"),
        ("<think>A?</think>", "empty"),
        ("<think>It could be A", "truncated"),
        ("</think><think>Answer: A", "truncated"),
        ("I'm sorry, I can't tell whether (B) is meant.", "refusal"),
        ("抱歉，看不清图片。", "refusal"),
        ("(A) Sheng (C) Jing", "several"),
        ("甲选A，乙选B", "several"),
        ("A. Dan", "several"),
        ("Answer: A: Dan, surely", "several"),
        ("答案是A和B", "several"),
        ("Answer: G", "not-an-option"),
        ('{"answer": 2}', "not-an-option"),
        ('{"thought": "Answer: B"}', "no-label"),
        ("Vitamin C is good.", "no-label"),
        ("Answer: A red face tells us much.", "no-label"),
        ("如果选A就错了", "no-label"),
    ],
)
def test_robust_says_why_there_is_no_label(reply: str, reason: str) -> None:
    assert extract(reply, TEXTS) == Extraction(None, reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        ("A型血", {"A": "B型血", "B": "A型血"}),
        ("答案：A型血", {"A": "B型血", "B": "A型血"}),
        ("错误", {"A": "正确", "B": "错误"}),
        ("B. 错误", {"A": "正确", "B": "错误"}),
        ("在图书馆", {"A": "在車站", "B": "在圖書館"}),
        ("選擇「在图书馆」", {"A": "在車站", "B": "選擇「在圖書館」"}),
    ],
)
def test_robust_knows_the_options_texts(reply: str, options: dict[str, str]) -> None:
    assert extract(reply, options).label == "B"


def test_two_options_with_the_same_text_are_not_told_apart_by_it() -> None:
    assert extract("旦", {"A": "旦", "B": "旦"}) == Extraction(None, "several")


@pytest.mark.parametrize("parser", ["strict", "anchored", "robust"])
def test_a_label_under_consideration_when_the_reply_was_cut_is_no_answer(parser: str) -> None:
    cut = "Let me compare the options. A shows a painted face, B"
    assert extract(cut, OPERA, parser, truncated=True) == Extraction(None, "truncated")


@pytest.mark.parametrize(
    ("reply", "anchored", "robust"),
    [
        ("", None, None),
        ("B", "B", "B"),
        ("First the face.\nB", None, None),
        ("First the face.\nB\n", "B", None),
        ("Answer: B. The fa", "B", "B"),
        ("B. 旦", None, "B"),
        ("I would pick B", None, None),
        ("Perhaps (B)", None, None),
    ],
)
def test_of_a_cut_reply_only_declarations_count(reply: str, anchored: str | None, robust: str | None) -> None:
    assert extract(reply, OPERA, "anchored", truncated=True).label == anchored
    found = extract(reply, OPERA, "robust", truncated=True)
    assert found == (Extraction(robust) if robust else Extraction(None, "truncated"))


# Likelihoods


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"A": -3.0, "B": -1.5, "C": -2.0}, Extraction("B")),
        ({"A": -1.0, "B": -1.0}, Extraction(None, "several")),
        ({"A": float("-inf"), "B": float("nan"), "E": 0.0}, Extraction("A")),
        ({}, Extraction(None, "empty")),
    ],
)
def test_likelihood_takes_the_single_best_option(scores: dict[str, float], expected: Extraction) -> None:
    assert extract("ignored", OPERA, "likelihood", scores=scores) == expected


# Whatever comes

LABELS = st.lists(st.sampled_from("ABCDEFGHIJ甲乙1"), min_size=0, max_size=6, unique=True)
WORDS = """A B C D E a i I answer Answer: 答案 答案： 选 不选 is not or 和 、 , ( ) [ ] 【 】 { } " ' ` * $ \\boxed{
\\text{ <think> </think> ```json ``` {"prediction": 正确 错 because option 选项 sorry 抱歉 Ａ （ ： 。 旦 Dan"""
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", "\u200b", "\ud800", "\0"])
REPLIES = st.one_of(st.text(st.characters(codec=None)), st.lists(PIECES, max_size=25).map("".join))


@given(REPLIES, LABELS, st.lists(REPLIES, min_size=6, max_size=6), st.sampled_from(sorted(PARSERS)), st.booleans())
@example("答案：甲", ["甲"], [""] * 6, "robust", False)
def test_no_reply_raises_and_a_label_is_always_the_items(
    reply: str, labels: list[str], texts: list[str], parser: str, truncated: bool
) -> None:
    options = dict(zip(labels, texts, strict=False))
    found = extract(reply, options, parser, truncated=truncated, scores={"A": -1.0, "B": -2.0})
    assert found.label is None or found.label in options
    assert (found.label is None) == (found.reason in get_args(Reason))
    assert not found.drawn
    assert found == extract(reply, options, parser, truncated=truncated, scores={"A": -1.0, "B": -2.0})


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["{}", "Answer: {}", "prediction: {}", "\n{}.\n", '{{"prediction": "{}"}}']),
)
def test_every_label_declared_as_the_paper_says_is_read(label: str, form: str) -> None:
    assert extract(form.format(label), OPERA, "anchored").label == label
    assert extract(form.format(label), OPERA, "robust").label == label


@pytest.mark.parametrize(
    "piece",
    [
        "answer ",
        "answer: ",
        "(",
        "\n",
        "A ",
        "选",
        "答案",
        " ",
        "<think>",
        "or A",
        "answer to ",
        "option (",
        "\\boxed{",
    ],
)
def test_a_reply_of_a_hundred_thousand_characters_is_read_in_seconds(piece: str) -> None:
    started = time.process_time()
    for parser in PARSERS:
        extract(piece * (100_000 // len(piece)), TEXTS, parser)
    assert time.process_time() - started < 10  # 2 s, and room for a busy machine


def test_an_unknown_parser_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(Misuse, match="no parser 'stric'; there are strict, anchored"):
        extract("B", OPERA, "stric")


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_every_parser_documents_its_weakness(name: str) -> None:
    assert "Known weakness" in (PARSERS[name].__doc__ or "")


# Draws


@pytest.mark.parametrize("labels", ["ABC", "ABCD", "BCD"])
@pytest.mark.parametrize("seed", [0, 7])
def test_draws_are_uniform_over_the_items_labels(labels: str, seed: int) -> None:
    counts = Counter(draw(seed, f"{number:04d}", labels) for number in range(12_000))
    assert set(counts) == set(labels)
    assert chisquare([counts[label] for label in labels]).pvalue > 0.001


def test_a_draw_depends_on_seed_and_item_only() -> None:
    assert draw(3, "0007", "ABCD") == draw(3, "0007", "DCBA")
    assert len({draw(seed, "0007", "ABCD") for seed in range(50)}) == 4
