"""What each form of a table shows, and that a hostile or odd text stays the text it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import keju.reports
from keju.errors import Misuse
from keju.phrase import Phrase
from keju.printable import printable
from keju.reports import show, to_csv, to_html, to_json, to_latex, to_markdown, to_text, unguarded
from keju.reports.latex import latex_escaped
from keju.reports.numbers import cell
from keju.results.table import Column, Table

BOARD = Table(
    name="leaderboard",
    title="Leaderboard",
    title_zh="排行榜",
    columns=(
        Column("model", "Model", "text", "模型"),
        Column("accuracy", "Accuracy", "share", "准确率"),
        Column("accuracy_ci", "95 % interval", "interval", "95 % 区间"),
        Column("gap", "Difference", "difference", "差值"),
        Column("p", "p", "p"),
        Column("n", "N", "count", "题数"),
    ),
    rows=(
        {"model": "通义千问|vl_72b", "accuracy": 0.73, "accuracy_ci": (0.702, 0.757), "n": 1000},
        {"model": "paper", "accuracy": 0.512, "gap": -0.218, "p": 0.0002, "n": 1000, "_published": True},
        {"model": "空", "accuracy": None, "accuracy_ci": None, "gap": None, "p": None, "n": 0, "_faint": True},
    ),
    notes=(Phrase("Intervals: percentile bootstrap.", "区间：百分位自助法。"),),
)


def words(*texts: object) -> Table:
    """A table of one column of words."""
    return Table("t", "T", (Column("text", "Text"),), tuple({"text": text} for text in texts))


def test_every_public_name_is_there() -> None:
    assert all(hasattr(keju.reports, name) for name in keju.reports.__all__)


@pytest.mark.parametrize(
    ("kind", "value", "drawn"),
    [
        ("share", 0.73, "73.0 %"),
        ("share", 1, "100.0 %"),
        ("share", 0.8125, "81.3 %"),  # half goes up, as a spreadsheet shows it
        ("share", 0.0005, "0.1 %"),
        ("difference", 0.042, "+4.2"),
        ("difference", -0.218, "-21.8"),
        ("difference", -0.0001, "0.0"),
        ("interval", (0.702, 0.757), "[70.2, 75.7]"),
        ("interval", [0.20655, 1.0], "[20.7, 100.0]"),
        ("count", 1000, "1,000"),
        ("count", 0, "0"),
        ("seconds", 0.0312, "0.031 s"),
        ("seconds", 1.234, "1.23 s"),
        ("seconds", 59.06, "59.1 s"),
        ("seconds", 1234.5, "1,235 s"),
        ("p", 0.0009, "< 0.001"),
        ("p", 0.001, "0.001"),
        ("p", 0.0496, "0.050"),
        ("number", 7, "7"),
        ("number", 0.87, "0.870"),
        ("number", -72.25, "-72.3"),
        ("number", 0.00002, "2.0e-05"),
        ("number", 1e300, f"{int(1e300):,}"),
        ("text", "旦", "旦"),
        ("text", True, "True"),
    ],
)
def test_a_cell_is_drawn_by_its_kind(kind: str, value: object, drawn: str) -> None:
    assert cell(Column("x", "X", kind), {"x": value}) == drawn


@pytest.mark.parametrize("kind", ["text", "share", "difference", "interval", "count", "seconds", "p", "number"])
@pytest.mark.parametrize("row", [{}, {"x": None}, {"x": float("nan")}, {"x": float("inf")}])
def test_what_was_not_measured_is_a_dash(kind: str, row: dict[str, object]) -> None:
    if kind == "interval" and row.get("x") is not None:
        row = {"x": (0.1, row["x"])}
    assert cell(Column("x", "X", kind), row) == "–"


@pytest.mark.parametrize(
    ("kind", "value"), [("share", 73), ("share", "0.73"), ("interval", 0.5), ("count", "many"), ("p", object())]
)
def test_a_value_of_another_kind_is_refused_with_the_column_named(kind: str, value: object) -> None:
    with pytest.raises(Misuse, match="column x"):
        cell(Column("x", "X", kind), {"x": value})


def test_numpy_figures_are_drawn_and_written_like_plain_ones() -> None:
    numpy = pytest.importorskip("numpy")
    table = Table("t", "T", (Column("s", "S", "share"), Column("n", "N", "count")), ())
    row = {"s": numpy.float64(0.73), "n": numpy.int64(7)}
    assert [cell(column, row) for column in table.columns] == ["73.0 %", "7"]
    assert json.loads(to_json([Table("t", "T", table.columns, (row,))]))["tables"][0]["rows"] == [{"s": 0.73, "n": 7}]


def test_one_share_has_one_unit_in_every_form() -> None:
    """ST-33: 0.73 in files for machines, 73.0 % for people, and 73 or 0.73 % nowhere."""
    table = Table("t", "T", (Column("accuracy", "Accuracy", "share"),), ({"accuracy": 0.73},))
    assert to_csv(table) == "\ufeffaccuracy\r\n0.73\r\n"
    field = json.loads(to_json([table]))["tables"][0]
    assert field["rows"] == [{"accuracy": 0.73}]
    assert field["columns"][0]["unit"] == "fraction of 1"
    for drawn in (to_text(table), to_markdown(table), to_html([table])):
        assert "73.0 %" in drawn
        assert "0.73" not in drawn


def test_plain_text_keeps_columns_in_line_with_chinese() -> None:
    assert to_text(BOARD) == (
        "Leaderboard\n\n"
        "Model            Accuracy  95 % interval  Difference        p      N\n"
        "--------------------------------------------------------------------\n"
        "通义千问|vl_72b    73.0 %   [70.2, 75.7]           –        –  1,000\n"
        "paper †            51.2 %              –       -21.8  < 0.001  1,000\n"
        "空 ‡                    –              –           –        –      0\n\n"
        "† published figures, not measured here\n"
        "‡ fewer than 10 items\n"
        "Intervals: percentile bootstrap.\n"
    )


def test_headings_speak_chinese_where_asked() -> None:
    drawn = to_text(BOARD, language="zh")
    assert drawn.startswith("排行榜\n\n模型 ")
    assert "‡ 不足 10 题\n区间：百分位自助法。\n" in drawn


def test_words_in_cells_speak_chinese_where_asked_and_replies_stay_as_they_are() -> None:
    table = words(Phrase("complete", "完整"), "complete")
    assert to_text(table, language="zh").splitlines()[-2:] == ["完整", "complete"]
    assert to_text(table).splitlines()[-2:] == ["complete", "complete"]


def test_another_language_is_refused() -> None:
    with pytest.raises(Misuse, match="'en' or 'zh'"):
        to_markdown(BOARD, language="fr")  # type: ignore[arg-type]


COUNTS = Table(
    "counts",
    "Counts",
    (
        Column("model", "Model", "text", "模型"),
        Column("invalid", "Invalid", "count", "无效", hide_zero=True),
        Column("blocked", "Blocked", "count", "被过滤", hide_zero=True),
        Column("failed", "Failed", "count", "失败", hide_zero=True),
        Column("retries", "Retries", "count", "重试"),
    ),
    (
        {"model": "m", "invalid": 0, "blocked": 0, "failed": 2, "retries": 0},
        {"model": "paper", "invalid": None, "_published": True},
    ),
)


@pytest.mark.parametrize("draw", [to_text, to_markdown, to_latex, lambda table: to_html([table])])
def test_people_are_told_which_columns_are_left_out_as_all_0(draw: Callable[[Table], str]) -> None:
    drawn = draw(COUNTS)
    assert "Not shown, as every count is 0: Invalid, Blocked." in drawn
    assert drawn.count("Invalid") == drawn.count("Blocked") == 1  # in the note only
    assert "Failed" in drawn
    assert "Retries" in drawn  # not marked so


def test_a_count_that_nobody_made_is_not_0() -> None:
    unknown = Table("t", "T", COUNTS.columns, ({"model": "paper", "retries": 0},))
    assert "Invalid" in to_text(unknown)
    assert "Not shown" not in to_text(unknown)
    assert "Not shown" not in to_text(Table("t", "T", COUNTS.columns, ()))


def test_files_for_machines_keep_columns_that_are_all_0() -> None:
    assert to_csv(COUNTS).splitlines()[0] == "\ufeffmodel,invalid,blocked,failed,retries,_published"
    (table,) = json.loads(to_json([COUNTS]))["tables"]
    assert [column["key"] for column in table["columns"]] == ["model", "invalid", "blocked", "failed", "retries"]
    assert table["rows"][0]["invalid"] == 0
    assert table["notes"] == table["notes_zh"] == []


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_a_terminal_leaves_out_columns_that_are_all_0(terminal: Terminal) -> None:
    show([COUNTS], file=terminal, language="zh")
    assert "以下各列计数全为 0，未列出：无效、被过滤。" in terminal.getvalue()
    assert terminal.getvalue().count("无效") == 1


def test_a_pipe_gets_no_escape_sequence() -> None:
    out = io.StringIO()
    show([BOARD], file=out)
    assert "\x1b" not in out.getvalue()
    assert out.getvalue() == to_text(BOARD)


def test_a_pipe_gets_one_line_a_row() -> None:
    drawn = to_text(words("first\nsecond " * 100, "x"))
    assert len(drawn.splitlines()) == 6


def test_a_pipe_that_cannot_hold_chinese_gets_question_marks_not_a_traceback() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show([BOARD], file=out)
    out.seek(0)
    assert "????|vl_72b" in out.read()


@pytest.mark.parametrize("columns", [30, 45, 60, 200])
def test_a_terminal_of_any_width_shows_every_figure_unbroken(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    monkeypatch.setenv("COLUMNS", str(columns))
    show([BOARD], file=terminal)
    plain = Text.from_ansi(terminal.getvalue()).plain
    assert all(cell_len(line) <= columns for line in plain.splitlines())
    assert all(figure in plain for figure in ("73.0 %", "[70.2, 75.7]", "-21.8", "< 0.001", "1,000"))


def test_each_part_of_a_narrow_table_names_its_rows(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    names = (Column("model", "Model"), Column("value", "Genre"))
    figures = tuple(Column(f"n{number}", f"Number {number}", "count") for number in range(6))
    show([Table("t", "T", names + figures, ({"model": "m", "value": "昆曲"},))], file=terminal)
    assert terminal.getvalue().count("昆曲") == terminal.getvalue().count("Genre") > 1


def test_no_color_leaves_no_colour(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    show([BOARD], file=terminal)
    assert not any(f"\x1b[{code}" in terminal.getvalue() for code in ("3", "4", "9"))


def test_a_faint_row_is_dim_and_a_reply_cannot_command_the_terminal(terminal: Terminal) -> None:
    reply = "\x1b[2J\x1b]0;owned\x07[red]x[/red]"
    show([Table("t", "T", (Column("text", "Text"),), ({"text": reply, "_faint": True},))], file=terminal)
    drawn = terminal.getvalue()
    assert "\x1b[2m" in drawn
    assert "\x1b[2J" not in drawn
    assert "\x1b]" not in drawn
    assert "[red]x[/red]" in drawn


def test_markdown_is_a_github_table_with_its_notes() -> None:
    assert to_markdown(BOARD) == (
        "## Leaderboard\n\n"
        "| Model | Accuracy | 95 % interval | Difference | p | N |\n"
        "| --- | --: | --: | --: | --: | --: |\n"
        "| 通义千问\\|vl\\_72b | 73.0 % | [70.2, 75.7] | – | – | 1,000 |\n"
        "| paper † | 51.2 % | – | -21.8 | < 0.001 | 1,000 |\n"
        "| 空 ‡ | – | – | – | – | 0 |\n\n"
        "- † published figures, not measured here\n"
        "- ‡ fewer than 10 items\n"
        "- Intervals: percentile bootstrap.\n"
    )


ANY_TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=40)
MARKUP = st.text(alphabet="\\`*_[]<>|~$&#!()=+-@\"'a 京\n", max_size=20)


@settings(deadline=None)  # the time of a shared machine says nothing
@given(st.lists(ANY_TEXT | MARKUP, min_size=1, max_size=4))
def test_markdown_shows_each_text_as_it_is(texts: list[str]) -> None:
    shown = markdown_cells(to_markdown(words(*texts)))
    assert shown == [printable(text).strip() for text in texts]


def markdown_cells(markdown: str) -> list[str]:
    """The texts of the body's cells as a Markdown renderer shows them, without white space at their ends."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    shown, inside = [], False
    for token in tokens:
        inside = (inside or token.type == "td_open") and token.type != "td_close"
        if inside and token.type == "inline":
            children = token.children or []
            assert {c.type for c in children} <= {"text", "html_inline", "text_special"}
            text = "".join("\n" if c.type == "html_inline" else c.content for c in children)
            shown.append(text.strip())
    return shown


