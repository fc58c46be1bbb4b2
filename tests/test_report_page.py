"""The report's page: it shows what the tables and the runs say, in a browser, to everybody, and nothing else."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from keju import api
from keju.benchmark import Benchmark
from keju.cli import main
from keju.items import Item, Medium, Wording
from keju.phrase import Phrase
from keju.protocols import load_protocol
from keju.records import Record
from keju.reports import to_html
from keju.reports.item_browser import embed_items
from keju.reports.item_browser.contents import REPLIES, contents
from keju.reports.item_browser.embedding import PAGE
from keju.reports.item_browser.entries import entries
from keju.reports.numbers import cell
from keju.reports.result_charts import result_charts
from keju.results.leaderboard import leaderboard
from keju.results.overview import overview
from keju.results.scores import Scores, score
from keju.results.table import Column
from keju.runs.run import Run
from making import png, wav
from marked_runs import items, run

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">\u2028 & <b>"


def scored(*runs: Run) -> list[Scores]:
    return [score(one) for one in runs]


def data(scores: list[Scores]) -> dict[str, Any]:
    """What the browser is told, with each answer's text in its place."""
    found = entries(scores)
    told = contents(scores, found, {key: 0 for entry in found for key, *_ in entry.media})
    for item in told["items"]:
        for answer in item["answers"]:
            if "text" in answer:
                answer["text"] = told["texts"][answer["text"]]
    return told


# one entry an item


def test_runs_over_one_benchmark_meet_in_one_entry_an_item() -> None:
    of = items("ABC")
    told = data(scored(run(of, "ABC", model="m/1"), run(of, "AB!", model="m/2")))
    assert [item["id"] for item in told["items"]] == ["0000", "0001", "0002"]
    assert [answer["run"] for answer in told["items"][2]["answers"]] == [0, 1]
    assert told["items"][2]["answers"][1]["outcome"] == "failed"


def test_items_of_two_benchmarks_that_share_ids_only_are_two() -> None:
    other = tuple(Item(i.id, {"en": Wording("en", f"other {i.id}", {"A": "x", "B": "y"})}, "A") for i in items("AB"))
    asked = run(other, "AA", model="m/2")
    asked = Run(asked.model, Benchmark("other", other), asked.protocol, asked.records)
    told = data(scored(run(items("AB"), "AB"), asked))
    assert [item["id"] for item in told["items"]] == ["0000", "0001", "0000~2", "0001~2"]


def test_a_variant_is_another_form_of_the_same_item_with_its_own_key() -> None:
    options = dict(zip("ABCD", "生旦净丑", strict=True))
    of = tuple(Item(key, {"zh-Hans": Wording("zh-Hans", f"第{key}题", options)}, key) for key in "AB")
    turned = api.variants.apply(Benchmark("made", of), api.variants.parse_variants(["rotate=1"])).items
    told = data(scored(run(of, "AB"), run(turned, "BC", variant={"rotate": "1"})))
    assert [form["key"] for form in told["items"][0]["forms"]] == ["A", "B"]
    assert [answer.get("form", 0) for answer in told["items"][0]["answers"]] == [0, 1]
    assert all(answer["right"] for item in told["items"] for answer in item["answers"])


def test_a_reply_that_gave_no_label_says_why() -> None:
    told = data(scored(run(items("AAAA"), ["A", "?", "!", ""])))
    assert [item["answers"][0].get("reason") for item in told["items"]] == [None, "refusal", None, "empty"]
    assert told["items"][2]["answers"][0]["error"] == "HTTP 500"


