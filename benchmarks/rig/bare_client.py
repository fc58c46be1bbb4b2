"""The limit: read, base64, splice, send, parse, count. No records, no clock, no second attempt.

python -m rig.bare_client --exam FOLDER --port PORT [--items 200] [--in-flight 64] [--encoder stdlib]
"""

from __future__ import annotations

import argparse
import asyncio
import binascii
import hashlib
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rig import exam

Encoder = Callable[[bytes], bytes]


def encoder_named(name: str) -> Encoder:
    """`pybase64`, or `stdlib`."""
    if name == "stdlib":
        return lambda data: binascii.b2a_base64(data, newline=False)
    from pybase64 import b64encode

    encode: Encoder = b64encode
    return encode


def digesting(encode: Encoder) -> Encoder:
    """Takes the picture's sha256 besides, as a client must whose records say what was sent."""

    def encoded(data: bytes) -> bytes:
        hashlib.sha256(data).hexdigest()
        return encode(data)

    return encoded


def request(folder: Path, number: int, model: str, port: int, encode: Encoder) -> list[bytes]:
    """The request in parts, the picture spliced between JSON that was encoded without it."""
    content = [{"type": "image_url", "image_url": {"url": "@@"}}, {"type": "text", "text": exam.prompt(number)}]
    envelope = {"model": model, "temperature": 0, "max_tokens": 10, "messages": [{"role": "user", "content": content}]}
    before, after = json.dumps(envelope, ensure_ascii=False).encode().split(b"@@")
    parts = [before + b"data:image/png;base64,", encode((folder / f"{number:04d}.png").read_bytes()), after]
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {sum(map(len, parts))}\r\n\r\n"
    )
    return [head.encode() + parts[0], *parts[1:]]


async def post(connection: socket.socket, parts: list[bytes]) -> Any:
    """The reply's JSON."""
    loop = asyncio.get_running_loop()
    for part in parts:
        await loop.sock_sendall(connection, part)
    received = b""
    while True:
        received += await loop.sock_recv(connection, 1 << 16)
        head, found, body = received.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]):
            return json.loads(body)


async def worker(todo: Iterator[int], given: argparse.Namespace, encode: Encoder) -> int:
    """Right answers to the items it took, over one connection."""
    right = 0
    with socket.socket() as connection:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", given.port))
        for number in todo:
            reply = await post(connection, request(given.exam, number, given.model, given.port, encode))
            right += reply["choices"][0]["message"]["content"][-1:] == exam.key(number)
    return right


async def run(given: argparse.Namespace) -> int:
    todo, encode = iter(range(1, given.items + 1)), encoder_named(given.encoder)
    encode = digesting(encode) if given.digest else encode
    return sum(await asyncio.gather(*(worker(todo, given, encode) for _ in range(given.in_flight))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exam", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--model", default="mock-73")
    parser.add_argument("--encoder", choices=("pybase64", "stdlib"), default="pybase64")
    parser.add_argument("--digest", action="store_true", help="take the sha256 of every picture")
    given = parser.parse_args()
    import uvloop

    print(json.dumps({"accuracy": uvloop.run(run(given)) / given.items}))


if __name__ == "__main__":
    main()
