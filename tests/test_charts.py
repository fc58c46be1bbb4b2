"""Charts: what they draw is what the table says, in both languages, in files with Chinese glyphs and in a page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from keju.errors import MissingExtra, Misuse
from keju.phrase import Phrase
from keju.reports import to_html
from keju.reports.charts import FORMS, Chart, bars, embed, heat, histogram, save
from keju.reports.charts.bundle import _bundled, vega
from keju.reports.charts.fonts import without_glyph
from keju.reports.charts.style import COLOURS, config
from keju.results.table import Column, Table

GENRES = (Phrase("Peking Opera", "京剧"), Phrase("Kunqu Opera", "昆曲"), Phrase("Peking Opera", "京剧"))
"""Two rows are called alike, and must stay two."""

COUNTS = Table(
    "by_genre",
    "Items by genre",
    (
        Column("genre", "Genre", "text", "剧种"),
        Column("n", "Items", "count", "题数"),
        Column("share", "Share", "share", "占比"),
        Column("expected", "Expected", "number", "期望"),
    ),
    tuple({"genre": g, "n": n, "share": n / 60, "expected": 20} for g, n in zip(GENRES, (30, 20, 10), strict=True)),
    title_zh="各剧种题数",
)
CROSSED = Table(
    "crossed",
    "Genre and difficulty",
    (
        Column("genre", "Genre", "text", "剧种"),
        *(Column(key, key.capitalize(), "count", zh) for key, zh in (("easy", "易"), ("hard", "难"), ("odd", "怪"))),
    ),
    ({"genre": GENRES[0], "easy": 4, "hard": 0}, {"genre": GENRES[1], "easy": 1, "hard": 3}),
    title_zh="剧种与难度",
)
RANGES = Table(
    "durations",
    "Durations",
    (
        Column("from", "From", "number", "自"),
        Column("to", "To", "number", "至"),
        Column("n", "Clips", "count", "音频数"),
    ),
    ({"from": 0, "to": 10, "n": 5}, {"from": 10, "to": 20, "n": 0}, {"from": 20, "to": 30, "n": 2}),
    title_zh="时长",
)
CHARTS = [
    bars(COUNTS, "genre", "n", expected="expected"),
    heat(CROSSED, "genre", ["easy", "hard", "odd"], Phrase("Difficulty", "难度")),
    histogram(RANGES, "from", "to", "n", Phrase("Duration (s)", "时长（秒）")),
]


def drawn(chart: Chart, language: str = "en") -> list[dict[str, Any]]:
    """The data of the chart's first data set."""
    spec = chart.specs[language]  # type: ignore[index]
    data = spec.get("data") or spec["layer"][0]["data"]
    found: list[dict[str, Any]] = data["values"] if "values" in data else spec["datasets"][data["name"]]
    return found


# what is drawn


def test_bars_have_the_tables_figures_in_its_order() -> None:
    assert [(row["name"], row["value"]) for row in drawn(CHARTS[0])] == [
        ("Peking Opera", 30),
        ("Kunqu Opera", 20),
        ("Peking Opera", 10),
    ]


def test_every_word_is_there_in_both_languages() -> None:
    for chart in CHARTS:
        english, chinese = (json.dumps(chart.specs[one], ensure_ascii=False) for one in ("en", "zh"))
        assert not re.search("[\u4e00-\u9fff]", english)
        assert re.search("[\u4e00-\u9fff]", chinese)
    assert "剧种" in json.dumps(CHARTS[1].specs["zh"], ensure_ascii=False)
    assert "难度" in json.dumps(CHARTS[1].specs["zh"], ensure_ascii=False)


def test_a_share_is_drawn_as_people_read_it() -> None:
    chart = bars(COUNTS, "genre", "share")
    assert [row["shown"] for row in drawn(chart)] == ["50.0 %", "33.3 %", "16.7 %"]