def test_long_replies_are_cut_in_the_middle_and_short_ones_stay_whole() -> None:
    long = "想" * (REPLIES // 3) + "答案：A"
    answers = [item["answers"][0] for item in data(scored(run(items("AAA"), ["A", long, long])))["items"]]
    assert answers[0]["text"] == "A"
    for answer in answers[1:]:
        assert answer["text"].endswith("答案：A")
        assert "[…]" in answer["text"]
        kept = answer["text"].replace("\n[…]\n", "")
        assert len(kept) + answer["left_out"] == len(long)
        assert len(answer["text"].encode()) <= REPLIES // 2 + 10


# pictures and clips


def shown(item_media: tuple[Medium, ...], **options: Any) -> list[dict[str, str]]:
    of = (Item("1", {"en": Wording("en", "Who?", {"A": "x", "B": "y"})}, "A", media=item_media),)
    scripts = embed_items(scored(run(of, "A")), **options).scripts
    found = re.search(r'id="items-media">(.*?)</script>', scripts)
    assert found
    told: list[dict[str, str]] = json.loads(found[1])
    return told


def test_a_picture_is_made_small_and_a_clip_is_kept_as_it_is() -> None:
    media = (Medium("image", "a.png", data=png(size=900)), Medium("audio", "b.wav", data=wav()))
    picture, clip = shown(media)
    assert picture["uri"].startswith("data:image/webp;base64,")
    assert clip["uri"].startswith("data:audio/wav;base64,")


def test_a_file_is_linked_only_where_it_lies_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "my exam" / "set").mkdir(parents=True)
    file = tmp_path / "my exam" / "set" / "甲 1.png"
    file.write_bytes(png())
    media = (Medium("image", "甲 1.png", file),)
    (near,) = shown(media, folder=tmp_path / "my exam" / "report")
    assert near["href"] == "../set/%E7%94%B2%201.png"
    (far,) = shown(media, folder=tmp_path / "elsewhere" / "report")
    assert "href" not in far


def test_media_that_a_run_knows_by_name_are_found_in_its_benchmark_if_they_are_what_was_sent() -> None:
    of = (Item("1", {"en": Wording("en", "Who?", {"A": "x", "B": "y"})}, "A", media=(Medium("image", "a.png"),)),)
    there = Medium("image", "a.png", data=png(1))
    source = Benchmark("set", (Item("1", of[0].wordings, "A", media=(there,)),))
    for sent, uris in ((there.identity, 1), ("0" * 16, 0)):
        asked = run(of, "A", media=(sent,))
        assert embed_items(scored(asked), sources=[source]).scripts.count("data:image/webp") == uris


def test_pictures_and_replies_that_would_not_fit_are_made_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of nine models over 1,000 items, in a tenth of the room: noisy pictures, and long chains of thought."""
    import numpy as np
    from PIL import Image

    monkeypatch.setattr("keju.reports.item_browser.embedding.PAGE", PAGE // 10)
    monkeypatch.setattr("keju.reports.item_browser.contents.REPLIES", REPLIES // 10)
    noise = np.random.default_rng(1)
    of = []
    for number in range(100):
        picture = Image.fromarray(noise.integers(0, 255, (24, 32, 3), dtype=np.uint8)).resize((640, 480))
        medium = Medium("image", f"{number}.png", data=_jpeg(picture))
        of.append(Item(f"{number}", {"en": Wording("en", "Who?", dict.fromkeys("ABCD", "x"))}, "A", media=(medium,)))
    thoughts = [" ".join(f"{n:x}" for n in noise.integers(0, 1 << 16, 400)) for _ in of]
    runs = []
    for model in range(9):
        records = {i.id: Record(i.id, "answered", f"{t[model:]}\nAnswer: A") for i, t in zip(of, thoughts, strict=True)}
        runs.append(Run(f"m/{model}", Benchmark("big", tuple(of)), load_protocol("tco"), records))
    browser = embed_items(scored(*runs))
    assert sum(len(r.text or "") for one in runs for r in one.records.values()) > REPLIES // 10
    assert len(browser.scripts.encode()) < PAGE // 10 + 50_000  # the script itself
    assert browser.scripts.count("data:image/webp") == 100


def _jpeg(picture: Any) -> bytes:
    from io import BytesIO

    target = BytesIO()
    picture.save(target, "JPEG", quality=90)
    return target.getvalue()


# charts


def drawn_rows(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every data set of a chart, one after the other."""
    return [row for rows in spec["datasets"].values() for row in rows] if "datasets" in spec else []


