"""Real failures of other tools' texts (`4-text`), and real benchmarks: what the rules on words make of them.

Not a check's matter, and tested elsewhere: TX-21 (bytes kept by loading), TX-23 (the script variant flags conversions),
TX-25 and TX-27 (cells stay text, options keep their labels), TX-33 (Markdown is put to models as it stands), TX-37
(separators inside options): see tests/test_cases_texts.py and tests/formats.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from text_items import STEM, ZH, item, lay, words_only

import keju
from keju.benchmark import Benchmark
from keju.checks import Finding, Marks
from keju.formats.question_text import parse_options
from keju.items import LABELS, Item, Medium, Wording
from making import png
from real_failures import bug_cases
from scripts import loaded

CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("4-text")}
MARKS = {"gbk": b"", "big5": b"", "utf-16-le with BOM FF FE": b"\xff\xfe"}

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]


def checked(case: dict[str, Any], folder: Path) -> list[Finding]:
    """What is found in a folder of the case's question file, with an answer and a picture beside it."""
    given = case["input"]
    stem = given["file"].removesuffix(".md")
    encoding = given.get("encoding", "utf-8")
    text = MARKS.get(encoding, b"") + given["text"].encode(encoding.split()[0])
    answer = given.get("answer_file", "A")
    files = {given["file"]: text, f"{stem}.txt": answer, f"{stem}.png": png()}
    benchmark = keju.load(lay(folder / "exam", **files))
    return words_only(replace(benchmark, format=None))  # the case is on reading, not on the paper's four options


@pytest.mark.parametrize("name", ["TX-01", "TX-03", "TX-05"])
def test_a_file_in_another_encoding_is_a_warning_that_names_it(name: str, tmp_path: Path) -> None:
    (found,) = checked(CASES[name], tmp_path)
    named = {"gbk": "gb18030"}.get(CASES[name]["input"]["encoding"].split("-le")[0], CASES[name]["input"]["encoding"])
    assert (found.code, found.severity) == ("F201", "warning")
    assert named.split("-le")[0] in found.message
    assert found.file == CASES[name]["input"]["file"]


@pytest.mark.parametrize("name", ["TX-07", "TX-09", "TX-11", "TX-13", "TX-15"])
def test_a_layout_that_can_be_read_is_no_fault(name: str, tmp_path: Path) -> None:
    assert {found.severity for found in checked(CASES[name], tmp_path)} <= {"note"}


@pytest.mark.parametrize("name", ["TX-07", "TX-09", "TX-11", "TX-15"])
def test_the_papers_script_would_misread_these_and_its_profile_says_so(name: str, tmp_path: Path) -> None:
    given = CASES[name]["input"]
    folder = lay(tmp_path / "exam", **{"0001.md": given["text"], "0001.txt": "A", "0001.png": png()})
    assert {(found.code, found.severity) for found in words_only(keju.load(folder))} == {("F207", "note")}


def test_tx_13_five_options_are_an_error_where_the_profile_fixes_four(tmp_path: Path) -> None:
    given = CASES["TX-13"]["input"]
    folder = lay(tmp_path / "exam", **{"0001.md": given["text"], "0001.txt": "E", "0001.png": png()})
    assert [(found.code, found.severity) for found in words_only(keju.load(folder))] == [("Q102", "error")]


def test_tx_17_answer_files_are_graded_as_the_case_says(tmp_path: Path) -> None:
    case = CASES["TX-17"]
    for number, (text, expected) in enumerate(
        zip(case["input"]["answer_files"], case["expected"]["validation"], strict=True)
    ):
        options = "\n".join(f"({label}) {option}" for label, option in case["options"].items())
        files = {
            "1.md": f"{STEM}\n{options}\n",
            "1.txt": text,
            "1.png": png(),
            "2.md": f"谁？\n{options}\n",
            "2.txt": "A",
        }
        found = words_only(keju.load(lay(tmp_path / str(number), **files, **{"2.png": png(2)}), format="tco"))
        graver = {each.severity for each in found if each.item == "1"} - {"note"}
        assert (graver.pop() if graver else "ok") in expected, (text, [str(each.message) for each in found])


