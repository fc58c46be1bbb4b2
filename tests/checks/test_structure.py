"""Rules F, and all that readers meet: each remark is a finding of one rule, at its place, in both languages."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from text_items import STEM, codes, findings, item, lay, speaks_both, words_only

import keju
from keju import formats
from keju.benchmark import Benchmark, Problem
from keju.checks import RULES, Finding
from keju.checks.problems import RULE_OF
from keju.formats.encodings import Decoded
from keju.formats.tco_item import ANSWER_FAULTS
from making import png

MD = f"{STEM}\n(A) 生\n(B) 旦\n(C) 净\n(D) 丑\n"
METADATA = {"id": "0001", "image": "0001.png", "answer": "C"}


def folder(path: Path, **files: str | bytes) -> Path:
    """A TCO folder of two sound items and these files."""
    sound = {"_0001_md": MD, "_0001_txt": "C\n", "_0001_png": png(1)}
    sound |= {"_0002_md": MD.replace("图中", "右侧"), "_0002_txt": "A\n", "_0002_png": png(2)}
    return lay(path, **(sound | files))


def tco(path: Path, **files: str | bytes) -> list[Finding]:
    return words_only(formats.load(folder(path, **files), format="tco", faulty=True))


def row(item_id: str = "01-L-A-P1-001", **changes: object) -> dict[str, object]:
    given = {"id": item_id, "image": "images/1.png", "audio": None, "question": "他們在哪裡？"}
    given |= {
        "instruction": "圖片理解",
        "options": ["（A）銀行", "（B）教室", "（C）郵局"],
        "answer": "B",
    }
    return given | changes


def multi_tw(path: Path, *rows: object) -> list[Finding]:
    (path / "images").mkdir(parents=True)
    (path / "images/1.png").write_bytes(png(1))
    (path / "items.json").write_text(json.dumps([row(), *rows], ensure_ascii=False, indent=1), encoding="utf-8")
    return words_only(keju.load(path))


def sheet(path: Path, text: str) -> list[Finding]:
    path.mkdir(exist_ok=True)
    (path / "sheet.csv").write_text(text, encoding="utf-8")
    return words_only(keju.load(path / "sheet.csv"))


HEAD = "id,question,A,B,answer\n"
TRANSLATED = {"question_text_en": "Which role?", "options_en": {"A": "a", "B": "b"}}
MET: dict[str, tuple[str, str | None, Callable[[Path], list[Finding]]]] = {
    # what is met → rule, file, how
    "no question": ("F101", "0003.txt", lambda p: tco(p, _0003_txt="A", _0003_png=png(3))),
    "no answer": ("F102", "0003.md", lambda p: tco(p, _0003_md=MD, _0003_png=png(3))),
    "no picture": ("F103", "0003.md", lambda p: tco(p, _0003_md=MD, _0003_txt="A")),
    "two pictures": ("F104", "0001.jpg", lambda p: tco(p, _0001_jpg=png(4))),
    "a stray file": ("F105", "notes.docx", lambda p: tco(p, notes_docx="x")),
    "a file of the system": ("F106", "Thumbs.db", lambda p: tco(p, Thumbs_db=b"x")),
    "a picture out of the folder": (
        "F109",
        "items.json",
        lambda p: multi_tw(p, row("01-L-A-P1-002", image="../../1.png")),
    ),
    "a date in a cell": ("F111", "sheet.csv", lambda p: sheet(p, f"{HEAD}1,q,x,y,A\n2,q,x,y,B,z\n")),
    "a row without id": ("F112", "sheet.csv", lambda p: sheet(p, f"{HEAD}1,q,x,y,A\n,q,x,y,A\n")),
    "a full-width name": ("F113", "０００３.txt", lambda p: tco(p, _0003_md=MD, **{"０００３_txt": "A"})),
    "a path of Windows": (
        "F114",
        "0001.json",
        lambda p: tco(p, _0001_json=json.dumps(METADATA | {"image": ".\\0001.png"})),
    ),
    "None as a text": ("F115", "items.json", lambda p: multi_tw(p, row("01-L-A-P1-002", audio="None"))),
    "GBK": ("F201", "0001.md", lambda p: tco(p, _0001_md=MD.encode("gb18030"))),
    "BOM": ("F202", "0001.md", lambda p: tco(p, _0001_md=MD.encode("utf-8-sig"))),
    "two encodings in one file": (
        "F203",
        "0001.md",
        lambda p: tco(p, _0001_md=MD.encode() + "舞台上的年轻演员".encode("gb18030")),
    ),
    "two encodings fit": ("F204", "0001.md", lambda p: tco(p, _0001_md="为".encode("gb18030") * 2)),
    "Windows line ends": ("F205", "0001.txt", lambda p: tco(p, _0001_txt="C\r\n")),
    "blanks at a line's end": ("F206", "0001.md", lambda p: tco(p, _0001_md=MD.replace("旦", "旦  "))),
    "a question of two lines": ("F207", "0001.md", lambda p: tco(p, _0001_md=f"看图。\n{MD}")),
    "one id twice": ("F301", "items.json", lambda p: multi_tw(p, row())),
    "an id of another form": ("F302", "items.json", lambda p: multi_tw(p, row("1_L_A_1_1"))),
    "an id that is no number": ("F303", "x7.md", lambda p: tco(p, x7_md=MD, x7_txt="A", x7_png=png(3))),
    "a number is missing": (
        "F305",
        None,
        lambda p: tco(p, _0004_md=MD.replace("图", "戏"), _0004_txt="A", _0004_png=png(4)),
    ),
    "JSON disagrees": ("F401", "0001.json", lambda p: tco(p, _0001_json=json.dumps(METADATA | {"answer": "B"}))),
    "JSON is broken": ("F402", "0001.json", lambda p: tco(p, _0001_json="{")),
    "labels for one item only": ("F403", "labels.csv", lambda p: tco(p, labels_csv="id,genre\n0001,京剧\n")),
    "labels of a stranger": ("F405", "labels.csv", lambda p: tco(p, labels_csv="id,genre\n0001,京剧\n0009,京剧\n")),
    "labels twice": ("F405", "labels.csv", lambda p: tco(p, labels_csv="id,genre\n0001,京剧\n0001,昆曲\n")),
    "an unknown task": ("F404", "items.json", lambda p: multi_tw(p, row("01-L-A-P1-002", instruction="嗯嗯"))),
    "a split that is no list": ("F501", "train.json", lambda p: tco(p, train_json="{}")),
    "a split lists a stranger": ("F502", "train.json", lambda p: tco(p, train_json='["0001", "0002", "0009"]')),
    "two splits share an item": (
        "F503",
        "0001.md",
        lambda p: tco(p, train_json='["0001", "0002"]', test_json='["0001"]'),
    ),
    "no split lists an item": ("F504", None, lambda p: tco(p, train_json='["0001"]')),
    "the metadata count otherwise": (
        "F505",
        "split_metadata.json",
        lambda p: tco(p, train_json='["0001", "0002"]', **{"split_metadata.json": '{"sizes": {"train": 3}}'}),
    ),
    "options cannot be told": ("Q105", "0001.md", lambda p: tco(p, _0001_md="图中是谁？")),
    "text after the options": ("Q106", "0001.md", lambda p: tco(p, _0001_md=f"{MD}\n解析：红脸忠义。")),
    "options in another order": (
        "Q107",
        "0001.md",
        lambda p: tco(p, _0001_md=f"{STEM}\n(A) 生\n(C) 净\n(B) 旦\n(D) 丑\n"),
    ),
    "an empty answer": ("Q201", "0001.txt", lambda p: tco(p, _0001_txt="")),
    "an answer that is not offered": ("Q202", "0001.txt", lambda p: tco(p, _0001_txt="E")),
    "two answers": ("Q203", "0001.txt", lambda p: tco(p, _0001_txt="CD")),
    "a small letter": ("Q205", "0001.txt", lambda p: tco(p, _0001_txt="c")),
    "half a translation": (
        "L202",
        "0001.json",
        lambda p: tco(p, _0001_json=json.dumps(METADATA | TRANSLATED)),
    ),
    "zero-width spaces": ("L303", "0001.md", lambda p: tco(p, _0001_md=MD.replace("旦", "旦\u200b"))),
}


@pytest.mark.parametrize("name", MET)
def test_what_a_reader_meets_is_found_at_its_place(name: str, tmp_path: Path) -> None:
    code, file, made = MET[name]
    found = made(tmp_path / "exam")
    (first, *_) = [finding for finding in found if finding.code == code] or pytest.fail(
        f"{code} is not in {[(each.code, str(each.message)) for each in found]}"
    )
    assert first.file == file
    assert all(speaks_both(finding) for finding in found), [(f.code, f.message.zh) for f in found if not speaks_both(f)]


def test_a_sound_folder_has_no_findings(tmp_path: Path) -> None:
    assert tco(tmp_path / "tco", _0001_json=json.dumps(METADATA)) == []
    assert multi_tw(tmp_path / "multi-tw") == []


def test_every_rule_on_files_is_tried() -> None:
    elsewhere = {
        "F000",  # tests/checks/test_measuring.py
        "F001",
        "F107",
        "F108",
        "F110",
        "F116",
        "F304",
        "F306",
        "F506",
    }
    tried = {code for code, _, _ in MET.values() if code.startswith("F")}
    assert tried | elsewhere == {code for code in RULES if code.startswith("F")}


def test_every_code_that_a_reader_knows_has_a_rule() -> None:
    known = {str(Decoded("", encoding).code) for encoding in ("gb18030", "utf-8-sig")} | ANSWER_FAULTS.keys()
    known = known.union(*(_codes_in(path) for path in Path(formats.__file__).parent.glob("*.py")))
    of_writers = {"name_changed", "option_reads_missing", "cell_cut", "options_numbers", "wordings_lost", "not_kept"}
    assert {"encoding_not_utf8", "answer_several", "json_disagrees", "duplicate_id", "media_missing"} <= known
    assert known - of_writers <= RULE_OF.keys()
    assert set(RULE_OF.values()) <= RULES.keys()


def _codes_in(path: Path) -> set[str]:
    """The texts that look like codes and stand where codes do: in a call, or before their message in a pair."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[object] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = {"Problem": 1, "LeftOutError": 0, "_LeftOutError": 0, "EncodingUnclear": 2, "Found": 1}.get(name)
            if place is not None and len(node.args) > place:
                found |= {part.value for part in ast.walk(node.args[place]) if isinstance(part, ast.Constant)}
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[1], ast.Call | ast.Name):
            found |= {part.value for part in ast.walk(node.elts[0]) if isinstance(part, ast.Constant)}
    return {str(code) for code in found if re.fullmatch("[a-z]+(_[a-z0-9]+)+", str(code))}


