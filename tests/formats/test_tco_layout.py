"""The TCO layout, clean and dirty."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from exam_folders import OPTIONS, QUESTION, contents, lay, md, metadata, png, tco_item
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.formats import load, write
from keju.items import LABELS, Item, Medium, Wording


def codes(benchmark: Benchmark, item: str | None = None) -> list[str]:
    return [problem.code for problem in benchmark.problems if item is None or problem.item == item]


def test_an_item_is_read_from_its_four_files(tmp_path: Path) -> None:
    tco_item(
        tmp_path,
        "0001",
        "C",
        question_text_en="Which role?",
        options_en=["Sheng", "Dan", "Jing", "Chou"],
        artist="佚名",
    )
    benchmark = load(tmp_path)
    item = benchmark["0001"]
    assert (benchmark.format, benchmark.problems) == ("tco", ())
    assert (item.wording.question, dict(item.options), item.answer) == (QUESTION, OPTIONS, "C")
    assert list(item.wordings) == ["zh-Hans", "en"]
    assert dict(item.wordings["en"].options) == {"A": "Sheng", "B": "Dan", "C": "Jing", "D": "Chou"}
    assert item.extra["artist"] == "佚名"
    assert item.media[0].read() == png(1)


def test_a_question_that_is_neither_written_nor_heard_is_reported_and_the_item_kept(tmp_path: Path) -> None:
    for number in ("0001", "0002"):
        tco_item(tmp_path, number, question="")
        (tmp_path / f"{number}.md").write_text("（A）生\n（B）旦\n（C）净\n（D）丑\n", encoding="utf-8")
    (tmp_path / "0002.mp3").write_bytes(b"ID3")
    benchmark = load(tmp_path)
    assert [item.id for item in benchmark] == ["0001", "0002"]
    assert (codes(benchmark, "0001"), codes(benchmark, "0002")) == (["question_empty"], [])


@pytest.mark.parametrize(
    "translation",
    [
        {"question_en": "Which?", "options_en": {"A": "a", "B": "b", "C": "c", "D": "d"}},
        {"english_question": "Which?", "english_options": ["(A) a", "(B) b", "(C) c", "(D) d"]},
        {"translation": {"en": {"question": "Which?", "options": {"A": "a", "B": "b", "C": "c", "D": "d"}}}},
        {"translations": {"question_en": "Which?", "options_en": ["a", "b", "c", "d"]}},
        {"questionTextEn": "Which?", "A_en": "a", "B_en": "b", "C_en": "c", "D_en": "d"},
        {"question_en": "Which?\n(A) a\n(B) b\n(C) c\n(D) d"},
    ],
)
def test_a_translation_is_found_under_every_alias(tmp_path: Path, translation: dict[str, object]) -> None:
    tco_item(tmp_path, "0001", **translation)
    english = load(tmp_path)["0001"].in_language("en")
    assert (english.question, dict(english.options)) == ("Which?", {"A": "a", "B": "b", "C": "c", "D": "d"})


def test_a_translation_with_other_options_is_reported_and_kept_as_it_is(tmp_path: Path) -> None:
    tco_item(tmp_path, "0001", question_en="Which?", options_en=["a", "b"])
    benchmark = load(tmp_path)
    assert list(benchmark["0001"].wordings) == ["zh-Hans"]
    assert benchmark["0001"].extra["options_en"] == ["a", "b"]
    assert codes(benchmark) == ["translation_incomplete"]


def test_the_files_win_over_the_json(tmp_path: Path) -> None:
    tco_item(tmp_path, "0001", "C")
    (tmp_path / "0001.json").write_text(json.dumps(metadata("0002", "A", "另一个问题？")), encoding="utf-8")
    benchmark = load(tmp_path)
    assert (benchmark["0001"].answer, benchmark["0001"].wording.question) == ("C", QUESTION)
    assert set(codes(benchmark)) == {"json_disagrees"}
    assert not any(problem.left_out for problem in benchmark.problems)


@pytest.mark.parametrize(
    "text",
    ["b ", "b \nc", "b\t\u3000", "b\u200b", "\u200bb", "(A) b", "B. b"],
    ids=["blank at the end", "at a line's end", "tab", "invisible", "invisible before", "a mark", "its own mark"],
)
def test_what_is_written_agrees_with_itself(tmp_path: Path, text: str) -> None:
    wording = Wording("en", f"Which {text}?", {"A": "a", "B": text})
    write(Benchmark("exam", (Item("1", {"en": wording}, "A"),)), tmp_path / "exam", "tco")
    assert "json_disagrees" not in codes(load(tmp_path / "exam"))


def test_a_link_that_leads_to_itself_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    tco_item(tmp_path, "0001")
    (tmp_path / "a.png").symlink_to("b.png")
    (tmp_path / "b.png").symlink_to("a.png")
    benchmark = load(tmp_path)
    assert list(benchmark.ids) == ["0001"]
    assert [(p.file, p.code) for p in benchmark.problems] == [("a.png", "stray_file"), ("b.png", "stray_file")]
    with pytest.raises(BadFile, match=r"a\.png is a link to b\.png, which leads nowhere"):
        load(tmp_path / "a.png")


def test_a_missing_member_is_named_and_n_is_known(tmp_path: Path) -> None:
    """TX-31: 4 items in the folder, 2 usable."""
    whole = {"1.md": md(), "1.txt": "A", "1.png": png(), "4.png": png(), "4.md": md(), "4.txt": "B"}
    lay(tmp_path, {**whole, "2.md": md(), "2.png": png(), "3.txt": "C"})
    benchmark = load(tmp_path)
    assert [item.id for item in benchmark] == ["1", "4"]
    assert codes(benchmark, "2") == ["answer_missing"]
    assert sorted(codes(benchmark, "3")) == ["media_missing", "question_missing"]
    assert {problem.item for problem in benchmark.problems if problem.left_out} == {"2", "3"}


def test_an_item_without_its_picture_stays(tmp_path: Path) -> None:
    benchmark = load(lay(tmp_path, {"1.md": md(), "1.txt": "A"}))
    assert not benchmark["1"].media[0].exists
    assert [(problem.code, problem.left_out) for problem in benchmark.problems] == [("media_missing", False)]


def test_system_files_are_no_items(tmp_path: Path) -> None:
    """PL-01."""
    tco_item(tmp_path, "0001")
    lay(tmp_path, dict.fromkeys([".DS_Store", "._0001.png", "Thumbs.db", "desktop.ini", "__MACOSX/._0001.md"], b"\0"))
    benchmark = load(tmp_path)
    assert ([item.id for item in benchmark], benchmark.problems) == (["0001"], ())


def test_names_that_look_the_same_are_matched_and_reported(tmp_path: Path) -> None:
    """PL-13 and PL-21."""
    decomposed = unicodedata.normalize("NFD", "café")
    files = {"０００１.png": png(), "0001.md": md(), "0001.txt": "A", "café.md": md(), "café.txt": "B"}
    benchmark = load(lay(tmp_path, {**files, f"{decomposed}.png": png(2)}))
    assert all(item.media[0].exists for item in benchmark)
    assert codes(benchmark, "0001") == ["name_width"]
    assert codes(benchmark, "café") == ["unicode_form"]


def test_backslashes_in_paths_are_read_and_not_written(tmp_path: Path) -> None:
    """PL-03."""
    document = metadata("0001", "A") | {"image": "images\\0001.png"}
    lay(
        tmp_path / "in", {"0001.md": md(), "0001.txt": "A", "images/0001.png": png(), "0001.json": json.dumps(document)}
    )
    benchmark = load(tmp_path / "in")
    assert benchmark["0001"].media[0].name == "images/0001.png"
    assert benchmark["0001"].media[0].exists
    write(benchmark, tmp_path / "out", "tco")
    assert json.loads((tmp_path / "out" / "0001.json").read_text(encoding="utf-8"))["image"] == "images/0001.png"


@pytest.mark.parametrize("told", ["../secret.png", "/etc/hostname", "C:\\secret.png", "a/../../secret.png"])
def test_a_path_out_of_the_folder_is_not_followed(tmp_path: Path, told: str) -> None:
    lay(tmp_path, {"secret.png": png()})
    document = json.dumps(metadata("1", "A") | {"image": told})
    benchmark = load(lay(tmp_path / "exam", {"1.md": md(), "1.txt": "A", "1.json": document}))
    assert not benchmark["1"].media[0].exists
    assert "path_escape" in codes(benchmark)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    lay(tmp_path, {"secret.png": png()})
    lay(tmp_path / "exam", {"1.md": md(), "1.txt": "A"})
    (tmp_path / "exam" / "1.png").symlink_to(tmp_path / "secret.png")
    benchmark = load(tmp_path / "exam")
    assert not benchmark["1"].media[0].exists
    assert "path_escape" in codes(benchmark)


def test_splits_and_labels_are_joined(tmp_path: Path) -> None:
    for stem in ("0001", "0002", "0003"):
        tco_item(tmp_path, stem)
    lay(tmp_path, {"train.json": '["0001"]', "val.json": '{"ids": ["0002.json"]}', "test.json": '["0001", "9999"]'})
    lay(tmp_path, {"labels.csv": "id,genre,difficulty\n0001,昆曲,\n0002,京剧,难\n"})
    benchmark = load(tmp_path)
    assert [item.split for item in benchmark] == [None, "val", None]
    assert [dict(item.labels) for item in benchmark] == [{"genre": "昆曲"}, {"genre": "京剧", "difficulty": "难"}, {}]
    assert sorted(codes(benchmark)) == ["labels_missing", "split_misses", "split_overlap", "split_unknown_id"]


def test_one_ambiguous_file_costs_one_item(tmp_path: Path) -> None:
    lay(tmp_path, {"1.md": md(), "1.txt": "A", "1.png": png(), "2.md": b"\xff\xfe\xff", "2.txt": "A", "2.png": png()})
    benchmark = load(tmp_path)
    assert [item.id for item in benchmark] == ["1"]
    assert [(problem.item, problem.left_out) for problem in benchmark.problems] == [("2", True)]


def test_a_big5_folder_is_traditional_even_where_the_characters_do_not_tell(tmp_path: Path) -> None:
    text = "他人在哪里？\n(A) 山上\n(B) 水中\n(C) 家中\n".replace("里", "裡")
    benchmark = load(lay(tmp_path, {"1.md": text.encode("big5"), "1.txt": "A", "1.png": png()}), encoding="big5")
    assert benchmark["1"].wording.language == "zh-Hant"


def test_broken_json_costs_no_item(tmp_path: Path) -> None:
    lay(tmp_path, {"1.md": md(), "1.txt": "A", "1.png": png(), "1.json": "{"})
    assert codes(load(tmp_path)) == ["json_unreadable"]
    (tmp_path / "1.json").write_text("[" * 100_000)
    assert codes(load(tmp_path)) == ["json_unreadable"]


def test_a_folder_comes_out_byte_for_byte(tmp_path: Path) -> None:
    """Unknown keys, key order, marks, line ends, split files, papers, labels: all as they were."""
    tco_item(tmp_path / "in", "0001", "C", question_en="Which?", options_en=["a", "b", "c", "d"], rights={"by": "x"})
    tco_item(tmp_path / "in", "0002", "A\n")
    odd = "\n问题？ \r\n\r\n（A）甲\r\nB、乙　\r\nC. 丙\r\nD: 丁"
    lay(
        tmp_path / "in",
        {"0003.md": odd, "0003.txt": " b", "0003.png": b"no picture", "0003.json": '{"answer":"B","x":[1]}'},
    )
    lay(tmp_path / "in", {"0004.md": "图\n\u200b(A) \uf90a\n(B) 金\n", "0004.txt": "A", "0004.wav": b"RIFF"})
    lists = {
        "train.json": '["0001","0002"]',
        "val.json": "[3]",
        "test.json": '["0004"]',
        "split_metadata.json": '{"seed": 42}',
    }
    lay(tmp_path / "in", {**lists, "README.md": "# TCO\n", "labels.csv": "id,genre\n0001,昆曲\n0002,京剧\n"})
    lay(tmp_path / "in", {"val.json": '["0003"]'})
    benchmark = load(tmp_path / "in")
    assert len(benchmark) == 4
    write(benchmark, tmp_path / "out", "tco")
    assert contents(tmp_path / "out") == contents(tmp_path / "in")
    write(benchmark, tmp_path / "neutral", "jsonl")
    write(load(tmp_path / "neutral"), tmp_path / "again", "tco")
    assert contents(tmp_path / "again") == contents(tmp_path / "in")


def test_a_changed_item_is_written_anew_and_keeps_its_unknown_keys(tmp_path: Path) -> None:
    tco_item(tmp_path / "in", "0001", "C", artist="佚名")
    item = load(tmp_path / "in")["0001"]
    changed = replace(item.wording, question="新的问题？", options={**item.options, "A": "老生"})
    write(Benchmark("b", (replace(item, wordings={"zh-Hans": changed}),)), tmp_path / "out", "tco")
    again = load(tmp_path / "out")["0001"]
    assert (again.wording.question, again.options["A"]) == ("新的问题？", "老生")
    assert again.extra["artist"] == "佚名"


def test_a_selection_lists_only_its_own_items(tmp_path: Path) -> None:
    for stem in ("0001", "0002"):
        tco_item(tmp_path / "in", stem)
    lay(tmp_path / "in", {"train.json": '["0001"]', "test.json": '["0002"]'})
    write(load(tmp_path / "in").select(split="test"), tmp_path / "out", "tco")
    assert sorted(contents(tmp_path / "out")) == ["0002.json", "0002.md", "0002.png", "0002.txt", "test.json"]


def test_what_the_layout_cannot_hold_is_refused(tmp_path: Path) -> None:
    wording = {"en": Wording("en", "Which?", {"A": "a", "B": "b"})}
    pictures = tuple(Medium("image", f"{number}.png", data=png(number)) for number in (1, 2))
    for item in (Item("1", wording, None), Item("1", wording, "A", pictures)):
        with pytest.raises(Misuse, match="item 1"):
            write(Benchmark("b", (item,)), tmp_path / "out", "tco")
        assert not (tmp_path / "out").exists()


def test_ids_that_some_system_cannot_hold_come_back(tmp_path: Path) -> None:
    """PL-05."""
    ids = ["CON", "aux", "NUL.md", "v1.", "a ", "?.md", "a/b", "100%", ".x"]
    wording = {"en": Wording("en", "Which?", {"A": "a", "B": "b"})}
    items = tuple(Item(i, wording, "A", (Medium("image", "x.png", data=png()),)) for i in ids)
    write(Benchmark("b", items), tmp_path / "out", "tco")
    assert {item.id for item in load(tmp_path / "out")} == set(ids)
    for name in contents(tmp_path / "out"):
        assert not set(name) & set('<>:"\\|?*')
        assert name.split(".")[0].upper() not in ("CON", "AUX", "NUL")


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@st.composite
def items(draw: st.DrawFn) -> Item:
    options = dict(zip(LABELS, draw(st.lists(TEXT, min_size=2, max_size=6)), strict=False))
    wordings = {"zh-Hant": Wording("zh-Hant", draw(TEXT), options)}
    if draw(st.booleans()):
        wordings["en"] = Wording("en", draw(TEXT), {label: draw(TEXT) for label in options}, instruction=draw(TEXT))
    media = (Medium("image", "p.png", data=png(draw(st.integers(0, 255)))),)
    labels = draw(st.dictionaries(st.sampled_from(["genre", "题型"]), TEXT))
    extra = draw(st.dictionaries(st.sampled_from(["artist", "年代"]), st.none() | TEXT | st.lists(st.integers())))
    item_id = f"{draw(st.integers(1, 9999)):04d}"
    return Item(
        item_id,
        wordings,
        draw(st.sampled_from(list(options))),
        media,
        labels,
        draw(st.sampled_from(["train", None])),
        extra,
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_every_item_that_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, exam: list[Item]) -> None:
    """Text, options, key, languages, labels, split, extra and media bytes; or the writer refuses."""
    folder = tmp_path_factory.mktemp("exam") / "out"
    try:
        write(Benchmark("b", tuple(exam)), folder, "tco")
    except Misuse as refusal:
        assert "read back differently" in str(refusal)  # noqa: PT017
        return
    again = load(folder)
    for item in exam:
        read = again[item.id]
        assert {tag: (w.question, dict(w.options), w.instruction) for tag, w in read.wordings.items()} == {
            tag: (w.question, dict(w.options), w.instruction) for tag, w in item.wordings.items()
        }
        assert (read.answer, dict(read.labels), read.split) == (item.answer, dict(item.labels), item.split)
        assert {key: value for key, value in read.extra.items() if not key.startswith("_")} == dict(item.extra)
        assert [medium.read() for medium in read.media] == [medium.read() for medium in item.media]


def test_a_thousand_items_load_within_a_second(tmp_path: Path) -> None:
    for number in range(1, 1001):
        tco_item(tmp_path, f"{number:04d}", "ABCD"[number % 4], question_en="Which?", options_en=["a", "b", "c", "d"])
    load(tmp_path)
    began = time.process_time()
    benchmark = load(tmp_path)
    spent = time.process_time() - began
    assert (len(benchmark), benchmark.problems) == (1000, ())
    assert spent < 2  # 0.5 s on one idle core; twice the aim, for a machine that does other things


def test_a_bare_locale_gives_the_same_bytes(tmp_path: Path) -> None:
    """PL-07: nothing depends on the computer's encoding, file names included."""
    tco_item(tmp_path / "脸谱", "0001")
    lay(tmp_path / "脸谱", {"戏.md": md(), "戏.txt": "A", "戏.png": png()})
    script = (
        "import os, sys; from pathlib import Path; from keju.formats import load, write\n"
        "benchmark = load(Path(os.fsdecode(os.fsencode(sys.argv[1]))))\n"
        "write(benchmark, Path(sys.argv[2]), 'tco')"
    )
    source = str(Path(__file__).parents[2] / "src")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": source}
    command = [sys.executable, "-c", script, str(tmp_path / "脸谱"), str(tmp_path / "out")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "脸谱")


def test_nothing_usable_says_why(tmp_path: Path) -> None:
    lay(tmp_path, {"1.md": md(), "1.txt": "E", "1.png": png()})
    with pytest.raises(BadFile, match=r"no usable item as tco:\n  1\.txt: item 1: the answer 'E' is none of"):
        load(tmp_path)


def test_a_question_of_words_alone_stays_one(tmp_path: Path) -> None:
    """`"image": null` in the JSON says that no picture is missing."""
    words = Item("0001", {"en": Wording("en", "Which?", dict(zip("ABCD", "abcd", strict=True)))}, "A")
    write(Benchmark("words", (words,)), tmp_path / "exam", "tco")
    again = load(tmp_path / "exam")
    assert (again.items[0].media, again.problems) == ((), ())