def test_what_was_not_measured_has_no_cell_but_keeps_its_column() -> None:
    cells = drawn(CHARTS[1])
    assert {(row["row"], row["column"]): row["value"] for row in cells} == {(0, 0): 4, (0, 1): 0, (1, 0): 1, (1, 1): 3}
    assert '"domain": [0, 1, 2]' in json.dumps(CHARTS[1].specs["en"])


def test_a_table_without_rows_or_without_the_column_is_refused() -> None:
    empty = Table("empty", "Empty", COUNTS.columns, ())
    with pytest.raises(Misuse, match="no rows"):
        bars(empty, "genre", "n")
    with pytest.raises(Misuse, match="no column 'm'"):
        bars(COUNTS, "genre", "m")


def test_a_text_is_no_expression() -> None:
    """Names of rows stand in a Vega expression; quotes and backslashes must not end it."""
    hostile = "\"]; alert('x') \u2028//\\"
    table = Table("hostile", "Hostile", COUNTS.columns, ({"genre": hostile, "n": 1},))
    spec = bars(table, "genre", "n").specs["en"]
    (expression,) = set(re.findall(r'"labelExpr": ("(?:[^"\\]|\\.)*")', json.dumps(spec)))
    assert json.loads(json.loads(expression).removesuffix("[datum.value]")) == [hostile]


def test_colours_are_distinct_on_white_and_on_black() -> None:
    """At least 1.5 : 1 in luminance with either paper, where WCAG asks for 3 : 1 of what has no label."""
    assert len(set(COLOURS)) == len(COLOURS)
    for colour in COLOURS:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) > 1.5
        assert (luminance + 0.05) / 0.05 > 3


# files


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_form_is_written(chart: Chart, language: Any, tmp_path: Path) -> None:
    if language == "zh" and without_glyph("京剧昆曲题数难度时长"):
        pytest.skip("no Chinese font on this computer")
    heads = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    for form in FORMS:
        content = save(chart, tmp_path / "new" / f"chart.{form}", language=language).read_bytes()
        assert content.startswith(heads[form])
    title = chart.title.zh if language == "zh" else chart.title
    assert title in (tmp_path / "new" / "chart.svg").read_text("utf-8")


def test_the_svg_shows_every_row_once(tmp_path: Path) -> None:
    text = save(CHARTS[0], tmp_path / "chart.svg").read_text("utf-8")
    assert text.count(">Peking Opera<") == 2
    assert text.count(">Kunqu Opera<") == 1
    assert all(f">{n}<" in text for n in (30, 20, 10))


def test_two_savings_give_the_same_picture(tmp_path: Path) -> None:
    for form in ("svg", "png"):
        first, second = (save(CHARTS[1], tmp_path / f"{i}.{form}").read_bytes() for i in (1, 2))
        assert first == second


def test_forms_that_are_saved_one_after_the_other_show_the_same_drawing(tmp_path: Path) -> None:
    import vl_convert

    one, other = CHARTS[0], CHARTS[1]
    save(one, tmp_path / "one.svg")
    save(other, tmp_path / "other.png")
    save(one, tmp_path / "one.png")
    drawing = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert (tmp_path / "one.png").read_bytes() == vl_convert.svg_to_png(drawing, scale=3)
    save(one, tmp_path / "again.svg", language="zh")
    assert "京剧" in (tmp_path / "again.svg").read_text(encoding="utf-8")


def test_numbers_are_drawn_to_the_last_bit(tmp_path: Path) -> None:
    import vl_convert

    shares = [0.9452706955539223, 0.38120423768821243, 0.21659939713061338, 0.9925434121760651]  # some JSON readers err
    rows = tuple({"genre": str(number), "n": 1, "share": share} for number, share in enumerate(shares))
    chart = bars(replace(COUNTS, rows=rows), "genre", "share")
    drawing = vl_convert.vegalite_to_svg({**chart.specs["en"], "title": chart.title}, config=config())
    assert save(chart, tmp_path / "shares.svg").read_text(encoding="utf-8") == drawing