def values_of(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = drawn_rows(spec)
    parts = [spec, *spec.get("layer", ())]
    return found + [row for part in parts for row in part.get("data", {}).get("values", ())]


def test_every_figure_of_a_chart_stands_in_its_table() -> None:
    """As people read it: what a chart shows is a cell of the table under it, or its mirror image."""
    of = items(
        "ABCDABCDABCD", genre=("京剧", "昆曲") * 6, question_type=("costume attribution", "plot identification") * 6
    )
    replies = ("ABCDABCDABC?", "AACDABCDAB!-", "AAAAAAAAAAAA")
    runs = [
        run(of, reply, model=f"m/{n}", stages={"preprocess": 0.5, "infer": 1.0 + n}) for n, reply in enumerate(replies)
    ]
    runs.append(run(of, "ABCDABCDABCA", model="m/0", variant={"language": "zh-Hans"}))
    charts = result_charts(overview(runs, scored(*runs)))
    names = {chart.name for chart in charts}
    assert {"leaderboard", "validity", "pairs", "by_genre", "by_dimension", "parsers", "latency"} <= names
    for chart in charts:
        if chart.name == "validity":
            continue  # its parts are shares of the table's counts
        cells = {cell(column, row).lstrip("+-") for row in chart.table.rows for column in chart.table.columns}
        told = [row["shown"].lstrip("+\N{MINUS SIGN}-") for row in values_of(chart.specs["en"]) if "shown" in row]
        assert told, chart.name
        assert set(told) <= cells, chart.name


def test_validity_adds_up_to_all_items() -> None:
    scores = scored(run(items("AAAA"), "A?!-"), run(items("AAAA"), "AAAA", model="m/2"))
    chart = next(c for c in result_charts([leaderboard(scores)]) if c.name == "validity")
    rows = values_of(chart.specs["en"])
    for place in (0, 1):
        assert sum(row["value"] for row in rows if row["row"] == place) == pytest.approx(1)
    assert {row["part"] for row in rows} == {"Valid", "Invalid", "Failed", "Not asked"}


def test_a_run_that_wholly_failed_has_its_bar() -> None:
    published = [{"model": "GPT-4o", "accuracy": 0.59, "interval": (0.56, 0.62), "n": 1000}]
    table = leaderboard(
        scored(run(items("AAAA"), "A?AA"), run(items("AAAA"), "!!##", model="m/2")), published=published
    )
    chart = next(c for c in result_charts([table]) if c.name == "validity")
    rows = [(row["part"], row["value"]) for row in values_of(chart.specs["en"]) if "m/2" in row["name"]]
    assert rows == [("Valid", 0.0), ("Blocked", 0.5), ("Failed", 0.5)]
    assert not any("GPT-4o" in row["name"] for row in values_of(chart.specs["en"]))


def test_a_published_row_without_chance_is_drawn_too() -> None:
    published = [{"model": "GPT-4o", "accuracy": 0.59, "interval": (0.56, 0.62), "n": 1000, "valid_response_rate": 1.0}]
    (first, *_) = result_charts([leaderboard(scored(run(items("AB"), "AB")), published=published)])
    assert [row["shown"] for row in values_of(first.specs["en"])][1] == "59.0 %"


# the command


def test_charts_are_written_in_the_forms_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "replies.jsonl"
    row = {"question": "Q", "options": {"A": "x", "B": "y"}, "answer": "A", "response": "A"}
    rows = [{"id": number, **row} for number in "123"]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["report", str(file), "-o", str(tmp_path / "out"), "--charts", "svg,json"]) == 0
    assert {p.name for p in (tmp_path / "out" / "charts").iterdir()} >= {"leaderboard.svg", "leaderboard.json"}
    with pytest.raises(SystemExit):
        main(["report", str(file), "-o", str(tmp_path / "out"), "--charts", "gif"])
    assert "svg, png, pdf, json" in capsys.readouterr().err


