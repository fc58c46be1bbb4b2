"""An OpenAI-compatible chat server for measuring clients: loopback only, one event loop, next to no CPU.

    python -m rig.mock_server [--port 0] [--latency 0.2] [--reply 'ANSWER: {}'] [--pictures] [--fault 429:0.05 …]

It prints its port. Bodies are received into one buffer a connection and never parsed, only searched for the item's
tag and the model's name; the answer is `exam.answer(item, model)`. A fault is drawn per (kind, item) and hits the
first `--fault-tries` requests of that item, so that a client that tries again can finish.

    429 500   an error in OpenAI's shape          hang    never answers
    close     resets the connection               cut     announces the whole reply, sends half, closes
    slow      one byte a second

GET /stats gives the counters; with `--pictures` also the sha256, size and type of the picture that each item came with.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import re
import resource
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rig import exam

TAG = re.compile(rb"#(\d{4})#")
MODEL = re.compile(rb'"model"\s*:\s*"([^"]{1,120})"')
LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
PICTURE = re.compile(rb"data:image\\?/[a-z+]+;base64,")
TYPES = {b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"RIFF": "WebP", b"GIF8": "GIF"}
KINDS = ("429", "500", "hang", "close", "cut", "slow")
MODEL_WITHIN = 8192  # bytes from either end of a body; clients write the model's name before or after the messages
BYTES_A_TOKEN = 1000  # so that a picture shows in the count of tokens


@dataclass
class Counters:
    """What the server saw; `GET /stats` gives it as JSON."""

    latency: float
    faults: dict[str, float]
    fault_tries: int
    reply: str = "{}"
    """What stands around the letter of the answer."""
    look: bool = False
    """Whether pictures are decoded and their digests taken."""
    requests: int = 0
    """Requests whose body came whole."""
    in_flight: int = 0
    peak: int = 0
    """Most requests that were whole and not answered at one moment."""
    untagged: int = 0
    tries: Counter[int] = field(default_factory=Counter)
    """Item number → requests."""
    outcomes: Counter[str] = field(default_factory=Counter)
    pictures: dict[int, tuple[str, int, str]] = field(default_factory=dict)
    """Item number → sha256, bytes and type of its first picture as it came; empty unless they are looked at."""
    first: float = 0.0
    last: float = 0.0
    """Unix time of the first request and of the last answer."""

    def fault_of(self, number: int) -> str | None:
        """The fault that this request of the item meets."""
        if self.tries[number] > self.fault_tries:
            return None
        hit = (kind for kind, rate in self.faults.items() if exam.unit("fault", kind, number) < rate)
        return next(hit, None)

    def shown(self) -> dict[str, Any]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        names = ("requests", "peak", "untagged", "outcomes", "pictures", "first", "last")
        return {name: getattr(self, name) for name in names} | {
            "items": len(self.tries),
            "cpu_s": used.ru_utime + used.ru_stime,
        }


class Connection(asyncio.BufferedProtocol):
    """One client connection: requests one after the other, each received whole before it is answered."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray(1 << 16)
        self._held = 0
        self._head = self._need = 0
        """Length of the head and of the whole request; 0 until the head is there."""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # uvloop's is no subclass of asyncio's

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._transport = None

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        if self._held == len(self._buffer):
            self._grow(2 * len(self._buffer))
        return memoryview(self._buffer)[self._held :]

    def buffer_updated(self, nbytes: int) -> None:
        self._held += nbytes
        while self._held and self._whole() and self._transport:
            self._serve()
            rest = self._held - self._need
            self._buffer[:rest] = self._buffer[self._need : self._held]
            self._held, self._head, self._need = rest, 0, 0

    def _grow(self, size: int) -> None:
        """A new buffer, not a resize: the loop still holds a view of the old one."""
        old, self._buffer = self._buffer, bytearray(size)
        self._buffer[: self._held] = old[: self._held]

    def _whole(self) -> bool:
        """Whether a request is there from its first to its last byte."""
        if not self._need:
            end = self._buffer.find(b"\r\n\r\n", 0, self._held)
            if end < 0:
                return False
            length = LENGTH.search(self._buffer, 0, end + 2)
            self._head = end + 4
            self._need = self._head + (int(length[1]) if length else 0)
            if self._need > len(self._buffer):
                self._grow(self._need + 4096)
        return self._held >= self._need

    def _serve(self) -> None:
        if not self._buffer.startswith(b"POST "):
            self._write(response(200, self._counters.shown()))
            return
        counters, size = self._counters, self._need - self._head
        counters.requests += 1
        counters.in_flight += 1
        counters.peak = max(counters.peak, counters.in_flight)
        counters.first = counters.first or time.time()
        number, model = item_of(self._buffer, self._head, self._need), model_of(self._buffer, self._head, self._need)
        counters.untagged += number == 0
        counters.tries[number] += 1
        if counters.look and (picture := picture_of(bytes(self._buffer[self._head : self._need]))):
            counters.pictures[number] = picture
        self._loop.call_later(counters.latency, self._answer, number, model, size, counters.fault_of(number))

    def _answer(self, number: int, model: str, size: int, fault: str | None) -> None:
        counters = self._counters
        counters.in_flight -= 1
        counters.last = time.time()
        counters.outcomes[fault or "answered"] += 1
        if self._transport is None or fault == "hang":
            return
        if fault in ("429", "500"):
            self._write(response(int(fault), {"error": {"message": "the mock says no", "code": fault}}))
            return
        if fault == "close":
            self._transport.abort()
            return
        text = counters.reply.format(exam.answer(number, model)) if number else "?"
        whole = response(200, completion(model, text, size))
        if fault == "slow":
            self._trickle(whole, 0)
            return
        self._write(whole[: len(whole) // 2] if fault == "cut" else whole)
        if fault == "cut":
            self._transport.close()

    def _trickle(self, data: bytes, at: int) -> None:
        self._write(data[at : at + 1])
        if self._transport and at < len(data):
            self._loop.call_later(1.0, self._trickle, data, at + 1)

    def _write(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)


def item_of(buffer: bytearray, start: int, end: int) -> int:
    """Item number from the tag, 0 where there is none; base64 is skipped at the speed of a byte search."""
    at = buffer.find(b"#", start, end)
    while at >= 0:
        if tag := TAG.match(buffer, at, end):
            return int(tag[1])
        at = buffer.find(b"#", at + 1, end)
    return 0


def model_of(buffer: bytearray, start: int, end: int) -> str:
    """The model's name, from the first or the last bytes of the body."""
    found = MODEL.search(buffer, start, min(end, start + MODEL_WITHIN))
    found = found or MODEL.search(buffer, max(start, end - MODEL_WITHIN), end)
    return found[1].decode() if found else ""


def picture_of(body: bytes) -> tuple[str, int, str] | None:
    """sha256, bytes and type of the first picture of a body; None where there is none that can be read."""
    found = PICTURE.search(body)
    if not found:
        return None
    data = base64.b64decode(body[found.end() : body.find(b'"', found.end())].replace(b"\\/", b"/"))
    kind = next((name for magic, name in TYPES.items() if data.startswith(magic)), "?")
    return hashlib.sha256(data).hexdigest(), len(data), kind


def completion(model: str, text: str, body_size: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    used = 20 + body_size // BYTES_A_TOKEN
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}],
        "usage": {"prompt_tokens": used, "completion_tokens": 1, "total_tokens": used + 1},
    }


def response(status: int, document: dict[str, Any]) -> bytes:
    body = json.dumps(document).encode()
    head = f"HTTP/1.1 {status} Mock\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def rate(text: str) -> tuple[str, float]:
    """`429:0.05` as a kind and a share of items."""
    kind, _, share = text.partition(":")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind!r} is none of {', '.join(KINDS)}")
    return kind, float(share)


async def serve(counters: Counters, port: int) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(counters), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, metavar="S", help="from the last byte in to the answer")
    parser.add_argument("--reply", default="{}", metavar="TEXT", help="the answer, its letter in place of {}")
    parser.add_argument("--pictures", action="store_true", help="look at the pictures; costs the server time")
    parser.add_argument("--fault", type=rate, action="append", default=[], metavar="KIND:SHARE")
    parser.add_argument("--fault-tries", type=int, default=1, metavar="N")
    given = parser.parse_args()
    import uvloop

    counters = Counters(given.latency, dict(given.fault), given.fault_tries, given.reply, given.pictures)
    uvloop.run(serve(counters, given.port))


if __name__ == "__main__":
    main()
