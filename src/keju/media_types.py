"""What a medium is, read from its first bytes: names lie, bytes do not."""

from __future__ import annotations

HEAD = 16
"""Bytes that `mime_of` needs to see."""

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
)


def mime_of(head: bytes) -> str | None:
    """MIME type of a file that begins with `head` (at least `HEAD` bytes where there are as many); None if unknown."""
    for magic, mime in _MAGIC:
        if head.startswith(magic):
            return mime
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12])
    if head[4:8] == b"ftyp":
        return "image/avif" if head[8:12] in (b"avif", b"avis") else "audio/mp4"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06 == 0x02:
        return "audio/mpeg"  # frame sync, layer III
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xF6 == 0xF0:
        return "audio/aac"  # ADTS
    return None


def suffix_of(mime: str) -> str:
    """The usual file suffix of `mime`, with its dot."""
    return _SUFFIX.get(mime, ".bin")


_SUFFIX = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "audio/flac": ".flac",
    "audio/ogg": ".ogg",
    "audio/mp4": ".m4a",
    "audio/aac": ".aac",
}
_NAMED = {suffix: mime for mime, suffix in _SUFFIX.items()} | {
    ".jpeg": "image/jpeg",
    ".tiff": "image/tiff",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
}


def mime_named(name: str) -> str | None:
    """MIME type that a file's name promises; None for a suffix that is not known."""
    return _NAMED.get("." + name.lower().rpartition(".")[2])
