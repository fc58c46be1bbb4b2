"""Question sheets: every cell is text, every row an item or a named reason."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from exam_folders import OPTIONS, SHEET_HEADER, lay, png
from openpyxl import Workbook

from keju.errors import BadFile
from keju.formats import load


def sheet(folder: Path, text: str | bytes, name: str = "exam.csv") -> Path:
    return lay(folder, {name: text}) / name


def workbook(path: Path, *rows: list[object], formats: dict[str, str] | None = None) -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(row)  # type: ignore[union-attr]
    for cell, pattern in (formats or {}).items():
        book.active[cell].number_format = pattern  # type: ignore[index]
    book.save(path)
    return path


def test_every_cell_is_text(tmp_path: Path) -> None:
    """TX-25."""
    benchmark = load(sheet(tmp_path, SHEET_HEADER + "0001,q,None,NA,null,nan,A\n0002,q,True,1.0,007,1e5,C\n"))
    assert [dict(item.options) for item in benchmark] == [
        {"A": "None", "B": "NA", "C": "null", "D": "nan"},
        {"A": "True", "B": "1.0", "C": "007", "D": "1e5"},
    ]
    assert [item.id for item in benchmark] == ["0001", "0002"]


@pytest.mark.parametrize(
    "text",
    [
        "id;question;A;B;answer\n0001;问;生;旦;A\n",
        "id\tquestion\tA\tB\tanswer\n0001\t问\t生\t旦\tA\n",
        "sep=;\nid;question;A;B;answer\n0001;问;生;旦;A\n",
        "编号,题目,选项A,选项B,答案\r\n0001,问,生,旦,A\r\n",
        '題號,題幹,選項,正確答案\n0001,问,"(A) 生\n(B) 旦",A\n',
        ",Question,A,B,Answer\n0001,问,生,旦,A\n",
        "id,question,answer\n0001,问 A. 生 B. 旦,A\n",
        'id,question,options,answer\n0001,问,"生\n旦",A\n',
    ],
)
def test_columns_are_known_by_many_names_and_separators(tmp_path: Path, text: str) -> None:
    """PL-23 among them."""
    item = load(sheet(tmp_path, text))["0001"]
    assert (item.wording.question, dict(item.options), item.answer) == ("问", {"A": "生", "B": "旦"}, "A")


@pytest.mark.parametrize("text", ["id|question|A|B|answer\n1|q|a|b|A\n", "question\nq\n"])
def test_one_column_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadFile, match="one column only"):
        load(sheet(tmp_path, text), format="sheet")


@pytest.mark.parametrize("text", ["", "\n", " \r\n"])
def test_an_empty_sheet_is_said_to_be_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadFile, match=r"exam\.csv: is empty"):
        load(sheet(tmp_path, text))


@pytest.mark.parametrize(("between", "named"), [(",", "comma"), (";", "semicolon"), ("\t", "tab")])
def test_a_cell_too_many_says_what_to_do(tmp_path: Path, between: str, named: str) -> None:
    text = f"{SHEET_HEADER}1,q,a,b,c,d,A\n2,q,a, or b,c,d,e,A\n".replace(",", between)
    benchmark = load(sheet(tmp_path, text))
    told = f"8 cells under 7 columns; put quotes round a cell with a {named}"
    assert str(benchmark.problems[0].message) == told


def test_separators_inside_an_option_do_not_split_it(tmp_path: Path) -> None:
    """TX-37."""
    benchmark = load(sheet(tmp_path, SHEET_HEADER + '1,q,"唱，念","做, 打",手|眼|身,法;步,B\n'))
    assert list(benchmark["1"].options.values()) == ["唱，念", "做, 打", "手|眼|身", "法;步"]


def test_wordings_labels_and_notes(tmp_path: Path) -> None:
    header = "id,题目,A,B,题目（英文）,A_en,B_en,答案,剧种,朝代,备注,split"
    item = load(sheet(tmp_path, header + "\n1,哪个？,生,旦,Which?,Sheng,Dan,B,昆曲,明,看一下,test\n"))["1"]
    assert dict(item.wordings["en"].options) == {"A": "Sheng", "B": "Dan"}
    assert (dict(item.labels), dict(item.extra), item.split) == (
        {"genre": "昆曲", "朝代": "明"},
        {"备注": "看一下"},
        "test",
    )


def test_media_are_found_by_name_beside_and_below(tmp_path: Path) -> None:
    lay(tmp_path, {"1.png": png(), "images/2.png": png(2), "audio/c.mp3": b"ID3", "a;b.png": png(3)})
    cells = ["1.png", "2.png", "1.png; c.mp3", "a;b.png", "x.png", "../y.png"]
    rows = "".join(f"{number},q,a,b,A,{cell}\n" for number, cell in enumerate(cells, 1))
    benchmark = load(sheet(tmp_path, "id,question,A,B,answer,图片\n" + rows))
    names = [[medium.name for medium in item.media if medium.exists] for item in benchmark]
    assert names == [["1.png"], ["images/2.png"], ["1.png", "audio/c.mp3"], ["a;b.png"], [], []]
    assert [item.modality for item in benchmark][2] == "image+audio"
    assert [(p.item, p.code, p.line) for p in benchmark.problems] == [
        ("5", "media_missing", 6),
        ("6", "path_escape", 7),
    ]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("2,q,a,b,c,d,E", "answer_not_offered"),
        ("2,q,a,b,c,d,", "answer_empty"),
        ("2,q,a,b,,d,A", "options_unclear"),
        ("2,q,a,,,,A", "options_unclear"),
        (",q,a,b,c,d,A", "id_missing"),
        ("1,q,a,b,c,d,A", "duplicate_id"),
        ("2,,,,,,A", "question_missing"),
        ("2,q,a,b,c,d,A,x", "cell_not_text"),
    ],
)
def test_a_row_that_is_no_item_is_left_out_by_name(tmp_path: Path, row: str, code: str) -> None:
    benchmark = load(sheet(tmp_path, f"{SHEET_HEADER}1,q,a,b,c,d,A\n{row}\n"))
    assert len(benchmark) == 1
    assert [(problem.code, problem.line) for problem in benchmark.problems if problem.left_out] == [(code, 3)]


def test_three_options_in_four_columns(tmp_path: Path) -> None:
    assert list(load(sheet(tmp_path, SHEET_HEADER + "1,q,a,b,c,,A\n"))["1"].options) == ["A", "B", "C"]


@pytest.mark.parametrize("letters", ["ABCDEFGHIJK", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"])
@pytest.mark.parametrize("name", ["{}", "Option {}", "选项{}", "{}_en"])
def test_every_column_of_an_unbroken_row_of_letters_is_an_option(tmp_path: Path, letters: str, name: str) -> None:
    head = ",".join(name.format(letter) for letter in letters)
    cells = ",".join(letters.lower())
    question = "question_en" if "en" in name else "question"
    item = load(sheet(tmp_path, f"id,{question},{head},answer\n1,q,{cells},{letters[-1]}\n"))["1"]
    assert dict(item.options) == dict(zip(letters, letters.lower(), strict=True))
    assert (item.answer, dict(item.labels)) == (letters[-1], {})


def test_a_late_letter_alone_is_a_label(tmp_path: Path) -> None:
    item = load(sheet(tmp_path, "id,question,A,B,answer,K,N,pen\n1,q,a,b,B,k,7,ink\n"))["1"]
    assert (list(item.options), dict(item.labels)) == (["A", "B"], {"K": "k", "N": "7", "pen": "ink"})


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"no column for answer .* it has id, question, A, B"):
        load(sheet(tmp_path, "id,question,A,B\n1,q,a,b\n"), format="sheet")


def test_a_column_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="'A' occurs twice"):
        load(sheet(tmp_path, "id,question,A,A,answer\n1,q,a,b,A\n"))


def test_an_open_quotation_mark_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"exam\.csv:\d: "):
        load(sheet(tmp_path, SHEET_HEADER + '1,"q,a,b,c,d,A\n'))


def test_a_workbook_shows_what_its_program_shows(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "exam.xlsx",
        ["编号", "题目", "A", "B", "C", "D", "答案"],
        [1, "几？", 1.0, 0.5, True, "007", "B"],
        [12, "几？", 1.5, 0.25, 10**20, "x", "A"],
        [13, "几？", 1, 2, 3, "=1+1", "A"],
        formats={"A2": "0000", "A3": "0000", "D3": "0%", "B1": "@"},
    )
    benchmark = load(path)
    assert dict(benchmark["0001"].options) == {"A": "1", "B": "0.5", "C": "TRUE", "D": "007"}
    assert dict(benchmark["0012"].options) == {"A": "1.5", "B": "25%", "C": "1e+20", "D": "x"}
    assert [(p.item, p.code) for p in benchmark.problems] == [("13", "cell_not_text")]  # nothing has computed =1+1


def test_cells_that_a_spreadsheet_has_changed_cost_their_item(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "exam.xlsx",
        ["id", "question", "A", "B", "answer"],
        ["1", "q", "a", "b", "A"],
        ["2", "q", datetime.datetime(2026, 3, 4), "b", "A"],  # noqa: DTZ001
    )
    benchmark = load(path)
    assert [(problem.item, problem.code) for problem in benchmark.problems] == [("2", "cell_not_text")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime.datetime(2026, 3, 4), "2026-03-04"),  # noqa: DTZ001
        (datetime.datetime(2026, 3, 4, 5, 6), "2026-03-04T05:06:00"),  # noqa: DTZ001
    ],
)
def test_a_date_in_a_column_that_is_not_asked_is_kept_and_told(
    tmp_path: Path, value: datetime.datetime, text: str
) -> None:
    path = workbook(
        tmp_path / "exam.xlsx",
        ["id", "question", "A", "B", "answer", "filmed", "genre", "notes"],
        ["1", "q", "a", "b", "A", value, value, value],
    )
    benchmark = load(path)
    assert dict(benchmark["1"].labels) == {"filmed": text, "genre": text}
    assert dict(benchmark["1"].extra) == {"notes": text}
    told = [(problem.item, problem.code, problem.left_out) for problem in benchmark.problems]
    assert told == [("1", "cell_not_text", False)] * 3


def test_a_file_that_is_no_workbook_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="not a readable XLSX"):
        load(sheet(tmp_path, b"PK\x03\x04 no zip", "exam.xlsx"))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["gb18030", "utf16", "utf8bom"])
def test_real_sheets_in_other_encodings(shared: Path, name: str) -> None:
    benchmark = load(shared / "data" / "text-encodings" / f"cmmlu_dev_arts.{name}.csv")
    utf8 = load(shared / "data" / "text-encodings" / "cmmlu_dev_arts.utf8bom.csv")
    assert benchmark.items == utf8.items
    assert len(benchmark) == 5


def test_a_chinese_sheet_in_gbk(tmp_path: Path) -> None:
    text = "编号,题目,选项A,选项B,选项C,选项D,答案\n1,图中角色属于哪个行当？,生,旦,净,丑,C\n"
    benchmark = load(sheet(tmp_path, text.encode("gbk")))
    assert dict(benchmark["1"].options) == OPTIONS
    assert [problem.code for problem in benchmark.problems] == ["encoding_not_utf8"]
