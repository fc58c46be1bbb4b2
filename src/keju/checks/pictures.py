"""What a picture is, measured in one decode."""

from __future__ import annotations

import hashlib
import struct
import warnings
import zlib
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Literal

from keju.checks import png
from keju.media_types import mime_of
from keju.phrase import Phrase

PIXELS = 2**26 * 4 // 3
"""Most pixels that are decoded, 89 million: a quarter of a gibibyte in RGB, the limit at which Pillow warns."""
BYTES = 2**28
"""Largest file that is read, 256 MiB."""
Trouble = Literal["empty", "too-large", "unknown", "too-many-pixels", "cut", "damaged", "broke-down"]
"""No bytes · a file over `BYTES` · no known format · over `PIXELS` · its end is missing · its bytes are wrong · the
decoder took too long or died of it."""

FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
    "image/webp": "WEBP",
    "image/avif": "AVIF",
}
"""The decoders that are let near a file: no others, of which Pillow has dozens."""
_THUMB = 16
"""Side of the thumbnail by which look-alikes are confirmed."""
_STRIP = 24  # rows at a time: they stay in the cache, and their arrays below the size that malloc maps afresh


NO_REASON = Phrase("", "")


def said(words: str) -> Phrase:
    """What a library says of a file."""
    return Phrase(words, f"解码器报告“{words}”")


@dataclass(frozen=True, slots=True)
class Picture:
    bytes: int
    sha256: str
    """Hex digest of the file."""
    mime: str | None
    """MIME type by content, None if unknown."""
    trouble: Trouble | None = None
    """Why the pixels were not measured; then all that is not known stands at its default."""
    reason: Phrase = NO_REASON
    """The trouble in words; those of a library stay English."""
    width: int = 0
    """Columns as stored, before the picture is turned upright."""
    height: int = 0
    mode: str = ""
    """Pillow's name of the pixels' form: `RGB`, `L`, `P`, `CMYK`, `I;16`, …"""
    bits: int = 8
    """Bits a channel."""
    dpi: tuple[float, float] | None = None
    """Dots an inch across and down, None where the file does not say."""
    orientation: int = 1
    """EXIF orientation, 1 … 8; 1 is upright."""
    see_through: bool = False
    """Whether any pixel is more or less transparent."""
    frames: int = 1
    dark: int = 0
    """Pixels of luma 0, over white where they are transparent."""
    bright: int = 0
    """Pixels of luma 255."""
    mean: float = 0.0
    """Mean luma, 0 … 255."""
    contrast: float = 0.0
    """Standard deviation of luma, 0 … 127.5."""
    sharpness: float | None = None
    """Variance of the Laplacian of luma; None for pictures under 3 pixels."""
    tilt: float | None = None
    """Degrees by which its straight edges lean, None where they do not agree on any; see `keju.checks.tilt`."""
    dhash: str = ""
    """64 bits, in hex, of which of two neighbours is brighter, of the picture upright: equal for look-alikes."""
    thumb: str = ""
    """16 × 16 luma of the picture upright, in hex."""


def read_picture(data: bytes) -> Picture:
    """Measure a picture; never raises for what its bytes are."""
    known = Picture(len(data), hashlib.sha256(data).hexdigest(), mime_of(data[:16]))
    if not data:
        return replace(known, trouble="empty", reason=Phrase("the file is empty", "文件为空"))
    if known.mime not in FORMATS:
        return replace(known, trouble="unknown", reason=_looks_like(data, known.mime))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Pillow warns of is measured here
        return _decoded(known, data)


