"""The same picture or clip twice, and across splits."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from tests.checks.media_making import codes, encoded, exam, found, mp3, scene, tone, wave

from keju.checks import alike
from keju.checks.alike import Look, nearest
from keju.items import Item


def test_copies_are_found_by_how_near_they_are(tmp_path: Path) -> None:
    picture = scene(1, 640, 480)
    files = {
        "original.png": encoded(picture),
        "other.png": encoded(scene(2, 640, 480)),
        "same.png": encoded(picture),
        "small.jpg": encoded(picture.resize((320, 240)), "JPEG"),
    }
    assert codes(exam(tmp_path, files)) == {"same.png": ["I301"], "small.jpg": ["I302"]}


def test_a_picture_of_train_in_test_is_an_error(tmp_path: Path) -> None:
    picture = scene(1, 640, 480)
    files = {"a.png": encoded(picture), "b.png": encoded(picture), "c.png": encoded(picture.resize((500, 375)))}
    one = dict.fromkeys(files, "train")
    assert codes(exam(tmp_path, files, splits=one)) == {"b.png": ["I301"], "c.png": ["I302"]}
    two = one | {"b.png": "test", "c.png": "test"}
    benchmark = exam(tmp_path, files, splits=two)
    assert codes(benchmark) == {"b.png": ["I304"], "c.png": ["I304"]}
    leak = next(finding for finding in found(benchmark) if finding.file == "b.png")
    assert leak.severity == "error"
    assert "train" in leak.message
    assert "test" in leak.message


def test_a_copy_of_train_is_found_though_a_nearer_copy_lies_in_its_own_split(tmp_path: Path) -> None:
    picture = scene(1, 640, 480)
    files = {
        "train.png": encoded(picture.resize((300, 225))),
        "test1.png": encoded(picture),
        "test2.png": encoded(picture, compress_level=1),
    }
    splits = {"train.png": "train", "test1.png": "test", "test2.png": "test"}
    leaked = {f.file for f in found(exam(tmp_path, files, splits=splits)) if f.code == "I304"}
    assert leaked == {"test1.png", "test2.png"}


def test_one_file_that_items_of_two_splits_share_is_an_error(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": encoded(scene(1))}, splits={"a.png": "train"})
    first: Item = benchmark.items[0]
    both = replace(benchmark, items=(first, replace(first, id="second", split="test")))
    (finding,) = found(both)
    assert (finding.code, finding.measured["items"]) == ("I304", ["a", "second"])


def test_drawings_on_white_paper_are_not_taken_for_copies(tmp_path: Path) -> None:
    files = {}
    for n in range(12):
        page = Image.new("L", (500, 300), 255)
        rng = np.random.default_rng(n)
        for _ in range(3):
            x, y = (int(v) for v in rng.integers(20, 250, 2))
            ImageDraw.Draw(page).rectangle((x, y // 2, x + 60 + n, y // 2 + 40), outline=0, width=2)
        files[f"{n}.png"] = encoded(page)
    assert not {f.code for f in found(exam(tmp_path, files))} & {"I302", "I303"}


def test_plain_pictures_are_not_compared(tmp_path: Path) -> None:
    files = {f"{n}.png": encoded(Image.new("L", (64, 64), 100 + n)) for n in range(3)}
    assert {code for file in codes(exam(tmp_path, files)).values() for code in file} == {"I103"}


def test_one_sound_under_other_tags_is_found_and_in_two_splits_an_error(tmp_path: Path) -> None:
    clip = mp3(tone(1.0, 44100, [440]), 44100, 128)
    tag = b"ID3\x03\x00\x00\x00\x00\x00\x10" + b"TIT2\x00\x00\x00\x06\x00\x00\x00other"
    files = {"a.mp3": clip, "b.mp3": tag + clip, "c.mp3": mp3(tone(1.0, 44100, [660]), 44100, 128)}
    assert codes(exam(tmp_path, files)) == {"b.mp3": ["A301"]}
    assert codes(exam(tmp_path, files, splits={"a.mp3": "train", "b.mp3": "val"})) == {"b.mp3": ["A302"]}


def test_silent_clips_are_not_the_same_sound(tmp_path: Path) -> None:
    files = {f"{n}.wav": wave(tone(1 + n / 10, 8000, [0]), 8000) for n in range(2)}
    assert {code for file in codes(exam(tmp_path, files)).values() for code in file} == {"A101"}


def looks(count: int, splits: int = 1) -> tuple[Look, ...]:
    rng = np.random.default_rng(0)
    hashes, thumbs = rng.bytes(8 * count), rng.bytes(256 * count)
    return tuple(
        Look(hashes[8 * n : 8 * n + 8].hex(), thumbs[256 * n : 256 * n + 256].hex(), frozenset({str(n % splits)}))
        for n in range(count)
    )


def test_blocks_find_what_a_plain_loop_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    base = looks(40)
    some = tuple(
        Look(f"{int(look.dhash, 16) ^ (1 << n % 7 | 1 << n % 5):016x}", look.thumb, frozenset({"ab"[n % 2]}))
        for n, look in enumerate(base * 3)
    )
    monkeypatch.setattr(alike, "_ROWS", 16)
    for n, (near, across) in enumerate(nearest(some, 6)):
        bits = [(int(some[n].dhash, 16) ^ int(other.dhash, 16)).bit_count() for other in some[:n]]
        fits = [b for b, other in zip(bits, some, strict=False) if b <= 6 and other.thumb == some[n].thumb]
        apart = [
            b
            for b, other in zip(bits, some, strict=False)
            if b <= 6 and other.thumb == some[n].thumb and other.splits != some[n].splits
        ]
        assert (near.distance if near else None) == min(fits, default=None)
        assert (across.distance if across else None) == min(apart, default=None)


def test_numpy_of_before_its_second_version_counts_bits_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    bits = np.random.default_rng(0).integers(0, 2**63, (5, 7), dtype=np.uint64)
    expected = [[int(each).bit_count() for each in row] for row in bits]
    assert alike.differing(bits).tolist() == expected
    monkeypatch.delattr(np, "bitwise_count")
    assert alike.differing(bits).tolist() == expected


def test_thousands_of_pictures_are_compared_in_seconds() -> None:
    """A quarter of the work of 20,000 pictures' half; a loop in Python over its 12.5 million pairs takes minutes."""
    many = looks(5000, splits=3)
    began = time.process_time()
    assert nearest(many, 10).count((None, None)) == 5000
    assert time.process_time() - began < 10
