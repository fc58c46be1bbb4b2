"""What a chat endpoint sent back, read into a `Reply`: a whole completion, or a stream of server-sent events."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from keju.errors import Blocked, CallFailed
from keju.models.refusals import BLOCKING_FINISHES, failure, server_error
from keju.records import Finish, Reply, Usage

_CUT = {"length", "max_tokens", "model_length"}
_BROKEN = {"error", "abort"}
SEVERAL = "the server sent more than one choice; the one with index 0 was taken"


def parsed(body: bytes | str, where: str) -> Any:
    """JSON of a reply. Raises `CallFailed` (kind `bad-reply`) where it is cut off, not JSON or not UTF-8."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        start = (body if isinstance(body, str) else body.decode("utf-8", "replace"))[:120]
        raise bad_reply(where, f"the reply is not JSON ({type(error).__name__}); it begins {start!r}") from None


def bad_reply(where: str, why: str) -> CallFailed:
    return CallFailed(f"{where}: {why}", kind="bad-reply", retryable=True)


def reply_of(body: Any, where: str) -> Reply:
    """The reply in a completion.

    Raises `Blocked`, `CallFailed` or `RunStopped` where the body holds an error or no choice, whatever its status.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices:
        raise_error(body, where)
        raise bad_reply(where, "the reply holds no choices")
    choice = next((c for c in choices if isinstance(c, dict) and c.get("index") == 0), choices[0])
    raise_error(choice, where)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise bad_reply(where, "the reply holds no message")
    text = content_text(message.get("content"), where) or _text_or_nothing(message.get("refusal"))
    finish = finish_of(choice.get("finish_reason"), where)
    warnings = (SEVERAL,) if len(choices) > 1 else ()
    return Reply(storable(text), finish, usage_of(body.get("usage")), model=name_of(body), warnings=warnings)


def raise_error(body: Any, where: str) -> None:
    """Raise what the `error` of a body or a choice says, if it has one."""
    if isinstance(body, list | dict) and (not isinstance(body, dict) or body.get("error")):
        raise failure(server_error(200, body, {}, where))


def content_text(content: Any, where: str) -> str:
    """Text of a `content`: a string, null, or a list of typed parts of which only text parts count."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise bad_reply(where, f"the reply's content is a {type(content).__name__}")
    return "".join(_part_text(part) for part in content)


def storable(text: str) -> str:
    """`text` with pairs of surrogates joined and lone ones replaced by U+FFFD, so that every file can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _part_text(part: Any) -> str:
    if isinstance(part, dict) and part.get("type") in ("text", "output_text"):
        part = part.get("text")
    return _text_or_nothing(part)


def _text_or_nothing(value: Any) -> str:
    return value if isinstance(value, str) else ""


def finish_of(reason: Any, where: str) -> Finish:
    """Whether the reply is whole. Raises `Blocked` where a filter withheld it, `CallFailed` where it gave up."""
    name = str(reason).lower()
    if name in BLOCKING_FINISHES:
        raise Blocked(f"{where}: the server withheld the reply (finish_reason {reason})", status=200)
    if name in _BROKEN:
        raise CallFailed(f"{where}: the server broke off (finish_reason {reason})", kind="server", retryable=True)
    return "length" if name in _CUT else "stop"


def usage_of(usage: Any) -> Usage | None:
    """Token counts, as far as the server gave them as whole numbers."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(reasoning))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def name_of(body: Mapping[str, Any]) -> str | None:
    return storable(body["model"]) if isinstance(body.get("model"), str) else None


class Events:
    """Server-sent events out of bytes that arrive in any portions."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, portion: bytes) -> Iterator[bytes]:
        """The data of every event that `portion` completes."""
        lines = (self._rest + portion).splitlines(keepends=True)
        self._rest = b"" if not lines or lines[-1].endswith(b"\n") else lines.pop()
        for line in lines:
            yield from self._line(line.rstrip(b"\r\n"))

    def end(self) -> Iterator[bytes]:
        """The last event, where the server closed without the blank line that ends it."""
        yield from self._line(self._rest.rstrip(b"\r\n"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data = []


class Stream:
    """A reply that grows event by event."""

    def __init__(self, where: str, sent: float) -> None:
        """`sent` is when the request went out, on the performance counter."""
        self._where = where
        self._sent = sent
        self._done = False
        self._first_token: float | None = None
        self._texts: list[str] = []
        self._reason: Any = None
        self._usage: Usage | None = None
        self._model: str | None = None
        self._several = False

    def add(self, data: bytes) -> None:
        """Take one event. Raises as `reply_of` does."""
        if data.strip() == b"[DONE]":
            self._done = True
            return
        chunk = parsed(data, self._where)
        raise_error(chunk, self._where)
        if not isinstance(chunk, dict):
            raise bad_reply(self._where, "a part of the stream is not an object")
        self._usage = usage_of(chunk.get("usage")) or self._usage
        self._model = self._model or name_of(chunk)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():  # the part that carries the usage has none
            self._choose(choice)

    def _choose(self, choice: Any) -> None:
        if not isinstance(choice, dict):
            raise bad_reply(self._where, "a choice of the stream is not an object")
        if choice.get("index"):
            self._several = True
            return
        raise_error(choice, self._where)
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise bad_reply(self._where, "a delta of the stream is not an object")
        text = content_text(delta.get("content"), self._where) or _text_or_nothing(delta.get("refusal"))
        if self._first_token is None and (text or delta.get("reasoning_content") or delta.get("reasoning")):
            self._first_token = time.perf_counter() - self._sent
        self._texts.append(text)
        self._reason = choice.get("finish_reason") or self._reason

    def reply(self) -> Reply:
        """The whole reply. Raises `CallFailed` where the stream broke off before its end."""
        if self._reason is None and not self._done:
            raise bad_reply(self._where, "the stream broke off before its end")
        finish = finish_of(self._reason, self._where)
        stages = {} if self._first_token is None else {"first_token": self._first_token}
        warnings = (SEVERAL,) if self._several else ()
        return Reply(storable("".join(self._texts)), finish, self._usage, stages, self._model, warnings=warnings)
