"""What speech recognition costs in keju, over calling faster-whisper directly.

    python benchmarks/speech.py         a few minutes; writes benchmarks/RESULTS-speech.md

Whisper base on clips of the demo one by one, and on one long clip made of them, `--batch` of its stretches at once.
Both sides decode the clip, use the same weights, options and threads, and must hear the same. They take turns; seconds
of wall and CPU are the cheapest of `--repeat` rounds, after a warm-up. keju's side is the transcriber as a cascade uses
it, without its cache: a thread of its own, the test for silence, doubts about the text.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
import time
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from rig.page import write_page

import keju
from keju.items import Medium
from keju.models.local.media import sound
from keju.models.perception.whisper import COMPUTE, PUNCTUATED, RATE, Whisper
from keju.models.weights import assembled, weights
from keju.models.worker import fair_threads

LANGUAGE = "zh"
Work = Callable[[], list[str]]


def direct(clips: Sequence[Medium], batch: int | None) -> Work:
    """The shortest script that hears the same."""
    from faster_whisper import BatchedInferencePipeline, WhisperModel, decode_audio

    folder = str(assembled(weights("whisper-base")))
    model = WhisperModel(folder, device="cpu", compute_type=COMPUTE, cpu_threads=fair_threads())
    options: dict[str, Any] = {"language": LANGUAGE, "beam_size": 5, "temperature": 0.0}
    options |= {"condition_on_previous_text": False, "initial_prompt": PUNCTUATED[LANGUAGE], "vad_filter": bool(batch)}
    transcribe = model.transcribe
    if batch:
        transcribe = BatchedInferencePipeline(model).transcribe
        options["batch_size"] = batch

    def one(clip: Medium) -> str:
        segments, _ = transcribe(decode_audio(io.BytesIO(clip.read()), sampling_rate=RATE), **options)
        return "".join(segment.text for segment in segments).strip()

    return lambda: [one(clip) for clip in clips]


def through_keju(clips: Sequence[Medium], batch: int | None) -> Work:
    ear = Whisper(language=LANGUAGE, batch=batch)

    async def listening() -> list[str]:
        return [found.text for found in await asyncio.gather(*(ear.perceive(clip) for clip in clips))]

    return lambda: asyncio.run(listening())


def joined(clips: Sequence[Medium]) -> Medium:
    """All clips one after another."""
    samples = np.concatenate([sound(clip.read(), clip.name, RATE) for clip in clips])
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return Medium("audio", "long.wav", data=out.getvalue())


def once(work: Work) -> tuple[float, float, list[str]]:
    cpu, wall = time.process_time(), time.perf_counter()
    heard = work()
    return time.process_time() - cpu, time.perf_counter() - wall, heard


def measured(name: str, clips: Sequence[Medium], batch: int | None, repeat: int) -> list[str]:
    """A row of the table for each side."""
    works = {"faster-whisper, called directly": direct(clips, batch), "keju": through_keju(clips, batch)}
    rounds = [{client: once(work) for client, work in works.items()} for _ in range(repeat + 1)][1:]
    heard = {client: rounds[0][client][2] for client in works}
    same = "yes" if len({tuple(texts) for texts in heard.values()}) == 1 else "**no**"
    best = {client: [min(found[client][at] for found in rounds) for at in (0, 1)] for client in works}
    base = next(iter(best.values()))
    return [
        f"| {name} | {client} | {cpu:.2f} | {cpu / base[0]:.3f} | {wall:.2f} | {wall / base[1]:.3f} | {same} |"
        for client, (cpu, wall) in best.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=8)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    clips = [medium for item in keju.load("teahouse") for medium in item.media if medium.kind == "audio"][: given.clips]
    rows = [
        *measured(f"{len(clips)} clips", clips, None, given.repeat),
        *measured(f"one long clip, {given.batch} stretches at once", [joined(clips)], given.batch, given.repeat),
    ]
    head = ["| work | client | CPU s | CPU / direct | wall s | wall / direct | same text |", "| --- " * 7 + "|"]
    introduction = f"Whisper base, {COMPUTE}, {fair_threads()} thread(s), cheapest of {given.repeat} rounds."
    print(write_page(__file__, introduction, [*head, *rows], ("faster-whisper", "ctranslate2")))


if __name__ == "__main__":
    main()
