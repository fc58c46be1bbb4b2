"""The workbook and the report's folder: real files, opened with other programs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from keju.errors import Misuse
from keju.phrase import Phrase
from keju.reports import to_xlsx, write_report
from keju.reports.files import file_stems
from keju.reports.xlsx import CELL_LIMIT, sheet_names
from keju.results.table import Column, Table
from test_reports import BOARD, COUNTS, words

HOSTILE = ["=A", "+B", "-C", "@D", '=HYPERLINK("http://x","y")', "#N/A", "0012", "'x"]


def test_xlsx_keeps_texts_as_texts() -> None:
    """PL-09: a reply that looks like a formula, an error or a number is a text of the same value."""
    sheet = load_workbook(io.BytesIO(to_xlsx([words(*HOSTILE)])))["t"]
    cells = [sheet.cell(row, 1) for row in range(2, 2 + len(HOSTILE))]
    assert [cell.value for cell in cells] == HOSTILE
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells)


def test_xlsx_marks_a_text_that_a_cell_cannot_hold() -> None:
    """PL-11: 32,767 is the limit, counted as Excel counts: a character beyond the BMP twice."""
    book = load_workbook(io.BytesIO(to_xlsx([words("旦" * 40_000, "😀" * 20_000, "x" * CELL_LIMIT)])))
    texts = [book["t"].cell(row, 1).value for row in (2, 3, 4)]
    assert all(len(text.encode("utf-16-le")) // 2 <= CELL_LIMIT for text in texts)
    assert texts[0].endswith("… [cut: 40,000 characters in all]")
    assert texts[1].endswith("… [cut: 20,000 characters in all]")
    assert texts[2] == "x" * CELL_LIMIT
    assert "2 texts were cut" in " ".join(str(row[1].value) for row in book["Notes"].rows)


def test_xlsx_speaks_chinese_in_words_and_notes_and_keeps_columns_of_0() -> None:
    book = load_workbook(io.BytesIO(to_xlsx([COUNTS, words(Phrase("cached", "缓存"), "旦" * 40_000)], language="zh")))
    assert [cell.value for cell in book["counts"][1]] == ["模型", "无效", "被过滤", "失败", "重试", "备注"]
    assert [cell.value for cell in book["counts"][2]] == ["m", 0, 0, 2, 0, None]
    assert book["t"]["A2"].value == "缓存"
    assert book["t"]["A3"].value.endswith("… [已截断：全文 40,000 字]")
    assert "1 段文字已截断" in " ".join(str(row[1].value) for row in book["说明"].rows)


def test_xlsx_breaks_a_long_text_into_lines_and_a_reply_of_pages_not() -> None:
    sheet = load_workbook(io.BytesIO(to_xlsx([words("short", "a/long name " * 10, "reply " * 500)])))["t"]
    assert [bool(sheet.cell(row, 1).alignment.wrap_text) for row in (2, 3, 4)] == [False, True, False]
    assert sheet.row_dimensions[3].height >= 2 * 15
    assert sheet.row_dimensions[4].height is None
    note = Table("t", "T", (Column("text", "Text"),), ({"text": "x"},), (Phrase("a word " * 60, "字" * 300),))
    notes = load_workbook(io.BytesIO(to_xlsx([note])))["Notes"]
    assert notes["B1"].alignment.wrap_text
    assert notes.row_dimensions[1].height >= 7 * 15


def test_xlsx_folds_away_what_tells_people_nothing_and_prints_as_wide_as_a_page() -> None:
    columns = (Column("text", "Text"), Column("run", "Run", "count", hidden=True), Column("n", "N", "count"))
    sheet = load_workbook(io.BytesIO(to_xlsx([Table("t", "T", columns, ({"text": "x", "run": 2, "n": 3},))])))["t"]
    assert [sheet.column_dimensions[letter].hidden for letter in "ABC"] == [False, True, False]
    assert sheet["B2"].value == 2
    assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet.print_title_rows == "$1:$1"


def test_xlsx_figures_are_raw_and_formatted() -> None:
    sheet = load_workbook(io.BytesIO(to_xlsx([BOARD], language="zh")))["leaderboard"]
    heads = [cell.value for cell in sheet[1]]
    assert heads == ["模型", "准确率", "95 % 区间, 下限", "95 % 区间, 上限", "差值", "p", "题数", "备注"]
    assert [cell.value for cell in sheet[2]] == ["通义千问|vl_72b", 0.73, 0.702, 0.757, None, None, 1000, None]
    assert sheet["B2"].number_format == r"0.0\ %"
    assert sheet["H3"].value == "已发表的数据，非本次测得"
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:H4"
    assert sheet.column_dimensions["A"].width >= 4 * 2 + 7  # four Chinese characters of two places, seven others


def test_pandas_reads_the_workbook() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_excel(io.BytesIO(to_xlsx([BOARD])), sheet_name="leaderboard")
    assert frame["Accuracy"].tolist()[:2] == [0.73, 0.512]
    assert frame["N"].tolist() == [1000, 1000, 0]


@settings(deadline=None)  # the time of a shared machine says nothing
@given(st.lists(st.text(max_size=40), max_size=5))
def test_sheet_names_are_what_excel_takes(names: list[str]) -> None:
    made = sheet_names(names)
    assert len({name.casefold() for name in made}) == len(names)
    assert all(0 < len(name) <= 31 and not set(name) & set("[]:*?/\\") for name in made)


@settings(deadline=None)  # the time of a shared machine says nothing
@given(st.lists(st.text(max_size=80), max_size=5))
def test_file_stems_stay_in_their_folder_and_apart(names: list[str]) -> None:
    made = file_stems(names)
    assert len({stem.casefold() for stem in made}) == len(names)
    assert all(stem and not stem.startswith(".") and not set(stem) & set('/\\:*?"<>| \0') for stem in made)


@settings(deadline=None, max_examples=30)  # a workbook takes 50 ms
@given(st.text(max_size=60))
def test_any_text_makes_a_workbook_that_opens(text: str) -> None:
    load_workbook(io.BytesIO(to_xlsx([words(text)], title=text, meta={text: text})))


def test_a_report_is_a_folder_of_every_form(tmp_path: Path) -> None:
    written = write_report([BOARD], tmp_path / "a" / "report", title="戏曲", meta={"models": ["m", "n"]})
    names = sorted(path.relative_to(tmp_path / "a" / "report").as_posix() for path in written)
    assert names == [
        *("report.html", "report.json", "report.md", "report.tex", "report.xlsx"),
        *("tables/leaderboard.csv", "tables/leaderboard.tex"),
    ]
    assert (tmp_path / "a/report/tables/leaderboard.csv").read_bytes().startswith(b"\xef\xbb\xbfmodel,")
    assert (tmp_path / "a/report/report.md").read_text(encoding="utf-8").startswith("# 戏曲\n\n- models: m, n\n")


def test_a_second_report_replaces_the_first_and_leaves_other_files_alone(tmp_path: Path) -> None:
    write_report([BOARD, words("x")], tmp_path, title="first")
    (tmp_path / "tables" / "mine.csv").write_text("mine", encoding="utf-8")
    write_report([BOARD], tmp_path, title="second")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["title"] == "second"
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        *("leaderboard.csv", "leaderboard.tex", "mine.csv")
    ]
    assert not list(tmp_path.rglob("*.part"))


def test_pictures_of_charts_go_with_the_report_they_were_drawn_for(tmp_path: Path) -> None:
    write_report([BOARD, words("x")], tmp_path, title="first")
    (tmp_path / "charts").mkdir()
    for name in ("leaderboard.svg", "validity.png", "t.pdf", "mine.svg"):
        (tmp_path / "charts" / name).write_text("drawn", encoding="utf-8")
    write_report([BOARD], tmp_path, title="second")
    assert [path.name for path in (tmp_path / "charts").iterdir()] == ["mine.svg"]


def test_another_programs_report_json_is_no_list_of_files_to_remove(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"tables": "all"}', encoding="utf-8")
    (tmp_path / "all.csv").write_text("mine", encoding="utf-8")
    write_report([BOARD], tmp_path, title="t")
    assert (tmp_path / "all.csv").exists()


def test_tables_with_odd_or_equal_names_get_files_of_their_own(tmp_path: Path) -> None:
    odd = Table("../by 剧种/类", "T", (Column("x", "X"),), ())
    written = write_report([odd, odd], tmp_path, title="t")
    csvs = [path.relative_to(tmp_path).as_posix() for path in written if path.suffix == ".csv"]
    assert csvs == ["tables/by_剧种_类.csv", "tables/by_剧种_类-2.csv"]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("", encoding="utf-8")
    with pytest.raises(Misuse, match=r"cannot be written: .*report"):
        write_report([BOARD], tmp_path / "report", title="t")


def test_a_report_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no table"):
        write_report([], tmp_path, title="t")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path) -> None:
    import resource

    write_report([BOARD], tmp_path, title="first")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, limits[1]))  # bytes: less than any page
    try:
        with pytest.raises(Misuse, match="File too large"):
            write_report([BOARD], tmp_path, title="second")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith("# first")
    assert not list(tmp_path.rglob("*.part"))


def test_half_an_emoji_in_a_reply_spoils_no_file(tmp_path: Path) -> None:
    for path in write_report([words("\ud83d")], tmp_path, title="t"):
        if path.suffix != ".xlsx":
            path.read_text(encoding="utf-8")


def test_the_locale_changes_no_byte(tmp_path: Path) -> None:
    """PL-07: a bare container's ASCII locale writes the same files as UTF-8."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]; from test_reports import BOARD; "
        "from keju.reports import write_report; write_report([BOARD], sys.argv[1], title='戏曲')"
    )
    places = [str(Path(__file__).parent), *sys.path]
    for name, locale in (("ascii", "C"), ("utf-8", "C.UTF-8")):
        environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        code_ascii = code.replace("戏曲", "\\u620f\\u66f2")
        subprocess.run([sys.executable, "-c", code_ascii, str(tmp_path / name), *places], env=environment, check=True)
    for path in (tmp_path / "ascii").rglob("*.*"):
        if path.suffix != ".xlsx":  # a workbook holds its time of writing
            assert path.read_bytes() == (tmp_path / "utf-8" / path.relative_to(tmp_path / "ascii")).read_bytes()