@settings(deadline=None)  # the time of a shared machine says nothing
@given(st.lists(ANY_TEXT | st.text(alphabet="'=+-@＝\t\r\n,\"a", max_size=8), min_size=1, max_size=4))
def test_csv_gives_each_text_back(texts: list[str]) -> None:
    written = to_csv(words(*texts))
    rows = list(csv.reader(io.StringIO(written.removeprefix("\ufeff"), newline="")))
    assert [unguarded(row[0]) for row in rows[1:]] == texts
    assert not any(row[0].startswith(tuple("=+-@＝＋－＠\t\r\n")) for row in rows[1:])


@pytest.mark.parametrize("reply", ["=A", "+B", "-C", "@D", '=HYPERLINK("http://x","y")', "'=A", "'A"])
def test_csv_neutralises_formulas_and_takes_it_back(reply: str) -> None:
    """PL-09, the CSV half."""
    (_, row) = csv.reader(io.StringIO(to_csv(words(reply)), newline=""))
    assert row[0].startswith(("'", "A"))
    assert unguarded(row[0]) == reply


def test_csv_never_touches_a_figure_and_splits_an_interval() -> None:
    assert to_csv(BOARD).splitlines() == [
        "\ufeffmodel,accuracy,accuracy_ci_low,accuracy_ci_high,gap,p,n,_published,_faint",
        "通义千问|vl_72b,0.73,0.702,0.757,,,1000,false,false",
        "paper,0.512,,,-0.218,0.0002,1000,true,false",
        "空,,,,,,0,false,true",
    ]