def test_a_remark_that_no_rule_knows_is_not_lost() -> None:
    told = Problem("0001", "some_new_thing", "is odd", "0001.md", 3)
    (found,) = findings(item(), problems=(told,))
    assert (found.code, found.place, found.severity) == ("F001", "0001.md:3", "warning")
    assert "is odd" in found.message.zh


def test_a_remark_that_cost_an_item_is_an_error() -> None:
    lost = Problem("0002", "encoding_unknown", "is unreadable", "0002.json")
    odd = Problem("0001", "answer_form", "is odd", left_out=True)
    kept, left_out = findings(item(), problems=(lost, odd))
    assert (kept.code, kept.severity) == ("F203", "error")
    assert (left_out.code, left_out.severity) == ("Q205", "error")
    assert RULES["Q205"].severity == "warning"


def test_mixed_encodings_are_named_with_their_lines(tmp_path: Path) -> None:
    found = tco(tmp_path / "exam", _0001_md=MD.encode() + "舞台上的年轻演员".encode("gb18030"))
    (mixed,) = [finding for finding in found if finding.code == "F203"]
    assert "line 1 is utf-8, line 6 is gb18030" in mixed.message
    assert mixed.severity == "error"


def test_a_list_of_one_worksheet_and_rows_passed_over_are_noted() -> None:
    told = (
        Problem(None, "sheet_ignored", "…"),
        Problem(None, "rows_filtered", "…"),
        Problem(None, "file_unreadable", "…"),
    )
    assert codes(item(), problems=told) == ["F108", "F110", "F116"]


