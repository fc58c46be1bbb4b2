"""Media as data sets hold them, by path, bytes, `{bytes, path}`, base64 or data URI → media of an item."""

from __future__ import annotations

import binascii
import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from keju.formats.media import Found, MediaFolder
from keju.formats.names import safe_name
from keju.formats.parquet_places import Make
from keju.formats.placeholders import is_empty, structured
from keju.formats.unpacked import named
from keju.items import MediaKind, Medium
from keju.media_types import mime_of
from keju.phrase import Phrase

_DATA_URI = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_ADDRESS = re.compile(r"(https?|ftp|s3|gs|hf)://", re.IGNORECASE)
_BROKEN = Phrase("a data URI that is not base64; write it again", "data URI 不是 base64；请重新生成")
_ADDRESSED = Phrase(
    "a medium is given by its address, and nothing is fetched; put the file beside the data set",
    "媒体以网址给出，keju 不下载；请把文件放到数据集旁边",
)
_SHORTEST = 64
"""Characters below which a text is a file name and no base64: the smallest PNG has more."""


class MappedMedia:
    """Makes the media of one data set; two that differ never get one name."""

    def __init__(self, folder: MediaFolder, without: str, make: Make) -> None:
        self.make = make
        """Makes a medium of the bytes in a cell."""
        self._folder = folder
        self._without = without
        self._names: dict[str, bytes] = {}

    def found(self, kind: MediaKind, value: Any, item_id: str) -> Iterator[Found]:
        """The media that a cell holds: none, one, or those of a list. Addresses are not fetched, and reported."""
        value = structured(value)
        if is_empty(value):
            return
        if isinstance(value, list):
            for each in value:
                yield from self.found(kind, each, item_id)
        elif isinstance(value, Mapping):
            yield from self._of_struct(kind, value, item_id)
        elif isinstance(value, bytes):
            yield self._unpacked(kind, value, None, item_id)
        else:
            yield self._of_text(kind, str(value), item_id)

    def _of_struct(self, kind: MediaKind, value: Mapping[str, Any], item_id: str) -> Iterator[Found]:
        """As the library `datasets` stores pictures and clips."""
        data, path = value.get("bytes"), value.get("path")
        if isinstance(data, bytes):
            yield self._unpacked(kind, data, path if isinstance(path, str) else None, item_id)
        else:
            yield from self.found(kind, data or path or value.get("src") or value.get("url"), item_id)

    def _of_text(self, kind: MediaKind, text: str, item_id: str) -> Found:
        uri = _DATA_URI.match(text)
        data = _decoded(text[uri.end() :] if uri else text) if uri or len(text) > _SHORTEST else None
        if data is not None and (uri or mime_of(data)):
            return self._unpacked(kind, data, None, item_id)
        if uri or _ADDRESS.match(text):
            return Found(Medium(kind, text[:60]), "media_missing", _BROKEN if uri else _ADDRESSED)
        return self._folder.find(kind, text.removeprefix(self._without))

    def _unpacked(self, kind: MediaKind, data: bytes, path: str | None, item_id: str) -> Found:
        """Its own name where it has one that no other medium has; else the item's, with a number from the second on."""
        digest = hashlib.blake2b(data, digest_size=16).digest()
        own = path.replace("\\", "/").rpartition("/")[2] if path else named(kind, safe_name(item_id), data)
        stem, dot, suffix = own.rpartition(".")
        name, number = own, 1
        while self._names.setdefault(name, digest) != digest:
            number += 1
            name = f"{stem}-{number}{dot}{suffix}" if stem else f"{own}-{number}"
        return Found(self.make(kind, name, data))


def _decoded(text: str) -> bytes | None:
    try:
        return binascii.a2b_base64(re.sub(r"\s", "", text), strict_mode=True)
    except (binascii.Error, ValueError):
        return None
