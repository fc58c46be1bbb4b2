"""Speech → text at an OpenAI-compatible endpoint: `POST …/audio/transcriptions`, a form with the clip's own bytes."""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp.payload import Payload

from keju.errors import CallFailed, Misuse
from keju.items import NOTHING, MediaKind, Medium
from keju.media_types import mime_of, suffix_of
from keju.models.chat_reply import bad_reply, parsed
from keju.models.endpoint import Endpoint
from keju.models.keys import Secret
from keju.models.perception.clips import clip_seconds, is_silent
from keju.models.perception.doubts import text_doubts
from keju.models.perception.perceiver import Perception
from keju.models.refusals import failure, server_error

LARGEST = 25 * 1024 * 1024  # bytes, inclusive: OpenAI's limit for one file, and vLLM's own default
_OURS = {"file", "model", "language", "temperature", "response_format", "stream"}


class EndpointTranscriber:
    """One speech model at one endpoint. `Perceiver` states the contract of `perceive`."""

    kind: MediaKind = "audio"

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str,
        language: str | None = None,
        key: Secret | None = None,
        key_from: str = "",
        timeout: float = 120.0,
        extra: Mapping[str, Any] = NOTHING,
        concurrency: int = 16,
    ) -> None:
        """`base_url` ends before `/audio/transcriptions`. `language` is a hint (`zh`, `en`); without one the server
        finds out. `extra` are further fields of the form (`prompt`, …). `timeout` is in seconds, for one attempt.

        Raises `Misuse` where one of them cannot be.
        """
        self.name = name + (f":{language}" if language else "")
        self.concurrency = concurrency
        self._endpoint = Endpoint(base_url, "audio/transcriptions", who=self.name, key=key, timeout=timeout)
        self._key_from = key_from
        if key and key.is_in(repr(dict(extra))):
            raise Misuse(f"{name}: the extra fields hold the API key, and are stored; give it by a variable or file")
        if taken := sorted(_OURS & extra.keys()):
            raise Misuse(f"{name}: extra fields cannot set {', '.join(taken)}: keju sets them itself")
        self._fields = {
            "model": model,
            "temperature": "0",
            "response_format": "json",
            **({"language": language} if language else {}),
            **{field: value if isinstance(value, str) else json.dumps(value) for field, value in extra.items()},
        }
        self.settings: Mapping[str, Any] = {
            "model": model,
            "endpoint": self._endpoint.shown,
            "language": language or "detected",
            **({"extra": dict(extra)} if extra else {}),
        }

    async def perceive(self, medium: Medium) -> Perception:
        """One attempt. Raises `CallFailed`, `Blocked`, or `RunStopped` where no clip will ever be transcribed."""
        form, length = await asyncio.to_thread(self._form, medium)
        began = time.perf_counter()
        async with self._endpoint.post(form) as response:
            body = await self._endpoint.body(response)
            seconds = time.perf_counter() - began
            if response.status != 200:
                told = server_error(response.status, _json_or_text(body), response.headers, self.name)
                raise failure(told, key_from=self._key_from)
            text = self._endpoint.hide(self._text(body))
        if not text:
            return Perception("", seconds, warnings=("the server heard nothing in it",))
        if await asyncio.to_thread(is_silent, medium):
            note = f"it is silent; what the server wrote all the same is left out: {text[:60]!r}"
            return Perception("", seconds, warnings=(note,))
        return Perception(text, seconds, warnings=text_doubts(text, length))

    def _form(self, medium: Medium) -> tuple[Payload, float | None]:
        """The request, and the length of the clip in seconds where it can be told."""
        mime = mime_of(medium.head())
        if mime is None or not mime.startswith("audio/"):
            raise _unfit(medium, f"{mime or 'of no known kind'}, not a recording; replace the file")
        if (size := medium.size) > LARGEST:
            remedy = "compress or cut it, or transcribe it here (whisper/base)"
            raise _unfit(medium, f"{size:,} bytes long, and speech services take {LARGEST:,} at most; {remedy}")
        form = aiohttp.FormData(self._fields)
        # The name's end tells the server the kind of file; content decides it, names lie.
        form.add_field("file", io.BytesIO(medium.read()), filename=f"clip{suffix_of(mime)}", content_type=mime)
        payload: Payload = form()
        return payload, clip_seconds(medium)

    def _text(self, body: bytes) -> str:
        reply = parsed(body, self.name)
        if isinstance(reply, dict) and "error" in reply:  # a gateway's 200 that holds its upstream's error
            raise failure(server_error(200, reply, {}, self.name), key_from=self._key_from)
        if not isinstance(reply, dict) or not isinstance(reply.get("text"), str):
            raise bad_reply(self.name, "the reply holds no `text`")
        return str(reply["text"]).strip()

    async def close(self) -> None:
        """Close the pooled connections."""
        await self._endpoint.close()


def _unfit(medium: Medium, why: str) -> CallFailed:
    return CallFailed(f"recording {medium.name} is {why}", kind="medium", retryable=False)


def _json_or_text(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
