"""A request body in pieces: JSON around, media between, base64 made chunk by chunk while it is sent.

JSON-encoding 2 MB of base64 that needs no escaping costs ten times what sending it costs, and the whole bodies of 64
requests in flight fall out of the processor's cache. So the JSON is written without the media, and the media are
encoded on their way to the socket.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload
from pybase64 import b64encode

from keju.models.dialects import HOLE

CHUNK = 96 * 1024  # bytes of a medium encoded at a time: a multiple of 3, and 128 KiB of base64 stay in the cache


@dataclass(frozen=True, slots=True)
class Base64:
    """Bytes that are sent as base64."""

    data: bytes

    @property
    def size(self) -> int:
        return (len(self.data) + 2) // 3 * 4


Piece = bytes | Base64


def encode(value: Any) -> bytes:
    """Compact JSON in UTF-8. A lone surrogate, which UTF-8 cannot carry, becomes `?`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def spliced(part: Mapping[str, Any] | str, data: bytes) -> list[Piece]:
    """A dialect's part with `data` in its hole."""
    before, after = encode(part).split(encode(HOLE)[1:-1])
    return [before, Base64(data), after]


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
        self.encode_seconds = 0.0
        """Time spent on base64 so far; it belongs to the stage `preprocess`."""

    def chunks(self) -> Iterator[bytes]:
        """The body, in order; no chunk is longer than a request line or `CHUNK` in base64."""
        small = b""
        for piece in self._value:
            if isinstance(piece, bytes):
                small += piece
                continue
            yield small
            small = b""
            yield from self._encoded(piece.data)
        yield small

    def _encoded(self, data: bytes) -> Iterator[bytes]:
        view = memoryview(data)
        for start in range(0, len(data), CHUNK):
            began = time.perf_counter()
            chunk: bytes = b64encode(view[start : start + CHUNK])
            self.encode_seconds += time.perf_counter() - began
            yield chunk

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole body as text."""
        return b"".join(self.chunks()).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        for chunk in self.chunks():
            if chunk:
                await writer.write(chunk)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:  # noqa: ARG002
        await self.write(writer)  # the length was announced from the same pieces
