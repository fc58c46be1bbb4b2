"""Any table becomes a benchmark by a mapping; what cannot be used is named, and nothing outside the folder is read."""

from __future__ import annotations

import base64
import csv
import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from exam_folders import lay, png
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju.benchmark import Benchmark, Stream
from keju.cli import main
from keju.errors import BadFile, Misuse
from keju.formats import load, write
from keju.formats import mapped as mapped_reader
from keju.formats import parquet as own_parquet
from keju.formats.mapping import ANSWERS, SHIPPED, load_mapping
from keju.items import Medium
from keju.phrase import in_chinese
from making import wav
from servers.hub import Hub, serving

PICTURE, OTHER, CLIP = png(1), png(2), wav()
OWN = """
id = "{编号}"
question = "{题目}"
options = ["{甲}", "{乙}", "{丙}", "{丁}"]
answer = "{答案}"
"""


def mapping(tmp_path: Path, text: str) -> Path:
    (tmp_path / "my.toml").write_text(text, encoding="utf-8")
    return tmp_path / "my.toml"


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def parquet(path: Path, *rows: dict[str, Any]) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def table(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def seen(benchmark: Benchmark) -> dict[str, tuple[str, list[str], str | None]]:
    return {item.id: (item.wording.question, list(item.options.values()), item.answer) for item in benchmark}


def codes(benchmark: Benchmark) -> list[str]:
    return [problem.code for problem in benchmark.problems]


def test_a_sheet_of_ones_own_needs_five_lines(tmp_path: Path) -> None:
    row = {"编号": "0001", "题目": "谁抹白脸？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    file = table(tmp_path / "a.csv", row, row | {"编号": "0002", "丙": "None", "答案": "C"})
    benchmark = load(file, mapping=mapping(tmp_path, OWN))
    assert seen(benchmark) == {
        "0001": ("谁抹白脸？", ["关羽", "曹操"], "B"),
        "0002": ("谁抹白脸？", ["关羽", "曹操", "None"], "C"),
    }
    assert (benchmark.problems, benchmark.items[0].wording.language) == ((), "zh-Hans")


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        (["红", "黑", "白"], ["红", "黑", "白"]),
        (["(A) 红", "(B) 黑"], ["红", "黑"]),
        (["(1) red", "(2) black"], ["red", "black"]),
        (["B. red", "A. black"], ["B. red", "A. black"]),
        ({"B": "黑", "A": "红", "C": None}, ["红", "黑"]),
        ({"text": "红", "other": "黑"}, ["红", "黑"]),
        ('["红", "黑"]', ["红", "黑"]),
        ("['it\\'s red', \"black\"]", ["it's red", "black"]),
        ("A. 红\nB. 黑", ["红", "黑"]),
        ("红\n黑", ["红", "黑"]),
        ("A. 红 B. 黑", ["红", "黑"]),
        ([1, 2.0, 0.5], ["1", "2", "0.5"]),
        (["NA", "", "None"], ["NA", "", "None"]),
    ],
)
def test_options_in_one_cell(tmp_path: Path, cell: Any, options: list[str]) -> None:
    text = 'id = "{n}"\nquestion = "{q}"\noptions = "{o}"\nanswer = "{k}"'
    file = jsonl(tmp_path / "a.jsonl", {"n": 1, "q": "?", "o": cell, "k": "A"})
    assert seen(load(file, mapping=mapping(tmp_path, text))) == {"1": ("?", options, "A")}