def _decoded(known: Picture, data: bytes) -> Picture:
    from PIL import Image

    # What Pillow raises for broken files, found by feeding it such.
    broken = (OSError, ValueError, EOFError, LookupError, TypeError, struct.error, zlib.error,
              OverflowError, MemoryError, RuntimeError, Image.DecompressionBombError)  # fmt: skip
    Image.init()
    whole = None
    try:
        if known.mime == "image/png":
            width, height = png.size_of(data)
            if width * height > PIXELS:
                return _too_many(known, width, height)
            known = replace(known, bits=png.bits_of(data))
            whole = png.unpacked(data)
        # The decoder itself, not `Image.open`, which would refuse a huge picture without telling its size.
        opened = Image.OPEN[FORMATS[known.mime or ""]][0](BytesIO(whole.file if whole else data), "")
        if opened.width * opened.height > PIXELS:
            return _too_many(known, opened.width, opened.height)
        known = _stated(known, opened)
        pixels = whole.pixels() if whole else None
        if pixels is None:
            opened.load()
        return _measured(known, pixels or opened, data)
    except png.BadPng as bad:
        return replace(known, trouble="cut" if bad.cut else "damaged", reason=bad.reason)
    except SyntaxError:  # Pillow's way of saying that a header is wrong
        return replace(known, trouble="damaged", reason=Phrase("its header cannot be read", "文件头无法读取"))
    except broken as error:
        cut = "truncated" in str(error).lower() or _is_cut_riff(known, data)
        return replace(known, trouble="cut" if cut else "damaged", reason=said(str(error) or type(error).__name__))


def _is_cut_riff(known: Picture, data: bytes) -> bool:
    """Whether a WebP states more bytes than the file has."""
    return known.mime == "image/webp" and int.from_bytes(data[4:8], "little") + 8 > len(data)


def _stated(known: Picture, opened: Any) -> Picture:
    """What the file says of itself."""
    from PIL import Image

    exif = Image.Image.getexif(opened)  # not that of a PNG, which would decode all pixels first
    orientation = exif.get(0x0112, 1)
    bits = known.bits if known.mime == "image/png" else _bits(opened)
    return replace(
        known,
        width=opened.width,
        height=opened.height,
        mode=opened.mode,
        bits=bits,
        dpi=_dpi(opened, exif),
        orientation=orientation if orientation in range(1, 9) else 1,
        frames=getattr(opened, "n_frames", 1),
    )


def _bits(opened: Any) -> int:
    if opened.format == "TIFF":
        return int(max(opened.tag_v2.get(258, (1,))))  # BitsPerSample; bilevel where it is left out
    return 1 if opened.mode == "1" else 8


def _dpi(opened: Any, exif: Any) -> tuple[float, float] | None:
    """What the file itself says: JFIF, then EXIF, then Photoshop's block. Pillow puts 72 where nothing is said."""
    if opened.format != "JPEG":
        told = opened.info.get("dpi")
        return _per_inch(told[0], told[1], 2) if told else None
    if (unit := opened.info.get("jfif_unit")) in (1, 2):
        across, down = opened.info["jfif_density"]
        return _per_inch(across, down, unit + 1)
    if 0x011A in exif and 0x011B in exif:
        return _per_inch(exif[0x011A], exif[0x011B], exif.get(0x0128, 2))
    block = opened.info.get("photoshop", {}).get(0x03ED)
    if isinstance(block, dict):  # always per inch; its own unit is that of display
        return _per_inch(block["XResolution"], block["YResolution"], 2)
    return None


def _per_inch(across: Any, down: Any, unit: int) -> tuple[float, float] | None:
    """Resolution in EXIF's units, 2 inch and 3 centimetre, as dots an inch; None where it is none."""
    try:
        x, y = float(across), float(down)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    factor = {2: 1.0, 3: 2.54}.get(unit)
    return (x * factor, y * factor) if factor and 0 < x < 1e6 and 0 < y < 1e6 else None


