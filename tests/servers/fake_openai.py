"""A chat server on a real socket, for tests: it answers what it is told to and remembers what it was asked.

    with FakeServer([{"status": 429, "headers": {"Retry-After": "2"}}, completion("B")]) as server:
        ... server.base_url, server.requests, server.peak

It is told a list (one answer a request, the last one again and again) or a function of the `Asked` request.
An answer is a dict:

    status                    HTTP status, 200 if absent
    json / text / raw / sse   the body: a value, a string, bytes, or events (values, strings, bytes as they are, pauses)
    headers                   further headers
    delay_s                   seconds before it answers
    cut                       announce the whole body, send so many bytes of it, close
    close                     True: close the connection without an answer
    when, respond             answer `respond` where the request fits {"stream": bool}, {"has": field}, {"lacks": field}
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float
    """`time.monotonic()` when it was whole."""
    number: int
    """0 for the first request."""
    peer: Any = None
    """Address and port it came from: one a connection."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def content(self) -> Any:
        """Content of the last message."""
        return self.json["messages"][-1]["content"]

    @property
    def text(self) -> str:
        """All text parts of the last message, joined by newlines."""
        parts = self.content
        return parts if isinstance(parts, str) else "\n".join(part["text"] for part in parts if part["type"] == "text")


def completion(text: Any, *, finish: str = "stop", tokens: int = 20, **more: Any) -> Answer:
    """An ordinary answer: HTTP 200 with one choice."""
    return {
        "json": {
            "id": "r1",
            "object": "chat.completion",
            "model": "fake-1",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1},
        },
        **more,
    }


def error(status: int, message: str, code: str | None = None, **more: Any) -> Answer:
    """An error in OpenAI's shape."""
    return {
        "status": status,
        "json": {"error": {"message": message, "code": code, "type": code, "param": None}},
        **more,
    }


@dataclass
class FakeServer:
    """Serves from a thread of its own, so that tests with and without a loop can use it."""

    answers: Sequence[Answer] | Callable[[Asked], Answer]
    requests: list[Asked] = field(default_factory=list)
    peak: int = 0
    """Most requests that were in work at one moment."""
    in_work: int = 0
    base_url: str = ""

    def __enter__(self) -> FakeServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _start(self) -> None:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        asked = Asked(request.path, dict(request.headers), body, time.monotonic(), len(self.requests), _peer(request))
        self.requests.append(asked)
        self.in_work += 1
        self.peak = max(self.peak, self.in_work)
        try:
            answer = self._answer(asked)
            await asyncio.sleep(answer.get("delay_s", 0))
            return await _sent(request, answer)
        finally:
            self.in_work -= 1

    def _answer(self, asked: Asked) -> Answer:
        if callable(self.answers):
            return self.answers(asked)
        conditional = [answer for answer in self.answers if "when" in answer]
        if conditional:
            return next(answer["respond"] for answer in conditional if _fits(answer["when"], asked.json))
        return self.answers[min(asked.number, len(self.answers) - 1)]


def _peer(request: web.Request) -> Any:
    return request.transport.get_extra_info("peername") if request.transport else None


def _fits(when: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    if "stream" in when:
        return bool(body.get("stream")) == when["stream"]
    return when["has"] in body if "has" in when else when["lacks"] not in body


async def _sent(request: web.Request, answer: Answer) -> web.StreamResponse:
    assert request.transport is not None
    if answer.get("close"):
        request.transport.abort()
        return web.Response()
    if "sse" in answer:
        return await _streamed(request, answer)
    body, kind = _body(answer)
    headers = {"Content-Type": kind, **answer.get("headers", {})}
    if "cut" not in answer:
        return web.Response(status=answer.get("status", 200), body=body, headers=headers)
    response = web.StreamResponse(status=answer.get("status", 200), headers=headers)
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: answer["cut"]])
    request.transport.close()
    return response


def _body(answer: Answer) -> tuple[bytes, str]:
    if "json" in answer:
        return json.dumps(answer["json"]).encode(), "application/json"
    if "raw" in answer:
        return answer["raw"], "application/json"
    return answer.get("text", "").encode(), "text/plain"


async def _streamed(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **answer.get("headers", {})})
    await response.prepare(request)
    for event in answer["sse"]:
        if isinstance(event, bytes):
            await response.write(event)
            continue
        if isinstance(event, float):
            await asyncio.sleep(event)
            continue
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        await response.write(f"data: {data}\n\n".encode())
    if answer.get("cut"):
        assert request.transport is not None
        request.transport.close()
    return response
