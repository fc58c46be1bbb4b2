"""PNG without a decoder's mercy: every chunk, every checksum and every row must be there.

Decoders fill missing rows with black and say nothing, although all checksums of such a file may be right.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any
from zlib import crc32

from keju.phrase import Phrase

SIGNATURE = b"\x89PNG\r\n\x1a\n"
STORED = 128 * 2**20
"""Bytes of pixels up to which a file is unpacked in memory; larger ones are only counted through."""
_PORTION = 2**20  # bytes unpacked at a time where they are only counted
_BLOCK = 65535  # most bytes of a stored block of deflate (RFC 1951, 3.2.4)
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # colour type → channels (PNG 1.2, 4.1.1)
_TEXTS = (b"eXIf", b"iTXt", b"tEXt", b"zTXt")
"""Chunks that may stand behind the pixels and say something of the picture."""
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Adam7: first column, first row, step across, step down."""


class BadPng(Exception):
    """The file is not whole; `cut` where its end is missing, else its bytes are wrong."""

    def __init__(self, english: str, zh: str, *, cut: bool) -> None:
        super().__init__(english)
        self.reason = Phrase(english, zh)
        self.cut = cut


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height that the header states. Raises `BadPng` where there is no header."""
    if len(data) < 33:
        raise BadPng("it ends inside its header", "文件头不完整", cut=True)
    length, kind, width, height = struct.unpack_from(">I4sII", data, len(SIGNATURE))
    if kind != b"IHDR" or length != 13 or not width or not height:
        raise BadPng("it has no header", "没有文件头", cut=False)
    return width, height


def bits_of(data: bytes) -> int:
    """Bits a channel, as the header states them."""
    return data[24]


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A PNG that is whole, with its pixels stored, not deflated, for decoders that would inflate them more slowly."""

    file: bytes
    """The file for Pillow; without its pixels where `bare` has them."""
    bare: bytes | None
    """Header and pixels alone, for FFmpeg, which undoes PNG's filters three times as fast: 8-bit grey, RGB, RGBA."""

    def pixels(self) -> Any:
        """The pixels as a `PIL.Image`, or None where Pillow has to decode them. Raises `BadPng`."""
        if self.bare is None:
            return None
        import av
        from PIL import Image

        decoder = av.CodecContext.create("png", "r")
        decoder.thread_count = 1
        try:
            (frame,) = [*decoder.decode(av.Packet(self.bare)), *decoder.decode(None)]
        except av.FFmpegError as error:
            raise BadPng("its rows cannot be read", "像素行无法读取", cut=False) from error
        return Image.fromarray(frame.to_ndarray())


def unpacked(data: bytes) -> Unpacked:
    """Raises `BadPng` where anything is missing or wrong. A picture of more than `STORED` bytes stays deflated."""
    chunks = list(_chunks(data))
    parts = [(start, end) for kind, start, end in chunks if kind == b"IDAT"]
    if not parts:
        raise BadPng("it holds no pixels", "没有像素数据", cut=False)
    wanted = _length(data)
    packed = b"".join(data[start:end] for start, end in parts)
    if wanted > STORED:
        _counted(packed, wanted)
        return Unpacked(data, None)
    raw = _inflated(packed, wanted)
    stored = _chunk(b"IDAT", b"\x78\x01", *_blocks(raw), struct.pack(">I", _zlib().adler32(raw)))
    _clear_registers()
    head, tail = data[: parts[0][0] - 8], data[parts[-1][1] + 4 :]
    if not _is_plain(data, chunks):
        return Unpacked(b"".join((head, *stored, tail)), None)
    late = b"".join(data[s - 8 : e + 4] for kind, s, e in chunks if kind in _TEXTS and s > parts[0][0])
    end = b"".join(_chunk(b"IEND"))
    return Unpacked(b"".join((head, late, *_chunk(b"IDAT"), end)), b"".join((data[:33], *stored, end)))


