"""The engine: prompts go to the model as slots are free, records come back in any order, bound to their item's id.

Memory is bounded by the calls in flight. A failed call becomes a record of its own, never an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from typing import Protocol as Interface

from keju.errors import Blocked, CallFailed, KejuError, RunStopped
from keju.items import Item
from keju.models.arrival import arrival_warning, without_media
from keju.models.model import Model
from keju.prompts import Prompt
from keju.protocols import Protocol
from keju.records import Record, Reply, Status
from keju.runs.transport import Slots, Transport


class Progress(Interface):
    """Who watches a run. Every method is called in the event loop and must return at once."""

    def started(self, total: int, done: int) -> None: ...

    def recorded(self, record: Record) -> None: ...

    def note(self, message: str) -> None: ...

    def finished(self) -> None: ...


class Silent:
    """Watches nothing."""

    def started(self, total: int, done: int) -> None: ...

    def recorded(self, record: Record) -> None: ...

    def note(self, message: str) -> None: ...

    def finished(self) -> None: ...


@dataclass
class Asking:
    """One session of asking: what it needs, and what became of it."""

    model: Model
    protocol: Protocol
    write: Callable[[Record], None]
    """Keeps a record; raises `OSError` where it cannot."""
    transport: Transport
    concurrency: int
    progress: Progress
    check_media: bool = False
    """Ask one item of each modality again without its media, to see whether media arrive."""
    slots: Callable[[int], Slots] = Slots
    """Makes what gives out the slots; a measurement holds its load where a run spares the server."""
    asked: int = 0
    truncated: int = 0
    peak: int = 0
    stopped: str | None = None
    """Why the session ended early, or None."""
    _checked: set[frozenset[str]] = field(default_factory=set)
    """Kinds of media that were asked again without."""

    async def all(self, items: Iterable[Item]) -> None:
        """Ask every item once. Returns when all are recorded or no further call can help (`stopped` says why)."""
        todo = iter(items)
        slots = self.slots(self.concurrency)
        workers = [asyncio.create_task(self._work(todo, slots)) for _ in range(self.concurrency)]
        try:
            await asyncio.gather(*workers)
        except RunStopped as reason:
            self.stopped = str(reason)
        finally:
            self.peak = slots.peak
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, todo: Iterator[Item], slots: Slots) -> None:
        while True:
            await slots.take()
            try:
                if (item := next(todo, None)) is None:
                    return
                await self.ask_one(item, slots)
            finally:
                slots.give_back()

    async def ask_one(self, item: Item, slots: Slots) -> None:
        """Ask one item, for which a slot was taken, until there is a reply or no sense in another attempt."""
        prompt = self.protocol.prompt(item)
        began, at = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds")
        attempt = 0
        while True:
            attempt += 1
            asked_at = time.monotonic()
            try:
                loaded = await _fetched(prompt)
                reply = await self._reply(prompt)
            except CallFailed as failure:
                slots.failed(failure, asked_at)
                wait = self.transport.wait_after(failure, attempt)
                if wait is None:
                    self._keep(failed_record(prompt, failure, attempts=attempt, at=at))
                    return
                await asyncio.sleep(wait)
                continue
            slots.succeeded()
            took = time.monotonic() - asked_at - loaded
            stages = dict(reply.stages) or {"infer": took}
            if loaded:
                stages["load"] = stages.get("load", 0.0) + loaded
            stages["queue"] = stages.get("queue", 0.0) + (asked_at - began)
            self._keep(_reply(prompt, reply, self._status(reply), stages, attempts=attempt, at=at))
            await self._check(prompt, reply)
            return

    async def _reply(self, prompt: Prompt) -> Reply:
        """One attempt. A reply to a file that is another by now is none: the record would hold the new one's digest."""
        stamps = [medium.stamp for medium in prompt.media]
        self.asked += 1
        reply = await self.model.answer(prompt)
        for medium, stamp in zip(prompt.media, stamps, strict=True):
            if medium.stamp != stamp:
                raise CallFailed(f"medium {medium.name} changed while it was asked", kind="medium", retryable=True)
        return reply

    async def _check(self, prompt: Prompt, reply: Reply) -> None:
        """Once for each kind of media that the model sends to a server: ask the same without it, in the same slot."""
        kinds = frozenset(medium.kind for medium in prompt.media) & getattr(self.model, "sends", frozenset())
        if (
            not self.check_media
            or not kinds
            or kinds in self._checked
            or not (reply.usage and reply.usage.input_tokens)
        ):
            return
        self._checked.add(kinds)
        try:
            self.asked += 1
            blind = await self.model.answer(without_media(prompt))
        except KejuError:
            return  # a failure of this extra call says nothing of the items
        if warning := arrival_warning(prompt, reply, blind):
            self.progress.note(warning)

    def _status(self, reply: Reply) -> Status:
        # A protocol of one token is cut by design: its one token is the whole answer.
        by_design = self.protocol.generation.max_tokens == 1 and reply.text.strip() != ""
        return "truncated" if reply.finish == "length" and not by_design else "answered"

    def _keep(self, record: Record) -> None:
        try:
            self.write(record)
        except OSError as error:
            raise RunStopped(f"records cannot be written to {error.filename}: {error.strerror or error}") from error
        self.progress.recorded(record)
        if record.status == "truncated":
            self.truncated += 1
            if self.truncated == 3:  # the first may be chance; by the third the cap is the cause
                cap = self.protocol.generation.max_tokens
                self.progress.note(
                    f"3 replies were cut by the protocol's cap of {cap} tokens. A reasoning model spends them before "
                    f"it answers: use a protocol with more room (--protocol robust)"
                )


async def _fetched(prompt: Prompt) -> float:
    """Seconds that it took to fetch media of an object store; in a thread, for the loop has others to serve."""
    began, away = time.monotonic(), [medium for medium in prompt.media if medium.remote]
    for medium in away:
        await asyncio.to_thread(medium.file)
    return time.monotonic() - began if away else 0.0


def _identity(prompt: Prompt) -> dict[str, Any]:
    # What could not be fetched is not tried again for the sake of its digest.
    media = tuple(medium.identity if medium.is_here else "absent" for medium in prompt.media)
    return {"id": prompt.item_id, "prompt": prompt.text_digest(), "media": media}


def _reply(prompt: Prompt, reply: Reply, status: Status, stages: dict[str, float], *, attempts: int, at: str) -> Record:
    return Record(
        **_identity(prompt),
        status=status,
        text=reply.text,
        attempts=attempts,
        at=at,
        stages=stages,
        usage=reply.usage,
        model=reply.model,
        scores=reply.scores,
        perceived=reply.perceived,
        warnings=reply.warnings,
    )


def failed_record(prompt: Prompt, failure: CallFailed, *, attempts: int, at: str) -> Record:
    """The record of an item that no reply came back for."""
    status: Status = "blocked" if isinstance(failure, Blocked) else "failed"
    error: dict[str, Any] = {"kind": failure.kind, "message": str(failure)[:500]}  # a gateway's page may be megabytes
    if failure.status is not None:
        error["status"] = failure.status
    return Record(**_identity(prompt), status=status, error=error, attempts=attempts, at=at)
