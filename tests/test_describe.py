"""`keju describe`: the figures by which the two papers present their benchmarks, counted and not assumed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from command_line import Keju, exam, in_process
from keju import formats
from keju.benchmark import Benchmark, Stream
from keju.checks.measuring import measure
from keju.errors import MissingExtra, Misuse
from keju.items import Item, Medium, Wording
from keju.reports.distributions import distribution_charts
from keju.results.answers import answer_balance, key_by_length
from keju.results.counts import by_language, counted, crossed, grouping_labels, label_values, named_label
from keju.results.description import description, overview
from keju.results.lengths import length_histograms, lengths
from keju.results.media import audio_durations, image_sizes, media_use
from keju.results.spread import MOST_RANGES, ranges, summary
from keju.results.table import Column, Table
from keju.stats import uniformity
from making import benchmark, item, png, wav

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)
N = Column("n", "N", "count")


def made(*items: tuple[str, dict[str, str], dict[str, str]]) -> Benchmark:
    """Items of (key, options, labels)."""
    made_up = (
        Item(f"{i:03d}", {"en": Wording("en", "Which one?", options)}, key or None, labels=labels)
        for i, (key, options, labels) in enumerate(items)
    )
    return Benchmark("made", tuple(made_up))


def rows(table: Table | None, *keys: str) -> list[tuple[Any, ...]]:
    assert table is not None
    return [tuple(row.get(key) for key in keys) for row in table.rows]


THREE, FOUR = dict.fromkeys("ABC", "one"), dict.fromkeys("ABCD", "one")


# counts


def test_items_are_counted_by_label_the_most_frequent_first_and_those_without_last() -> None:
    one = made(*[("A", FOUR, {"genre": "Kunqu"})] * 2, *[("A", FOUR, {"genre": "Yue"})] * 3, *[("A", FOUR, {})] * 4)
    table = counted(one, "genre")
    assert rows(table, "value", "n") == [("Yue", 3), ("Kunqu", 2), ("(none)", 4)]
    assert sum(row["share"] for row in table.rows) == pytest.approx(1)
    assert table.notes[0] == "Items in all: 9."


def test_two_labels_are_crossed_with_every_pair_and_its_sum() -> None:
    one = made(
        ("A", FOUR, {"genre": "Yue", "difficulty": "basic"}),
        ("A", FOUR, {"genre": "Yue", "difficulty": "advanced"}),
        ("A", FOUR, {"genre": "Kunqu", "difficulty": "basic"}),
        ("A", FOUR, {"genre": "Kunqu"}),
        ("A", FOUR, {}),
    )
    table = crossed(one, "genre", "difficulty")
    assert [column.title for column in table.columns] == ["Genre", "basic", "advanced", "(none)", "Total"]
    cells = [tuple(row[column.key] for column in table.columns) for row in table.rows]
    assert cells == [("Kunqu", 1, 0, 1, 2), ("Yue", 1, 1, 0, 2)]
    assert table.notes == ("Items with neither label: 1.",)


def test_labels_that_name_items_or_never_vary_group_nothing() -> None:
    one = made(*(("A", FOUR, {"source": f"book {i}", "volume": "01", "level": "AB"[i % 2]}) for i in range(60)))
    assert grouping_labels(label_values(one)) == ["level"]


def test_a_label_may_be_called_by_the_authors_name() -> None:
    assert named_label(benchmark(), "剧种") == "genre"
    with pytest.raises(Misuse, match=r"'volume'.*genre"):
        named_label(benchmark(), "volume")


@pytest.mark.shared
def test_multi_tw_shows_its_papers_distributions(shared: Path) -> None:
    """Counts of the 396 items that are here, of the paper's 900; taken from the file by other means."""
    path = shared / "data" / "multi-tw" / "items.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    real = formats.load(path)
    options = Counter((("audio" if one["audio"] else "image"), len(one["options"])) for one in told)
    table = crossed(real, "modality", "options")
    assert rows(table, "value", "options:3", "options:4") == [
        (kind, options[kind, 3], options[kind, 4]) for kind in ("image", "audio")
    ]
    assert Counter(dict(rows(counted(real, "level"), "value", "n"))) == Counter(one["id"].split("-")[2] for one in told)
    assert dict(rows(answer_balance(real), "answer", "n")) == Counter(one["answer"] for one in told)
    assert len(counted(real, "task").rows) == 6  # the paper's seven: Dialogue Comprehension is seen and heard
    measured = description(real, [])
    assert {"by_task", "task_by_modality", "modality_by_options", "answers", "media"} <= {t.name for t in measured}


