"""Speak the clips of `clips.toml` with Kokoro's Mandarin voices and write them as MP3.

Needs the folder that kokoro.py puts together: `model.onnx`, `vocab.json` (its phonemes) and `voices/*.bin` (510 x 256
float32 each). Of the eight Mandarin voices zf_xiaoni is not used: it is hard to understand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import onnxruntime
import opencc
from misaki import zh
from pypinyin import load_phrases_dict

RATE = 24_000
"""Samples a second, Kokoro's own rate."""
LONGEST = 508
"""Phonemes that the model takes at once."""
BIT_RATE = 80_000
"""Multi-TW asks for 128 kbit/s; at this rate all clips stay within 3 MB, and the source is band-limited to 12 kHz."""
TURN, LEAD = 0.45, 0.25
"""Seconds of silence between two lines, and before the first and after the last."""
LOUDNESS, PEAK = -20.0, -1.5
"""Target level of the spoken parts and highest peak, in dB below full scale."""

READINGS = {
    "净角": [["jìng"], ["jué"]],
    "丑角": [["chǒu"], ["jué"]],
    "一场": [["yì"], ["chǎng"]],
    "一条": [["yì"], ["tiáo"]],
}
"""Words that the front end would read otherwise than people do."""


class Voices:
    """Kokoro with its Mandarin front end."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self._vocab: Mapping[str, int] = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self._voices = folder / "voices"
        load_phrases_dict(READINGS)
        self._phonemes = zh.ZHG2P()
        self._simplify = opencc.OpenCC("t2s").convert

    def say(self, text: str, voice: str) -> np.ndarray:
        """Mono samples in [-1, 1] at `RATE`. Raises where the line is too long for one pass."""
        phonemes, _ = self._phonemes(self._simplify(text))
        ids = [self._vocab[sign] for sign in phonemes if sign in self._vocab]
        if len(ids) > LONGEST:
            raise SystemExit(f"line of {len(ids)} phonemes, most is {LONGEST}; split it: {text}")
        styles = np.fromfile(self._voices / f"{voice}.bin", dtype=np.float32).reshape(-1, 1, 256)
        inputs = {
            "tokens": np.array([[0, *ids, 0]], np.int64),
            "style": styles[min(len(ids), len(styles) - 1)],
            "speed": np.array([0.95], np.float32),  # a language test speaks a little slower than people do
        }
        return np.asarray(self._session.run(None, inputs)[0], np.float32).ravel()


def turns(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """`女：老闆，…` → speaker and words."""
    for line in lines:
        speaker, _, words = line.partition("：")
        yield speaker, words


def trimmed(samples: np.ndarray, floor: float = 0.01) -> np.ndarray:
    """Without the silence at both ends, but for 30 ms so that no consonant is cut."""
    loud = np.flatnonzero(np.abs(samples) > floor)
    margin = int(0.03 * RATE)
    return samples[max(loud[0] - margin, 0) : loud[-1] + margin]


def levelled(samples: np.ndarray) -> np.ndarray:
    """Spoken parts at `LOUDNESS` (RMS of the 20 ms frames above -45 dB), peaks at most `PEAK`."""
    frames = samples[: len(samples) // 480 * 480].reshape(-1, 480)
    power = (frames**2).mean(axis=1)
    spoken = power[power > 10**-4.5].mean()
    gain = 10 ** (LOUDNESS / 20) / np.sqrt(spoken)
    return samples * min(gain, 10 ** (PEAK / 20) / np.abs(samples).max())


def spoken(clip: Mapping[str, Any], voices: Voices) -> np.ndarray:
    """The whole clip."""
    lead, pause = (np.zeros(int(seconds * RATE), np.float32) for seconds in (LEAD, TURN))
    parts = [lead]
    for speaker, words in turns(clip["lines"]):
        parts += [levelled(trimmed(voices.say(words, clip["voices"][speaker]))), pause]
    return np.concatenate([*parts[:-1], lead])


def write_mp3(samples: np.ndarray, path: Path) -> None:
    """Constant bit rate, mono, plain frames without tags, so that the same samples give the same file."""
    with av.open(str(path), "w", format="mp3", options={"write_xing": "0", "id3v2_version": "0"}) as out:
        stream = out.add_stream("libmp3lame", rate=RATE, layout="mono")
        stream.bit_rate = BIT_RATE
        frame = av.AudioFrame.from_ndarray(samples[None].astype(np.float32), format="fltp", layout="mono")
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            out.mux(packet)


def speak(clips: Iterable[tuple[Mapping[str, Any], Path]], voices: Voices) -> None:
    """Speak each clip into its file."""
    for clip, path in clips:
        path.parent.mkdir(parents=True, exist_ok=True)
        samples = spoken(clip, voices)
        write_mp3(samples, path)
        print(f"{path.name}: {len(samples) / RATE:.1f} s")