def test_ids_are_compared_as_people_read_them() -> None:
    assert codes(item("a1"), item("A1", "谁？")) == ["F306"]
    assert codes(item("opera/1")) == ["F304"]
    assert codes(item("a1"), item("a2", "谁？")) == []


def test_gaps_are_told_where_a_series_is_numbered_and_left_alone_elsewhere() -> None:
    def gaps(*ids: str, lost: str = "") -> list[str]:
        problems = (Problem(lost, "answer_missing", "…", left_out=True),) if lost else ()
        made = [item(item_id, f"第{n}题是谁？") for n, item_id in enumerate(ids)]
        return [str(found.message) for found in findings(*made, problems=problems) if found.code == "F305"]

    assert gaps("0001", "0002", "0004") == ["between 0001 and 0004 there is no 0003"]
    assert gaps("0001", "0002", "0004", lost="0003") == [], "an item that was left out is no gap"
    assert gaps("7", "1923", "88041") == [], "random numbers are no series"
    assert gaps("01-L-A-P1-001", "01-L-A-P1-002", "01-L-B-P1-004", "01-L-B-P1-005") == [], (
        "each part has its own series"
    )


def test_a_picture_that_no_item_uses_is_noted(tmp_path: Path) -> None:
    multi_tw(tmp_path / "exam")
    (tmp_path / "exam/images/2.png").write_bytes(png(2))
    (found,) = words_only(keju.load(tmp_path / "exam"))
    assert (found.code, found.file, found.severity) == ("F107", "images/2.png", "note")