def _measured(known: Picture, opened: Any, data: bytes) -> Picture:
    import numpy as np

    from keju.checks.jpeg import missing_rows
    from keju.checks.tilt import tilt

    luma, see_through = _luma(opened)
    counts = luma.histogram()
    pixels, levels = luma.width * luma.height, range(256)
    mean = sum(level * n for level, n in zip(levels, counts, strict=True)) / pixels
    spread = sum((level - mean) ** 2 * n for level, n in zip(levels, counts, strict=True)) / pixels
    rows = np.asarray(luma)
    if known.mime == "image/jpeg" and (reason := missing_rows(data, rows)):
        return replace(known, trouble="cut", reason=reason)
    small = _upright(luma.reduce((max(1, luma.width // 160), max(1, luma.height // 90))), known.orientation)
    return replace(
        known,
        see_through=see_through,
        dark=counts[0],
        bright=counts[255],
        mean=mean,
        contrast=spread**0.5,
        sharpness=_sharpness(rows),
        tilt=tilt(luma),
        dhash=dhash(small),
        thumb=small.resize((_THUMB, _THUMB), _box()).tobytes().hex(),
    )


def eight_bits(image: Any) -> Any:
    """A grey `PIL.Image` of more than 8 bits as screens show it, by its high bytes; others as they are.

    Pillow's own way is to clip at 255: such a picture would come out nearly white.
    """
    if not image.mode.startswith("I"):
        return image
    import numpy as np
    from PIL import Image

    return Image.fromarray((np.asarray(image) >> 8).clip(0, 255).astype(np.uint8))


def _luma(opened: Any) -> tuple[Any, bool]:
    """The picture in grey, over white where it is transparent, and whether it is anywhere."""
    from PIL import Image

    if opened.mode.startswith("I"):
        return eight_bits(opened), False
    if "transparency" in opened.info or opened.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        layered = opened.convert("RGBA")
        alpha = layered.getchannel("A")
        if alpha.getextrema() != (255, 255):
            white = Image.new("L", opened.size, 255)
            return Image.composite(layered.convert("L"), white, alpha), True
    if opened.mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        opened = opened.convert("RGB")
    return opened.convert("L"), False


def _upright(picture: Any, orientation: int) -> Any:
    """Turned and mirrored as EXIF says."""
    from PIL.Image import Transpose

    how = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}.get(orientation)
    return picture if how is None else picture.transpose(Transpose(how))


def dhash(luma: Any) -> str:
    """Difference hash of a grey picture: 9 × 8 pixels, a bit for each that is brighter than its right neighbour."""
    import numpy as np

    tiny = np.asarray(luma.resize((9, 8), _box()))
    return np.packbits(tiny[:, :-1] > tiny[:, 1:]).tobytes().hex()


def _box() -> Any:
    from PIL.Image import Resampling

    return Resampling.BOX


def _sharpness(rows: Any) -> float | None:
    """Variance of the Laplacian (4 neighbours), strip by strip."""
    import numpy as np

    height, width = rows.shape
    if height < 3 or width < 3:
        return None
    total = squares = 0.0
    for top in range(1, height - 1, _STRIP):
        strip = rows[top - 1 : min(top + _STRIP, height - 1) + 1].astype(np.int16)
        inner = strip[:-2, 1:-1] + strip[2:, 1:-1]
        inner += strip[1:-1, :-2]
        inner += strip[1:-1, 2:]
        inner -= 4 * strip[1:-1, 1:-1]
        flat = inner.ravel().astype(np.float32)
        total += float(flat.sum())
        squares += float(np.dot(flat, flat))
    n = (height - 2) * (width - 2)
    return float(squares / n - (total / n) ** 2)


def _too_many(known: Picture, width: int, height: int) -> Picture:
    reason = Phrase(
        f"it claims {width} × {height} pixels; at most {PIXELS // 10**6} million are decoded",
        f"标称 {width} × {height} 像素；最多解码 {PIXELS // 10**4} 万像素",
    )
    return replace(known, trouble="too-many-pixels", reason=reason, width=width, height=height)


def _looks_like(data: bytes, mime: str | None) -> Phrase:
    if mime:
        return Phrase(f"it is {mime}", f"文件是 {mime}")
    begin = data[:256].lstrip().lower()
    if begin.startswith((b"<!doctype html", b"<html")):
        return Phrase("it is a web page", "文件是网页")
    if begin.startswith((b"<?xml", b"<svg")):
        return Phrase("it is a drawing in XML or SVG", "文件是 XML 或 SVG 图形")
    return Phrase("its format is not known", "格式未知")