def test_pandas_reads_the_csv() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(io.BytesIO(to_csv(BOARD).encode()))
    assert frame["accuracy"].tolist()[:2] == [0.73, 0.512]
    assert frame["_published"].tolist() == [False, True, False]
    assert frame["model"][0] == "通义千问|vl_72b"


def test_json_keeps_an_uncut_text_and_half_an_emoji() -> None:
    long, torn = "旦" * 40_000, "\ud83d"
    rows = json.loads(to_json([words(long, torn)], meta={"model": "m"}))["tables"][0]["rows"]
    assert rows == [{"text": long}, {"text": torn}]


def test_json_holds_raw_values_and_marks() -> None:
    (table,) = json.loads(to_json([BOARD]))["tables"]
    assert table["rows"][0]["accuracy_ci"] == [0.702, 0.757]
    assert table["rows"][1]["_published"] is True
    assert table["rows"][2]["accuracy"] is None


def test_latex_sets_chinese_and_special_characters_letter_by_letter() -> None:
    assert latex_escaped("50% & 戏_曲 #1 $x$ {a} ~ ^ \\cmd -- 'q'\nnext") == (
        r"50\% \& 戏\_曲 \#1 \$x\$ \{a\} \textasciitilde{} \textasciicircum{} \textbackslash{}cmd -{}- "
        r"\textquotesingle{}q\textquotesingle{} next"
    )