def test_options_by_a_separator_and_within_the_question(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", {"n": 1, "q": "哪个？\nA. 生\nB. 旦", "o": "生|旦", "k": "B"})
    apart = 'id = "{n}"\nquestion = "{q}"\noptions = "{o}"\nseparator = "|"\nanswer = "{k}"'
    assert list(load(file, mapping=mapping(tmp_path, apart)).items[0].options.values()) == ["生", "旦"]
    within = 'id = "{n}"\nquestion = "{q}"\nanswer = "{k}"'
    assert seen(load(file, mapping=mapping(tmp_path, within))) == {"1": ("哪个？", ["生", "旦"], "B")}


@pytest.mark.parametrize(
    ("form", "cell", "answer"),
    [
        ("letter", "C", "C"),
        ("letter", ["C"], "C"),
        ("letter", "(c)", "C"),
        ("text", "2", "B"),
        ("text", " TWO ", "C"),
        ("number from 0", 0, "A"),
        ("number from 0", 2.0, "C"),
        ("number from 1", "2", "B"),
        ("mark", "(3)", "C"),
        ("mark", "A", "A"),
    ],
)
def test_answers_by_letter_text_or_number(tmp_path: Path, form: str, cell: Any, answer: str) -> None:
    text = f'id = "{{n}}"\nquestion = "{{q}}"\noptions = "{{o}}"\nanswer = "{{k}}"\nanswer_is = "{form}"'
    file = jsonl(tmp_path / "a.jsonl", {"n": 1, "q": "?", "o": ["1", "2", "two"], "k": cell})
    assert load(file, mapping=mapping(tmp_path, text)).items[0].answer == answer


@pytest.mark.parametrize(
    ("form", "cell", "code"),
    [
        ("letter", "", "answer_empty"),
        ("letter", "1", "answer_not_offered"),
        ("letter", ["A", "B"], "answer_several"),
        ("letter", "AB", "answer_several"),
        ("number from 0", 3, "answer_not_offered"),
        ("number from 1", 0, "answer_not_offered"),
        ("number from 1", -1, "answer_not_offered"),
        ("text", "x", "answer_several"),
        ("text", "z", "answer_not_offered"),
    ],
)
def test_an_answer_is_never_guessed(tmp_path: Path, form: str, cell: Any, code: str) -> None:
    text = f'id = "{{n}}"\nquestion = "{{q}}"\noptions = "{{o}}"\nanswer = "{{k}}"\nanswer_is = "{form}"'
    good = {"n": 0, "q": "?", "o": ["x", "y"], "k": {"letter": "A", "text": "x"}.get(form, 1)}
    file = jsonl(tmp_path / "a.jsonl", good, {"n": 1, "q": "?", "o": ["x", "x", "y"], "k": cell})
    benchmark = load(file, mapping=mapping(tmp_path, text))
    assert [(p.item, p.code, p.line, p.left_out) for p in benchmark.problems] == [("1", code, 2, True)]
    assert [item.id for item in benchmark] == ["0"]
    assert in_chinese(benchmark.problems[0].message) != benchmark.problems[0].message


def test_media_by_path_bytes_struct_list_base64_and_data_uri(tmp_path: Path) -> None:
    (tmp_path / "pics").mkdir()
    (tmp_path / "pics" / "a.png").write_bytes(PICTURE)
    coded = base64.b64encode(OTHER).decode()
    text = 'id = "{n}"\nquestion = "{q}"\noptions = "{o}"\nimage = ["{i}", "{j?}"]\naudio = "{c?}"\n'
    text += 'media_folders = ["pics"]'
    row = {"q": "?", "o": ["x", "y"]}
    rows = [
        row | {"n": 1, "i": "a.png"},
        row | {"n": 2, "i": "pics/a.png", "j": coded},
        row | {"n": 3, "i": ["a.png", f"data:image/png;base64,{coded}"]},
        row | {"n": 4, "i": "['a.png', 'pics/a.png']", "c": {"bytes": None, "path": "pics/a.png"}},
    ]
    benchmark = load(jsonl(tmp_path / "a.jsonl", *rows), mapping=mapping(tmp_path, text))
    assert benchmark.problems == ()
    assert [[m.read() for m in item.media] for item in benchmark] == [
        [PICTURE],
        [PICTURE, OTHER],
        [PICTURE, OTHER],
        [PICTURE, PICTURE, PICTURE],
    ]
    assert [m.kind for m in benchmark["4"].media] == ["image", "image", "audio"]
    held = {"bytes": PICTURE, "path": "x.png"}
    file = parquet(
        tmp_path / "b.parquet",
        row | {"n": 1, "i": held, "j": OTHER, "c": {"bytes": CLIP, "path": None}},
        row | {"n": 2, "i": held | {"bytes": OTHER}, "j": None, "c": None},
    )
    held_inside = load(file, mapping=mapping(tmp_path, text))
    assert [[(m.name, m.read()) for m in item.media] for item in held_inside] == [
        [("x.png", PICTURE), ("1.png", OTHER), ("1.wav", CLIP)],
        [("x-2.png", OTHER)],
    ]
    write(held_inside, tmp_path / "out", "jsonl")
    assert load(tmp_path / "out").fingerprint == held_inside.fingerprint


def test_nothing_outside_the_folder_and_nothing_from_the_network_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(PICTURE)
    text = 'id = "{n}"\nquestion = "{q}"\noptions = "{o}"\nimage = "{i}"\nmedia_folders = [".."]'
    paths = [
        "../secret.png",
        str(tmp_path / "secret.png"),
        "https://example.org/a.png",
        "secret.png",
        "data:,x;base64,%%",
    ]
    rows = [{"n": n, "q": "?", "o": ["x", "y"], "i": path} for n, path in enumerate(paths)]
    benchmark = load(jsonl(tmp_path / "set" / "a.jsonl", *rows), mapping=mapping(tmp_path, text))
    assert not any(medium.exists for item in benchmark for medium in item.media)
    assert codes(benchmark) == ["path_escape", "path_escape", "media_missing", "path_escape", "media_missing"]
    assert "nothing is fetched" in benchmark.problems[2].message


def test_nested_places_alternatives_and_templates(tmp_path: Path) -> None:
    text = """
id = "{meta.ids[1]}"
question = "{meta.hint}\\nNo. {n}: {q}"
options = "{choices[*].text}"
answer = "{solution|key}"
labels = { topic = "{a.b}", kinds = "{kinds}", year = "{meta.year?}" }
extra = ["steps"]
"""
    rows = [
        {
            "meta": '{"ids": ["x", "y1"], "hint": "Look."}',
            "n": 1.0,
            "q": "Which?",
            "choices": [{"text": "p"}, {"text": "q"}],
            "key": "B",
            "a.b": "faces",
            "kinds": "['red', 'black']",
            "steps": [1, {"s": None}],
            "solution": None,
        },
        {"meta": {"ids": ["x", "y2"]}, "n": 2, "q": "Who?", "choices": [{"text": "p"}, {"text": "q"}], "solution": "A"},
    ]
    benchmark = load(jsonl(tmp_path / "a.jsonl", *rows), mapping=mapping(tmp_path, text))
    assert seen(benchmark) == {
        "y1": ("Look.\nNo. 1: Which?", ["p", "q"], "B"),
        "y2": ("No. 2: Who?", ["p", "q"], "A"),
    }
    assert benchmark["y1"].labels == {"topic": "faces", "kinds": "red, black"}
    assert benchmark["y1"].extra == {"steps": [1, {"s": None}]}


def test_wordings_by_language(tmp_path: Path) -> None:
    text = """
id = "{n}"
question = { zh-Hant = "{q}", en = "{q_en}" }
options = { zh-Hant = "{o}", en = ["{a}", "{b}"] }
instruction = { en = "{say}" }
answer = "{k}"
"""
    row = {
        "n": 1,
        "q": "哪一個？",
        "q_en": "Which?",
        "o": ["生", "旦"],
        "a": "sheng",
        "b": "dan",
        "k": "A",
        "say": "Choose.",
    }
    item = load(jsonl(tmp_path / "a.jsonl", row, row | {"n": 2, "b": None}), mapping=mapping(tmp_path, text)).items
    assert list(item[0].wordings) == ["zh-Hant", "en"]
    assert (item[0].wordings["en"].options, item[0].wordings["en"].instruction) == (
        {"A": "sheng", "B": "dan"},
        "Choose.",
    )
    assert list(item[1].wordings) == ["zh-Hant"]


@pytest.mark.parametrize(
    ("told", "language"),
    [('"zh-TW"', "zh-Hant"), ('"{lang}"', "en"), ('"zh"', "zh-Hans"), ('"thai"', "zh-Hans"), ('"fr-CA"', "fr-CA")],
)
def test_a_language_is_told_or_seen(tmp_path: Path, told: str, language: str) -> None:
    row = {
        "编号": "1",
        "题目": "谁抹白脸？",
        "甲": "关羽",
        "乙": "曹操",
        "丙": "",
        "丁": "",
        "答案": "B",
        "lang": "English",
    }
    benchmark = load(table(tmp_path / "a.csv", row), mapping=mapping(tmp_path, OWN + f"language = {told}"))
    assert benchmark.items[0].wording.language == language


def test_rows_that_are_not_meant_are_counted(tmp_path: Path) -> None:
    text = OWN + 'where = { "型" = ["单选", "选择"] }\nhidden = ["?"]'
    row = {"题目": "谁？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    rows = [row | {"编号": str(n), "型": kind} for n, kind in enumerate(["单选", "问答", "问答", "判断", "选择"])]
    rows.append(row | {"编号": "9", "型": "单选", "答案": "?"})
    benchmark = load(table(tmp_path / "a.tsv", *rows), mapping=mapping(tmp_path, text))
    assert [(item.id, item.answer) for item in benchmark] == [("0", "B"), ("4", "B"), ("9", None)]
    assert codes(benchmark) == ["rows_filtered", "answer_hidden"]
    assert benchmark.problems[0].message == (
        "only rows with 型 = '单选' or '选择' are read; passed over: 1 with '判断', 2 with '问答'"
    )
    assert not any(problem.left_out for problem in benchmark.problems)


def test_rows_of_no_use_are_left_out_by_name(tmp_path: Path) -> None:
    row = {"编号": "1", "题目": "谁？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    rows = [row, row, row | {"编号": ""}, row | {"编号": "2", "乙": "", "丙": "曹操"}, row | {"编号": "3", "乙": ""}]
    benchmark = load(table(tmp_path / "a.csv", *rows), mapping=mapping(tmp_path, OWN))
    assert [(p.item, p.code, p.line) for p in benchmark.problems] == [
        ("1", "duplicate_id", 3),
        (None, "id_missing", 4),
        ("2", "options_unclear", 5),
        ("3", "options_unclear", 6),
    ]


def test_a_date_costs_an_item_only_where_it_is_asked(tmp_path: Path) -> None:
    """In a column that the mapping does not name it is nothing; among the labels it is told."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["id", "q", "a", "b", "key", "when", "seen"])
    day = date(2026, 3, 4)
    for cells in (["1", "?", "x", "y", "A", day, None], ["2", "?", "x", day, "A", None, None]):
        book.active.append(cells)
    book.active.append(["3", "?", "x", "y", "A", None, day])
    book.save(tmp_path / "a.xlsx")
    text = 'id = "{id}"\nquestion = "{q}"\noptions = ["{a}", "{b}"]\nanswer = "{key}"\nlabels = ["seen"]'
    benchmark = load(tmp_path / "a.xlsx", mapping=mapping(tmp_path, text))
    assert list(benchmark.ids) == ["1", "3"]
    assert [(p.item, p.code, p.left_out) for p in benchmark.problems] == [
        ("2", "cell_not_text", True),
        ("3", "cell_not_text", False),
    ]


def rows_with_media(tmp_path: Path) -> Path:
    """Two shards of one table: pictures of one name, one that is a file, a clip without a name, rows of no use."""
    lay(tmp_path, {"beside.png": png(9)})
    row = {"q": "?", "o": ["x", "y"], "k": "A", "kind": "choice", "unread": b"0" * 100}
    pictures = [{"bytes": png(shade), "path": "a.png"} for shade in (1, 2, 1)]
    pictures += [{"bytes": None, "path": "beside.png"}, {"bytes": None, "path": "gone.png"}]
    numbers = [row | {"id": str(at), "image": each, "audio": CLIP} for at, each in enumerate(pictures)]
    row |= {"image": pictures[1], "audio": None}
    others = [row | {"id": "1"}, row | {"id": "5", "k": "C"}, row | {"id": "6", "kind": "open"}, row | {"id": "7"}]
    parquet(tmp_path / "t-00000-of-00002.parquet", *numbers)
    parquet(tmp_path / "t-00001-of-00002.parquet", *others)
    return mapping(
        tmp_path,
        'id = "{id}"\nquestion = "{q} {row}"\noptions = "{o}"\nanswer = "{k}"\nimage = "{image}"\naudio = "{audio}"\n'
        'where = { kind = "choice" }',
    )


def test_items_that_are_too_many_to_hold_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = rows_with_media(tmp_path)
    held = load(tmp_path, mapping=mapped)
    assert [[medium.name for medium in item.media] for item in held][:3] == [
        ["a.png", "0.wav"],
        ["a-2.png", "1.wav"],
        ["a.png", "2.wav"],
    ]
    monkeypatch.setattr(own_parquet, "LARGE", 1)
    monkeypatch.setattr(mapped_reader, "LARGE", 1)
    stream = load(tmp_path, mapping=mapped)
    assert isinstance(stream.items, Stream)
    assert stream.problems == held.problems
    assert list(stream.ids) == list(held.ids)
    for places in (range(len(held)), (5, 0, 0, 2), (3,)):
        for one, other in zip((held.items[at] for at in places), stream.items.at(places), strict=True):
            assert (one, [m.read() for m in one.media if m.exists]) == (
                other,
                [m.read() for m in other.media if m.exists],
            )
    (tmp_path / "t-00001-of-00002.parquet").touch()
    with pytest.raises(BadFile, match="was changed while it was in use"):
        list(stream.items)


def test_the_first_look_at_many_items_unpacks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = rows_with_media(tmp_path)
    unpacked: list[str] = []
    monkeypatch.setattr(own_parquet, "LARGE", 1)
    monkeypatch.setattr(mapped_reader, "LARGE", 1)
    monkeypatch.setattr(mapped_reader, "unpack", lambda kind, name, data: unpacked.append(name) or Medium(kind, name))
    benchmark = load(tmp_path, mapping=mapped)
    assert unpacked == []
    assert [medium.name for medium in next(iter(benchmark)).media] == unpacked == ["a.png", "0.wav"]


def test_many_files_tell_labels_and_splits_by_their_names(tmp_path: Path) -> None:
    row = {"题目": "谁？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    for name in ("validation/art_of_face.csv", "test/art_of_face.csv", "test/song.csv"):
        table(tmp_path / "set" / name, row, row)
    table(tmp_path / "set" / "notes.csv", {"x": "1", "y": "2"})
    text = OWN.replace('"{编号}"', '"{split}-{subject}-{row}"') + (
        'files = ["{split}/{subject}.csv"]\nsplit = "{split}"\nlabels = { subject = "{subject}" }'
    )
    benchmark = load(tmp_path / "set" / "test", mapping=mapping(tmp_path, text))
    assert [item.id for item in benchmark] == [f"test-{s}-{n}" for s in ("art_of_face", "song") for n in (1, 2)]
    with pytest.raises(BadFile, match=r"'题目', which .*notes\.csv has not"):
        load(tmp_path / "set", mapping=mapping(tmp_path, text))  # set/notes.csv looks like one of them
    (tmp_path / "set" / "notes.csv").unlink()
    whole = load(tmp_path / "set", mapping=mapping(tmp_path, text))
    assert [item.split for item in whole] == ["test"] * 4 + ["val"] * 2
    assert whole.items[0].labels == {"subject": "art_of_face"}


def test_shards_of_one_table_number_their_rows_on(tmp_path: Path) -> None:
    row = {"q": "?", "o": ["x", "y"], "k": 0}
    for number in (0, 1):
        parquet(tmp_path / "data" / f"test-0000{number}-of-00002.parquet", row, row)
    text = 'question = "{q}"\noptions = "{o}"\nanswer = "{k}"\nanswer_is = "number from 0"'
    benchmark = load(tmp_path / "data", mapping=mapping(tmp_path, text))
    assert [item.id for item in benchmark] == ["test-1", "test-2", "test-3", "test-4"]
    (tmp_path / "data" / "test-00000-of-00002.parquet").unlink()
    with pytest.raises(BadFile, match=r"test-00000-of-00002\.parquet: is missing"):
        load(tmp_path / "data", mapping=mapping(tmp_path, text))


def test_json_with_the_rows_inside_and_workbooks(tmp_path: Path) -> None:
    rows = [{"n": 1, "q": "?", "o": ["x", "y"], "k": "B"}]
    text = 'id = "{title}-{n}"\nquestion = "{q}"\noptions = "{o}"\nanswer = "{k}"\nrecords = "data.rows"'
    lay(tmp_path, {"a.json": json.dumps({"data": {"title": "T", "rows": rows}})})
    assert seen(load(tmp_path / "a.json", mapping=mapping(tmp_path, text))) == {"T-1": ("?", ["x", "y"], "B")}
    with pytest.raises(BadFile, match=r"nothing at `records` = 'rows'; there is data"):
        load(tmp_path / "a.json", mapping=mapping(tmp_path, text.replace("data.rows", "rows")))
    lay(tmp_path, {"a.json": json.dumps({"title": "T", "rows": rows})})
    with pytest.raises(BadFile, match="name the list in it with `records`"):
        load(tmp_path / "a.json", mapping=mapping(tmp_path, text.replace('records = "data.rows"', "")))
    lay(tmp_path, {"a.json": json.dumps({"7": rows[0]})})
    by_key = text.replace('records = "data.rows"', "").replace("{title}-{n}", "{key}")
    assert list(seen(load(tmp_path / "a.json", mapping=mapping(tmp_path, by_key)))) == ["7"]
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for cells in (["编号", "题目", "甲", "乙", "丙", "丁", "答案"], [7, "谁？", "关羽", "曹操", None, None, "B"]):
        book.active.append(cells)
    book.save(tmp_path / "a.xlsx")
    assert seen(load(tmp_path / "a.xlsx", mapping=mapping(tmp_path, OWN))) == {"7": ("谁？", ["关羽", "曹操"], "B")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question = ", "not TOML"),
        ('id = "{n}"', "`question` is missing"),
        ('question = "题目"', r'`question` = \'题目\' names no column; put it in braces: "\{题目\}"'),
        ("question = 3", "`question` must be a text in quotes, not 3"),
        (OWN + 'anser = "{k}"', "unknown key `anser`; `answer` is meant"),
        (OWN + 'answer_is = "index"', "`answer_is` is one of 'letter', 'text', 'number from 0'"),
        (OWN + 'where = "x"', "`where` must be a table"),
        (OWN + "extract = { '题目' = '(' }", r"`extract\.题目` is no regular expression"),
        (OWN + "extract = { '题目' = '.*' }", "has no named group"),
        (
            OWN.replace("{题目}", "{题 目}"),
            r"`question` names the column '题 目', which .*a\.csv has not; '题目' is meant\?",
        ),
        (OWN + 'where = { "类" = "x" }', "`where` names the column '类'"),
        (OWN + 'where = { 类 = "x" }', "not TOML: .*names other than of plain letters"),
        # "`where` names the column '类'"),
        (OWN + 'labels = ["剧种"]', r"`labels` names the column '剧种'.*It has 编号, 题目, 甲, 乙, 丙, 丁, 答案\."),
        (OWN + 'image = "{图|图片}"', "`image` names the column '图' or '图片'"),
    ],
)
def test_a_bad_mapping_says_which_key_and_what_there_is(tmp_path: Path, text: str, message: str) -> None:
    row = {"编号": "1", "题目": "谁？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    with pytest.raises(BadFile, match=message):
        load(table(tmp_path / "a.csv", row), mapping=mapping(tmp_path, text))


def test_unknown_mappings_and_formats_are_named(tmp_path: Path) -> None:
    file = table(tmp_path / "a.csv", {"x": "1", "y": "2"})
    with pytest.raises(Misuse, match=r"no mapping 'mmm' \(mmmu is meant\?\).*TOML file, or one of alm-bench"):
        load(file, mapping="mmm")
    with pytest.raises(Misuse, match="a mapping says how to read"):
        load(file, mapping="mmmu", format="tco")
    with pytest.raises(BadFile, match="is read with --mapping FILE"):
        load(file)
    with pytest.raises(BadFile, match=r"a\.csv: none of .*cmmlu.* knows it"):
        load(file, format="mapping")
    with pytest.raises(BadFile, match=r"no file that the mapping vistw-mcq reads \(\{subject\}/\{split\}\.parquet\)"):
        load(lay(tmp_path / "d", {"a.txt": "x"}), mapping="vistw-mcq")


@pytest.mark.parametrize("name", SHIPPED())
def test_shipped_mappings_say_what_they_are_and_where_from(name: str) -> None:
    spec = load_mapping(name)
    assert re.fullmatch(r"https://arxiv\.org/abs/\d{4}\.\d{5}", spec.paper)
    assert spec.source.startswith("https://")
    assert spec.title
    assert spec.license
    assert spec.get


TEXT = {"question": "哪個行當畫臉譜最多？", "A": "淨", "B": "旦", "C": "生", "D": "末", "answer": "A"}
HELD = {"bytes": PICTURE, "path": "x.png"}


def _mmmu(number: int, **more: Any) -> dict[str, Any]:
    images = {f"image_{n}": HELD if n == 1 else None for n in range(1, 8)}
    base = {
        "id": f"validation_Opera_{number}",
        "question": "Whose face is in <image 1>?",
        "options": "['Cao Cao', 'Guan Yu']",
    }
    told = {
        "explanation": "",
        "img_type": "['Paintings']",
        "answer": "B",
        "topic_difficulty": "Easy",
        "subfield": "Stage",
    }
    return base | told | {"question_type": "multiple-choice"} | images | more


def _mathvista(number: int, **more: Any) -> dict[str, Any]:
    meta = {"split": "testmini", "task": "counting", "context": "stage", "category": "general", "grade": "n/a"}
    base = {
        "pid": str(number),
        "question": "How many masks?",
        "choices": ["one", "two"],
        "answer": "two",
        "precision": None,
    }
    kinds = {"question_type": "multi_choice", "answer_type": "text", "unit": None, "image": "images/1.png"}
    return base | kinds | {"metadata": meta | {"skills": ["counting", "vision"], "source": "own"}} | more


def _alm(number: int, **more: Any) -> dict[str, Any]:
    english = {"English_Question": "Who has a white face?", "English_Answer": "Cao Cao"}
    base = {"ID": f"0_{number}", "Language": "Chinese (Traditional)", "Category": "Music", "file_name": HELD}
    kind = {"Question_Type": "Multiple Choice Questions", "Translated_Question": "誰抹白臉？"}
    return base | kind | english | {"Translated_Answer": "曹操（關羽，曹操，包拯）", "Image_Url": ""} | more


def _m3(**more: Any) -> dict[str, Any]:
    base = {
        "question_text": "Which role comes first?",
        "background_description": [],
        "options": ["(1) sheng", "(2) dan"],
    }
    meta = {
        "language": "english",
        "level": "mid",
        "subject": "art",
        "subject_category": "social-science",
        "year": "2001",
    }
    return base | meta | {"answer_text": "2", "need_image": "no"} | more


def test_tmmlu_plus(tmp_path: Path) -> None:
    table(tmp_path / "data" / "peking_opera_test.csv", TEXT, TEXT)
    table(tmp_path / "data" / "peking_opera_val.csv", TEXT)
    benchmark = load(tmp_path, mapping="tmmlu-plus")
    assert [(item.id, item.split) for item in benchmark] == [
        ("peking_opera-test-1", "test"),
        ("peking_opera-test-2", "test"),
        ("peking_opera-val-1", "val"),
    ]
    assert benchmark.items[0].labels == {"subject": "peking_opera"}
    assert benchmark.items[0].wording.language == "zh-Hant"


def test_vistw_mcq(tmp_path: Path) -> None:
    parquet(tmp_path / "arts" / "test-00000-of-00001.parquet", {"qid": "q7", "image": HELD} | TEXT)
    item = load(tmp_path, mapping="vistw-mcq").items[0]
    assert (item.id, item.split, item.labels, item.answer) == ("arts-q7", "test", {"subject": "arts"}, "A")
    assert item.media[0].read() == PICTURE


def test_alm_bench_in_traditional_chinese(tmp_path: Path) -> None:
    rows = [_alm(1), _alm(2, Language="English"), _alm(3, Question_Type="Long Question")]
    rows.append(_alm(4, Translated_Answer="包拯 (關羽, 曹操, 包拯)"))
    rows.append(_alm(5, Translated_Answer="包拯"))
    parquet(tmp_path / "data" / "test-00000-of-00001.parquet", *rows)
    benchmark = load(tmp_path)
    assert seen(benchmark) == {
        "0_1": ("誰抹白臉？", ["關羽", "曹操", "包拯"], "B"),
        "0_4": ("誰抹白臉？", ["關羽", "曹操", "包拯"], "C"),
    }
    assert codes(benchmark) == ["options_unclear", "rows_filtered", "rows_filtered"]


def test_omnibench_from_the_hub_and_from_its_repository(tmp_path: Path) -> None:
    row = {"index": 0, "task type": "Causal Inference", "audio type": "speech", "question": "What happens?"}
    row |= {
        "options": ["A drum is beaten", "She bows"],
        "answer": "She bows",
        "audio content": "…",
        "image content": "…",
    }
    hub = {"image": HELD, "audio": {"bytes": CLIP, "path": "x.wav"}}
    parquet(tmp_path / "hub" / "data" / "train-00000-of-00001.parquet", row | hub)
    names = {"image_path": "a.png", "audio_path": "a.wav"}
    jsonl(tmp_path / "repo" / "dataset" / "batch.jsonl", row | names)
    lay(tmp_path / "repo" / "mm_data", {"image/a.png": PICTURE, "audio/a.wav": CLIP})
    for folder in ("hub", "repo"):
        benchmark = load(tmp_path / folder)
        assert benchmark.problems == ()
        assert [m.read() for m in benchmark["0"].media] == [PICTURE, CLIP]
        assert (benchmark["0"].answer, benchmark["0"].labels["task"]) == ("B", "Causal Inference")


def test_scienceqa(tmp_path: Path) -> None:
    row = {
        "image": HELD,
        "question": "Which is red?",
        "choices": ["loyalty", "guile"],
        "answer": 0,
        "hint": "Look.",
        "task": "closed choice",
    }
    row |= {
        "grade": "grade2",
        "subject": "art",
        "topic": "opera",
        "category": "faces",
        "skill": "look",
        "lecture": "l",
        "solution": "s",
    }
    parquet(
        tmp_path / "data" / "validation-00000-of-00001-0123456789abcdef.parquet", row, row | {"image": None, "hint": ""}
    )
    benchmark = load(tmp_path)
    assert seen(benchmark)["validation-1"] == ("Look.\nWhich is red?", ["loyalty", "guile"], "A")
    assert benchmark["validation-2"].wording.question == "Which is red?"
    assert [(item.split, item.modality) for item in benchmark] == [("val", "image"), ("val", "text")]


def test_mmmu(tmp_path: Path) -> None:
    rows = [
        _mmmu(1),
        _mmmu(2, question_type="open", options="[]"),
        _mmmu(3, answer="?"),
        _mmmu(4, image_2=HELD | {"bytes": OTHER}),
    ]
    parquet(tmp_path / "Opera" / "validation-00000-of-00001.parquet", *rows)
    benchmark = load(tmp_path)
    assert [(item.id, item.answer, len(item.media)) for item in benchmark] == [
        ("validation_Opera_1", "B", 1),
        ("validation_Opera_3", None, 1),
        ("validation_Opera_4", "B", 2),
    ]
    labels = {"subject": "Opera", "subfield": "Stage", "difficulty": "Easy", "image_type": "Paintings"}
    assert (benchmark.items[0].labels, benchmark.items[0].split) == (labels, "val")
    assert codes(benchmark) == ["rows_filtered", "answer_hidden"]


def test_mathvista_from_the_hub_and_from_its_json(tmp_path: Path) -> None:
    free = {"choices": None, "question_type": "free_form", "answer": "12"}
    parquet(
        tmp_path / "hub" / "testmini-00000-of-00001.parquet",
        _mathvista(1, decoded_image=HELD),
        _mathvista(2, decoded_image=HELD, **free),
    )
    rows = {"1": _mathvista(1), "2": _mathvista(2, **free)}
    lay(tmp_path / "repo", {"annot_testmini.json": json.dumps(rows), "images/1.png": PICTURE})
    for folder in ("hub", "repo"):
        benchmark = load(tmp_path / folder)
        assert seen(benchmark) == {"1": ("How many masks?", ["one", "two"], "B")}
        assert benchmark["1"].media[0].read() == PICTURE
        assert benchmark["1"].labels["skills"] == "counting, vision"
        assert codes(benchmark) == ["rows_filtered"]


def test_m3exam(tmp_path: Path) -> None:
    chinese = _m3(
        language="chinese", options=["A. 生", "B. 旦"], answer_text="A", background_description=["读短文。", "想一想。"]
    )
    rows = {"english": [_m3(), _m3(need_image="yes")], "chinese": [chinese]}
    for tongue, questions in rows.items():
        lay(tmp_path / "text-question", {f"{tongue}-questions-test.json": json.dumps(questions)})
    benchmark = load(tmp_path)
    assert seen(benchmark) == {
        "chinese-test-1": ("读短文。\n想一想。\nWhich role comes first?", ["生", "旦"], "A"),
        "english-test-1": ("Which role comes first?", ["sheng", "dan"], "B"),
    }
    assert benchmark["english-test-1"].wording.language == "en"


def test_mmbench_as_parquet_and_as_tsv(tmp_path: Path) -> None:
    row = {"index": 3, "question": "Whose face?", "hint": "Look.", "A": "Cao Cao", "B": "Guan Yu", "C": None, "D": None}
    row |= {
        "answer": "B",
        "category": "celebrity",
        "source": "own",
        "L2-category": "perception",
        "comment": "",
        "split": "dev",
    }
    parquet(tmp_path / "hub" / "dev-00000-of-00001.parquet", row | {"image": HELD})
    table(tmp_path / "mmbench.tsv", row | {"image": base64.b64encode(PICTURE).decode()})
    for benchmark in (load(tmp_path / "hub"), load(tmp_path / "mmbench.tsv", mapping="mmbench")):
        assert seen(benchmark) == {"3": ("Look.\nWhose face?", ["Cao Cao", "Guan Yu"], "B")}
        assert (benchmark["3"].split, benchmark["3"].labels["l2_category"]) == ("dev", "perception")
        assert benchmark["3"].media[0].read() == PICTURE


def test_a_set_from_a_hub_is_mapped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    file = parquet(tmp_path / "a.parquet", _mmmu(1))
    with serving(Hub({"Opera/validation-00000-of-00001.parquet": file.read_bytes()})) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        for benchmark in (load("hf:exams/opera"), load("hf:exams/opera", mapping="mmmu")):
            assert (benchmark.name, benchmark.card["license"], benchmark.problems) == ("opera", "Apache-2.0", ())
            assert benchmark["validation_Opera_1"].media[0].read() == PICTURE


def test_two_mappings_that_fit_are_both_named(tmp_path: Path) -> None:
    row = _mmmu(1) | _mathvista(1)
    file = parquet(tmp_path / "a.parquet", row)
    with pytest.raises(BadFile, match=r"mathvista and mmmu fit; say which mapping is meant with --mapping NAME"):
        load(file)
    assert list(seen(load(file, mapping="mathvista"))) == ["1"]


def test_the_command_line_takes_a_mapping(tmp_path: Path) -> None:
    row = {"编号": "1", "题目": "谁？", "甲": "关羽", "乙": "曹操", "丙": "", "丁": "", "答案": "B"}
    file = table(tmp_path / "a.csv", row)
    told = ["--mapping", str(mapping(tmp_path, OWN))]
    assert main(["convert", str(file), str(tmp_path / "out"), "--to", "parquet", *told]) == 0
    assert seen(load(tmp_path / "out")) == {"1": ("谁？", ["关羽", "曹操"], "B")}
    out = ["-o", str(tmp_path / "runs")]
    assert main(["run", str(file), "-m", "baseline/always-a", *told, *out]) == 0
    assert main(["run", str(file), "-m", "baseline/always-a", *out]) == 2  # 甲 to 丁 say nothing without it


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["[1, 'x'", "{'a': 1}", "A"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["A", "B", "bytes", "path", "x"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.fixed_dictionaries(dict.fromkeys("nqokiml", VALUES)), min_size=1, max_size=3), st.sampled_from(ANSWERS)
)
def test_whatever_stands_in_a_row_is_an_item_or_listed(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[dict[str, Any]], form: str
) -> None:
    text = f"""
question = "{{q}}"
options = "{{o}}"
answer = "{{k[0]|k.A|k}}"
answer_is = "{form}"
image = "{{i}}"
audio = ["{{m[*].path}}"]
labels = ["l"]
extra = ["i", "l"]
"""
    good = {"q": "?", "o": ["x", "y"], "k": {"letter": "A", "mark": "A", "text": "x"}.get(form, 1)}
    folder = tmp_path_factory.mktemp("set")
    file = jsonl(folder / "a.jsonl", dict.fromkeys("nqokiml") | good, *drawn)
    benchmark = load(file, mapping=mapping(folder, text))
    assert len(benchmark) + sum(problem.left_out for problem in benchmark.problems) == len(drawn) + 1
    write(benchmark, folder / "out", "jsonl")
    assert load(folder / "out").items == tuple(
        replace(item, media=again.media) for item, again in zip(benchmark, load(folder / "out"), strict=True)
    )


@pytest.mark.shared
def test_every_real_row_of_cmmlu(shared: Path) -> None:
    folder = shared / "data" / "cmmlu"
    benchmark = load(folder, mapping="cmmlu")
    assert (len(benchmark), len({item.labels["subject"] for item in benchmark}), benchmark.problems) == (335, 67, ())
    with (folder / "dev" / "marketing.csv").open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 1):
            item = benchmark[f"dev-marketing-{number}"]
            assert (item.wording.question, item.answer) == (row["Question"].strip(), row["Answer"])
            assert list(item.options.values()) == [row[label].strip() for label in "ABCD"]


@pytest.mark.shared
def test_every_real_row_of_mmau(shared: Path) -> None:
    folder = shared / "data" / "mmau"
    rows = json.loads((folder / "mmau-test-mini.subset.json").read_text(encoding="utf-8"))
    benchmark = load(folder)
    assert [item.id for item in benchmark] == [row["id"] for row in rows]
    assert set(codes(benchmark)) == {"media_missing"}
    for row in rows:
        item = benchmark[row["id"]]
        assert list(item.options.values()) == [text.strip() for text in row["choices"]]
        assert item.options[str(item.answer)] == row["answer"].strip()
        assert item.media[0].name == row["audio_id"].removeprefix("./")


@pytest.mark.shared
def test_every_real_row_of_gaokao_mm(shared: Path) -> None:
    folder = shared / "data" / "gaokao-mm"
    benchmark = load(folder)
    files = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((folder / "Data").glob("*.json"))]
    rows = {f"{file['title']}_{row['index']}": row for file in files for row in file["example"]}
    left_out = {problem.item for problem in benchmark.problems}
    assert {item.id for item in benchmark} | left_out == set(rows)
    assert (len(benchmark), len(left_out)) == (79, 6)
    for item in benchmark:
        assert [item.answer] == rows[item.id]["answer"]
        assert [m.exists for m in item.media] == [True] * len(rows[item.id]["picture"])
    assert {item.labels["subject"] for item in benchmark} >= {"Math", "Physics", "Political_Science"}
