"""Media as Inspect's viewer shows them: by name only, as thumbnails, or whole, stored once a sample as attachments."""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import Any, Literal, get_args

from keju.errors import CallFailed, MissingExtra
from keju.items import Medium

MediaShown = Literal["none", "thumb", "full"]
"""`none`: names only. `thumb`: pictures as small JPEG. `full`: the original bytes of pictures and clips."""
SHOWN: tuple[str, ...] = get_args(MediaShown)

_SIDE = 512  # pixels: 1,000 items then stay near 30-50 MB
_QUALITY = 80  # JPEG; letters in a picture stay readable
_SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
"""The sounds that an Inspect message can hold, by MIME type, under its own names."""


def message_part(medium: Medium, shown: MediaShown, attachments: dict[str, str]) -> dict[str, Any]:
    """The part of a message that stands for `medium`; what it refers to is added to `attachments`."""
    uri = _uri(medium, shown)
    if uri is None:
        kind = medium.kind if medium.kind == "image" else "text"
        return (
            {"type": "image", "image": medium.name} if kind == "image" else {"type": "text", "text": f"[{medium.name}]"}
        )
    key = hashlib.sha256(uri.encode("ascii")).hexdigest()[:32]
    attachments[key] = uri
    part = {"type": medium.kind, medium.kind: f"attachment://{key}"}
    return part | ({"format": _SOUNDS[medium.mime]} if medium.kind == "audio" else {})


def _uri(medium: Medium, shown: MediaShown) -> str | None:
    """The medium as a data URI; None where it is shown by name: not asked for, not there, or no sound of Inspect's."""
    if shown == "none" or not medium.exists or (medium.kind == "audio" and medium.mime not in _SOUNDS):
        return None
    if shown == "thumb":
        return _thumbnail(medium) if medium.kind == "image" else None
    return _encoded(medium.mime, medium.read())


def _thumbnail(medium: Medium) -> str | None:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra("checks", "drawing thumbnails") from error
    small = BytesIO()
    try:
        with Image.open(BytesIO(medium.read())) as picture:
            picture.thumbnail((_SIDE, _SIDE))
            picture.convert("RGB").save(small, "JPEG", quality=_QUALITY)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, CallFailed):  # shown by its name
        return None
    return _encoded("image/jpeg", small.getvalue())


def _encoded(mime: str, data: bytes) -> str:
    import pybase64

    return f"data:{mime};base64,{pybase64.b64encode(data).decode('ascii')}"
