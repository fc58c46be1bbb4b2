"""MP3 by its frame headers: how many frames are there, at which bit rates, and how many the first one promises."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass

_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}  # MPEG 1, 2, 2.5
_KBITS = {
    1: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),  # MPEG 1, layer III
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),  # MPEG 2 and 2.5
}
_SEARCH = 2**16  # bytes after the tags within which the first frame must begin


@dataclass(frozen=True, slots=True)
class Frames:
    rate: int
    """Samples a second."""
    samples: int
    """Samples a frame."""
    kbits: dict[int, int]
    """Bit rate in kbit/s → frames that have it; the frame that only informs is left out."""
    promised: int | None
    """Frames that the informing frame (Xing, Info or VBRI) states, None where there is none."""

    @property
    def count(self) -> int:
        return sum(self.kbits.values())

    @property
    def seconds(self) -> float:
        return self.count * self.samples / self.rate

    @property
    def promised_seconds(self) -> float | None:
        return None if self.promised is None else self.promised * self.samples / self.rate


def frames(data: bytes) -> Frames | None:
    """The frames of an MP3; None where none is found. One that the file's end cuts off does not count."""
    at = _first(data, _after_tags(data))
    if at is None:
        return None
    rate, samples, _, length = _header(data, at)  # type: ignore[misc]
    promised = _promise(data[at : at + length])
    at += length if promised is not None else 0
    kbits: Counter[int] = Counter()
    while (header := _header(data, at)) and at + header[3] <= len(data):
        kbits[header[2]] += 1
        at += header[3]
    return Frames(rate, samples, dict(kbits), promised)


def _after_tags(data: bytes) -> int:
    at = 0
    while data[at : at + 3] == b"ID3" and len(data) >= at + 10:
        size = 0
        for byte in data[at + 6 : at + 10]:
            size = size << 7 | byte & 0x7F
        at += 10 + size
    return at


def _first(data: bytes, at: int) -> int | None:
    """Where the first frame begins; two in a row, since two bytes alone may look like one, unless the file ends."""
    for begin in range(at, min(at + _SEARCH, len(data) - 3)):
        if header := _header(data, begin):
            following = begin + header[3]
            if following + 4 > len(data) or _header(data, following):
                return begin
    return None


def _header(data: bytes, at: int) -> tuple[int, int, int, int] | None:
    """Samples a second, samples a frame, kbit/s and bytes of the frame at `at`, or None where there is none."""
    if len(data) < at + 4 or data[at] != 0xFF or data[at + 1] & 0xE6 != 0xE2:  # sync, layer III
        return None
    version, kbit, rate = data[at + 1] >> 3 & 3, data[at + 2] >> 4, data[at + 2] >> 2 & 3
    if version == 1 or kbit in (0, 15) or rate == 3:
        return None
    hertz, samples = _RATES[version][rate], 1152 if version == 3 else 576
    kbits = _KBITS[1 if version == 3 else 2][kbit]
    return hertz, samples, kbits, samples // 8 * kbits * 1000 // hertz + (data[at + 2] >> 1 & 1)


def _promise(frame: bytes) -> int | None:
    """Frames that an informing frame states."""
    for mark in (b"Xing", b"Info"):
        at = frame.find(mark, 4, 48)
        if at >= 0 and len(frame) >= at + 12:
            flags, count = struct.unpack_from(">II", frame, at + 4)
            return int(count) if flags & 1 else 0
    if frame[36:40] == b"VBRI" and len(frame) >= 54:
        return int.from_bytes(frame[50:54], "big")
    return None
