"""Real failures of other tools' readers, whole: files on disk, as `keju.load` and a written copy show them.

`formats/test_question_text` shows what the text of one file gives; here is what the user sees of it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import keju
from keju.benchmark import Benchmark
from keju.errors import BadFile
from keju.items import Item, Wording
from keju.protocols import load_protocol
from keju.results.pairs import compare
from keju.results.scores import score
from keju.variants import apply, parse_variants
from making import png
from marked_runs import items, marked, run
from real_failures import bug_cases

CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("4-text") + bug_cases("8-platform")}
FILES = [name for name, case in CASES.items() if "file" in case["input"]]
BEYOND_UTF_8 = {"gbk": b"", "big5": b"", "utf-16-le with BOM FF FE": b"\xff\xfe"}
"""Encoding as the cases write it → its byte order mark."""

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]


def folder_of(case: dict[str, Any], folder: Path) -> Path:
    """The case's question file with an answer and a picture beside it."""
    given = case["input"]
    stem = given["file"].removesuffix(".md")
    encoding = given.get("encoding", "utf-8")
    text = given["text"].encode(encoding.split()[0])
    (folder / given["file"]).write_bytes(BEYOND_UTF_8.get(encoding, b"") + text)
    (folder / f"{stem}.txt").write_text(given.get("answer_file", "A"), encoding="utf-8")
    (folder / f"{stem}.png").write_bytes(png())
    return folder