@pytest.mark.parametrize("damage", [None, b"", b"0" * 64 + b"\nalert(1)", b"no digest"])
def test_vega_is_kept_for_later_pages_and_made_again_where_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path))
    vega.cache_clear()
    first = vega()
    (kept,) = (tmp_path / "scripts").iterdir()
    if damage is not None:
        kept.write_bytes(damage)
    vega.cache_clear()
    monkeypatch.setattr("keju.reports.charts.bundle._bundled", (lambda path: "") if damage is None else _bundled)
    assert vega() == first
    assert kept.read_bytes().endswith(first.encode("utf-8")[-1000:])


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    first = vega()
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    vega.cache_clear()
    assert vega() == first


def test_the_pdf_holds_chinese_text(tmp_path: Path) -> None:
    """Its fonts map glyphs to the characters: a box could not be copied as 京."""
    if without_glyph("京剧"):
        pytest.skip("no Chinese font on this computer")
    pdf = save(CHARTS[0], tmp_path / "chart.pdf", language="zh").read_bytes()
    assert b"beginbfchar" in pdf
    assert b"<4EAC>" in pdf


def test_without_a_chinese_font_it_says_so_and_writes_no_boxes(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("fontconfig is how the fonts are hidden")
    (tmp_path / "fonts.conf").write_text("<?xml version='1.0'?><fontconfig><dir>/nowhere</dir></fontconfig>")
    code = (
        "from test_charts import CHARTS; from keju.reports.charts import save\n"
        "save(CHARTS[0], 'chart.svg', language='zh')\n"
        "try: save(CHARTS[0], 'chart.png', language='zh')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    environment = {
        **os.environ,
        "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Misuse chart.png: no font here has ")
    assert "fonts-noto-cjk" in done.stdout
    assert (tmp_path / "chart.svg").exists()
    assert not (tmp_path / "chart.png").exists()


def test_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="svg, png, pdf, json"):
        save(CHARTS[0], tmp_path / "chart.gif")


def test_without_the_extra_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'keju[charts]'")):
        save(CHARTS[0], tmp_path / "chart.svg")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'keju[charts]'")):
        bars(COUNTS, "genre", "n")


# the page


def test_a_page_without_charts_allows_no_script() -> None:
    page = to_html([COUNTS])
    assert "script-src 'none'" in page
    assert "<script" not in page


def test_a_text_in_a_chart_cannot_end_its_script() -> None:
    table = Table("hostile", "Hostile", COUNTS.columns, ({"genre": "</script><script>alert(1)</script>", "n": 1},))
    assert "alert(1)</script>" not in embed([bars(table, "genre", "n")]).scripts


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_the_page_draws_its_charts_without_network_or_complaint(
    browser: Any, tmp_path: Path, scheme: str, width: int
) -> None:
    hostile = Table(
        "hostile", "Hostile", COUNTS.columns, ({"genre": '<img src=x onerror=alert(1)>\u2028"]; alert(1) //', "n": 1},)
    )
    charts = [*CHARTS, bars(hostile, "genre", "n")]
    page_file = tmp_path / "page.html"
    page_file.write_text(to_html([chart.table for chart in charts], charts=charts), encoding="utf-8")
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append("a dialog opened"))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    page.wait_for_selector(".chart svg >> nth=3")
    assert "Kunqu Opera" in page.inner_text("[data-chart=by_genre]")
    page.check("#zh", force=True)
    page.wait_for_function("document.querySelector('[data-chart=by_genre]').textContent.includes('昆曲')")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ink = page.evaluate("getComputedStyle(document.querySelector('.chart .role-axis-label text')).fill")
    assert (sum(map(int, re.findall(r"\d+", ink))) > 380) == (scheme == "dark")
    assert said == []
    assert asked == [page_file.as_uri()]
    context.close()