def _is_plain(data: bytes, chunks: Sequence[tuple[bytes, int, int]]) -> bool:
    bits, colour, interlaced = data[24], data[25], data[28]
    return bits == 8 and colour in (0, 2, 6) and not interlaced and all(kind != b"tRNS" for kind, _, _ in chunks)


def _chunk(kind: bytes, *parts: bytes | memoryview) -> list[bytes | memoryview]:
    """A chunk in pieces. Nobody looks at the checksum of pixels, and that of IEND is always the same."""
    check = b"\xae\x42\x60\x82" if kind == b"IEND" else b"\0\0\0\0"
    return [struct.pack(">I", sum(map(len, parts))), kind, *parts, check]


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Kind, begin and end of each chunk's data, up to the one that ends the file."""
    view, at = memoryview(data), len(SIGNATURE)
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        start, end = at + 8, at + 8 + length
        name = kind.decode("ascii", "backslashreplace")
        if end + 4 > len(data):
            raise BadPng(f"it ends inside its part {name}", f"文件在 {name} 部分中断", cut=True)
        if kind[0] & 0x20 == 0 and crc32(view[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            raise BadPng(f"the checksum of its part {name} is wrong", f"{name} 部分的校验和有误", cut=False)
        yield kind, start, end
        if kind == b"IEND":
            return
        at = end + 4
    raise BadPng("its end is missing", "缺少文件结尾", cut=True)


def _length(data: bytes) -> int:
    """Bytes that the unpacked rows must have, each with its filter byte."""
    width, height, bits, colour, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, 16)
    if colour not in _CHANNELS or bits not in (1, 2, 4, 8, 16):
        told = f"type {colour}, {bits} bits"
        raise BadPng(f"its form of colour is unknown ({told})", f"颜色形式未知（{told}）", cut=False)
    depth = bits * _CHANNELS[colour]
    total = 0
    for left, top, across, down in _PASSES if interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(width - left) // across), -(-(height - top) // down)
        if columns > 0 and rows > 0:
            total += rows * (1 + (columns * depth + 7) // 8)
    return total


def _zlib() -> ModuleType:
    """ISA-L inflates twice as fast as zlib; where there is no build of it, zlib does."""
    try:
        from isal import isal_zlib
    except ImportError:
        import zlib

        return zlib
    return isal_zlib


def _clear_registers() -> None:
    """ISA-L leaves the upper halves of vector registers in use, and SSE code such as Pillow's runs at a third of its
    speed until somebody clears them, as NumPy's vector loops do."""
    import numpy as np

    np.add(np.ones(64, np.float32), 1.0)


def _inflated(packed: bytes, wanted: int) -> bytes:
    library = _zlib()
    try:
        raw: bytes = library.decompressobj().decompress(packed, wanted)
    except library.error as error:
        raise BadPng("its pixels cannot be unpacked", "像素数据无法解压", cut=False) from error
    _whole(len(raw), wanted)
    return raw


def _counted(packed: bytes, wanted: int) -> None:
    library = _zlib()
    inflater, there = library.decompressobj(), 0
    try:
        while portion := inflater.decompress(packed, _PORTION):
            there += len(portion)
            packed = inflater.unconsumed_tail
    except library.error as error:
        raise BadPng("its pixels cannot be unpacked", "像素数据无法解压", cut=False) from error
    _whole(there, wanted)


def _whole(there: int, wanted: int) -> None:
    if there < wanted:
        share = f"{there / wanted:.0%}"
        raise BadPng(f"only {share} of its pixels are there", f"只有 {share} 的像素", cut=True)


def _blocks(raw: bytes) -> Iterator[bytes | memoryview]:
    """Stored blocks of deflate."""
    view = memoryview(raw)
    for start, end in pairwise((*range(0, len(raw), _BLOCK), len(raw))):
        yield struct.pack("<BHH", end == len(raw), end - start, (end - start) ^ 0xFFFF)
        yield view[start:end]
