"""The shipped demo: whole, balanced, worded three times, and at home in both papers' layouts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from keju import formats
from keju.benchmark import Benchmark
from keju.items import Item
from keju.script import to_simplified

LANGUAGES = {"zh-Hans", "zh-Hant", "en"}
QUESTION_TYPES = {
    "opera genre classification",
    "historical costume attribution",
    "character role identification",
    "facial makeup symbolism",
    "stage prop and instrument recognition",
    "plot/story identification",
    "emotional tone inference",
    "regional distribution awareness",
}
"""TCO-Dataset, "Annotation Procedure"."""
GENRES = {"Henan", "Huangmei", "Qinqiang", "Peking", "Cantonese", "Yue", "Sichuan", "Kunqu"}
LAYOUTS = ("tco", "multi-tw")


@pytest.fixture(scope="module")
def demo() -> Benchmark:
    return formats.load("teahouse")


def is_opera(item: Item) -> bool:
    """Whether the item is in the terms of the TCO-Dataset; the others are in those of Multi-TW."""
    return item.id.isdecimal()


def part(demo: Benchmark, layout: str) -> Benchmark:
    return demo.select(ids=[item.id for item in demo if is_opera(item) == (layout == "tco")])


def png_header(data: bytes) -> tuple[int, int, int, int]:
    """Width, height, bits a channel and colour type (2 is RGB)."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data.endswith(b"IEND\xaeB`\x82")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24]), data[24], data[25]


def mp3_seconds(data: bytes) -> float:
    """Length of an MPEG-2 layer III mono stream, every frame of it read by its header."""
    rates = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
    at = frames = 0
    while at < len(data):
        head = int.from_bytes(data[at : at + 4])
        assert head >> 17 == 0xFFF3 >> 1, f"no frame at byte {at}"
        assert (head >> 10 & 3, head >> 6 & 3) == (1, 3), "24 kHz, mono"
        at += 72_000 * rates[head >> 12 & 15] // 24_000 + (head >> 9 & 1)
        frames += 1
    assert at == len(data)
    return frames * 576 / 24_000


def test_loads_by_name_without_a_problem(demo: Benchmark) -> None:
    assert len(demo) == 60
    assert demo.problems == ()
    assert demo.card["license"] == "CC-BY-4.0"
    assert set(demo.card["languages"]) == LANGUAGES
    assert {"title", "title_zh-Hans", "title_zh-Hant", "version", "description", "sources", "made_with"} <= set(
        demo.card
    )


def test_pictures_and_speech_are_split_as_the_papers_do(demo: Benchmark) -> None:
    assert Counter(item.modality for item in demo) == {"image": 24, "audio": 36}
    assert Counter(item.split for item in demo) == {"train": 40, "val": 6, "test": 14}


def test_every_item_is_worded_in_three_languages_with_four_options(demo: Benchmark) -> None:
    for item in demo:
        assert set(item.wordings) == LANGUAGES, item.id
        for wording in item.wordings.values():
            assert list(wording.options) == list("ABCD"), item.id
            texts = [wording.question, *wording.options.values()]
            assert all(text and text == text.strip() for text in texts), item.id
            assert len(set(wording.options.values())) == 4, item.id


def test_wordings_are_in_the_script_that_they_name(demo: Benchmark) -> None:
    for item in demo:
        simplified, english = item.wordings["zh-Hans"], item.wordings["en"]
        for text in (simplified.instruction, simplified.question, *simplified.options.values()):
            assert to_simplified(text) == text, item.id
        quoted = re.sub(r"（?\(?[一-鿿]+\)?）?", "", english.question)  # a sign's own words may be quoted
        assert "".join((quoted, *english.options.values())).isascii(), item.id


def test_no_question_is_asked_twice_of_one_medium(demo: Benchmark) -> None:
    for language in LANGUAGES:
        asked = Counter(item.wordings[language].question for item in demo)
        assert max(asked.values()) == 1, asked.most_common(1)


@pytest.mark.parametrize(("kind", "each"), [("image", 6), ("audio", 9)])
def test_keys_are_balanced_over_the_letters(demo: Benchmark, kind: str, each: int) -> None:
    keys = Counter(item.answer for item in demo if item.modality == kind)
    assert keys == dict.fromkeys("ABCD", each)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_longest_option_is_not_the_key_more_often_than_chance_allows(demo: Benchmark, language: str) -> None:
    longest = 0
    for item in demo:
        options = item.wordings[language].options
        lengths = {label: len(text) for label, text in options.items()}
        longest += max(lengths, key=lengths.__getitem__) == item.answer and len(set(lengths.values())) > 1
    assert longest <= 21  # binomial(60, 1/4) goes beyond 21 in 3 of 100 cases


def test_opera_items_have_the_labels_of_the_tco_dataset(demo: Benchmark) -> None:
    opera = part(demo, "tco")
    assert {item.labels["question_type"] for item in opera} == QUESTION_TYPES
    assert {item.labels["genre"] for item in opera} == {f"{genre} Opera" for genre in GENRES}
    assert {item.labels["difficulty"] for item in opera} == {"basic", "intermediate", "advanced"}
    assert Counter(item.labels["original_language"] for item in opera) == {"zh-Hans": 12, "en": 8}
    assert all(item.wording.language == item.labels["original_language"] for item in opera)


def test_other_items_have_the_labels_of_multi_tw(demo: Benchmark) -> None:
    for item in part(demo, "multi-tw"):
        volume, section, level, section_part, number = item.id.split("-")
        assert (volume, section, level, section_part) == tuple(
            item.labels[name] for name in ("volume", "section", "level", "part")
        )
        assert number.isdecimal()
        assert item.wording.language == "zh-Hant"
        assert item.wording.instruction
    tasks = Counter(item.labels["task"] for item in part(demo, "multi-tw"))
    assert tasks == {"Dialogue Comprehension": 22, "Passage Comprehension": 14, "Reading Comprehension": 4}


def test_every_item_says_where_its_answer_is_found(demo: Benchmark) -> None:
    cues = Counter(item.labels["cue"] for item in demo)
    assert cues == {"drawing": 12, "writing": 12, "speech": 36}


def test_pictures_are_large_rgb_and_all_different(demo: Benchmark) -> None:
    pictures = [medium for item in demo for medium in item.media if medium.kind == "image"]
    assert len({picture.sha256 for picture in pictures}) == len(pictures) == 24
    for picture in pictures:
        width, height, bits, colour = png_header(picture.read())
        assert (width >= 1280, height >= 720, bits, colour) == (True, True, 8, 2), picture.name


def test_clips_are_whole_and_as_long_as_what_is_asked_of_them(demo: Benchmark) -> None:
    clips = {medium.sha256: medium for item in demo for medium in item.media if medium.kind == "audio"}
    asked = Counter(item.media[0].sha256 for item in demo if item.modality == "audio")
    assert Counter(asked.values()) == {2: 12, 1: 12}
    for digest, clip in clips.items():
        shortest, longest = {1: (3, 7), 2: (10, 40)}[asked[digest]]
        assert shortest <= mp3_seconds(clip.read()) <= longest, clip.name


def test_short_clips_are_for_novices_and_balanced_for_themselves(demo: Benchmark) -> None:
    asked = Counter(item.media[0].sha256 for item in demo)
    short = [item for item in demo if item.modality == "audio" and asked[item.media[0].sha256] == 1]
    assert {item.labels["level"] for item in short} == {"N"}
    assert Counter(item.labels["part"] for item in short) == {"P1": 6, "P2": 6}
    assert Counter(item.answer for item in short) == dict.fromkeys("ABCD", 3)
    assert {item.extra["transcript"].count("\n") + 1 for item in short} == {1, 2}


def test_both_questions_of_a_clip_lie_in_one_split(demo: Benchmark) -> None:
    splits: dict[str, set[str | None]] = {}
    for item in demo:
        splits.setdefault(item.media[0].sha256, set()).add(item.split)
    assert all(len(split) == 1 for split in splits.values())


def test_each_key_rests_on_words_that_are_said(demo: Benchmark) -> None:
    heard = [item for item in demo if item.modality == "audio"]
    for item in heard:
        assert item.extra["facts"], item.id
        assert all(fact in item.extra["transcript"] for fact in item.extra["facts"]), item.id
    assert len({item.extra["transcript"] for item in heard}) == 24


def test_the_demo_stays_small(demo: Benchmark) -> None:
    assert demo.root is not None
    assert sum(file.stat().st_size for file in demo.root.rglob("*") if file.is_file()) <= 4_000_000


@pytest.mark.parametrize("layout", LAYOUTS)
def test_goes_through_the_papers_layouts_without_loss(demo: Benchmark, layout: str, tmp_path: Path) -> None:
    sent = part(demo, layout)
    formats.write(sent, tmp_path / "there", layout)
    back = formats.load(tmp_path / "there")
    assert back.format == layout
    assert back.problems == ()
    for item in sent:
        again = back[item.id]
        for name in ("answer", "labels", "split", "extra"):
            assert getattr(again, name) == getattr(item, name), (item.id, name)
        assert list(again.wordings.items()) == list(item.wordings.items()), item.id
        assert [m.name for m in again.media] == [m.name for m in item.media]
    assert back.fingerprint == sent.fingerprint


def test_its_own_form_written_again_is_the_same_bytes(demo: Benchmark, tmp_path: Path) -> None:
    assert demo.root is not None
    formats.write(demo, tmp_path / "again", "jsonl")
    files = sorted(file.relative_to(demo.root) for file in demo.root.rglob("*") if file.is_file())
    assert files == sorted(f.relative_to(tmp_path / "again") for f in (tmp_path / "again").rglob("*") if f.is_file())
    assert [file for file in files if (demo.root / file).read_bytes() != (tmp_path / "again" / file).read_bytes()] == []
