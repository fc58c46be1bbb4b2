"""`verify` finds what `mlcroissant validate` lets through, also where somebody made the list of digests anew."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keju.errors import BadFile
from keju.release import build, verify
from keju.release.checksums import write_sums
from release.filled import a_few, settings

mlcroissant = pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "out"
    assert build(a_few(1), settings(), out, jobs=1).findings == ()
    return out


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "out"))


def found(folder: Path) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.file) for finding in verify(folder)]


def passes_mlcroissant(folder: Path) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's of its own classes
        try:
            mlcroissant.Dataset(jsonld=folder / "croissant.json")
        except (mlcroissant.ValidationError, ValueError):
            return False
    return True


def test_a_whole_release_is_whole(folder: Path) -> None:
    assert verify(folder) == []


def test_no_folder_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no such folder"):
        verify(tmp_path / "nowhere")


def tampered(folder: Path) -> None:
    with (folder / "items/items.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")


def missing(folder: Path) -> None:
    (folder / "items/items.jsonl").unlink()


def added(folder: Path) -> None:
    (folder / "media/images/9999.png").write_bytes(b"whose?")


def linked(folder: Path) -> None:
    file = folder / "README.md"
    file.rename(folder.parent / "elsewhere.md")
    file.symlink_to(folder.parent / "elsewhere.md")


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (tampered, [("R501", "items/items.jsonl")]),
        (missing, [("R502", "items/items.jsonl")]),
        (added, [("R503", "media/images/9999.png")]),
        (linked, [("R501", "README.md")]),
    ],
)
def test_a_file_changed_missing_added_or_linked_is_named(
    folder: Path, act: Callable[[Path], None], expected: list[tuple[str, str]]
) -> None:
    act(folder)
    assert passes_mlcroissant(folder)
    assert found(folder) == expected


def test_a_missing_or_damaged_list_of_digests_is_named(folder: Path) -> None:
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text(encoding="utf-8") + "0" * 64 + "  ../outside\n", encoding="utf-8")
    assert found(folder) == [("R502", "SHA256SUMS")]
    sums.unlink()
    assert found(folder) == [("R502", "SHA256SUMS")]


def change(folder: Path, name: str, act: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file and make the list of digests anew, as somebody who knows of it would."""
    value = json.loads((folder / name).read_bytes())
    act(value)
    (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    write_sums(folder)


@pytest.mark.parametrize("name", ["license", "creator", "url", "name", "version", "datePublished", "rai:dataBiases"])
def test_a_description_without_a_property_is_found(folder: Path, name: str) -> None:
    change(folder, "croissant.json", lambda told: told.pop(name))
    assert passes_mlcroissant(folder)
    assert ("R504", "croissant.json") in found(folder)


def wrong_type(told: dict[str, Any]) -> None:
    field = next(each for each in told["recordSet"][1]["field"] if each["name"] == "answer")
    field["dataType"] = "sc:Integer"


def no_digest(told: dict[str, Any]) -> None:
    told["distribution"][0]["sha256"] = "0" * 64


@pytest.mark.parametrize("act", [wrong_type, no_digest])
def test_a_description_of_other_files_is_found(folder: Path, act: Callable[[dict[str, Any]], None]) -> None:
    change(folder, "croissant.json", act)
    assert passes_mlcroissant(folder)
    assert found(folder) == [("R507", "croissant.json")]


def test_a_record_set_that_does_not_load_is_found(folder: Path) -> None:
    from keju.release.loading import loaded_counts

    told = json.loads((folder / "croissant.json").read_bytes())
    told["recordSet"][1]["field"][0]["source"]["extract"]["column"] = "nowhere"
    (folder / "croissant.json").write_text(json.dumps(told), encoding="utf-8")
    assert passes_mlcroissant(folder)
    with pytest.raises(BadFile, match="mlcroissant cannot load it"):
        loaded_counts(folder / "croissant.json")


def test_an_unlicensed_file_is_found_even_with_its_digest(folder: Path) -> None:
    added(folder)
    write_sums(folder)
    assert ("R505", "media/images/9999.png") in found(folder)


def test_another_licence_than_declared_is_found(folder: Path) -> None:
    (folder / "LICENSE").write_text("All rights reserved.", encoding="utf-8")
    write_sums(folder)
    assert ("R505", "LICENSE") in found(folder)


def test_an_unknown_licence_is_found(folder: Path) -> None:
    change(folder, "datapackage.json", lambda told: told["licenses"][0].update(name="Mine"))
    assert ("R505", "datapackage.json") in found(folder)


def test_a_changed_key_is_found_even_with_its_digest(folder: Path) -> None:
    lines = (folder / "items/items.jsonl").read_text(encoding="utf-8")
    (folder / "items/items.jsonl").write_text(lines.replace('"answer": "B"', '"answer": "C"', 1), encoding="utf-8")
    write_sums(folder)
    assert ("R509", "items/items.jsonl") in found(folder)


def test_a_changed_picture_is_found_even_with_its_digest(folder: Path) -> None:
    picture = next((folder / "media/images").iterdir())
    with picture.open("ab") as file:
        file.write(b"x")
    write_sums(folder)
    assert ("R509", f"media/images/{picture.name}") in found(folder)


def test_a_changed_key_in_a_papers_layout_is_found(folder: Path) -> None:
    answer = next((folder / "legacy/tco").glob("*.txt"))
    answer.write_text({"A": "B"}.get(answer.read_text(encoding="utf-8").strip(), "A") + "\n", encoding="utf-8")
    write_sums(folder)
    assert ("R509", "legacy/tco") in found(folder)


def test_an_item_moved_to_another_list_is_found(folder: Path) -> None:
    train, test = folder / "splits/train.json", folder / "splits/test.json"
    train.write_bytes(test.read_bytes())
    write_sums(folder)
    assert ("R509", "splits/train.json") in found(folder)


def test_broken_json_is_a_finding_not_a_crash(folder: Path) -> None:
    (folder / "croissant.json").write_text("{", encoding="utf-8")
    write_sums(folder)
    assert [code for code, _ in found(folder)] == ["R506"]


def test_a_damaged_parquet_file_is_a_finding_not_a_crash(folder: Path) -> None:
    (folder / "data/test-00000-of-00001.parquet").write_bytes(b"PAR1")
    write_sums(folder)
    assert [code for code, _ in found(folder)] == ["R506"]