@pytest.mark.parametrize(("width", "seen"), [(1280, "1"), (380, "0")])
def test_figures_are_left_out_of_cells_that_are_too_narrow_for_them(
    browser: Any, tmp_path: Path, width: int, seen: str
) -> None:
    keys = [f"c{n}" for n in range(12)]
    columns = (Column("genre", "Genre", "text"), *(Column(key, key, "count") for key in keys))
    wide = heat(
        Table("wide", "Wide", columns, ({"genre": "x"} | dict.fromkeys(keys, 1234),)), "genre", keys, Phrase("C", "列")
    )
    page_file = tmp_path / "page.html"
    page_file.write_text(to_html([wide.table], charts=[wide]), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(page_file.as_uri())
    figure = page.wait_for_selector(".chart .mark-text text:has-text('1,234')", state="attached")
    assert figure.evaluate("text => getComputedStyle(text).opacity") == seen
    page.close()


def names_on_a_phone(browser: Any, page_file: Path, charts: list[Chart]) -> list[list[str]]:
    """Of each chart in turn the texts along its axes that stand for rows, as they are cut."""
    page_file.write_text(to_html([chart.table for chart in charts], charts=charts), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(page_file.as_uri())
    page.wait_for_selector(f".chart svg >> nth={len(charts) - 1}")
    found = [page.locator(f"[data-chart={chart.name}] .role-axis-label text").all_text_contents() for chart in charts]
    page.close()
    return found


def test_models_of_one_provider_are_told_apart_on_a_phone(browser: Any, tmp_path: Path) -> None:
    provider = "openai-compatible/a-long-provider"
    models = [f"{provider}/{name}" for name in ("Qwen2.5-VL-7B", "InternVL3-8B", "gemma-3")]
    columns = (Column("model", "Model", "text"), *(Column(name, name, "count") for name in models))
    rows = tuple({"model": name} | dict.fromkeys(models, 1) for name in models)
    table = Table("grid", "Grid", columns, rows)
    (shown,) = names_on_a_phone(browser, tmp_path / "page.html", [heat(table, "model", models, Phrase("C", "列"))])
    assert [shown.count(name.removeprefix(f"{provider}/")) for name in models] == [2, 2, 2], shown
    assert drawn(bars(Table("b", "B", columns, rows), "model", models[0]))[0]["name"] == models[0], (
        "the pointer tells all"
    )


def test_heads_that_begin_alike_are_cut_in_the_middle(browser: Any, tmp_path: Path) -> None:
    heads = [f"a-family-of-models-that-is-long-{size}B" for size in (7, 72)]
    columns = (Column("genre", "Genre", "text"), *(Column(name, name, "count") for name in heads))
    table = Table("grid", "Grid", columns, ({"genre": "x"} | dict.fromkeys(heads, 1),))
    (shown,) = names_on_a_phone(browser, tmp_path / "page.html", [heat(table, "genre", heads, Phrase("C", "列"))])
    assert len([name for name in shown if name.endswith(("-7B", "-72B"))]) == 2, shown


def test_short_names_keep_what_they_share() -> None:
    columns = (Column("model", "Model", "text"), Column("n", "N", "count"))
    spec = bars(Table("b", "B", columns, ({"model": "m/1", "n": 1}, {"model": "m/2", "n": 2})), "model", "n").specs[
        "en"
    ]
    assert '["m/1", "m/2"]' in json.dumps(spec).replace('\\"', '"')


@pytest.mark.parametrize(("width", "whole"), [(390, False), (1280, True)])
def test_rows_that_begin_alike_are_told_apart_at_every_width(
    browser: Any, tmp_path: Path, width: int, whole: bool
) -> None:
    names = [f"a-family-of-models-that-is-long-{size}B" for size in (7, 72)]
    columns = (Column("model", "Model", "text"), Column("n", "N", "count"))
    table = Table("b", "B", columns, tuple({"model": name, "n": 1} for name in names))
    page_file = tmp_path / "page.html"
    page_file.write_text(to_html([table], charts=[bars(table, "model", "n")]), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(page_file.as_uri())
    page.wait_for_selector(".chart svg")
    shown = page.locator(".role-axis-label text").all_text_contents()
    page.close()
    assert {name.removesuffix("B")[-2:] for name in shown if name.endswith("B")} == {"-7", "72"}, shown
    assert set(names) <= set(shown) if whole else not set(names) & set(shown)
