"""What blocks a release before a file is written: each obstacle alone, with a remedy, in both languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from keju.benchmark import Benchmark
from keju.items import Medium
from keju.release import Creator, People, Settings, Source, build
from keju.release.gate import obstacles
from keju.release.licences import LICENCES, OWN, may_become, of_kind, text_of
from keju.release.prose import QUESTIONS
from release.filled import a_few, settings


@pytest.fixture(scope="module")
def texts() -> Benchmark:
    """Three items without media, so that each test is quick."""
    few = a_few(1)
    return replace(few, items=tuple(replace(item, media=()) for item in few))


def codes(benchmark: Benchmark, told: Settings, **quality: bytes) -> list[str]:
    found = obstacles(benchmark, told, quality, jobs=1)
    for finding in found:
        assert finding.severity == "error"
        assert finding.message.zh != finding.message
        assert finding.remedy
    return [finding.code for finding in found]


def test_nothing_blocks_whole_settings(texts: Benchmark) -> None:
    assert codes(texts, settings()) == []


@pytest.mark.parametrize("name", ["title", "description", "url", "collection_types", "creators", "sources"])
def test_an_empty_field_blocks(texts: Benchmark, name: str) -> None:
    assert codes(texts, settings(**{name: type(getattr(settings(), name))()})) == ["R101"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"date": "31.3.2026"}, "R102"),
        ({"collection_end": "2026-02-30"}, "R102"),
        ({"version": "1.0", "changes": {"1.0": "x"}}, "R102"),
        ({"canary": "tweet"}, "R102"),
        ({"people": People()}, "R102"),
        ({"sources": (Source("all", "own", ("text", "video")),)}, "R102"),
        ({"creators": (Creator(""),)}, "R101"),
        ({"changes": {"1.1.0": "older"}}, "R103"),
        ({"license": "All rights reserved"}, "R201"),
        ({"sources": (Source("a book", ""),)}, "R201"),
        ({"sources": (Source("a book", "who knows"),)}, "R201"),
        ({"license": "ODC-By-1.0"}, "R202"),
        ({"media_license": "MIT"}, "R202"),
        ({"sources": (Source("photographs", "CC-BY-NC-4.0"),)}, "R203"),
        ({"sources": (Source("photographs", "CC-BY-ND-4.0"),)}, "R203"),
        ({"sources": (Source("drawings", "own", ("images",)),)}, "R204"),
        ({"people": People("yes")}, "R301"),
        ({"people": People("yes", "no such file.pdf")}, "R301"),
    ],
)
def test_each_fault_of_the_settings_blocks_and_is_named(texts: Benchmark, changed: dict[str, Any], code: str) -> None:
    assert set(codes(texts, settings(**changed))) == {code}


@pytest.mark.parametrize("key", [key for key, question in QUESTIONS.items() if question.required])
def test_an_empty_answer_of_the_datasheet_blocks_and_says_where_to_write_it(texts: Benchmark, key: str) -> None:
    answers = {name: text for name, text in settings().datasheet.items() if name != key}
    (found,) = obstacles(texts, settings(datasheet=answers), {}, jobs=1)
    assert found.code == "R104"
    assert f"`{key} =`" in found.remedy
    assert QUESTIONS[key].text.zh in found.message.zh


def test_an_incompatible_licence_names_those_that_would_do(texts: Benchmark) -> None:
    told = settings(sources=(Source("photographs", "CC-BY-NC-SA-4.0"),))
    found = obstacles(texts, told, {}, jobs=1)
    assert {finding.remedy for finding in found} == {"release under CC-BY-NC-SA-4.0"}


def test_media_may_be_under_another_licence_than_texts(texts: Benchmark) -> None:
    sources = (Source("questions", "own", ("text",)), Source("photographs", "CC-BY-NC-4.0", ("images", "audio")))
    assert codes(texts, settings(sources=sources, media_license="CC-BY-NC-4.0")) == []
    assert codes(texts, settings(sources=sources)) == ["R203", "R203"]


def test_consent_is_looked_for_and_stays_out_of_the_release(texts: Benchmark, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant")
    (tmp_path / "consent.txt").write_text("signed by Mei", encoding="utf-8")
    told = settings(people=People("yes", "consent.txt"), folder=tmp_path)
    report = build(texts, told, tmp_path / "out", jobs=1)
    assert report.findings == ()
    assert all(b"signed by" not in file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file())


def test_an_address_in_a_quality_file_blocks(texts: Benchmark) -> None:
    assert codes(texts, settings(), ratings=b"rater,score\nmei.lin@example.org,5\n") == ["R302"]
    assert codes(texts, settings(), ratings=b"rater,score\nR1,5\n") == []


def test_an_error_of_the_checks_blocks(texts: Benchmark) -> None:
    absent = replace(texts.items[0], media=(Medium("image", "gone.png"),))
    found = obstacles(replace(texts, items=(absent, *texts.items[1:])), settings(), {}, jobs=1)
    assert [(finding.item, finding.severity) for finding in found] == [(absent.id, "error")]


def test_one_picture_in_two_splits_blocks() -> None:
    few = a_few(1)
    shown = next(item for item in few if item.modality == "image" and item.split == "train")
    other = next(item for item in few if item.modality == "image" and item.split == "test")
    items = (shown, replace(other, media=shown.media))
    assert "I304" in codes(replace(few, items=items), settings())


def test_a_blocked_release_writes_nothing(texts: Benchmark, tmp_path: Path) -> None:
    report = build(texts, settings(title=""), tmp_path / "out", withhold=["test"], jobs=1)
    assert report.folder is None
    assert [finding.code for finding in report.findings] == ["R101"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "release", "allowed"),
    [
        (OWN, "CC0-1.0", True),
        (OWN, "CC-BY-NC-4.0", True),
        ("CC0-1.0", "CC-BY-4.0", True),
        ("PDDL-1.0", "CC0-1.0", True),
        ("CC-BY-4.0", "CC-BY-4.0", True),
        ("CC-BY-3.0", "CC-BY-SA-4.0", True),
        ("CC-BY-4.0", "CC-BY-NC-4.0", True),
        ("MIT", "CC-BY-4.0", True),
        ("CC-BY-SA-3.0", "CC-BY-SA-4.0", True),
        ("CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", True),
        ("CC-BY-4.0", "CC0-1.0", False),
        ("CC-BY-SA-4.0", "CC-BY-4.0", False),
        ("CC-BY-SA-4.0", "CC-BY-SA-3.0", False),
        ("CC-BY-SA-4.0", "CC-BY-NC-SA-4.0", False),
        ("CC-BY-NC-4.0", "CC-BY-4.0", False),
        ("CC-BY-NC-SA-4.0", "CC-BY-NC-4.0", False),
        ("CC-BY-ND-4.0", "CC-BY-ND-4.0", False),
        ("CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", False),
    ],
)
def test_what_may_be_released_under_what(source: str, release: str, allowed: bool) -> None:
    assert may_become(source, release) is allowed


def test_the_texts_that_keju_brings_are_those_of_their_licences() -> None:
    brought = of_kind("text")
    assert brought == ["CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"]
    for name in brought:
        title = LICENCES[name].title.removeprefix("Creative Commons ")
        assert title in (text_of(name) or "")[:200]
