"""Small pictures for lists: made once of each picture, kept by its digest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from django.conf import settings

from keju.studio.store import place

SIDE = 320  # pixels of the longer side: twice the width of a card, for dense screens


def thumbnail(sha256: str) -> Path:
    """The WebP of a picture in the store, which was decoded whole when it was taken in."""
    target = Path(settings.MEDIA_STORE) / "thumbnails" / sha256[:2] / f"{sha256}.webp"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent)
        os.close(handle)
        _draw(place(sha256), Path(name))
        Path(name).replace(target)
    return target


def _draw(picture: Path, into: Path) -> None:
    from PIL import Image, ImageOps

    from keju.checks.pictures import eight_bits

    with Image.open(picture, formats=["PNG", "JPEG", "WEBP"]) as opened:
        opened.draft("RGB", (SIDE * 2, SIDE * 2))  # a JPEG is decoded small at once
        small = eight_bits(ImageOps.exif_transpose(opened))
        colours = "RGBA" if "A" in small.getbands() or "transparency" in small.info else "RGB"
        if small.mode in ("1", "P"):  # of two tones, or of a palette, nothing in between could be drawn
            small = small.convert(colours)
        small.thumbnail((SIDE, SIDE))
        small.convert(colours).save(into, "WEBP")
