"""The Multi-TW layout, as its paper tells it and as real files are."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exam_folders import contents, lay, png
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.formats import load, write
from keju.formats.multi_tw_tasks import task_of, tasks_for
from keju.items import LABELS, Item, Medium, Wording

ROW: dict[str, Any] = {
    "id": "02-R-A-P1-007",
    "image": "images/02-R-A-P1-007.png",
    "audio": None,
    "instruction": "請看一個句子和三張圖片，選出合適的圖片。",
    "question": "桌上有一本書。",
    "options": ["（A）", "（B）", "（C）"],
    "answer": "B",
}
LISTENING = ROW | {
    "id": "05-L-C-P2-101",
    "image": None,
    "audio": "audios/a.mp3",
    "instruction": "你會聽到一段話。每段話後有問題。",
    "question": "",
    "options": ["(A) 上午", "(B) 中午", "(C) 下午", "(D) 晚上"],
}


def exam(folder: Path, *rows: dict[str, Any], indent: int | None = 2) -> Path:
    text = json.dumps(list(rows), ensure_ascii=False, indent=indent)
    return lay(folder, {"items.json": text, "images/02-R-A-P1-007.png": png(), "audios/a.mp3": b"ID3"})


def test_rows_become_items_with_labels(tmp_path: Path) -> None:
    benchmark = load(exam(tmp_path, ROW, LISTENING))
    pictures, listening = benchmark.items
    assert (benchmark.format, benchmark.problems) == ("multi-tw", ())
    assert dict(pictures.options) == {"A": "", "B": "", "C": ""}
    assert pictures.wording.as_written == ("（A）", "（B）", "（C）")
    assert pictures.wording.language == "zh-Hant"
    assert dict(pictures.labels) == {
        "volume": "02",
        "section": "R",
        "level": "A",
        "part": "P1",
        "task": "Sentence-to-Image Matching",
    }
    assert (listening.modality, listening.wording.question, listening.labels["task"]) == (
        "audio",
        "",
        "Passage Comprehension",
    )
    assert load(tmp_path / "items.json").items == benchmark.items


@pytest.mark.shared
def test_the_real_items_are_read_whole_and_written_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    file = shared / "data" / "multi-tw" / "items.json"
    benchmark = load(file)
    rows = json.loads(file.read_text(encoding="utf-8"))
    assert [item.id for item in benchmark] == [row["id"] for row in rows]
    assert [item.answer for item in benchmark] == [row["answer"] for row in rows]
    assert Counter(len(item.options) for item in benchmark) == Counter(len(row["options"]) for row in rows)
    assert {problem.code for problem in benchmark.problems} == {"media_missing"}
    assert len(benchmark.problems) == len(rows)
    assert all("task" in item.labels for item in benchmark)
    write(benchmark, tmp_path / "out", "multi-tw")
    assert (tmp_path / "out" / "items.json").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("instruction", "medium", "task"),
    [
        ("Image Comprehension", "image", "Image Comprehension"),
        ("對話理解", "audio", "Dialogue Comprehension"),
        ("聽到兩個人的一段對話以後，請回答。", "audio", "Dialogue Comprehension"),
        ("請閱讀下面的材料。", "image", "Reading Comprehension"),
        ("請回答。", "image", None),
    ],
)
def test_the_task_is_told_by_the_instruction(tmp_path: Path, instruction: str, medium: str, task: str | None) -> None:
    assert task_of(instruction, medium, tasks_for(tmp_path)) == task


def test_a_table_beside_the_items_adds_tasks(tmp_path: Path) -> None:
    table = '[[task]]\nname = "Poetry"\nmedium = "image"\nexact = ["請回答。"]\ncues = []\n'
    benchmark = load(lay(exam(tmp_path, ROW | {"instruction": "請回答"}), {"tasks.toml": table}))
    assert benchmark.items[0].labels["task"] == "Poetry"
    lay(tmp_path, {"tasks.toml": "task = 3"})
    with pytest.raises(BadFile, match=r"tasks\.toml: not a task table"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"image": "null", "audio": "audios/a.mp3"}, "null_form"),
        ({"image": "images\\02-R-A-P1-007.png"}, None),
        ({"id": "2-r-a-p1-7"}, "id_grammar"),
        ({"id": 7}, "id_grammar"),
        ({"answer": "b"}, "answer_form"),
        ({"instruction": None}, "task_unknown"),
        ({"options": {"A": "甲", "B": "乙"}}, None),
        ({"options": ["甲", "乙", "丙"]}, None),
        ({"options": "A. 甲\nB. 乙"}, None),
        ({"options": ["（A）甲", "（B）乙", "（D）丁"]}, "option_labels"),
        ({"image": None}, "media_missing"),
        ({"image": "../x.png"}, "path_escape"),
    ],
)
def test_irregularities_are_tolerated_reported_and_written_back(
    tmp_path: Path, change: dict[str, Any], code: str | None
) -> None:
    row = ROW | change
    benchmark = load(exam(tmp_path / "in", row))
    assert benchmark.items[0].answer == "B"
    assert {code} - {None} <= {problem.code for problem in benchmark.problems}
    assert not any(problem.left_out for problem in benchmark.problems)
    write(benchmark, tmp_path / "out", "multi-tw")
    again = json.loads((tmp_path / "out" / "items.json").read_text(encoding="utf-8"))[0]
    if "\\" in str(row["image"]):  # read both, write forward slashes
        row["image"] = row["image"].replace("\\", "/")
    assert again == row
    assert list(again) == list(row)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (ROW | {"answer": "D"}, "answer_not_offered"),
        (ROW | {"answer": "AB"}, "answer_several"),
        (ROW | {"answer": None}, "answer_empty"),
        (ROW | {"options": ["（A）甲", "（A）乙"]}, "options_unclear"),
        (ROW | {"options": None}, "options_unclear"),
        ({"options": ["A", "B"], "answer": "A"}, "id_missing"),
        (ROW, "duplicate_id"),
        ("no row", "id_missing"),
    ],
)
def test_what_cannot_be_used_is_left_out_by_name(tmp_path: Path, row: Any, code: str) -> None:
    benchmark = load(exam(tmp_path, ROW, row), format="multi-tw")
    assert len(benchmark) == 1
    assert [problem.code for problem in benchmark.problems if problem.left_out] == [code]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_clean_list_comes_out_byte_for_byte(tmp_path: Path, indent: int | None) -> None:
    rows = (ROW | {"source": "x"}, {"note": 1} | LISTENING)
    benchmark = load(exam(tmp_path / "in", *rows, indent=indent))
    write(benchmark, tmp_path / "out", "multi-tw")
    assert contents(tmp_path / "out") == contents(tmp_path / "in")
    write(benchmark, tmp_path / "neutral", "jsonl")
    write(load(tmp_path / "neutral"), tmp_path / "again", "multi-tw")
    assert contents(tmp_path / "again") == contents(tmp_path / "in")


def test_a_changed_item_is_written_anew(tmp_path: Path) -> None:
    benchmark = load(exam(tmp_path / "in", {"note": 1} | ROW))
    item = replace(benchmark.items[0], answer="C")
    write(replace(benchmark, items=(item,)), tmp_path / "out", "multi-tw")
    row = json.loads((tmp_path / "out" / "items.json").read_text(encoding="utf-8"))[0]
    assert (row["answer"], row["note"], row["options"]) == ("C", 1, ROW["options"])


def test_several_lists_in_a_folder_must_be_chosen_from(tmp_path: Path) -> None:
    lay(exam(tmp_path, ROW), {"more.json": json.dumps([LISTENING])})
    with pytest.raises(BadFile, match=r"items\.json, more\.json"):
        load(tmp_path)
    assert load(tmp_path / "more.json").items[0].id == LISTENING["id"]


def test_broken_json_is_named_with_its_line(tmp_path: Path) -> None:
    lay(tmp_path, {"items.json": '[\n{"id": "1", "options": [], "answer": "A",}\n]'})
    with pytest.raises(BadFile, match=r"items\.json:2: not JSON"):
        load(tmp_path)


def test_an_item_with_two_pictures_is_refused(tmp_path: Path) -> None:
    media = (Medium("image", "a.png", data=png()), Medium("image", "b.png", data=png(1)))
    item = Item("1", {"en": Wording("en", "Which?", {"A": "a", "B": "b"})}, "A", media)
    with pytest.raises(Misuse, match="item 1"):
        write(Benchmark("b", (item,)), tmp_path / "out", "multi-tw")


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=12)


@st.composite
def items(draw: st.DrawFn) -> Item:
    options = dict(zip(LABELS, draw(st.lists(TEXT.map(str.strip), min_size=2, max_size=5)), strict=False))
    languages = draw(st.lists(st.sampled_from(["zh-Hant", "zh-Hans", "en"]), min_size=1, unique=True))
    wordings = {tag: Wording(tag, draw(TEXT), options, draw(TEXT)) for tag in languages}
    media = (Medium("image", "images/p.png", data=png()), Medium("audio", "c.mp3", data=b"ID3x"))
    labels = draw(st.dictionaries(st.sampled_from(["genre", "task"]), TEXT.filter(bool)))
    item_id = f"0{draw(st.integers(1, 5))}-L-A-P1-{draw(st.integers(0, 999)):03d}"
    return Item(
        item_id, wordings, draw(st.sampled_from(list(options))), media, labels, draw(st.sampled_from(["test", None]))
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_every_item_that_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, exam: list[Item]) -> None:
    folder = tmp_path_factory.mktemp("exam") / "out"
    write(Benchmark("b", tuple(exam)), folder, "multi-tw")
    again = load(folder)
    for item in exam:
        read = again[item.id]
        assert [(tag, w.question, dict(w.options), w.instruction) for tag, w in read.wordings.items()] == [
            (tag, w.question, dict(w.options), w.instruction) for tag, w in item.wordings.items()
        ]
        assert (read.answer, read.split) == (item.answer, item.split)
        assert item.labels.items() <= read.labels.items()
        assert [medium.read() for medium in read.media] == [medium.read() for medium in item.media]
