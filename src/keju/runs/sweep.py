"""The controlled measurement of latency: warm-up, fixed items, one new token, a sweep of loads, each several times.

It asks through the same engine as a run, once an item and pass: a failed call is counted and never tried again.
A cascade is measured twice, cold (every clip and picture is perceived anew) and warm (what was perceived is cached).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from keju.benchmark import Benchmark
from keju.errors import Misuse
from keju.items import NOTHING, Item, MediaKind
from keju.models.model import Model
from keju.protocols import Protocol
from keju.records import Record
from keju.runs.engine import Asking, Progress, Silent
from keju.runs.offering import Level
from keju.runs.transport import Transport

Condition = Literal["plain", "cold", "warm"]
"""`plain`: the model takes the media itself. `cold`: a cascade that perceives every medium anew. `warm`: one that finds
what was perceived in the cache."""


@dataclass(frozen=True)
class Design:
    """What is measured, the same for every model."""

    warm_up: tuple[Item, ...]
    """Asked before each level, not counted."""
    items: tuple[Item, ...]
    levels: tuple[Level, ...]
    repeats: int = 3
    new_tokens: int = 1
    seed: int = 0
    """Of the arrival times in open loop; each repeat draws its own, the same for every model."""

    @property
    def calls(self) -> int:
        """Counted calls of one series."""
        return len(self.items) * len(self.levels) * self.repeats


@dataclass(frozen=True)
class Pass:
    """All items once, at one level."""

    level: Level
    repeat: int
    """From 1."""
    wall_s: float
    """From the first call that left to the last that came back."""
    peak: int
    """Most calls in flight at one moment."""
    records: tuple[Record, ...]


@dataclass
class Series:
    """All passes of one model under one condition."""

    model: str
    condition: Condition
    endpoint: str | None
    """Address, where calls go over a network; None for a model in this process."""
    protocol: Protocol
    settings: Mapping[str, Any]
    hears: bool
    """Whether clips reach the model or its transcriber now, so that their length can be set against the time."""
    passes: list[Pass] = field(default_factory=list)
    discovered: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    stopped: str | None = None
    """Why the series ended early, or None."""


def design(
    benchmark: Benchmark,
    levels: Sequence[Level],
    *,
    warm_up: int = 1,
    repeats: int = 3,
    new_tokens: int = 1,
    seed: int = 0,
) -> Design:
    """The first `warm_up` items of each modality warm up, all others are measured.

    Raises `Misuse` where a number cannot be, or nothing is left to measure.
    """
    if min(repeats, new_tokens) < 1 or warm_up < 0:
        raise Misuse(
            f"repeats and new tokens must be at least 1 and warm-up at least 0, not {repeats}, {new_tokens}, {warm_up}"
        )
    groups = {item.modality: [i for i in benchmark if i.modality == item.modality] for item in benchmark}
    warm = {item.id for group in groups.values() for item in group[:warm_up]}
    measured = tuple(item for item in benchmark if item.id not in warm)
    if not measured:
        raise Misuse(
            f"all {len(benchmark)} items of {benchmark.name} are needed to warm up ({warm_up} of each modality): take "
            "more items, or a smaller --warm-up"
        )
    return Design(tuple(i for i in benchmark if i.id in warm), measured, tuple(levels), repeats, new_tokens, seed)


async def sweep(
    opened: Callable[[bool], Model],
    plan: Design,
    protocol_for: Callable[[Model], Protocol],
    *,
    watch: Callable[[str], Progress] = lambda _: Silent(),
    keep: Callable[[Series, Pass], None] = lambda *_: None,
) -> list[Series]:
    """Measure one model: one series, or two for a cascade, cold then warm.

    `opened(use_cache)` opens the model; `watch(name)` gives who watches a series; `keep` is told of every pass as it is
    done. A series that no further call can help is returned as far as it came, with `stopped`.
    """
    for item in (*plan.warm_up, *plan.items):
        for medium in item.media:
            _ = medium.identity  # known from now on, so that the first repeat does not pay for the digest
    first = await _series(opened(False), plan, protocol_for, watch, keep)
    if first.condition != "cold" or first.stopped:
        return [first]
    return [first, await _series(opened(True), plan, protocol_for, watch, keep, warm=True)]


async def _series(
    model: Model,
    plan: Design,
    protocol_for: Callable[[Model], Protocol],
    watch: Callable[[str], Progress],
    keep: Callable[[Series, Pass], None],
    *,
    warm: bool = False,
) -> Series:
    """Measure `model` and close it."""
    try:
        series = _begun(model, protocol_for(model), plan.new_tokens, warm=warm)
        progress = watch(f"{series.model} ({series.condition})")
        progress.started(plan.calls, 0)
        try:
            async for done in _passes(model, series, plan, progress):
                series.passes.append(done)
                keep(series, done)
        except _Stopped as reason:
            series.stopped = str(reason)
            progress.note(f"stopped: {reason}")
        finally:
            progress.finished()
        series.discovered = dict(getattr(model, "discovered", {}))
        return series
    finally:
        await model.close()


def _begun(model: Model, protocol: Protocol, new_tokens: int, *, warm: bool) -> Series:
    perceives: frozenset[MediaKind] = getattr(model, "perceives", frozenset())
    takes: frozenset[MediaKind] = getattr(model, "takes", getattr(model, "sends", frozenset()))
    anew: frozenset[MediaKind] = getattr(model, "perceives_anew", perceives)
    cold = anew and not warm
    condition: Condition = "cold" if cold else "warm" if perceives else "plain"
    short = replace(protocol, generation=replace(protocol.generation, max_tokens=new_tokens))
    hears = "audio" in (perceives if condition == "cold" else takes)
    return Series(model.name, condition, endpoint_of(model.settings), short, dict(model.settings), hears)


async def _passes(model: Model, series: Series, plan: Design, progress: Progress) -> AsyncIterator[Pass]:
    if series.condition == "warm":  # fills the cache
        await _pass(model, series, plan.items, Level(in_flight=model.concurrency), Silent())
    for level in plan.levels:
        await _warm_up(model, series, plan, level)
        for repeat in range(1, plan.repeats + 1):
            yield await _pass(model, series, plan.items, level, progress, repeat=repeat, seed=plan.seed + repeat)


class _Stopped(Exception):
    """No further call can help."""


async def _warm_up(model: Model, series: Series, plan: Design, level: Level) -> None:
    """Ask the warm-up items, again and again until each connection that the level needs was used."""
    if plan.warm_up:
        most = level.workers(len(plan.items)) if level.rate is None else model.concurrency
        calls = max(len(plan.warm_up), most)
        items = itertools.islice(itertools.cycle(plan.warm_up), calls)
        await _pass(model, series, tuple(items), Level(in_flight=most), Silent())


async def _pass(
    model: Model,
    series: Series,
    items: Sequence[Item],
    level: Level,
    watch: Progress,
    *,
    repeat: int = 0,
    seed: int = 0,
) -> Pass:
    """Ask every item once at `level`. Raises `_Stopped`."""
    records: list[Record] = []
    asking = Asking(
        model,
        series.protocol,
        records.append,
        Transport(attempts=1),
        level.workers(len(items)),
        _Counting(watch),
        slots=lambda _: level.slots(len(items), seed),
    )
    began = time.perf_counter()
    await asking.all(items)
    wall = time.perf_counter() - began
    if asking.stopped:
        raise _Stopped(asking.stopped)
    return Pass(level, repeat, wall, asking.peak, tuple(records))


class _Counting(Silent):
    """Passes records on and keeps the engine's advice, which is for runs, to itself."""

    def __init__(self, watch: Progress) -> None:
        self._watch = watch

    def recorded(self, record: Record) -> None:
        self._watch.recorded(record)


def endpoint_of(settings: Mapping[str, Any]) -> str | None:
    """The address that a model, or any part of a cascade, calls; None where all runs in this process."""
    return next(_endpoints(settings), None)


def _endpoints(settings: Mapping[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _endpoints(value)
        elif name == "endpoint":
            yield str(value)
