"""A release as other programs open it: datasets, mlcroissant, frictionless, the hub's card reader, and keju itself."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import keju
from keju.benchmark import Benchmark
from keju.errors import BadFile, MissingExtra, Misuse
from keju.formats import multi_tw, tco
from keju.items import Item
from keju.release import Settings, Source, build, verify
from keju.release.content import ANSWER_DIGEST, answer_digest
from keju.release.paths import SUMS, files_in
from release.filled import a_few, settings, teahouse

pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")

OTHERS = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
"""Warnings of the other tools about their own code."""


def released(benchmark: Benchmark, out: Path, told: Settings | None = None, **options: Any) -> Path:
    """The folder of a release that nothing blocks."""
    report = build(benchmark, told or settings(), out, jobs=1, **options)
    assert [str(finding.message) for finding in report.findings] == []
    assert report.folder == out
    return out


def all_of(item: Item) -> tuple[Any, ...]:
    media = [(medium.kind, medium.name, medium.sha256) for medium in item.media]
    return item.id, item.wordings, item.answer, dict(item.labels), item.split, dict(item.extra), media


@pytest.fixture(scope="module")
def source() -> Benchmark:
    return a_few()


@pytest.fixture(scope="module")
def folder(source: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(source, tmp_path_factory.mktemp("release") / "out", training="chat")


def test_a_release_has_every_file_of_the_layout(folder: Path) -> None:
    there = set(files_in(folder))
    assert there >= {
        *("README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "DATASHEET.md", "SHA256SUMS"),
        *("croissant.json", "datapackage.json", "items/items.jsonl", "items/items.schema.json"),
        *(f"data/{split}-00000-of-00001.parquet" for split in ("train", "validation", "test")),
        *(f"splits/{split}.json" for split in ("train", "val", "test", "split_metadata")),
        *("legacy/tco/0001.png", "legacy/tco/0001.md", "legacy/tco/0001.txt", "legacy/multi-tw.json"),
        *("media/images/0001.png", "training/chats.json"),
    }
    assert (folder / "LICENSE").read_text(encoding="utf-8").startswith("Creative Commons Attribution 4.0")


def test_two_builds_give_the_same_digests(source: Benchmark, folder: Path, tmp_path: Path) -> None:
    again = released(source, tmp_path / "another name", training="chat")
    assert (again / SUMS).read_bytes() == (folder / SUMS).read_bytes()


def test_keju_reads_a_release_back_item_by_item(source: Benchmark, folder: Path) -> None:
    back = keju.load(folder)
    assert [all_of(item) for item in back] == [all_of(item) for item in source]
    assert back.fingerprint == source.fingerprint
    assert back.card["canary"] == settings().canary


def test_keju_reads_the_lines_of_items_too(source: Benchmark, folder: Path) -> None:
    back = keju.load(folder / "items" / "items.jsonl")
    assert [(item.id, item.wordings, item.answer) for item in back] == [
        (item.id, item.wordings, item.answer) for item in source
    ]
    assert {item.extra["canary"] for item in back} == {settings().canary}


def test_datasets_opens_it_with_splits_pictures_and_clips(
    source: Benchmark, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {name: part.num_rows for name, part in loaded.items()} == {
        name: sum(item.split == split for item in source)
        for name, split in (("train", "train"), ("validation", "val"), ("test", "test"))
    }
    rows = loaded["train"].cast_column("audio", datasets.Audio(decode=False))
    assert [row["answer"] for row in rows] == [item.answer for item in source if item.split == "train"]
    assert next(row for row in rows if row["image"])["image"].size == (1280, 720)


@OTHERS
def test_mlcroissant_loads_every_record_set_and_keeps_ids_texts(source: Benchmark, folder: Path) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    rows = {each.id: list(dataset.records(each.id)) for each in dataset.metadata.record_sets}
    assert {row["splits/name"] for row in rows["splits"]} == {"train", "validation", "test"}
    told = {row["items/id"].decode(): row for row in rows["items"]}
    assert set(told) == {item.id for item in source}
    assert told["0001"]["items/split"].decode() == "validation"
    assert [text.decode() for text in told["0001"]["items/options_en"]] == list(
        source["0001"].wordings["en"].options.values()
    )
    assert told["0001"]["items/genre"].decode() == "Peking Opera"
    assert told["0001"]["items/image"].size == (1280, 720)
    heard = next(item for item in source if item.modality == "audio")
    assert told[heard.id]["items/audio"] == heard.media[0].read()
    assert dataset.metadata.version == "1.2.0"
    assert dataset.metadata.data_biases == ["About biases: 已说明。"]


@OTHERS
def test_the_data_package_is_valid_and_catches_a_wrong_key_and_a_changed_picture(
    source: Benchmark, tmp_path: Path
) -> None:
    frictionless = pytest.importorskip("frictionless")
    folder = released(source, tmp_path / "out")
    package = folder / "datapackage.json"
    assert frictionless.Package(str(package)).validate().valid
    lines = (folder / "items/items.jsonl").read_text(encoding="utf-8")
    (folder / "items/items.jsonl").write_text(lines.replace('"answer": "B"', '"answer": "X"', 1), encoding="utf-8")
    with (folder / "media/images/0001.png").open("ab") as picture:
        picture.write(b"x")
    found = frictionless.Package(str(package)).validate().flatten(["type"])
    assert ["constraint-error"] in found
    assert found.count(["hash-count"]) == 2


def test_the_hub_reads_the_head_of_the_card(folder: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    data = hub.DatasetCard.load(folder / "README.md").data.to_dict()
    assert data["license"] == "cc-by-4.0"
    assert data["language"] == ["en", "zh"]
    assert data["task_categories"] == ["visual-question-answering", "audio-text-to-text", "multiple-choice"]
    assert data["size_categories"] == ["n<1K"]
    assert data["configs"][0]["data_files"][1] == {
        "split": "validation",
        "path": "data/validation-00000-of-00001.parquet",
    }


def test_every_line_of_items_meets_the_schema_and_a_wrong_one_does_not(folder: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((folder / "items/items.schema.json").read_bytes())
    rows = [json.loads(line) for line in (folder / "items/items.jsonl").read_bytes().splitlines()]
    for row in rows:
        jsonschema.validate(row, schema)
        assert all((folder / medium["name"]).is_file() for medium in row["media"])
    with pytest.raises(jsonschema.ValidationError, match="'E' is not one of"):
        jsonschema.validate({**rows[0], "answer": "E"}, schema)


def test_the_papers_layouts_hold_the_items_that_fit_them(source: Benchmark, folder: Path) -> None:
    opera, heard = tco.read(folder / "legacy/tco"), multi_tw.read(folder / "legacy/multi-tw.json")
    assert {item.id for item in opera} == {item.id for item in source if len(item.id) == 4}
    assert {item.id for item in heard} == {item.id for item in source if len(item.id) > 4}
    for item in (*opera, *heard):
        assert item.answer == source[item.id].answer
        assert dict(item.options) == dict(source[item.id].options)
        assert [medium.sha256 for medium in item.media] == [medium.sha256 for medium in source[item.id].media]


@pytest.mark.parametrize(("layout", "modality"), [("tco", "image"), ("multi-tw", "audio")])
def test_a_paper_s_own_folder_comes_out_byte_for_byte(
    source: Benchmark, tmp_path: Path, layout: str, modality: str
) -> None:
    there, out = tmp_path / "there", tmp_path / "out"
    keju.convert(source.select(where={"modality": modality}), layout, there)
    released(keju.load(there), out, settings(sources=(Source("all", "own"),)))
    legacy = out / "legacy/tco" if layout == "tco" else out / "legacy"
    renamed = {"multi-tw.json": "items.json"}
    assert {renamed.get(name, name): (legacy / name).read_bytes() for name in files_in(legacy)} == {
        name: (there / name).read_bytes() for name in files_in(there)
    }


def test_training_holds_the_train_split_alone(source: Benchmark, folder: Path) -> None:
    chats = json.loads((folder / "training/chats.json").read_bytes())
    assert {chat["id"] for chat in chats} == {item.id for item in source if item.split == "train"}
    named = [name for chat in chats for name in (*chat["images"], *chat["audios"])]
    assert named
    assert all((folder / "training" / name).is_file() for name in named)


def test_datasheet_and_card_hold_the_authors_words_the_counts_and_the_canary(source: Benchmark, folder: Path) -> None:
    sheet = (folder / "DATASHEET.md").read_text(encoding="utf-8")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "About limitations: 已说明。" in sheet
    assert f"| items | {len(source)} |" in sheet
    assert settings().canary in card
    assert "decode=False" in card
    assert "| voices | audio | Apache-2.0 | Voices: Kokoro https://example.org/voices |" in card


@pytest.fixture(scope="module")
def telling(source: Benchmark) -> Benchmark:
    """Items that say their key a second time, in a field that only keju knows."""
    return replace(source, items=tuple(replace(item, extra={"key again": item.answer}) for item in source))


@pytest.fixture(scope="module")
def withheld(telling: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release without the keys of its test split; they lie beside it."""
    return released(telling, tmp_path_factory.mktemp("withheld") / "out", withhold=["test"])


