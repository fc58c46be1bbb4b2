"""The one seam to the world: a `Model` answers prompts. And `Fake`, a model for tests that needs no world."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from keju.items import NOTHING
from keju.prompts import Prompt
from keju.records import Reply


class Model(Protocol):
    """Anything that can answer a prompt: an endpoint, a local model, a baseline, a replay, a cascade.

    One call of `answer` is one attempt. It returns a `Reply`, or raises `CallFailed` (with `retryable` and
    `retry_after`), `Blocked`, or `RunStopped` where no further call can help. Retries, waiting and concurrency are
    the engine's business. A local model gathers the prompts that wait in `answer` into batches.
    """

    name: str
    """As in `-m`: `openai/gpt-4o`, `embedded/cascade`, `baseline/random`."""
    settings: Mapping[str, Any]
    """Everything but the prompt that changes an answer: endpoint, dialect, revision, extra parameters, transcriber.
    It is part of the run's fingerprint and is written to disk; no secret belongs here."""
    concurrency: int
    """How many prompts it likes to have in flight when the user does not say."""

    async def answer(self, prompt: Prompt) -> Reply: ...

    async def close(self) -> None: ...


class Fake:
    """Answers with what `reply` returns for a prompt: a text, a `Reply`, or an exception to raise."""

    def __init__(
        self,
        reply: Callable[[Prompt], str | Reply | Exception],
        *,
        name: str = "fake/model",
        settings: Mapping[str, Any] = NOTHING,
        delay: float = 0.0,
        concurrency: int = 8,
    ) -> None:
        self.name = name
        self.settings = settings
        self.concurrency = concurrency
        self.asked: list[str] = []
        """Item ids in the order in which they were asked."""
        self._reply = reply
        self._delay = delay

    async def answer(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt.item_id)
        await asyncio.sleep(self._delay)
        reply = self._reply(prompt)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(reply)

    async def close(self) -> None:
        """Nothing to close."""
