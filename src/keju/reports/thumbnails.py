"""Pictures and sounds inside a page: pictures made small, sounds as they are, and no more of them than it may hold."""

from __future__ import annotations

import base64
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import islice
from typing import Any

from keju.checks.pictures import BYTES, FORMATS, PIXELS, eight_bits
from keju.cores import cores
from keju.errors import CallFailed, MissingExtra
from keju.items import Medium

SIDE = 320
"""Pixels of the longer side: enough to know a picture again."""
QUALITY = 60
"""Of the WebP: 3 to 12 kB a picture, half of a JPEG that looks as good."""


def embedded(media: Iterable[Medium], budget: int, *, side: int = SIDE) -> dict[str, str]:
    """Name of a medium → data URI, for the first media that fit into `budget` characters in all.

    The longer side of a picture is `side` pixels at most. A medium that comes several times is on the page as often,
    and counts as often. What cannot be decoded is left out.
    Raises `MissingExtra` where there are pictures and no decoder for them.
    """
    found: dict[str, str] = {}
    told = list(media)
    times = Counter(medium.name for medium in told)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pictures that are looked at here have their faults; the findings name them
        for medium, uri in _uris(list({medium.name: medium for medium in told}.values()), side):
            if uri is None or len(uri) * times[medium.name] > budget:
                continue
            budget -= len(uri) * times[medium.name]
            found[medium.name] = uri
            if budget < _LEAST:
                break
    return found


_LEAST = 2_000
"""Characters that no picture or sound is smaller than: with fewer left, the page is full."""


def _uris(media: Sequence[Medium], side: int) -> Iterator[tuple[Medium, str | None]]:
    """In order, on every core, a few at a time: what does not fit any more is hardly decoded."""
    jobs, waiting = cores(), iter(media)
    with ThreadPoolExecutor(jobs) as pool:
        while some := list(islice(waiting, 4 * jobs)):
            yield from zip(some, pool.map(lambda medium: _uri(medium, side), some), strict=True)


def _uri(medium: Medium, side: int) -> str | None:
    try:
        if medium.size > BYTES:
            return None
        data = medium.read()
    except CallFailed:
        return None
    if medium.kind == "audio":
        return _data_uri(medium.mime, data) if medium.mime.startswith("audio/") else None
    small = _small(data, side)
    return _data_uri("image/webp", small) if small else None


def _small(data: bytes, side: int) -> bytes | None:
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise MissingExtra("checks", "a page with pictures") from None
    try:
        with Image.open(BytesIO(data), formats=tuple(FORMATS.values())) as image:
            if image.width * image.height > PIXELS:
                return None
            image.draft("RGB", (2 * side, 2 * side))
            upright = ImageOps.exif_transpose(image)
            upright.thumbnail((side, side))
            target = BytesIO()
            _on_white(upright).save(target, "WEBP", quality=QUALITY)
            return target.getvalue()
    except (OSError, ValueError, SyntaxError, EOFError, OverflowError, MemoryError, Image.DecompressionBombError):
        return None  # the ways in which Pillow says that a file is not whole


def _on_white(image: Any) -> Any:
    """In RGB, what is transparent white, as most programs show it."""
    from PIL import Image

    image = eight_bits(image)
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba)
    return image.convert("RGB")


def _data_uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