def test_latex_makes_a_booktabs_table_with_the_best_in_bold() -> None:
    drawn = to_latex(BOARD, best={"accuracy": "max", "n": "min"})
    assert r"\begin{tabular}{lrrrrr}" in drawn
    assert r"通义千问|vl\_72b & \textbf{73.0\,\%} & [70.2, 75.7] & – & – & \textbf{1,000} \\" in drawn
    assert r"paper † & 51.2\,\% & – & $-$21.8 & $<$ 0.001 & \textbf{1,000} \\" in drawn
    assert r"\textcolor{gray}{空 ‡}" in drawn
    assert r"\caption{Leaderboard}\label{tab:leaderboard}" in drawn


def test_latex_guards_a_row_that_begins_with_a_bracket() -> None:
    r"""`\\` takes `[…]` or `*` after it for its argument."""
    drawn = to_latex(words("x", "[2em]", "*"))
    assert "{}[2em] \\\\" in drawn
    assert "{}* \\\\" in drawn


def test_latex_breaks_a_long_table_over_pages() -> None:
    assert r"\begin{longtable}" in to_latex(words(*range(60)))


class Page(HTMLParser):
    """Collects the page's tags and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(deadline=None)  # the time of a shared machine says nothing
@given(ANY_TEXT | st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=y>', "&lt;b>", "</style>"]))
def test_html_lets_no_text_become_markup(text: str) -> None:
    clean, hostile = (Page(to_html([words(t)], title=t, meta={t: t})) for t in ("x", text))
    assert hostile.tags == clean.tags
    assert hostile.text.count(printable(text)) >= 4


def test_html_loads_nothing_and_runs_nothing() -> None:
    page = Page(to_html([BOARD, BOARD], title="A & B", meta={"n": 3}))
    assert "script" not in page.tags
    assert not {"src", "srcset", "action", "onclick"} & {name for name, _ in page.attributes}
    assert all(value and value.startswith("#") for name, value in page.attributes if name == "href")
    assert "url(" not in page.text


def test_html_says_in_both_languages_which_runs_it_is_of() -> None:
    page = to_html([BOARD], meta={"runs": ["runs/a", "runs/b"]})
    assert '<span class="zh" lang="zh-Hans">运行</span></dt><dd>runs/a, runs/b</dd>' in page


def test_html_holds_both_languages_and_opens_in_the_one_asked() -> None:
    english, chinese = to_html([BOARD]), to_html([BOARD], language="zh")
    assert '<input type="radio" name="language" id="en" checked>' in english
    assert '<input type="radio" name="language" id="zh" checked>' in chinese
    assert all("排行榜" in page and "Leaderboard" in page for page in (english, chinese))


def test_html_draws_the_interval_to_scale_and_nothing_where_nothing_was_measured() -> None:
    page = to_html([BOARD])
    assert '<line class="interval" x1="70.20%" x2="75.70%"' in page
    assert page.count("<svg") == 2  # of three rows, one has no accuracy


def test_html_plots_no_interval_of_a_difference() -> None:
    columns = (Column("a", "A", "share"), Column("d", "D", "difference"), Column("ci", "CI", "interval"))
    table = Table("pairs", "Pairs", columns, ({"a": 0.7, "d": 0.1, "ci": (-0.05, 0.2)},))
    assert "<svg" not in to_html([table])


def test_html_breaks_no_note_before_a_percent_sign() -> None:
    table = Table("t", "T", (Column("x", "X"),), ({"x": "5 %"},), (Phrase("95 % CI.", "95 % 置信区间。"),))
    page = to_html([table])
    assert "<li>95\u00a0% CI.</li>" in page
    assert "<li>95\u00a0% 置信区间。</li>" in page
    assert '<th scope="row">5 %</th>' in page, "a text of the data stays as it is"


@pytest.mark.parametrize(
    "text", ["abc", "老生 A", "\t\0a", "e\u0301", "👩‍👩‍👧", "❤️", "👍🏽", "ｆｕｌｌ", "\x1b[1m", "\u200b", ""]
)
def test_a_text_takes_the_places_that_a_terminal_gives_it(text: str) -> None:
    """rich is the oracle; it looks at each character of a reply of a megabyte in turn."""
    from rich.cells import cell_len

    from keju.reports.terminal import _places

    assert _places(text) == cell_len(text)