def test_without_the_extra_the_page_has_no_charts_and_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    file = tmp_path / "replies.jsonl"
    row = {"id": "1", "question": "Q", "options": {"A": "x", "B": "y"}, "answer": "A", "response": "A"}
    file.write_text(json.dumps(row), encoding="utf-8")
    assert main(["report", str(file), "-o", str(tmp_path / "out")]) == 0
    assert "pip install 'keju[charts]'" in capsys.readouterr().err
    assert main(["report", str(file), "-o", str(tmp_path / "out"), "--charts", "svg"]) == 2


def test_a_page_without_items_holds_no_question(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    row = {"id": "1", "question": "Who wears the red?", "options": {"A": "x", "B": "y"}, "answer": "A", "response": "A"}
    file.write_text(json.dumps(row), encoding="utf-8")
    for options, there in (([], True), (["--no-items"], False)):
        assert main(["report", str(file), "-o", str(tmp_path / "out"), *options]) == 0
        assert ("Who wears the red?" in (tmp_path / "out" / "report.html").read_text("utf-8")) == there


# in a browser


class Opened:
    """A page in the browser, and everything that it said or asked for on the way."""

    def __init__(self, browser: Any, file: Path, hash: str = "", **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append("a dialog opened"))
        self.page.on("request", lambda request: self.asked.append(request.url.partition("#")[0]))
        self.page.goto(file.as_uri() + hash)
        self.page.wait_for_selector("#items .count")

    def see(self, place: str, text: str | re.Pattern[str]) -> None:
        """Wait until an element has this text."""
        from playwright.sync_api import expect

        expect(self.page.locator(place)).to_have_text(text)

    def ids(self) -> list[str]:
        found: list[str] = self.page.locator("#items-list [role=option] b").all_text_contents()
        return found

    def quiet(self) -> bool:
        """Nothing was said, and nothing but the page and what lies in it was loaded."""
        return self.said == [] and all(url.startswith(("file:", "data:")) for url in self.asked)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two models over four items: one right by both, one by neither, one disputed, one hostile."""
    folder = tmp_path_factory.mktemp("small")
    options = {"A": "生", "B": "旦"}
    media = (Medium("image", "a.png", data=png()), Medium("audio", "b.wav", data=wav()))
    of = tuple(
        Item(
            name,
            {"zh-Hans": Wording("zh-Hans", f"第{name}题", options), "en": Wording("en", f"Question {name}", options)},
            "A",
            media=media if name == "one" else (),
            labels={"genre": genre},
        )
        for name, genre in (("one", "Peking Opera"), ("two", "Kunqu Opera"), ("three", "Peking Opera"), (HOSTILE, "x"))
    )
    runs = [run(of, ["A", "B", "A", HOSTILE], model="m/1"), run(of, ["A", "B", "?", "!"], model=HOSTILE)]
    scores = scored(*runs)
    tables = overview(runs, scores)
    items_part = embed_items(scores, people=scored(run(of[:1], "B", model="Ann")))
    file = folder / "report.html"
    file.write_text(to_html(tables, charts=result_charts(tables), items=items_part), encoding="utf-8")
    return file


def test_filters_search_and_order_choose_items(browser: Any, small: Path) -> None:
    opened = Opened(browser, small)
    expected = {
        "#show=none-right": ["two", HOSTILE],
        "#show=all-right": ["one"],
        "#show=split": ["three"],
        "#show=invalid": ["three", HOSTILE],
        "#show=failed": [HOSTILE],
        "#label.genre=Peking+Opera": ["one", "three"],
        "#model=1&result=invalid": ["three"],
        "#model=0&result=wrong&q=question": ["two", HOSTILE],
        "#q=我不知道": ["three"],
        "#q=京剧+第": ["one", "three"],
        "#order=hardest": ["two", HOSTILE, "three", "one"],
        "#q=nowhere": [],
    }
    for address, ids in expected.items():
        opened.page.evaluate("address => { location.hash = address }", address)
        opened.see("#items .count", f"{len(ids)} of 4 items")
        assert opened.ids() == ids, address
    assert opened.page.get_by_text("No item meets these conditions.").is_visible()
    assert opened.quiet()
    opened.context.close()


def test_a_link_leads_back_to_the_item_and_the_choice(browser: Any, small: Path) -> None:
    opened = Opened(browser, small)
    opened.page.get_by_label("Genre", exact=True).select_option("Peking Opera")
    opened.page.locator("#items-list [role=option]").nth(1).click()
    address = opened.page.evaluate("location.hash")
    assert address == "#item=three&label.genre=Peking+Opera"
    again = Opened(browser, small, address)
    for shown_page in (again.page, again.page.reload() and again.page):
        shown_page.wait_for_selector("#items-panel .head")
        assert again.ids() == ["one", "three"]
        assert again.page.locator("#items-panel h3").inner_text() == "three"
    opened.context.close()
    again.context.close()


def test_an_id_in_a_table_leads_to_its_item(browser: Any, small: Path) -> None:
    opened = Opened(browser, small)
    link = opened.page.locator("main td a, main th a", has_text="two").first
    link.evaluate("link => link.click()")  # its table may be folded
    opened.see("#items-panel h3", "two")
    assert opened.quiet()
    opened.context.close()


def test_the_keyboard_suffices(browser: Any, small: Path) -> None:
    opened = Opened(browser, small)
    page = opened.page
    heading = page.locator("#items-panel h3")
    page.keyboard.press("j")
    assert heading.inner_text() == "two"
    page.keyboard.press("k")
    assert heading.inner_text() == "one"
    page.keyboard.press("/")
    page.keyboard.type("peking")
    opened.see("#items .count", "2 of 4 items")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "items-list"
    page.keyboard.press("End")
    active = page.locator("#items-list").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.uncheck("#items-keys")
    before = heading.inner_text()
    page.keyboard.press("k")
    assert heading.inner_text() == before, "keys of one letter can be turned off"
    assert opened.quiet()
    opened.context.close()


def test_a_hostile_reply_is_text(browser: Any, small: Path) -> None:
    opened = Opened(browser, small, "#q=onerror")
    page = opened.page
    page.locator("#items-list [role=option]").first.click()
    assert HOSTILE in page.locator("#items-panel pre").first.evaluate("e => e.textContent")
    assert page.locator("#items img[src=x], main img[src=x]").count() == 0
    assert page.title() == "Results"
    assert opened.quiet()
    opened.context.close()


def test_people_stand_beside_the_models_and_change_no_filter(browser: Any, small: Path) -> None:
    opened = Opened(browser, small, "#show=all-right&item=one")
    opened.see("#items .count", "1 of 4 items")
    opened.see("#items-panel .people", re.compile("Ann.*B"))
    opened.see("#items-panel li >> nth=1", re.compile("people: 1"))
    opened.context.close()


def test_picture_and_clip_are_there_and_every_word_of_ours_turns_chinese(browser: Any, small: Path) -> None:
    opened = Opened(browser, small, "#item=one")
    page = opened.page
    page.locator("#items-panel img").evaluate("image => image.decode()")
    heard = "clip => clip.duration || new Promise(done => clip.addEventListener('loadedmetadata', done))"
    page.locator("#items-panel audio").evaluate(heard)
    page.check("#zh", force=True)
    opened.see("#items .count", "4 题中的 4 题")
    text = page.locator("#items").inner_text()
    theirs = {"m", "en", "zh", "img", "src", "x", "a", "b", "png", "wav", "A", "B", "one", "two", "three", "Question"}
    theirs |= set(re.findall("[A-Za-z]+", HOSTILE)) | {"Ann", "anchored", "j", "k"}
    assert set(re.findall("[A-Za-z]+", text)) - theirs == set()
    assert opened.quiet()
    opened.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_serious_accessibility_fault_and_nothing_wider_than_the_screen(
    browser: Any, small: Path, scheme: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened = Opened(browser, small, "#item=three", color_scheme=scheme, viewport={"width": width, "height": 900})
    opened.page.wait_for_selector(".chart svg[aria-hidden] >> nth=3", state="attached")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    faults = axe.Axe().run(opened.page).response["violations"]
    assert [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")] == []
    opened.context.close()


def test_paper_has_every_table_and_the_item_without_the_controls(browser: Any, small: Path) -> None:
    opened = Opened(browser, small, "#item=three")
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#items .filters").is_visible()
    assert not opened.page.locator("#items-list").is_visible()
    assert opened.page.locator("#items-panel h3").is_visible()
    assert all(table.is_visible() for table in opened.page.locator("main table").all())
    opened.context.close()


REAL = {
    "mathvista": "outputs-mathvista/*.jsonl",
    "mmmu-pro": "outputs-mmmu-pro/*.jsonl",
    "ceval": "outputs-ceval-zhtw/*.jsonl",
    "multi-tw": "multi-tw/outputs.jsonl",
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_every_number_of_a_real_report_is_that_of_its_json(
    browser: Any, shared: Path, tmp_path: Path, name: str
) -> None:
    files = [str(file) for file in sorted((shared / "data").glob(REAL[name]))]
    assert main(["report", *files, "-o", str(tmp_path), "--lang", "en"]) in (0, 3)
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    page = (tmp_path / "report.html").read_text("utf-8")
    sections = re.findall(r'<section id="t\d+".*?</section>', page, re.DOTALL)
    drawn = {_texts(section)[0]: section for section in sections}
    for table in document["tables"]:
        if table["title"] in drawn:
            _same(table, drawn[table["title"]])
    board = next(table for table in document["tables"] if table["name"] == "leaderboard")
    opened = Opened(browser, tmp_path / "report.html")
    for place, row in enumerate(board["rows"]):
        opened.page.evaluate("address => { location.hash = address }", f"#model={place}&result=right")
        right = round(row["accuracy"] * row["n"])
        opened.see("#items .count", re.compile(f"^{right:,} of "))
    opened.page.wait_for_selector(".chart svg")
    assert opened.quiet()
    opened.context.close()


def _same(table: Mapping[str, Any], section: str) -> None:
    """The cells of the page's table are the JSON's values as people read them."""
    heads = _cells(re.findall(r"<thead><tr>(.*?)</tr>", section, re.DOTALL)[0], "th")
    rows = re.findall(r"<tr(?: class=faint)?>(.*?)</tr>", section.partition("<tbody>")[2], re.DOTALL)
    assert len(rows) == len(table["rows"])
    columns = {c["title"]: Column(c["key"], c["title"], c["kind"]) for c in table["columns"]}
    for drawn, row in zip(rows, table["rows"], strict=True):
        for head, text in zip(heads, _cells(drawn, "t[hd]"), strict=True):
            if head in columns and columns[head].kind != "text":
                assert text.replace("\N{MINUS SIGN}", "-") == cell(columns[head], row), (table["name"], head)


def _cells(row: str, tag: str) -> list[str]:
    return [" ".join(_texts(one)[:1]) for one in re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", row, re.DOTALL)]


def _texts(markup: str) -> list[str]:
    """The texts of a piece of the page, the English one first where there are two."""
    return [unescape(text) for text in re.findall(r">([^<]+)<", f">{markup}<") if text.strip()]


def test_phrases_of_the_browser_say_the_same_fields_in_both_languages() -> None:
    from keju.reports.item_browser.words import WHY, WORDS

    for phrase in (*WORDS.values(), *WHY.values()):
        assert isinstance(phrase, Phrase)
        assert sorted(re.findall(r"\{\w+\}", phrase)) == sorted(re.findall(r"\{\w+\}", phrase.zh))