# lengths


def test_texts_are_measured_in_characters_and_where_words_are_apart_in_words() -> None:
    one = Benchmark("two", (item(1, bilingual=True), item(2, bilingual=True)))
    by = {(row["part"], row["language"]): row for row in lengths(one).rows}
    assert by["question", "zh-Hans"]["mean"] == len("图中是什么剧种？编号1。")
    assert by["question", "zh-Hans"]["words"] is None
    assert by["question", "en"]["words"] == len(["Which", "opera", "is", "this?", "No.", "1."])
    assert by["option", "en"]["count"] == 8
    assert by["option", "en"]["most"] == len("Huangmei opera")


def test_what_is_heard_or_drawn_is_counted_as_empty_and_not_as_short() -> None:
    drawn = Item("1", {"en": Wording("en", "", {"A": "", "B": ""})}, "A")
    by = {row["part"]: row for row in lengths(Benchmark("drawn", (drawn,))).rows}
    assert by["question"] | {"part": 0} == {**by["question"], "part": 0, "count": 0, "empty": 1}
    assert by["option"]["empty"] == 2
    assert length_histograms(Benchmark("drawn", (drawn,))) == []


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50) | st.lists(st.integers(0, 10**6), min_size=1, max_size=50))
def test_every_figure_is_in_one_range(figures: list[float]) -> None:
    table = ranges("spread", ("Spread", "分布"), figures, N)
    assert sum(row["n"] for row in table.rows) == len(figures)
    assert len(table.rows) <= MOST_RANGES + 1
    assert table.rows[0]["n"]
    assert table.rows[-1]["n"]
    assert all(one["to"] == other["from"] for one, other in zip(table.rows, table.rows[1:], strict=False))


def test_ranges_are_round_and_whole_for_whole_figures() -> None:
    table = ranges("spread", ("Spread", "分布"), [3, 3, 4, 7], N)
    assert rows(table, "from", "to", "n") == [(3, 4, 2), (4, 5, 1), (5, 6, 0), (6, 7, 0), (7, 8, 1)]
    assert ranges("spread", ("", ""), [0.5, 300.0], N).rows[1]["from"] == 20


def test_a_summary_of_nothing_has_no_figures() -> None:
    assert summary([]) == {"count": 0}
    assert summary([4, 1, 2, 3]) == {"count": 4, "mean": 2.5, "median": 2.5, "least": 1, "most": 4}


# keys


def test_keys_stand_beside_what_drawing_would_give() -> None:
    table = answer_balance(made(("A", THREE, {}), ("D", FOUR, {}), ("D", FOUR, {}), ("", FOUR, {})))
    assert rows(table, "answer", "n", "expected") == [
        ("A", 1, pytest.approx(1 / 3 + 2 / 4)),
        ("B", 0, pytest.approx(1 / 3 + 2 / 4)),
        ("C", 0, pytest.approx(1 / 3 + 2 / 4)),
        ("D", 2, pytest.approx(2 / 4)),
    ]
    assert table is not None
    assert "Items without a key: 1." in table.notes
    assert answer_balance(made(("", FOUR, {}))) is None


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any))
def test_one_group_is_tested_as_scipy_does(counts: list[int]) -> None:
    ours, theirs = uniformity([counts]), chisquare(counts)
    assert (ours.statistic, ours.p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))
    assert ours.df == len(counts) - 1


def test_items_of_three_and_of_four_options_are_tested_apart_and_added() -> None:
    ours = uniformity([[10, 20, 30], [5, 5, 10, 20]])
    parts = [chisquare([10, 20, 30]), chisquare([5, 5, 10, 20])]
    assert ours.statistic == pytest.approx(sum(part.statistic for part in parts))
    assert (ours.df, ours.smallest_expected) == (5, 10)


