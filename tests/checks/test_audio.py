"""Clips: what is measured, against files of other people's making, and what the rules say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.checks.media_making import codes, exam, found, mp3, mp3_frames, tone, wave

from keju.checks import mp3 as headers
from keju.checks.clips import read_clip
from keju.models.local.media import sound
from real_failures import bug_cases

FILES = Path("data/media-audio")
UNREADABLE = {
    "chinese_id3.mp3": "cut",
    "utf16_no_bom.mp3": "damaged",
    "multiple_images.mp3": "damaged",
    "magic_bytes_only_mp3.x": "damaged",
    "incomplete.mp3": "unknown",
    "invalid_file.wav": "unknown",
    "empty_file.mp3": "empty",
    "no_audio_data_uncompressed.wav": "no-sound",
}
"""What tags alone, three bytes, a header alone and the rest of the broken files are."""


def case(name: str) -> dict[str, Any]:
    return next(param.values[0] for param in bug_cases("3-media") if param.values[0]["id"] == name)


# Files of other people


@pytest.mark.shared
def test_real_files_are_as_their_truth_says(shared: Path) -> None:
    truth = json.loads((shared / FILES / "truth.json").read_text())
    for name, true in truth.items():
        clip = read_clip((shared / FILES / name).read_bytes())
        assert clip.bytes == true.get("filesize", clip.bytes), name
        assert clip.trouble == UNREADABLE.get(name), name
        if clip.trouble is None:
            # With or without what the encoder put at either end: two frames of 576 samples at 8 kHz, and a bit.
            assert clip.seconds == pytest.approx(true["duration"], abs=0.19), name
            assert clip.kbits == pytest.approx(true["bitrate"], rel=0.02), name  # GSM blocks are padded
            assert (clip.rate, clip.channels) == (true["samplerate"], true["channels"]), name


@pytest.mark.shared
def test_a_header_that_promises_more_than_the_file_holds_is_found(shared: Path, tmp_path: Path) -> None:
    files = {"c.mp3": (shared / FILES / "chinese_id3.mp3").read_bytes()}
    (finding,) = found(exam(tmp_path, files))
    assert (finding.code, finding.severity) == ("A003", "error")
    assert finding.measured["stated"] == pytest.approx(263.94, abs=0.01)
    assert "263.9" in finding.message


@pytest.mark.shared
def test_every_broken_file_is_an_error_and_no_whole_one(shared: Path, tmp_path: Path) -> None:
    names = list(json.loads((shared / FILES / "truth.json").read_text()))
    files = {f"{name}.wav" if name.endswith(".x") else name: (shared / FILES / name).read_bytes() for name in names}
    errors = {finding.file for finding in found(exam(tmp_path, files)) if finding.severity == "error"}
    assert errors == {f"{name}.wav" if name.endswith(".x") else name for name in UNREADABLE}


# Failures of other tools


@pytest.mark.shared
def test_md_21_a_clip_is_resampled_not_thinned() -> None:
    given, expected = case("MD-21")["input"], case("MD-21")["expected"]["prepared"]
    samples = tone(given["seconds"], given["rate"], given["tone_hz"])
    prepared = sound(wave(samples, given["rate"]), "tone.wav", expected["rate"])
    assert len(prepared) == pytest.approx(expected["samples"], abs=expected["tolerance_samples"])
    assert (prepared**2).mean() < expected["energy_left_below"] * (samples**2).mean()


@pytest.mark.shared
def test_md_23_sound_in_the_right_channel_is_heard(tmp_path: Path) -> None:
    given, expected = case("MD-23")["input"], case("MD-23")["expected"]
    data = wave(tone(given["seconds"], given["rate"], given["tone_hz"]), given["rate"])
    assert np.abs(sound(data, "right.wav", given["rate"])).max() >= expected["prepared_peak_at_least"]
    assert "A101" not in [finding.code for finding in found(exam(tmp_path, {"right.wav": data}))]


@pytest.mark.shared
def test_md_25_silence_is_a_warning(tmp_path: Path) -> None:
    given = case("MD-25")["input"]
    data = wave(tone(given["seconds"], given["rate"], given["tone_hz"]), given["rate"])
    (finding,) = found(exam(tmp_path, {"silent.wav": data}))
    assert (finding.code, finding.severity) == ("A101", case("MD-25")["expected"]["validation"])


@pytest.mark.shared
def test_md_27_length_is_counted_not_guessed_from_the_first_frame(tmp_path: Path) -> None:
    given, expected = case("MD-27")["input"], case("MD-27")["expected"]
    data = b"".join(mp3_frames(each["kbps"], each["count"], given["rate"]) for each in given["frames"])
    clip = read_clip(data)
    assert clip.trouble is None
    assert clip.seconds == pytest.approx(expected["duration_s"], abs=expected["tolerance_s"])
    assert (clip.varies, clip.kbits) == (True, 176)


@pytest.mark.shared
def test_md_29_a_large_tag_before_the_sound_is_no_fault(tmp_path: Path) -> None:
    size = 200_000
    tag = b"ID3\x03\x00\x00" + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + bytes(size)
    data = tag + mp3(tone(1.0, 44100, [440]), 44100, 128)
    expected = case("MD-29")["expected"]
    assert (read_clip(data).mime, expected["validation"]) == (expected["detected"], "ok")
    assert found(exam(tmp_path, {"tagged.mp3": data})) == []


@pytest.mark.shared
def test_md_37_samples_of_24_bits_and_floats_are_the_same_sound() -> None:
    given, expected = case("MD-37")["input"], case("MD-37")["expected"]
    for one, seconds, peak in zip(given["files"], expected["duration_s"], expected["peak"], strict=True):
        samples = tone(one["seconds"], one["rate"], one["tone_hz"], one["amplitude"])
        clip = read_clip(wave(samples, one["rate"], one["sample"]))
        assert clip.seconds == pytest.approx(seconds, abs=expected["tolerance"])
        assert clip.peak == pytest.approx(peak, abs=expected["tolerance"])


# What the rules say


def test_the_bit_rate_of_multi_tw_is_128_throughout(tmp_path: Path) -> None:
    sweep = tone(2.0, 44100, [440])
    files = {f"{kbits}.mp3": mp3(sweep * (1 - kbits / 1000), 44100, kbits) for kbits in (64, 128, 192)}
    files["mixed.mp3"] = mp3_frames(64, 50) + mp3_frames(192, 50)
    off = {f.file: f for f in found(exam(tmp_path, files, profile="multi-tw")) if f.code == "A111"}
    assert off.keys() == {"64.mp3", "192.mp3", "mixed.mp3"}
    assert off["mixed.mp3"].measured == {"kbits": 128, "varies": True}
    assert "varying" in off["mixed.mp3"].message
    assert not [f for f in found(exam(tmp_path, files)) if f.code == "A111"], "a house rule of Multi-TW"


def test_overdriven_and_short_clips_are_found(tmp_path: Path) -> None:
    loud = np.clip(tone(1.0, 16000, [440], 1.5), -1, 1)
    files = {
        "loud.wav": wave(loud, 16000),
        "full.wav": wave(tone(1.0, 16000, [440], 0.99), 16000),
        "short.wav": wave(tone(0.2, 16000, [440]), 16000),
    }
    assert codes(exam(tmp_path, files)) == {"loud.wav": ["A102"], "short.wav": ["A103"]}


def test_a_wav_that_was_cut_is_found_and_one_written_as_a_stream_is_not(tmp_path: Path) -> None:
    whole = wave(tone(2.0, 8000, [440]), 8000)
    stream = whole[:40] + b"\xff\xff\xff\xff" + whole[44:]
    files = {
        "cut.wav": whole[: len(whole) // 2],
        "stream.wav": stream,
        "mp3.wav": mp3(tone(1.0, 44100, [500]), 44100, 128),
    }
    assert codes(exam(tmp_path, files)) == {"cut.wav": ["A003"], "mp3.wav": ["A006"]}


def test_one_clip_of_another_kind_among_many_is_noted(tmp_path: Path) -> None:
    files = {f"{n}.wav": wave(tone(2 + n / 10, 16000, [300 + n]), 16000) for n in range(12)}
    files["dull.wav"] = wave(tone(2.5, 8000, [440]), 8000)
    files["long.wav"] = wave(tone(60, 16000, [440]), 16000)
    assert codes(exam(tmp_path, files)) == {"dull.wav": ["A201"], "long.wav": ["A202"]}


def test_frames_are_counted_up_to_the_one_that_is_cut() -> None:
    data = mp3_frames(128, 10)
    frames = headers.frames(data[:-1])
    assert frames
    assert (frames.count, frames.kbits, frames.promised) == (9, {128: 9}, None)
    assert headers.frames(b"\xff\xfb") is None
    assert headers.frames(bytes(5000)) is None


def test_an_mp3_cut_in_half_is_found_by_its_own_count(tmp_path: Path) -> None:
    whole = mp3(tone(4.0, 44100, [440]), 44100, 128)
    assert read_clip(whole).stated == pytest.approx(4.0, abs=0.1)
    assert read_clip(whole[: len(whole) // 2]).trouble == "cut"
