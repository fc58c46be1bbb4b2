"""A request body in pieces: JSON around, media between, read and put into base64 portion by portion while it is sent.

JSON-encoding 2 MB of base64 that needs no escaping costs ten times what sending it costs, and the bytes of 64 requests
in flight fall out of the processor's cache. So the JSON is written without the media, and a medium is read, digested,
encoded and sent one portion at a time.
"""

from __future__ import annotations

import json
import time
from asyncio import Transport
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload
from pybase64 import b64encode

from keju.errors import CallFailed
from keju.items import Medium
from keju.models.dialects import HOLE

CHUNK = 192 * 1024  # bytes of a medium at a time, a multiple of 3: smaller ones cost calls, larger ones the cache


@dataclass(frozen=True, slots=True)
class Base64:
    """A medium that is sent as base64."""

    medium: Medium
    length: int
    """Bytes of the medium when the request was made."""

    @property
    def size(self) -> int:
        """Bytes of the base64."""
        return (self.length + 2) // 3 * 4


Piece = bytes | Base64


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(value: Any) -> bytes:
    """Compact JSON in UTF-8. A lone surrogate, which UTF-8 cannot carry, becomes `?`."""
    return _compact(value).encode("utf-8", "replace")


def spliced(part: Mapping[str, Any] | str, medium: Medium) -> list[Piece]:
    """A dialect's part with `medium` in its hole. Raises `CallFailed` as `Medium.read` does."""
    before, after = encode(part).split(encode(HOLE)[1:-1])
    return [before, Base64(medium, medium.size), after]


def array(elements: Iterable[list[Piece]]) -> list[Piece]:
    """A JSON array of elements that are each in pieces."""
    pieces: list[Piece] = [b"["]
    for number, element in enumerate(elements):
        pieces += [b",", *element] if number else element
    return [*pieces, b"]"]


def with_field(envelope: Mapping[str, Any], name: str, value: list[Piece]) -> list[Piece]:
    """A JSON object: the fields of `envelope`, then `name` with a value in pieces."""
    opening = encode(envelope)[:-1] + (b"," if envelope else b"")
    return [opening + encode(name) + b":", *value, b"}"]


class Body(Payload):
    """A request body for aiohttp that is written piece by piece and never exists as a whole."""

    def __init__(self, pieces: list[Piece]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._size = sum(piece.size if isinstance(piece, Base64) else len(piece) for piece in pieces)
        self.load_seconds = 0.0
        """Time spent reading media so far, and digesting those that are read for the first time."""
        self.encode_seconds = 0.0
        """Time spent on base64 so far; it belongs to the stage `preprocess`."""

    def chunks(self) -> Iterator[bytes]:
        """The body, in order; no chunk is longer than a request line or `CHUNK` in base64.

        Raises `CallFailed` as `Medium.read` does, and where a medium changed its length since the request was made.
        """
        small = b""
        for piece in self._value:
            if isinstance(piece, bytes):
                small += piece
                continue
            yield small
            small = b""
            yield from self._encoded(piece)
        yield small

    def _encoded(self, piece: Base64) -> Iterator[bytes]:
        portions, left = piece.medium.portions(CHUNK), piece.length
        while True:
            began = time.perf_counter()
            portion = next(portions, b"")
            loaded = time.perf_counter()
            chunk: bytes = b64encode(portion)
            self.load_seconds += loaded - began
            self.encode_seconds += time.perf_counter() - loaded
            left -= len(portion)
            if left < 0 or (left > 0 and not portion):
                raise CallFailed(f"medium {piece.medium.name} changed while it was sent", kind="medium", retryable=True)
            if not portion:
                return
            yield chunk

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole body as text."""
        return b"".join(self.chunks()).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        connection: Transport | None = getattr(writer, "transport", None)
        whole = False
        try:
            for chunk in self.chunks():
                if chunk:
                    await writer.write(chunk)
            whole = True
        finally:
            if connection and not whole:
                # To close it in order would wait until the server has taken in what is buffered, if it ever does.
                connection.abort()

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:  # noqa: ARG002
        await self.write(writer)  # the length was announced from the same pieces