def test_an_item_without_split_beside_others_is_found() -> None:
    assert codes(item("1", split="test"), item("2", "谁？")) == ["F506"]
    assert codes(item("1"), item("2", "谁？")) == []


def test_findings_stand_in_the_order_of_the_files(tmp_path: Path) -> None:
    files = {f"_{n}_{kind}": text for n in (10, 2, 1) for kind, text in (("md", MD + "\n\n解析"), ("txt", "c"))}
    found = words_only(keju.load(lay(tmp_path / "exam", **files), format="tco"))
    assert [each.file for each in found if each.code == "Q205"] == ["1.txt", "2.txt", "10.txt"]
    assert [each.file for each in found if each.file] == sorted(
        (each.file for each in found if each.file), key=lambda name: (int(name.split(".")[0]), name)
    )


def test_an_item_of_json_lines_is_told_by_its_line(tmp_path: Path) -> None:
    made = Benchmark("made", (item("1"), item("2", "右侧（角色是谁？"), item("3", "谁？")))
    formats.write(made, tmp_path / "out", "jsonl")
    (found,) = words_only(keju.load(tmp_path / "out"))
    assert (found.code, found.place) == ("L307", "items.jsonl:2")


def test_an_item_of_a_list_or_a_sheet_is_told_by_its_line(tmp_path: Path) -> None:
    found = multi_tw(tmp_path / "list", row("01-L-A-P1-002", question="（他們在哪裡？"))
    assert [each.place for each in found if each.code == "L307"] == ["items.json:16"]
    (found,) = sheet(tmp_path, f"{HEAD}1,谁在唱？,青衣,花脸,A\n2,（谁在念？,青衣,花脸,A\n")
    assert found.place == "sheet.csv:3"


def test_the_face_of_keju_checks() -> None:
    assert [found.code for found in keju.check(Benchmark("made", (item(question=""),)))] == ["Q101"]


@pytest.mark.parametrize("code", RULES)
def test_a_rule_explains_itself_in_both_languages(code: str) -> None:
    rule = RULES[code]
    assert rule.code[0] in "FQIALS"
    assert rule.name == rule.name.lower()
    assert rule.title.zh != rule.title
    assert rule.why.zh != rule.why
    assert rule.good
    assert rule.bad


def test_names_of_rules_are_different() -> None:
    assert len({rule.name for rule in RULES.values()}) == len(RULES)