@pytest.mark.parametrize("groups", [[], [[0, 0]], [[3]], [[-1, 2]]])
def test_impossible_counts_are_refused(groups: list[list[int]]) -> None:
    with pytest.raises(Misuse):
        uniformity(groups)


def test_a_key_that_is_always_the_longest_option_shows() -> None:
    options = {"A": "a long and careful answer", "B": "no", "C": "yes", "D": "so"}
    table = key_by_length(made(*[("A", options, {})] * 20))
    assert rows(table, "rule", "n", "hits", "share") == [("the longest option", 20, 20, 1.0)]
    assert table is not None
    assert table.rows[0]["p_chance"] == pytest.approx(0.25**20)
    assert key_by_length(made(("A", FOUR, {}))) is None


# media


@pytest.fixture
def shown(tmp_path: Path) -> Benchmark:
    """Six items: four pictures of which two are the same bytes, one clip that two items share, one absent."""
    files = {"1.png": png(1), "2.png": png(2, 16), "3.png": png(1), "4.wav": wav(0.5)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    names = ["1.png", "2.png", "3.png", "4.wav", "4.wav", "5.png"]
    items = tuple(
        Item(str(i), item(1).wordings, "A", (Medium("audio" if "wav" in name else "image", name, tmp_path / name),))
        for i, name in enumerate(names)
    )
    return Benchmark("shown", items)


def test_distinct_shared_and_absent_media_are_told_by_their_bytes(shown: Benchmark) -> None:
    table = media_use(shown, None)
    assert rows(table, "kind", "items", "distinct", "shared", "absent", "broken") == [
        ("pictures", 4, 3, 1, 1, None),
        ("clips", 2, 1, 1, 0, None),
    ]


def test_sizes_and_durations_are_those_of_the_files(shown: Benchmark) -> None:
    measured = list(measure(shown, jobs=1))
    assert rows(image_sizes(measured), "size", "n") == [("8 × 8", 2), ("16 × 16", 1)]
    assert rows(audio_durations(measured), "from", "to", "n") == [(0, 1, 1)]
    by = {
        (row["kind"], row["measure"]): row
        for row in next(t for t in description(shown, measured) if t.name == "media_measures").rows
    }
    assert by["clips", "duration (s)"]["mean"] == pytest.approx(0.5)
    assert by["pictures", "width (pixels)"]["most"] == 16


def test_a_broken_picture_is_counted_and_has_no_size(shown: Benchmark) -> None:
    path = shown.items[1].media[0].path
    assert path is not None
    path.write_bytes(png(2, 16)[:60])
    measured = list(measure(shown, jobs=1))
    assert [row["broken"] for row in media_use(shown, measured).rows] == [1, 0]
    assert rows(image_sizes(measured), "size", "n") == [("8 × 8", 2)]


# the whole, and the command


def test_the_overview_counts_what_the_reader_left_out(tmp_path: Path, keju: Keju, opera: Path) -> None:
    (opera / "0003.txt").unlink()
    facts = dict(rows(overview(formats.load(opera)), "fact", "value"))
    assert facts["items"] == 7
    assert facts["items left out by the reader"] == 1
    assert facts["options an item (mean)"] == 4


def test_every_table_has_its_words_in_chinese(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("describe", opera, "--lang", "zh")
    assert code == 0
    for heading in ("题数：按剧种", "文本长度", "答案分布", "媒体指标", "图片尺寸"):
        assert heading in out
    assert "Items by" not in out


def test_programs_get_the_histograms_as_well(keju: Keju, opera: Path) -> None:
    code, out, _ = keju("describe", opera, "--json")
    assert code == 0
    names = [table["name"] for table in json.loads(out)["tables"]]
    assert {"overview", "by_genre", "lengths", "question_length_en", "answers", "image_sizes"} <= set(names)
    assert len(set(names)) == len(names)


def test_only_the_labels_asked_for_are_counted(keju: Keju, opera: Path) -> None:
    _, out, _ = keju("describe", opera, "--by", "剧种", "--cross", "genre,language", "--no-media")
    assert "Items by genre\n" in out
    assert "Items by genre and language\n" in out
    assert "Items by modality" not in out
    assert "Sizes of pictures" not in out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["--by", "volume"], "volume"), (["--cross", "genre"], "LABEL,LABEL"), (["--split", "x"], "x")],
)
def test_a_mistake_is_named(keju: Keju, opera: Path, arguments: list[str], word: str) -> None:
    code, _, err = keju("describe", opera, *arguments)
    assert code == 2
    assert word in err


