"""Pictures and clips made on the spot, with faults where a test wants them."""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from keju.benchmark import Benchmark
from keju.checks import Finding, check, rules_for
from keju.items import Item, Medium, Wording


def encoded(picture: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def noise(width: int, height: int, seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def scene(seed: int, width: int = 320, height: int = 240) -> Image.Image:
    """Patches of smooth colour, as different from one seed to the next as photographs are."""
    coarse = np.random.default_rng(seed).integers(10, 245, (7, 9, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def raw_png(
    width: int, height: int, rows: bytes, *, bits: int = 8, colour: int = 2, interlaced: int = 0, extra: bytes = b""
) -> bytes:
    """A PNG of right checksums that holds `rows` (with their filter bytes), be they too few or too many."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)
    body = chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def tone(seconds: float, rate: int, hertz: Sequence[float], amplitude: float = 0.5) -> np.ndarray:
    """Samples in [-1, 1], shape (n, channels); 0 Hz is silence."""
    at = np.arange(round(seconds * rate)) / rate
    return np.stack([amplitude * np.sin(2 * math.pi * f * at) for f in hertz], axis=1)


def wave(samples: np.ndarray, rate: int, form: str = "int16") -> bytes:
    """A WAV of `int16`, `int24` or `float32`."""
    bits = {"int16": 16, "int24": 24, "float32": 32}[form]
    if form == "float32":
        data = samples.astype("<f4").tobytes()
    else:
        whole = np.round(samples * (2 ** (bits - 1) - 1)).astype("<i4")
        data = whole.view(np.uint8).reshape(*whole.shape, 4)[..., : bits // 8].tobytes()
    channels = samples.shape[1]
    head = struct.pack("<HHIIHH", 3 if form == "float32" else 1, channels, rate,
                       rate * channels * bits // 8, channels * bits // 8, bits)  # fmt: skip
    chunks = b"fmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def mp3_frames(kbits: int, count: int, rate: int = 44100) -> bytes:
    """Silent MPEG-1 layer III mono frames: a header and zeros."""
    rates = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
    length = 144_000 * kbits // rate
    index = {44100: 0, 48000: 1, 32000: 2}[rate]
    return (bytes([0xFF, 0xFB, rates.index(kbits) << 4 | index << 2, 0xC0]) + bytes(length - 4)) * count


def mp3(samples: np.ndarray, rate: int, kbits: int) -> bytes:
    """A real MP3 by FFmpeg's encoder."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format="mp3") as container:
        stream = container.add_stream("libmp3lame", rate=rate)
        stream.bit_rate = kbits * 1000
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(samples[:, :1].T.astype(np.float32), format="fltp", layout="mono")
        frame.sample_rate = rate
        resampler = av.AudioResampler(format="fltp", layout="mono", rate=rate, frame_size=1152)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return file.getvalue()


def exam(folder: Path, files: dict[str, bytes], *, splits: dict[str, str] | None = None, **card: str) -> Benchmark:
    """A benchmark of an item for each file."""
    items = []
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        kind = "audio" if path.suffix in (".mp3", ".wav", ".ogg", ".flac") else "image"
        wording = Wording("zh-Hans", f"第{len(items)}题", {"A": "甲", "B": "乙", "C": "丙", "D": "丁"})
        split = (splits or {}).get(name)
        items.append(Item(path.stem, {"zh-Hans": wording}, "A", (Medium(kind, name, path),), split=split))
    return Benchmark("made", tuple(items), card=card, root=folder)


def found(benchmark: Benchmark, **options: Any) -> list[Finding]:
    """What the rules on media find, the usual ones of the benchmark's profile; one worker, for few files."""
    media = [rule for rule in rules_for(benchmark) if rule.subject in ("image", "audio", "media")]
    return check(benchmark, rules=media, **{"jobs": 1, **options})


def codes(benchmark: Benchmark) -> dict[str, list[str]]:
    """File → codes of what is found, in order; files without findings are left out."""
    by_file: dict[str, list[str]] = {}
    for finding in found(benchmark):
        by_file.setdefault(finding.file or "", []).append(finding.code)
    return by_file


def severities(benchmark: Benchmark) -> dict[str, str]:
    """File → `error`, `warning` or `ok`: the worst that is found of it. Notes do not count."""
    worst = {item.media[0].name: "ok" for item in benchmark}
    for finding in found(benchmark):
        if finding.severity == "error" or (finding.severity == "warning" and worst[finding.file or ""] == "ok"):
            worst[finding.file or ""] = finding.severity
    return worst
