"""Which format is read, and what stands beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exam_folders import SHEET_HEADER, lay, md, png, tco_item
from hypothesis import given
from hypothesis import strategies as st

import keju.formats
from keju.errors import BadFile, Misuse
from keju.formats import FORMATS, load, mapped, parquet, write
from keju.formats.media import MediaFolder
from keju.formats.names import original_name, safe_name

NEUTRAL = {"id": "1", "wordings": {"en": {"question": "Which?", "options": {"A": "a", "B": "b"}}}, "answer": "A"}


def test_two_formats_that_fit_are_named(tmp_path: Path) -> None:
    tco_item(tmp_path, "0001")
    lay(tmp_path, {"items.jsonl": json.dumps(NEUTRAL)})
    with pytest.raises(BadFile, match="could be tco or jsonl; say which with --format tco"):
        load(tmp_path)
    assert load(tmp_path, format="jsonl").items[0].id == "1"
    assert load(tmp_path, format="tco").items[0].id == "0001"


def test_where_nothing_fits_it_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(BadFile) as caught:
        load(lay(tmp_path, {"x.dat": "?"}))
    assert all(f"{name}: " in str(caught.value) for name, format in FORMATS.items() if format.read)


def test_a_folder_without_end_is_looked_into_so_far_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        lay(tmp_path / name, {"x.json": "{}"})
    monkeypatch.setattr(mapped, "MOST_FOLDERS", 3)
    monkeypatch.setattr(parquet, "MOST_FOLDERS", 3)
    with pytest.raises(BadFile, match=r"more than the 3 folders .*a/x\.json, .*b/x\.json\. Name the benchmark's own"):
        load(tmp_path)
    tco_item(tmp_path, "0001")
    assert list(load(tmp_path).ids) == ["0001"]


def test_mistakes_of_the_caller_are_named(tmp_path: Path) -> None:
    tco_item(tmp_path / "in", "0001")
    with pytest.raises(BadFile, match="no such file or folder"):
        load(tmp_path / "none")
    with pytest.raises(Misuse, match="unknown format 'x'; there are tco"):
        load(tmp_path / "in", format="x")
    with pytest.raises(Misuse, match="sheet can only be read"):
        write(load(tmp_path / "in"), tmp_path / "out", "sheet")
    with pytest.raises(Misuse, match="unknown encoding"):
        load(tmp_path / "in", encoding="x")


def test_a_folder_that_is_not_empty_is_not_written_into(tmp_path: Path) -> None:
    tco_item(tmp_path / "in", "0001")
    benchmark = load(tmp_path / "in")
    with pytest.raises(BadFile, match="not empty"):
        write(benchmark, tmp_path / "in", "jsonl")
    (tmp_path / "free").mkdir()
    write(benchmark, tmp_path / "free", "jsonl")
    assert len(load(tmp_path / "free")) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["free", "in"]


def test_labels_are_joined_to_any_format(tmp_path: Path) -> None:
    lay(tmp_path, {"exam.csv": SHEET_HEADER + "0001,q,a,b,c,d,A\n0002,q,a,b,c,d,E\n"})
    lay(
        tmp_path,
        {"side/labels.jsonl": '{"id": "0001", "genre": "昆曲", "year": 1990}\n{"id": "0002", "genre": "京剧"}\n'},
    )
    benchmark = load(tmp_path / "exam.csv", labels=tmp_path / "side" / "labels.jsonl")
    assert dict(benchmark["0001"].labels) == {"genre": "昆曲", "year": "1990"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("id,genre\n1,昆曲\n", r"labels\.csv:2: no item has the id '1'; 0001 is meant\?.*leading zeros"),
        ("id,genre\n0001,昆曲\n9999,昆曲\n", r"labels\.csv:3: no item has the id '9999'"),
        ("id,genre\n0001,昆曲\n0001,京剧\n", r"labels\.csv:3: a second row for item 0001"),
        ("name,genre\n0001,昆曲\n", r"labels\.csv: no column `id`"),
        ("id,genre\n0001,昆曲,京剧\n", r"labels\.csv:2: 3 cells under 2 columns; put quotes round a cell with a comma"),
        ("", r"labels\.csv: is empty"),
    ],
)
def test_a_side_table_that_does_not_fit_is_an_error(tmp_path: Path, table: str, message: str) -> None:
    tco_item(tmp_path, "0001")
    with pytest.raises(BadFile, match=message):
        load(lay(tmp_path, {"labels.csv": table}))


def test_a_side_table_may_name_items_that_were_left_out(tmp_path: Path) -> None:
    tco_item(tmp_path, "0001")
    lay(tmp_path, {"0002.md": md(), "0002.png": png(), "labels.csv": "id,genre\n0001,昆曲\n0002,京剧\n"})
    assert dict(load(tmp_path)["0001"].labels) == {"genre": "昆曲"}


def test_a_path_that_is_there_wins_over_a_demo_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = tmp_path / "package" / "demo" / "opera"
    lay(demo, {"items.jsonl": json.dumps(NEUTRAL)})
    monkeypatch.setattr("keju.formats.loading.files", lambda _: tmp_path / "package")
    assert load("opera").root == demo
    assert load("demo").root == demo
    monkeypatch.chdir(tmp_path)
    tco_item(tmp_path / "opera", "0001")
    assert load("opera").format == "tco"
    with pytest.raises(BadFile, match=r"no shipped demo \(opera\)"):
        load("oper")


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8"), min_size=1))
def test_safe_names_come_back_and_stay_distinct(one: str, other: str) -> None:
    assert original_name(safe_name(one)) == one
    assert (safe_name(one) == safe_name(other)) == (one == other)
    assert not set(safe_name(one)) & set('<>:"/\\|?*\0')
    assert safe_name(one)[-1] not in ". "


@pytest.mark.parametrize("name", ["CON", "aux", "NUL.md", "v1.", "a ", "?.md", "12:30:00", "a\\b", "..", "."])
def test_names_that_some_system_refuses_are_escaped(name: str) -> None:
    """PL-05, PL-17."""
    safe = safe_name(name)
    assert safe
    assert not safe.endswith((".", " "))
    assert safe.split(".")[0].lower() not in {"con", "aux", "nul"}


def test_blanks_and_han_characters_in_paths_are_ordinary(tmp_path: Path) -> None:
    """PL-15."""
    lay(tmp_path, {"数据 集/脸谱.png": png()})
    found = MediaFolder(tmp_path).find("image", "数据 集/脸谱.png")
    assert (found.code, found.medium.read()) == (None, png())


def test_every_public_name_is_there() -> None:
    assert all(hasattr(keju.formats, name) for name in keju.formats.__all__)
    assert all(name == format.name for name, format in FORMATS.items())