def test_without_the_extra_it_goes_on_and_says_what_is_missing(
    keju: Keju, opera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise MissingExtra("checks", "looking at pictures and sounds")

    monkeypatch.setattr("keju.checks.measuring.measure", missing)
    code, out, err = keju("describe", opera)
    assert code == 0
    assert "pip install 'keju[checks]'" in err
    assert "Items by genre" in out


def test_the_folder_holds_a_page_the_tables_and_every_chart(keju: Keju, opera: Path) -> None:
    code, out, err = keju("describe", opera, "-o", "out", "--by", "genre", "--no-media")
    assert (code, err) == (0, "")
    assert out.strip() == str(Path("out") / "report.html")
    page = Path("out/report.html").read_text("utf-8")
    document = json.loads(Path("out/report.json").read_text("utf-8"))
    charts = {path.stem for path in Path("out/charts").iterdir()}
    assert {"by_genre", "answers", "question_length_en"} <= charts <= {t["name"] for t in document["tables"]}
    assert all(f'data-chart="{name}"' in page for name in charts)
    assert {path.suffix for path in Path("out/charts").iterdir()} == {".svg", ".png", ".pdf", ".json"}


def test_a_label_is_no_way_out_of_the_folder(keju: Keju, tmp_path: Path) -> None:
    exam = tuple(item(n, labels={"a/../../../x": str(n % 2)}) for n in range(1, 5))
    formats.write(Benchmark("b", exam), tmp_path / "b", "jsonl")
    code, _, _ = keju("describe", str(tmp_path / "b"), "--by", "a/../../../x", "-o", str(tmp_path / "o" / "u" / "t"))
    assert code == 0
    assert list(tmp_path.rglob("x.svg")) == []
    assert (tmp_path / "o" / "u" / "t" / "charts" / "by_a_.._.._.._x.svg").exists()


class Passes:
    """A source of items that counts how often it is read."""

    def __init__(self, *items: Item) -> None:
        self.items = items
        self.ids = [item.id for item in items]
        self.read_times = 0

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        self.read_times += 1
        return (self.items[place] for place in places)


def test_items_that_are_not_held_are_read_twice_and_once_for_the_histograms() -> None:
    """However many labels and pairs of labels there are."""
    labels = ({"genre": "Yue", "level": "1"}, {"difficulty": "basic", "source": "a book"}, {"genre": "Kunqu"}, {})
    several = [item(n, bilingual=n % 2 == 0, labels=labels[n % 4]) for n in range(1, 9)]
    several += made(("A", THREE, labels[0]), ("", {"甲": "", "A": "long"}, labels[1])).items
    source = Passes(*several)
    stream, held = Benchmark("b", Stream(source)), Benchmark("b", tuple(several))
    asked = [("genre", "level"), ("language", "source")]
    tables = description(stream, pairs=asked)
    assert source.read_times == 2
    assert {"by_difficulty", "genre_by_level", "language_by_source", "genre_by_difficulty"} <= {t.name for t in tables}
    assert length_histograms(stream) == length_histograms(held)
    assert source.read_times == 3
    alone = [
        overview(held),
        counted(held, "genre"),
        crossed(held, "language", "source"),
        by_language(held),
        lengths(held),
    ]
    alone += [table for table in (answer_balance(held), key_by_length(held)) if table]
    assert all(table in tables for table in alone)


def test_every_distribution_has_its_chart(shown: Benchmark) -> None:
    tables = [*description(shown, list(measure(shown, jobs=1))), *length_histograms(shown)]
    without = {table.name for table in tables} - {chart.name for chart in distribution_charts(tables)}
    assert without <= {"overview", "languages", "lengths", "key_by_length", "media", "media_measures"}
