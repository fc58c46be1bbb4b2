"""Real failures of other tools with recordings: what a transcriber and a model that hears are given of a clip."""

from __future__ import annotations

import asyncio
import io
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from keju.errors import Misuse
from keju.items import Item, Medium, Wording
from keju.models.cascade import Cascade
from keju.models.model import Fake
from keju.models.perception import Perceiver, Perception, Whisper, clip_seconds, is_silent
from keju.models.perception.endpoint import EndpointTranscriber
from keju.protocols import load_protocol
from real_failures import bug_cases
from servers.fake_openai import FakeServer

av = pytest.importorskip("av", reason="neither the extra `local` nor `embedded` is installed")
from keju.models.local.media import sound  # noqa: E402  after the check that its library is there

CASES = {parameter.id: parameter.values[0] for parameter in bug_cases("3-media")}
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not CASES, reason="the shared bug cases are not here")]

RATE = 16_000  # what speech models hear

SAMPLE = {"int16": (1, 2), "int24": (1, 3), "float32": (3, 4)}
"""Form of a WAV's samples → format code, bytes of each."""


def clip(recipe: dict[str, Any]) -> Medium:
    """The WAV of a case: one tone a channel."""
    rate, seconds = recipe["rate"], recipe["seconds"]
    tones = recipe["tone_hz"] * (1 if len(recipe["tone_hz"]) > 1 else recipe.get("channels", 1))
    at = np.arange(int(rate * seconds)) / rate
    heard = recipe.get("amplitude", 0.5) * np.sin(2 * np.pi * np.array(tones) * at[:, None])
    code, width = SAMPLE[recipe.get("sample", "int16")]
    if code == 3:
        data = heard.astype("<f4").tobytes()
    else:
        whole = np.round(heard * (2 ** (8 * width - 1) - 1)).astype("<i4")
        data = whole.reshape(-1, 1).view("u1")[:, :width].tobytes()
    step = width * len(tones)
    head = struct.pack("<4sI4s4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16)
    form = struct.pack("<HHIIHH4sI", code, len(tones), rate, rate * step, step, width * 8, b"data", len(data))
    return Medium("audio", "case.wav", data=head + form + data)


def mp3(frames: list[dict[str, int]]) -> bytes:
    """Silent MP3 frames (44.1 kHz, mono) of the given rates, with no length said anywhere."""
    index = {32: 1, 320: 14}
    return b"".join(
        (b"\xff\xfb" + bytes([index[part["kbps"]] << 4, 0xC0])).ljust(144_000 * part["kbps"] // 44_100, b"\0")
        * part["count"]
        for part in frames
    )


def for_a_model(medium: Medium) -> Any:
    return sound(medium.read(), medium.name, RATE)


def for_whisper(medium: Medium) -> Any:
    decode_audio = pytest.importorskip("faster_whisper", reason="no extra `embedded`").decode_audio
    return decode_audio(io.BytesIO(medium.read()), sampling_rate=RATE)


prepared = pytest.mark.parametrize("prepare", [for_a_model, for_whisper])
Prepare = Callable[[Medium], Any]


@prepared
def test_resampling_keeps_the_length_and_folds_no_high_tone_down(prepare: Prepare) -> None:
    case = CASES["MD-21"]
    told, original = case["expected"]["prepared"], clip(case["input"])
    samples = prepare(original)
    assert abs(len(samples) - told["samples"]) <= told["tolerance_samples"]
    before = sound(original.read(), original.name, case["input"]["rate"])
    left = np.mean(np.square(samples[RATE // 20 : -RATE // 20])) / np.mean(np.square(before))  # not the filter's edges
    assert left < told["energy_left_below"]


@prepared
def test_sound_in_the_right_channel_alone_is_heard(prepare: Prepare) -> None:
    case = CASES["MD-23"]
    medium = clip(case["input"])
    assert np.abs(prepare(medium)).max() >= case["expected"]["prepared_peak_at_least"]
    assert is_silent(medium) is case["expected"]["prepared_is_silent"]


@prepared
def test_samples_of_24_bits_and_of_floats_are_the_same_sound(prepare: Prepare) -> None:
    case = CASES["MD-37"]
    told = case["expected"]
    for recipe, seconds, peak in zip(case["input"]["files"], told["duration_s"], told["peak"], strict=True):
        medium = clip(recipe)
        samples = prepare(medium)
        assert len(samples) / RATE == pytest.approx(seconds, abs=told["tolerance"])
        assert np.abs(samples).max() == pytest.approx(peak, abs=told["tolerance"])
        assert clip_seconds(medium) == pytest.approx(seconds, abs=told["tolerance"])


def perceived(perceiver: Perceiver, medium: Medium) -> Perception:
    async def work() -> Perception:
        try:
            return await perceiver.perceive(medium)
        finally:
            await perceiver.close()

    return asyncio.run(work())


def test_what_a_service_writes_of_silence_is_left_out_and_shown_to_people() -> None:
    case = CASES["MD-25"]
    said, medium = case["input"]["asr_output"], clip(case["input"])
    with FakeServer([{"json": {"text": said}}]) as server:
        heard = perceived(EndpointTranscriber("vllm/speech", model="speech", base_url=server.base_url), medium)
    assert heard.text == ""
    assert "silent" in heard.warnings[0]
    assert said in heard.warnings[0]


@pytest.mark.embedded
def test_of_silence_whisper_writes_nothing_and_the_model_reads_that_there_was_nothing() -> None:
    pytest.importorskip("faster_whisper", reason="the extra `embedded` is not installed")
    asked: list[str] = []
    wording = Wording("zh-Hant", "他要去哪裡？", {"A": "上海", "B": "台北"})
    item = Item("1", {"zh-Hant": wording}, "A", (clip(CASES["MD-25"]["input"]),))
    try:
        ear = Whisper(language="zh")
    except Misuse as absent:
        pytest.skip(str(absent))
    model = Cascade(Fake(lambda prompt: asked.append(prompt.text) or "A"), transcriber=ear, use_cache=False)  # type: ignore[func-returns-value]

    async def answering() -> Any:
        try:
            return await model.answer(load_protocol("multi-tw").prompt(item))
        finally:
            await model.close()

    reply = asyncio.run(answering())
    assert "錄音內容：（無）" in asked[0]
    assert any("silent" in warning for warning in reply.warnings)


def test_the_length_of_an_mp3_of_varying_rate_is_counted_not_guessed() -> None:
    case = CASES["MD-27"]
    medium = Medium("audio", "varying.mp3", data=mp3(case["input"]["frames"]))
    told = case["expected"]
    assert clip_seconds(medium) == pytest.approx(told["duration_s"], abs=told["tolerance_s"])
    assert len(for_a_model(medium)) / RATE == pytest.approx(told["duration_s"], abs=told["tolerance_s"])


def test_an_mp3_behind_a_large_tag_is_an_mp3_and_is_sent_as_one() -> None:
    size = 200_000  # bytes of the tag, as the case says
    tag = b"ID3\x03\0\0" + bytes(size >> shift & 127 for shift in (21, 14, 7, 0)) + b"\0" * size
    medium = Medium("audio", "tagged.bin", data=tag + mp3([{"kbps": 32, "count": 100}]))
    assert medium.mime == CASES["MD-29"]["expected"]["detected"]
    assert clip_seconds(medium) == pytest.approx(100 * 1152 / 44_100, abs=0.03)
    with FakeServer([{"json": {"text": "x"}}]) as server:
        perceived(EndpointTranscriber("vllm/speech", model="speech", base_url=server.base_url), medium)
    assert b"Content-Type: audio/mpeg" in server.requests[0].body