@pytest.mark.parametrize("name", FILES)
def test_a_file_becomes_the_item_that_the_case_says(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    expected = case["expected"]
    benchmark = keju.load(folder_of(case, tmp_path))
    item = benchmark.items[0]
    assert dict(item.options) == expected.get("options", dict(item.options))
    assert item.answer == expected.get("answer", "A")
    either = expected.get("question_without_heading_mark_or_raw", [expected.get("question", item.wording.question)])
    assert item.wording.question in either
    codes = {problem.code for problem in benchmark.problems}
    assert codes == ({expected["code"]} if "code" in expected else set())
    assert not any(problem.left_out for problem in benchmark.problems)
    if "detected_one_of" in expected:
        assert any(encoding in str(benchmark.problems[0]) for encoding in expected["detected_one_of"])


@pytest.mark.parametrize("name", [name for name in FILES if "encoding" in CASES[name]["input"]])
def test_a_wrong_encoding_is_refused_by_name_and_never_guessed(name: str, tmp_path: Path) -> None:
    """TX-01, TX-03, TX-05: no character is dropped or swapped in silence, even where the user names the wrong one."""
    folder = folder_of(CASES[name], tmp_path)
    for wrong in ("shift_jis", "euc_kr"):
        try:
            item = keju.load(folder, encoding=wrong).items[0]
        except BadFile as refused:
            assert CASES[name]["input"]["file"] in str(refused)  # noqa: PT017 (either is right, silence is not)
        else:
            assert dict(item.options) == CASES[name]["expected"]["options"]


def test_tx_19_invisible_characters_are_reported_with_their_place(tmp_path: Path) -> None:
    problems = keju.load(folder_of(CASES["TX-19"], tmp_path)).problems
    assert {(problem.file, problem.line) for problem in problems} == {("0001.md", 2), ("0001.txt", 1)}
    assert all("U+200B" in problem.message for problem in problems)


def test_tx_21_text_is_stored_as_it_was_written(tmp_path: Path) -> None:
    """A compatibility ideograph is not swapped for its twin when a benchmark is loaded and saved."""
    text = CASES["TX-21"]["input"]["text"]
    (tmp_path / "in").mkdir()
    case = {"input": {"file": "1.md", "text": f"{text}？\n(A) {text[0]}\n(B) {text[-1]}\n", "answer_file": "A"}}
    source = folder_of(case, tmp_path / "in")
    for format in ("tco", "jsonl"):
        keju.convert(keju.load(source), format, tmp_path / format)
        assert dict(keju.load(tmp_path / format).items[0].options) == {"A": text[0], "B": text[-1]}
    assert (tmp_path / "tco" / "1.md").read_bytes() == (source / "1.md").read_bytes()


def test_tx_23_a_converted_wording_says_that_it_needs_review() -> None:
    given = CASES["TX-23"]["input"]
    item = Item("1", {"zh-Hans": Wording("zh-Hans", given["s"], {"A": "头发", "B": "干"})}, "A")
    asked = apply(Benchmark("b", (item,)), parse_variants(["script=hant"]))
    assert asked.items[0].wording.question in ("頭髮幹了", "頭髮乾了")
    assert any(CASES["TX-23"]["expected"]["flag"] in problem.message for problem in asked.problems)


def test_tx_27_the_key_is_the_label_whatever_the_order(tmp_path: Path) -> None:
    case = CASES["TX-27"]
    wording = {"question": "行当？", "options": case["input"]["json"]["options"]}
    row = {"id": "1", "wordings": {"zh-Hans": wording}, "answer": case["input"]["json"]["answer"]}
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    item = keju.load(path).items[0]
    assert [list(pair) for pair in item.options.items()] == case["expected"]["options_in_prompt_order"]
    assert item.options[item.answer or ""] == case["expected"]["answer_text"]
    text = load_protocol("tco").prompt(item).text
    places = [text.index(option) for _, option in case["expected"]["options_in_prompt_order"]]
    assert places == sorted(places)


def test_tx_33_one_rule_for_markup_and_it_is_in_every_prompt_alike(tmp_path: Path) -> None:
    """Raw text, for every model; the digest of the prompt changes with any mark."""
    item = keju.load(folder_of(CASES["TX-33"], tmp_path)).items[0]
    text = load_protocol("tco").prompt(item).text
    assert all(written in text for written in ("# 图中角色", "生\\*", "_旦_", "**净**"))
    bare = replace(item, wordings={"zh-Hans": replace(item.wording, question=item.wording.question.lstrip("# "))})
    digests = {load_protocol("tco").prompt(one).text_digest() for one in (item, bare)}
    assert len(digests) == 2


@pytest.mark.parametrize("format", ["tco", "multi-tw", "jsonl"])
def test_tx_37_separators_inside_an_option_survive_every_format(format: str, tmp_path: Path) -> None:
    case = CASES["TX-37"]
    item = Item("1", {"zh-Hans": Wording("zh-Hans", "选哪个？", case["input"]["options"])}, "B")
    keju.convert(Benchmark("b", (item,)), format, tmp_path / "out")
    again = keju.load(tmp_path / "out", format=format).items[0]
    assert dict(again.options) == case["expected"]["options_after"]


def test_tx_39_what_the_medium_adds_is_a_paired_difference() -> None:
    """The text-only run is `--variant media=none`, over the same items."""
    case = CASES["TX-39"]
    n, right = (case["input"]["runs"]["with_media"][key] for key in ("n", "correct"))
    blind = case["input"]["runs"]["without_media"]["correct"]
    of = items("A" * n, kind="image")
    seen = marked(of, "A" * right + "B" * (n - right))
    unseen = marked(of, "A" * blind + "B" * (n - blind), variant={"media": "none"})
    expected = case["expected"]["report"]
    assert (seen.accuracy, unseen.accuracy) == (expected["accuracy"], expected["text_only_accuracy"])
    assert compare(seen, unseen).difference == pytest.approx(expected["gain_from_media"])
    asked = apply(Benchmark("b", of), parse_variants(["media=none"]))
    assert [item.id for item in asked] == [item.id for item in of]
    assert not any(item.media for item in asked)


def test_rn_25_a_short_file_is_an_item_or_a_named_error(tmp_path: Path) -> None:
    """Four lines may be a question of three options, which is an item; or they may be no such thing."""
    given = next(parameter.values[0] for parameter in bug_cases("5-run") if parameter.id == "RN-25")["input"]
    assert given["files_with_four_lines"] == 2
    texts = {"1": "行当？\n(A) 生\n(B) 旦\n(C) 净\n", "2": "行当？\n生\n旦\n净\n"}
    for number in map(str, range(1, given["files"] + 1)):
        whole = "行当？\n(A) 生\n(B) 旦\n(C) 净\n(D) 丑\n"
        (tmp_path / f"{number}.md").write_text(texts.get(number, whole), encoding="utf-8")
        (tmp_path / f"{number}.txt").write_text("B", encoding="utf-8")
        (tmp_path / f"{number}.png").write_bytes(png(int(number)))
    benchmark = keju.load(tmp_path)
    assert list(benchmark["1"].options) == ["A", "B", "C"]
    assert {(problem.item, problem.file) for problem in benchmark.problems if problem.left_out} == {("2", "2.md")}
    assert len(benchmark) == given["files"] - 1


def test_pl_19_line_ends_change_the_file_and_not_the_question(tmp_path: Path) -> None:
    given = CASES["PL-19"]["input"]
    found = []
    for name in ("file_lf", "file_crlf"):
        (tmp_path / name).mkdir()
        text = given[name].replace("A", "(A) 生\n(B) 旦".replace("\n", "\r\n" if "crlf" in name else "\n"))
        (tmp_path / name / "1.md").write_bytes(text.encode())
        (tmp_path / name / "1.txt").write_bytes(b"A")
        (tmp_path / name / "1.png").write_bytes(png())
        found.append(keju.load(tmp_path / name))
    one, other = (load_protocol("tco").prompt(benchmark.items[0]).text_digest() for benchmark in found)
    assert one == other
    assert found[0].fingerprint == found[1].fingerprint
    assert (tmp_path / "file_lf" / "1.md").read_bytes() != (tmp_path / "file_crlf" / "1.md").read_bytes()


def test_ex_73_an_item_without_key_gives_no_point_and_is_named() -> None:
    case = next(parameter.values[0] for parameter in bug_cases("1-extraction") if parameter.id == "EX-73")
    scores = score(run(items("?"), [case["input"]["reply"]]))
    assert (scores.correct > 0) == case["expected"]["correct"]
    assert scores.without_key == ("0000",)
