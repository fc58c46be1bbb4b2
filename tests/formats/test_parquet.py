"""A benchmark as a data set folder of the hub: Parquet that keeps everything, and that `datasets` opens."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from exam_folders import png, tco_item
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_neutral_jsonl import items

from keju.benchmark import Benchmark, Stream
from keju.errors import BadFile, MissingExtra
from keju.formats import load, parquet, write
from keju.formats.parquet import GROUP_ROWS
from keju.items import Item, Medium, Wording
from making import benchmark as made
from making import item, wav

pyarrow, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

WORDINGS = {"en": Wording("en", "Which?", {"A": "None", "B": "NA", "C": "null"})}


def written(exam: Benchmark, tmp_path: Path) -> Path:
    write(exam, tmp_path / "out", "parquet")
    return tmp_path / "out"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(items(), min_size=1, max_size=4, unique_by=lambda item: item.id), st.data())
def test_everything_comes_back(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Item], data: st.DataObject
) -> None:
    splits = st.sampled_from(["train", "val", "test", "test-mini", None])
    exam = tuple(replace(each, split=data.draw(splits)) for each in drawn)
    benchmark = Benchmark("名", exam, {"title": "考：“Exam”\n", "license": "CC-BY-4.0"})
    again = load(written(benchmark, tmp_path_factory.mktemp("exam")))
    assert (again.name, dict(again.card), again.format) == (benchmark.name, dict(benchmark.card), "parquet")
    assert again.fingerprint == benchmark.fingerprint
    for one, other in zip(exam, again, strict=True):
        for field in ("id", "wordings", "answer", "labels", "split", "extra"):
            assert getattr(one, field) == getattr(other, field)
        assert list(one.wordings) == list(other.wordings)
        assert [(m.kind, m.name, m.read()) for m in one.media] == [(m.kind, m.name, m.read()) for m in other.media]


def test_texts_that_look_like_nothing_stay_texts(tmp_path: Path) -> None:
    four = {"en": Wording("en", "Which?", {"A": "NaN", "B": "", "C": "1", "D": "1.0"})}
    exam = Benchmark("b", (Item("0001", WORDINGS, "B"), Item("1", four, None)))
    again = load(written(exam, tmp_path))
    assert again.items == exam.items


def test_media_that_are_absent_stay_absent_in_their_place(tmp_path: Path) -> None:
    media = (
        Medium("image", "gone.png"),
        Medium("audio", "a.wav", data=wav()),
        Medium("image", "b.png", data=png(1)),
        Medium("image", "c.png", data=png(2)),
    )
    again = load(written(Benchmark("b", (Item("1", WORDINGS, "A", media),)), tmp_path))
    assert [(m.kind, m.name, m.exists) for m in again.items[0].media] == [
        ("image", "gone.png", False),
        ("audio", "a.wav", True),
        ("image", "b.png", True),
        ("image", "c.png", True),
    ]
    assert [(p.code, p.item, p.left_out) for p in again.problems] == [("media_missing", "1", False)]


def test_a_stream_reads_pictures_and_clips_as_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exam = made(30, folder=tmp_path, bilingual=True)
    splits = ("train", "test", None)
    exam = replace(exam, items=tuple(replace(each, split=splits[at % 3]) for at, each in enumerate(exam)))
    folder = written(exam, tmp_path)
    held = load(folder)
    monkeypatch.setattr(parquet, "LARGE", 1)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 4)
    stream = load(written(exam, tmp_path / "small groups"))
    assert isinstance(stream.items, Stream)
    assert stream.problems == held.problems
    for places in (range(30), (29, 3, 3, 11, 0), (7,)):
        for one, other in zip((held.items[at] for at in places), stream.items.at(places), strict=True):
            assert (one, [m.read() for m in one.media]) == (other, [m.read() for m in other.media])


def test_an_id_that_stands_twice_is_named_with_both_rows(tmp_path: Path) -> None:
    folder = written(made(3), tmp_path)
    file = next((folder / "data").glob("*.parquet"))
    table = pq.read_table(file)
    pq.write_table(pyarrow.concat_tables([table, table.slice(1, 1)]), file)
    with pytest.raises(BadFile, match=r"row 4: id '\S+' stands in .* row 2 too"):
        load(folder)


def test_two_writings_give_the_same_bytes(tmp_path: Path) -> None:
    exam = made(12, folder=tmp_path, bilingual=True)
    files = []
    for name in ("one", "two"):
        write(exam, tmp_path / name, "parquet")
        files.append({p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*.*")})
    assert files[0] == files[1]
    assert sorted(map(str, files[0])) == ["README.md", "data/test-00000-of-00001.parquet"]


def test_row_groups_are_as_the_hub_asks(tmp_path: Path) -> None:
    exam = Benchmark("b", tuple(item(n) for n in range(1, 2 * GROUP_ROWS + 2)))
    meta = pq.ParquetFile(written(exam, tmp_path) / "data" / "test-00000-of-00001.parquet").metadata
    assert [meta.row_group(n).num_rows for n in range(meta.num_row_groups)] == [GROUP_ROWS, GROUP_ROWS, 1]
    column = meta.row_group(0).column(0)
    assert (column.compression, column.has_column_index, column.has_offset_index) == ("ZSTD", True, True)


def test_a_group_of_heavy_media_ends_early(tmp_path: Path) -> None:
    heavy = Medium("image", "h.png", data=png() + bytes(12 << 20))
    exam = Benchmark("b", tuple(Item(str(n), WORDINGS, "A", (heavy,)) for n in range(7)))
    meta = pq.ParquetFile(written(exam, tmp_path) / "data" / "test-00000-of-00001.parquet").metadata
    assert [meta.row_group(n).num_rows for n in range(meta.num_row_groups)] == [3, 3, 1]
    assert len({m.path for each in load(tmp_path / "out") for m in each.media}) == 1


def test_a_benchmark_of_one_language_has_plain_columns(tmp_path: Path) -> None:
    table = pq.read_table(written(made(3, folder=tmp_path), tmp_path) / "data")
    assert table.column_names == [
        "id",
        "image",
        "question",
        "options",
        "answer",
        "labels",
        "split",
        "languages",
        "media",
    ]


def test_what_systems_leave_beside_files_is_passed_over(tmp_path: Path) -> None:
    folder = written(Benchmark("b", (item(1), item(2))), tmp_path)
    (folder / "data" / "._test-00000-of-00001.parquet").write_bytes(b"Mac OS X")
    assert [each.id for each in load(folder)] == ["0001", "0002"]


def test_one_file_of_the_folder_is_a_benchmark_too(tmp_path: Path) -> None:
    exam = Benchmark("b", (item(1, split="train"), item(2, split="test"), item(3, split="train")))
    folder = written(exam, tmp_path)
    assert [each.id for each in load(folder)] == ["0001", "0002", "0003"]
    part = load(folder / "data" / "train-00000-of-00001.parquet")
    assert [each.id for each in part] == ["0001", "0003"]
    assert ["holds 2 of the 3 items of its set" in str(problem) for problem in part.problems] == [True]


@pytest.mark.parametrize("lost", ["train", "validation", "test"])
def test_a_split_whose_file_is_lost_is_missed(tmp_path: Path, lost: str) -> None:
    splits = ("train", "val", "test")
    folder = written(Benchmark("b", tuple(item(n, split=splits[n // 3]) for n in range(9))), tmp_path)
    (folder / "data" / f"{lost}-00000-of-00001.parquet").unlink()
    with pytest.raises(BadFile, match=rf"data/{lost}-00000-of-00001\.parquet is missing, which README\.md names"):
        load(folder)
    (folder / "README.md").unlink()
    for place in (folder, folder / "data"):
        with pytest.raises(BadFile, match="holds 6 of the 9 items of its set"):
            load(place)


def test_a_set_that_does_not_say_its_size_is_missed_by_its_positions(tmp_path: Path) -> None:
    folder = written(Benchmark("b", (item(1, split="train"), item(2, split="test"))), tmp_path)
    (folder / "README.md").unlink()
    (folder / "data" / "train-00000-of-00001.parquet").unlink()
    file = folder / "data" / "test-00000-of-00001.parquet"
    table = pq.read_table(file)
    pq.write_table(table.replace_schema_metadata({parquet.META: table.schema.metadata[parquet.META]}), file)
    with pytest.raises(BadFile, match="holds 1 of the 2 items of its set"):
        load(folder)


@pytest.mark.parametrize("hashed", ["", "-0123456789abcdef"])
def test_a_series_that_lacks_a_file_is_refused(tmp_path: Path, hashed: str) -> None:
    folder = written(made(3), tmp_path)
    file = folder / "data" / "test-00000-of-00001.parquet"
    file.rename(file.with_name(f"test-00000-of-00003{hashed}.parquet"))
    with pytest.raises(BadFile, match=r"test-00001-of-00003\.parquet: is missing and 1 more"):
        load(folder)


def test_damage_is_named(tmp_path: Path) -> None:
    file = written(made(3), tmp_path) / "data" / "test-00000-of-00001.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 3])
    for place in (tmp_path / "out", file):
        with pytest.raises(BadFile, match=r"test-00000-of-00001\.parquet: not a readable Parquet file"):
            load(place)
    file.write_bytes(b"")
    with pytest.raises(BadFile, match=r"test-00000-of-00001\.parquet: not a readable Parquet file"):
        load(tmp_path / "out")
    file.write_bytes(whole[:200] + bytes(300) + whole[500:])
    with pytest.raises(BadFile, match=r"test-00000-of-00001\.parquet"):
        load(tmp_path / "out")


def test_a_row_that_is_no_item_is_refused_with_its_number(tmp_path: Path) -> None:
    file = written(made(3), tmp_path) / "data" / "test-00000-of-00001.parquet"
    table = pq.read_table(file)
    changed = table.to_pylist()
    changed[1]["answer"] = "Z"
    pq.write_table(table.from_pylist(changed, table.schema), file)
    with pytest.raises(BadFile, match=r"row 2: answer 'Z' is none of the options A, B, C, D"):
        load(file)
    pq.write_table(table.drop_columns(["languages"]), file)
    with pytest.raises(BadFile, match="no column languages"):
        load(file)


def test_without_the_extra_the_install_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(made(2), tmp_path)
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'keju\[parquet\]'"):
        load(folder)
    with pytest.raises(MissingExtra, match=r"pip install 'keju\[parquet\]'"):
        write(made(2), tmp_path / "again", "parquet")


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = pytest.importorskip("datasets")
    monkeypatch.setattr(module.config, "HF_HUB_OFFLINE", True)
    module.disable_progress_bars()
    yield module
    module.enable_progress_bars()


def test_datasets_opens_it_with_pictures_and_clips(tmp_path: Path, datasets: Any) -> None:
    exam = Benchmark(
        "teahouse",
        (
            item(1, folder=tmp_path, bilingual=True, split="train"),
            item(2, split="val", media=(Medium("audio", "c.wav", data=wav()),), extra={"n": [1, None]}),
            item(3, folder=tmp_path, split="test"),
        ),
        {"title": 'A "good" exam: 茶', "license": "CC-BY-4.0"},
    )
    loaded = datasets.load_dataset(str(written(exam, tmp_path)), cache_dir=str(tmp_path / "cache"))
    assert {name: part["id"] for name, part in loaded.items()} == {
        "train": ["0001"],
        "validation": ["0002"],
        "test": ["0003"],
    }
    assert (loaded["train"].features["image"], loaded["train"].features["audio"]) == (
        datasets.Image(),
        datasets.Audio(),
    )
    row = loaded["train"][0]
    assert row["image"].size == (8, 8)
    assert (row["question_en"], row["options_en"], row["answer"], row["labels"]) == (
        "Which opera is this? No. 1.",
        ["Peking opera", "Huangmei opera", "Yue opera", "Sichuan opera"],
        "A",
        {"genre": "Kunqu"},
    )
    clip = loaded["validation"].cast_column("audio", datasets.Audio(decode=False))[0]
    assert clip["audio"]["bytes"] == wav()
    assert json.loads(clip["extra"]) == {"n": [1, None]}


def test_datasets_opens_items_with_several_pictures(tmp_path: Path, datasets: Any) -> None:
    several = tuple(Medium("image", f"{n}.png", data=png(n)) for n in range(3))
    exam = Benchmark("b", (Item("1", WORDINGS, "A", several), Item("2", WORDINGS, "B")))
    loaded = datasets.load_dataset(str(written(exam, tmp_path)), cache_dir=str(tmp_path / "cache"), split="test")
    assert [picture.size for picture in loaded[0]["images"]] == [(1, 1)] * 3
    assert loaded[1]["images"] == []


def test_the_card_is_one_that_the_hub_reads(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    exam = replace(made(3, bilingual=True), card={"title": 'A "good" exam: 茶', "license": "CC-BY-4.0"})
    data = hub.DatasetCard.load(written(exam, tmp_path) / "README.md").data
    assert (data.pretty_name, data.license, data.language) == ('A "good" exam: 茶', "cc-by-4.0", ["en", "zh"])


def test_a_real_picture_keeps_its_bytes(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    tco_item(tmp_path / "tco", "0001")
    again = load(written(load(tmp_path / "tco"), tmp_path))
    medium = again.items[0].media[0]
    assert medium.read() == (tmp_path / "tco" / "0001.png").read_bytes()
    assert image.open(BytesIO(medium.read())).size == (1, 1)
