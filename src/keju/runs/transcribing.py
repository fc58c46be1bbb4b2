"""Transcribe every clip of a benchmark once, with any transcriber; a failed clip is a failure, never an empty text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from keju.errors import CallFailed, Misuse
from keju.items import NOTHING, Item, Medium
from keju.models.perception import Perceiver
from keju.runs.transport import Transport


@dataclass(frozen=True, slots=True)
class Transcript:
    """What became of one clip: a line of `transcripts.jsonl`."""

    medium: Medium
    items: tuple[str, ...]
    """Ids of the items that play it."""
    text: str | None = None
    """What was said; empty where nothing was. None where the clip failed."""
    seconds: float | None = None
    """What transcribing took when it was done."""
    cached: bool = False
    """Whether it was done before, so that `seconds` were not spent now."""
    warnings: tuple[str, ...] = ()
    error: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """`kind` and `message` where the clip failed."""

    def to_json(self) -> dict[str, Any]:
        """A plain dict: `name`, `sha256`, `items`, and `text`, `seconds`, `cached`, `warnings`, or `error`."""
        row: dict[str, Any] = {"name": self.medium.name, "items": list(self.items)}
        if self.error:
            return row | {"error": dict(self.error)}
        seconds = None if self.seconds is None else round(self.seconds, 4)
        heard = {"text": self.text, "seconds": seconds, "cached": self.cached, "warnings": list(self.warnings)}
        return row | {"sha256": self.medium.sha256} | heard


def clips(items: Iterable[Item]) -> list[Transcript]:
    """The clips of `items`, each once, in order, not yet transcribed. Raises `Misuse` where there is none."""
    found: dict[tuple[str, str], Transcript] = {}
    for item in items:
        for medium in item.media:
            if medium.kind == "audio":
                key = medium.name, medium.identity
                before = found.get(key, Transcript(medium, ()))
                found[key] = replace(before, items=tuple(dict.fromkeys((*before.items, item.id))))
    if not found:
        raise Misuse("there is nothing to transcribe: none of these items has audio")
    return list(found.values())


async def transcribe(
    todo: Iterable[Transcript],
    perceiver: Perceiver,
    *,
    transport: Transport,
    in_flight: int,
    heard: Callable[[Transcript], None],
) -> list[Transcript]:
    """`todo` with their texts or errors, in the same order; `heard` is called for each as it is done.

    Raises `RunStopped` where no clip can be transcribed, `Misuse` where the perceiver takes no audio.
    """
    if perceiver.kind != "audio":
        raise Misuse(f"{perceiver.name} turns {perceiver.kind} into text, so it cannot be the transcriber")
    slots = asyncio.Semaphore(in_flight)

    async def one(clip: Transcript) -> Transcript:
        async with slots:
            done = await _transcribed(clip, perceiver, transport)
        heard(done)
        return done

    tasks = [asyncio.create_task(one(clip)) for clip in todo]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _transcribed(clip: Transcript, perceiver: Perceiver, transport: Transport) -> Transcript:
    attempt = 0
    while True:
        attempt += 1
        try:
            found = await perceiver.perceive(clip.medium)
        except CallFailed as failure:
            wait = transport.wait_after(failure, attempt)
            if wait is None:
                return replace(clip, error={"kind": failure.kind, "message": str(failure)[:500]})
            await asyncio.sleep(wait)
            continue
        return replace(clip, text=found.text, seconds=found.seconds, cached=found.cached, warnings=found.warnings)
