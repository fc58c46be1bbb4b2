"""keju's own form holds everything of an item, and is strict about its rows."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from exam_folders import lay, png, tco_item
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju.benchmark import Benchmark, Stream
from keju.errors import BadFile, Misuse
from keju.formats import load, write
from keju.formats.jsonl import read_items, snapshot
from keju.items import LABELS, Item, Medium, Wording

ROW = {"id": "1", "wordings": {"en": {"question": "Which?", "options": {"A": "a", "B": "b"}}}, "answer": "A"}

TEXT = st.text(st.characters(codec="utf-8"), max_size=15)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | TEXT, lambda x: st.lists(x, max_size=3), max_leaves=5)


class _Long:
    """Items of 100 kB each, made as they are asked for."""

    ids = tuple(map(str, range(200)))

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        for place in places:
            text = f"{place} " * 30_000
            yield Item(str(place), {"en": Wording("en", text, {"A": "a", "B": "b"})}, "A")


def test_items_are_written_as_they_are_read(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        write(Benchmark("long", Stream(_Long())), tmp_path / "out", "jsonl")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000  # of 20 MB
    finally:
        tracemalloc.stop()
    assert (tmp_path / "out" / "items.jsonl").stat().st_size > 20_000_000


@st.composite
def items(draw: st.DrawFn) -> Item:
    labels = LABELS[: draw(st.integers(2, 6))]
    tags = draw(st.lists(st.sampled_from(["zh-Hans", "zh-Hant", "en", "ja"]), min_size=1, unique=True))

    def wording(tag: str) -> Wording:
        written = tuple(draw(st.lists(TEXT, min_size=1, max_size=3))) if draw(st.booleans()) else ()
        return Wording(tag, draw(TEXT), {label: draw(TEXT) for label in labels}, draw(TEXT), written)

    names = draw(
        st.lists(st.sampled_from(["a.png", "画/脸谱 1.png", "con.png", "50%.png", "v1.", "?.png"]), unique=True)
    )
    media = tuple(Medium("image", name, data=png(len(name))) for name in names)
    media += (Medium("audio", "c.mp3", data=b"ID3"),) if draw(st.booleans()) else ()
    extra = draw(st.dictionaries(TEXT, JSON, max_size=3))
    tagged = draw(st.dictionaries(TEXT.filter(bool), TEXT, max_size=3))
    answer = draw(st.sampled_from([None, *labels]))
    return Item(
        draw(TEXT.filter(bool)),
        {tag: wording(tag) for tag in tags},
        answer,
        media,
        tagged,
        draw(st.sampled_from(["val", None])),
        extra,
    )


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_everything_comes_back(tmp_path_factory: pytest.TempPathFactory, exam: list[Item]) -> None:
    folder = tmp_path_factory.mktemp("exam") / "out"
    benchmark = Benchmark("名", tuple(exam), {"title": "考", "license": "CC-BY-4.0"})
    write(benchmark, folder, "jsonl")
    again = load(folder)
    assert (again.name, dict(again.card)) == (benchmark.name, dict(benchmark.card))
    assert again.fingerprint == benchmark.fingerprint
    for item in exam:
        read = again[item.id]
        for field in ("wordings", "answer", "labels", "split", "extra"):
            assert getattr(read, field) == getattr(item, field)
        assert list(read.wordings) == list(item.wordings)
        assert [(m.kind, m.name, m.read()) for m in read.media] == [(m.kind, m.name, m.read()) for m in item.media]


def test_rows_are_compact() -> None:
    assert json.loads(snapshot(Item("1", {"en": Wording("en", "Which?", {"A": "a", "B": "b"})}, "A"))) == ROW


def test_a_snapshot_names_media_without_copying_them(tmp_path: Path) -> None:
    tco_item(tmp_path / "exam", "0001", artist="佚名")
    items = load(tmp_path / "exam").items
    (tmp_path / "asked.jsonl").write_text(snapshot(items[0]) + "\n", encoding="utf-8")
    row = json.loads((tmp_path / "asked.jsonl").read_text(encoding="utf-8"))
    assert row["media"] == [{"kind": "image", "name": "0001.png"}]
    assert "extra" not in row
    assert read_items(tmp_path / "asked.jsonl", tmp_path / "exam")[0].media == items[0].media
    assert not read_items(tmp_path / "asked.jsonl", None)[0].media[0].exists


def test_a_snapshot_finds_media_below_media_too(tmp_path: Path) -> None:
    tco_item(tmp_path / "exam", "0001")
    write(load(tmp_path / "exam"), tmp_path / "neutral", "jsonl")
    items = load(tmp_path / "neutral").items
    (tmp_path / "asked.jsonl").write_text(snapshot(items[0]) + "\n", encoding="utf-8")
    assert read_items(tmp_path / "asked.jsonl", tmp_path / "neutral")[0].media == items[0].media


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", r"items\.jsonl:2: not JSON"),
        ("[1]", r"items\.jsonl:2: expected a JSON object"),
        (ROW | {"id": ""}, "`id` must be a text"),
        (ROW | {"id": "0"}, "id '0' stands on line 1 too"),
        (ROW | {"wordings": {}}, "at least one language"),
        (ROW | {"wordings": {"en": {"question": 1, "options": {"A": "a"}}}}, "`question` must be a text"),
        (ROW | {"wordings": {"en": {"question": "", "options": {"A": 1}}}}, "every value of `options`"),
        (ROW | {"wordings": {"en": {"question": "", "options": []}}}, "`options` must be an object"),
        (ROW | {"answer": "C"}, "answer 'C' is none of the options A, B"),
        (ROW | {"answr": "C"}, "unknown field 'answr'"),
        (ROW | {"media": [{"kind": "video", "name": "x"}]}, "each of `media`"),
        (ROW | {"split": 3}, "`split` must be a text"),
        ('{"id": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_a_damaged_row_is_refused_with_its_line(tmp_path: Path, row: object, message: str) -> None:
    text = row if isinstance(row, str) else json.dumps(row)
    lay(tmp_path, {"items.jsonl": json.dumps(ROW | {"id": "0"}) + "\n" + text + "\n"})
    with pytest.raises(BadFile, match=message) as caught:
        load(tmp_path)
    assert "items.jsonl:2" in str(caught.value)


def test_a_missing_medium_is_reported(tmp_path: Path) -> None:
    rows = [ROW | {"media": [{"kind": "image", "name": "media/x.png"}, {"kind": "image", "name": "../y.png"}]}]
    benchmark = load(lay(tmp_path, {"items.jsonl": "\n".join(map(json.dumps, rows))}))
    assert [problem.code for problem in benchmark.problems] == ["media_missing", "path_escape"]
    assert not any(medium.exists for medium in benchmark.items[0].media)


def test_two_media_of_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    wordings = {"en": Wording("en", "Which?", {"A": "a", "B": "b"})}
    items = tuple(Item(str(n), wordings, "A", (Medium("image", "p.png", data=png(n)),)) for n in (1, 2))
    with pytest.raises(Misuse, match=r"two different media are called p\.png"):
        write(Benchmark("b", items), tmp_path / "out", "jsonl")