def test_tx_19_invisible_characters_are_a_warning_with_their_place(tmp_path: Path) -> None:
    found = checked(CASES["TX-19"], tmp_path)
    assert {(each.code, each.severity) for each in found} == {("L303", "warning")}
    assert {each.place for each in found} == {"0001.md:2", "0001.txt:1"}


def test_tx_29_options_that_name_others_are_found() -> None:
    found = words_only(Benchmark("made", (item(options=CASES["TX-29"]["input"]["options"], answer="A"),)))
    assert Counter(each.code for each in found) == {"Q303": 2}


def test_tx_31_members_that_are_not_there_are_errors(tmp_path: Path) -> None:
    content = {"md": f"{STEM}\n(A) 生\n(B) 旦\n(C) 净\n(D) 丑\n", "txt": "A", "png": png()}
    files = {name: content[name.split(".")[1]] for name in CASES["TX-31"]["input"]["folder"]}
    found = words_only(keju.load(lay(tmp_path / "exam", **files), format="tco"))
    errors = {(each.code, each.item) for each in found if each.severity == "error"}
    assert {("F102", "2"), ("F101", "3"), ("F103", "3")} <= errors
    assert not {each for each in errors if each[1] in ("1", "4")} - {("Q501", "4")}


def test_tx_35_a_translation_out_of_step_is_told_by_the_glossary_of_the_others() -> None:
    given = CASES["TX-35"]["input"]
    zh, glossary = given["zh"]["options"], given["glossary"]
    right = {label: glossary[text] for label, text in zh.items()}
    pairs = [item(str(n), f"第{n}题的角色？", zh, "A", en=(f"Role {n}?", right)) for n in range(1, 4)]
    pairs.append(item("9", "第9题的角色？", zh, "A", en=("Role 9?", given["en"]["options"])))
    (found,) = [each for each in words_only(Benchmark("pairs", tuple(pairs))) if each.code == "L207"]
    assert (found.item, found.severity) == ("9", "warning")
    assert all(label in found.message for label in CASES["TX-35"]["expected"]["labels"])


def test_tx_39_a_question_that_gives_its_answer_away_shows_in_a_blind_run() -> None:
    given, expected = CASES["TX-39"]["input"]["runs"], CASES["TX-39"]["expected"]["report"]
    items = tuple(item(f"{n:03d}", f"第{n}题是谁？", media=(Medium("image", f"{n}.png"),)) for n in range(100))
    right = {
        run: {each.id: place < given[run]["correct"] for place, each in enumerate(items)}
        for run in ("with_media", "without_media")
    }
    found = words_only(Benchmark("made", items), Marks(right, blind=frozenset({"without_media"})))
    (told,) = [each for each in found if each.code == "S202"]
    assert told.measured["accuracy"] == expected["text_only_accuracy"]
    assert told.measured["best"] - told.measured["accuracy"] == pytest.approx(expected["gain_from_media"])


# Real benchmarks


def counts(benchmark: Benchmark, *severities: str) -> Counter[str]:
    return Counter(found.code for found in words_only(benchmark) if found.severity in severities or not severities)


def test_the_demo_is_clean() -> None:
    assert counts(keju.load("teahouse"), "error", "warning") == {}


def test_real_multi_tw_lacks_its_media_and_holds_one_simplified_character(shared: Path) -> None:
    found = words_only(keju.load(shared / "data/multi-tw/items.json"))
    grave = [each for each in found if each.severity != "note"]
    assert Counter(each.code for each in grave) == {"F103": 396, "L101": 1}
    (character,) = [each for each in grave if each.code == "L101"]
    assert (character.item, character.measured["characters"]) == ("03-R-B-P2-023", "帅")
    assert character.line is not None


