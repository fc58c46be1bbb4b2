"""Small benchmarks made on the spot, for tests."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from keju.benchmark import Benchmark
from keju.items import Item, Medium, Wording


def png(seed: int = 0, size: int = 8) -> bytes:
    """A small valid RGB PNG whose bytes differ by seed."""
    row = b"\0" + bytes((seed * 37 + i * 11) % 256 for i in range(size * 3))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    )


def wav(seconds: float = 0.1, rate: int = 8000, *, level: int = 0) -> bytes:
    """A valid 16-bit mono WAV: silent, or a buzz of this level (at most 32767)."""
    data = struct.pack("<hh", level, -level) * (int(seconds * rate) // 2)
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16)
    return head + struct.pack("<4sI", b"data", len(data)) + data


OPTIONS_ZH = {"A": "京剧", "B": "黄梅戏", "C": "越剧", "D": "川剧"}
OPTIONS_EN = {"A": "Peking opera", "B": "Huangmei opera", "C": "Yue opera", "D": "Sichuan opera"}


def item(number: int, *, folder: Path | None = None, bilingual: bool = False, **changes: object) -> Item:
    """Item `0001`, `0002`, …: key A, B, C, D in turn, two genres, an image where a folder is given."""
    name = f"{number:04d}"
    wordings = {"zh-Hans": Wording("zh-Hans", f"图中是什么剧种？编号{number}。", OPTIONS_ZH)}
    if bilingual:
        wordings["en"] = Wording("en", f"Which opera is this? No. {number}.", OPTIONS_EN)
    media: tuple[Medium, ...] = ()
    if folder is not None:
        path = folder / f"{name}.png"
        path.write_bytes(png(number))
        media = (Medium("image", f"{name}.png", path),)
    given = {
        "id": name,
        "wordings": wordings,
        "answer": "ABCD"[(number - 1) % 4],
        "media": media,
        "labels": {"genre": ("Peking", "Kunqu")[number % 2]},
    }
    return Item(**(given | changes))  # type: ignore[arg-type]


def benchmark(n: int = 8, *, folder: Path | None = None, name: str = "made", bilingual: bool = False) -> Benchmark:
    return Benchmark(name, tuple(item(i, folder=folder, bilingual=bilingual) for i in range(1, n + 1)))