def test_withheld_keys_are_nowhere_in_the_release(source: Benchmark, withheld: Path) -> None:
    folder = withheld
    told = json.loads(folder.with_name("out.keys.json").read_bytes())
    hidden = [item for item in source if item.split == "test"]
    assert told["keys"] == {item.id: item.answer for item in hidden}
    back = keju.load(folder)
    for item in hidden:
        assert back[item.id].answer is None
        assert dict(back[item.id].extra) == {ANSWER_DIGEST: answer_digest(told["salt"], item.id, item.answer or "")}
    assert not set(told["keys"]) & {item.id for item in tco.read(folder / "legacy/tco")}
    assert not set(told["keys"]) & {item.id for item in multi_tw.read(folder / "legacy/multi-tw.json")}
    assert all(told["salt"].encode() not in (folder / name).read_bytes() for name in files_in(folder))
    assert "keys of test are withheld" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_second_build_with_the_same_salt_gives_the_same_digests(
    telling: Benchmark, withheld: Path, tmp_path: Path
) -> None:
    again = released(telling, tmp_path / "again", withhold=["test"], keys=withheld.with_name("out.keys.json"))
    assert (again / SUMS).read_bytes() == (withheld / SUMS).read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"withhold": ["dev"]}, "no item is in split 'dev'"),
        ({"training": "jsonl"}, "no format for training"),
        ({"quality": {"gossip": b"x"}}, "no quality file is called 'gossip'"),
        ({"withhold": ["train"], "training": "chat"}, "these items have none"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    source: Benchmark, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(Misuse, match=message):
        build(source, settings(), tmp_path / "out", keys=tmp_path / "keys.json", jobs=1, **options)
    assert {path.name for path in tmp_path.iterdir()} <= {"keys.json"}


def test_keys_are_never_kept_inside_the_release(source: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="must stay secret"):
        build(source, settings(), tmp_path / "out", withhold=["test"], keys=tmp_path / "out" / "keys.json", jobs=1)


def test_without_the_library_the_install_line_is_said_before_anything_is_done(
    source: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(MissingExtra, match=r"pip install 'keju\[release\]'"):
        build(source, settings(), tmp_path / "out", withhold=["test"])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_refused(source: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadFile, match="not empty"):
        build(source, settings(), tmp_path)


def test_quality_files_and_the_record_of_the_splits_are_released(source: Benchmark, tmp_path: Path) -> None:
    record = {"generation_method": "by medium", "random_seed": 1923}
    split = replace(source, card={**source.card, "splits": record})
    folder = released(split, tmp_path / "out", quality={"agreement": b'{"kappa": 0.81}', "ratings": b"rater,item\n"})
    assert json.loads((folder / "quality/agreement.json").read_bytes()) == {"kappa": 0.81}
    told = json.loads((folder / "splits/split_metadata.json").read_bytes())
    assert (told["random_seed"], told["total"]) == (1923, len(source))
    assert json.loads((folder / "croissant.json").read_bytes())["rai:dataAnnotationAnalysis"] == [
        "kappa 0.81 (quality/agreement.json)"
    ]
    assert "by medium, seed 1923" in (folder / "DATASHEET.md").read_text(encoding="utf-8")


@pytest.fixture
def texts() -> Benchmark:
    """Questions of words alone, in no split."""
    return replace(
        teahouse(), items=tuple(replace(item, media=(), split=None, labels={}) for item in list(teahouse())[:3])
    )


def test_questions_of_words_alone_and_without_splits_are_released(texts: Benchmark, tmp_path: Path) -> None:
    folder = released(texts, tmp_path / "out")
    assert [item.id for item in keju.load(folder)] == [item.id for item in texts]
    assert not (folder / "splits").exists()
    assert not (folder / "media").exists()
    assert verify(folder) == []


def test_other_licences_for_media_and_from_files(source: Benchmark, tmp_path: Path) -> None:
    text = tmp_path / "odc.txt"
    text.write_text("Open Data Commons Attribution", encoding="utf-8")
    told = settings(license="ODC-By-1.0", license_file="odc.txt", media_license="CC-BY-SA-4.0", folder=tmp_path)
    folder = released(source, tmp_path / "out", told)
    assert (folder / "LICENSE").read_text(encoding="utf-8") == "Open Data Commons Attribution"
    assert (folder / "LICENSE-MEDIA").read_text(encoding="utf-8").startswith("Creative Commons Attribution-ShareAlike")
    package = json.loads((folder / "datapackage.json").read_bytes())
    names = {entry["path"]: [each["name"] for each in entry["licenses"]] for entry in package["resources"]}
    assert names["media/images/0001.png"] == ["CC-BY-SA-4.0"]
    assert names["items/items.jsonl"] == ["ODC-By-1.0"]
    assert names["data/test-00000-of-00001.parquet"] == ["ODC-By-1.0", "CC-BY-SA-4.0"]