def test_real_mmau_has_one_item_with_two_equal_options_and_five_that_name_their_answer(shared: Path) -> None:
    rows = json.loads((shared / "data/mmau/mmau-test-mini.subset.json").read_text(encoding="utf-8"))
    found = words_only(Benchmark("mmau", tuple(map(_of_mmau, rows))))
    assert Counter(each.code for each in found) == {"Q301": 1, "Q304": 5, "Q402": 1}
    (twice,) = [each for each in found if each.code == "Q301"]
    assert "both read 'eight'" in twice.message


def _of_mmau(row: dict[str, Any]) -> Item:
    options = dict(zip(LABELS, row["choices"], strict=False))
    key = next(label for label, text in options.items() if text == row["answer"])
    return Item(row["id"], {"en": Wording("en", row["question"], options)}, key, (Medium("audio", row["audio_id"]),))


def test_real_pairs_of_logiqa_show_their_broken_marks_and_untranslated_options(shared: Path) -> None:
    lines = (shared / "data/bilingual-logiqa/pairs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    found = words_only(Benchmark("logiqa", tuple(map(_of_logiqa, rows))))
    broken = {f"{row['n']:04d}" for row in rows if any(not text.startswith("(") for text in row["en"]["options"])}
    assert {each.item for each in found if each.code == "Q305"} == broken
    assert [(each.item, each.code) for each in found if each.code == "L103"] == [("0002", "L103")] * 2
    assert {each.code for each in found} == {"L103", "L205", "L301", "L302", "L307", "Q305", "Q401"}


def _of_logiqa(row: dict[str, Any]) -> Item:
    wordings = {}
    for tag, side in (("zh-Hans", row["zh"]), ("en", row["en"])):
        parsed = parse_options(side["options"])
        options = parsed.options if parsed else dict(zip(LABELS, side["options"], strict=False))
        wordings[tag] = Wording(tag, f"{side['passage'] or ''}\n{side['question']}", options)
    return Item(f"{row['n']:04d}", wordings, row["zh"]["label"])


def test_real_cmmlu_shows_its_traditional_characters_and_little_else(shared: Path) -> None:
    items: list[Item] = []
    for file in sorted((shared / "data/cmmlu/dev").glob("*.csv")):
        items += [replace(each, id=f"{file.stem}-{each.id}") for each in keju.load(file)]
    found = words_only(Benchmark("cmmlu", tuple(items)))
    assert len(items) == 335
    assert Counter(each.code for each in found) == {"L102": 8, "L307": 1, "Q303": 5, "Q401": 1}
    assert {each.item for each in found if each.code == "L102"} == {"ancient_chinese-2", "ancient_chinese-3"}


def test_real_gaokao_is_told_of_what_its_example_left_out(shared: Path) -> None:
    problems: list[Any] = []
    items = tuple(loaded("examples/gaokao_mm.py").items_in(shared / "data/gaokao-mm", problems))
    found = counts(Benchmark("gaokao", items, problems=tuple(problems)), "error", "warning")
    assert found == {"F001": sum(problem.left_out for problem in problems), "L307": 3, "S104": 1}


def test_each_real_file_in_another_encoding_is_named_as_its_truth_says(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/text-encodings"
    for name, truth in json.loads((folder / "truth.json").read_text(encoding="utf-8")).items():
        options = "\n".join(f"({label}) {text}" for label, text in ZH.items())
        files = {"0001.md": f"{STEM}\n{options}\n", "0001.txt": "A\n", "0001.png": png()}
        exam = lay(tmp_path / name, **files, **{"README.txt": (folder / name).read_bytes()})
        (found,) = words_only(keju.load(exam))
        assert found.file == "README.txt"
        if truth["encoding"] == "utf-8-sig":
            assert found.code == "F202"
        else:
            assert found.code == "F201"
            assert f"read as {truth['encoding']}" in found.message
