"""One replica: the process on a node of the cluster that opens the model and asks the items it is handed.

It runs the same engine as a run in one process, so its records are made by the same code. It writes nothing: records
go back to the driver as they come.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Literal

from keju import digests
from keju.benchmark import Benchmark
from keju.errors import KejuError, MissingKey, Misuse, Refused, RunStopped
from keju.items import Item
from keju.models.model import Model
from keju.models.registry import open_model
from keju.protocols import Protocol
from keju.records import Record
from keju.runs.engine import Asking, Silent
from keju.runs.transport import Slots, Transport


@dataclass(frozen=True)
class Order:
    """What a replica opens. It travels to the nodes and shows in Ray's dashboard: no key is ever in it."""

    spec: str
    options: Mapping[str, Any]
    """As `open_model` takes them; a model file was read on the driver."""
    sample: Benchmark
    """An item of each kind that the benchmark has, for models that look at it when they are opened."""
    folder: str
    """The driver's folder: relative paths mean the same on a node that has it too."""


@dataclass(frozen=True)
class Stop:
    """Why the run must end, as plain data: exceptions with arguments of their own do not travel."""

    kind: Literal["misuse", "refused", "stopped"]
    message: str

    def error(self) -> KejuError:
        kinds: dict[str, type[KejuError]] = {"misuse": Misuse, "refused": Refused, "stopped": RunStopped}
        return kinds[self.kind](self.message)


@dataclass(frozen=True)
class Place:
    """Where a replica came to run."""

    node: str
    """Ray's id of the node."""
    address: str
    version: str
    """Keju's."""


@dataclass(frozen=True)
class Opened:
    """What the driver must know of the model."""

    name: str
    settings: Mapping[str, Any]
    concurrency: int
    default_protocol: str | None


@dataclass(frozen=True)
class Digest:
    """The digest of a medium that the replica read, so that the driver need not read it too."""

    name: str
    size: int
    modified_ns: int
    sha256: str


@dataclass(frozen=True)
class Answer:
    record: Record
    digests: tuple[Digest, ...] = ()


@dataclass(frozen=True)
class Report:
    """What came of the items since the last report."""

    answers: Sequence[Answer] = ()
    notes: Sequence[str] = ()
    requests: int = 0
    """Calls made so far, by this process."""
    peak: int = 0
    stop: Stop | None = None


@dataclass
class _Told(Silent):
    """Notes of the engine, for the driver."""

    notes: list[str] = field(default_factory=list)

    def note(self, message: str) -> None:
        self.notes.append(message)


class Replica:
    """Becomes an actor. The driver calls `where`, `open`, `begin`, and then `exchange` again and again."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._model: Model | None = None
        self._told = _Told()
        self._answers: list[Answer] = []
        self._stop: Stop | None = None
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: dict[str, Item] = {}

    async def where(self) -> Place:
        """The first call: it is answered once the process has its place and can import keju."""
        import ray

        return Place(ray.get_runtime_context().get_node_id(), _node(), version("keju"))

    async def open(self) -> Opened | Stop:
        """Open the model as a run in one process would; nothing is sent, and no weights are loaded yet."""
        with suppress(OSError):
            os.chdir(self._order.folder)
        try:
            model = open_model(self._order.spec, benchmark=self._order.sample, **self._order.options)
        except KejuError as error:
            return _stop(error)
        self._model = model
        wants = getattr(model, "default_protocol", None)
        return Opened(model.name, dict(model.settings), model.concurrency, wants)

    async def begin(self, protocol: Protocol, transport: Transport, concurrency: int, *, check_media: bool) -> None:
        """Make the engine. `concurrency` is this replica's own."""
        if self._model is None:
            raise RuntimeError("`open` comes first")
        self._asking = Asking(
            self._model, protocol, self._keep, transport, concurrency, self._told, check_media=check_media
        )
        self._slots = Slots(concurrency)

    async def exchange(self, items: Sequence[Item], absent: frozenset[str]) -> Report:
        """Take further items; wait until there is something to report, and report it.

        `absent` names the files that the driver does not have either: items with them fail as in one process.
        """
        for item in map(_at_home, items):
            if misplaced := _misplaced(item, absent):
                self._stop = self._stop or Stop("stopped", misplaced)
                break
            self._held[item.id] = item
            task = asyncio.create_task(self._one(item))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        if not self._stop:
            await self._news.wait()
        self._news.clear()
        answers, self._answers = self._answers, []
        notes, self._told.notes = self._told.notes, []
        return Report(answers, notes, self._asking.asked, self._slots.peak, self._stop)

    async def close(self) -> Mapping[str, Any]:
        """End what is in flight and close the model. Returns what the model found out about itself."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._model is None:
            return {}
        found = dict(getattr(self._model, "discovered", None) or {})
        await self._model.close()
        return found

    async def _one(self, item: Item) -> None:
        await self._slots.take()
        try:
            await self._asking.ask_one(item, self._slots)
        finally:
            self._slots.give_back()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not isinstance(error, KejuError):
            told = f"{type(error).__name__}: {error}"
            error = RunStopped(f"keju failed on a node, which is a fault of keju's own: {told}")
        self._stop = self._stop or _stop(error)
        self._news.set()

    def _keep(self, record: Record) -> None:
        item = self._held.pop(record.id)
        self._answers.append(Answer(record, tuple(_digests(item))))
        self._news.set()


def _stop(error: KejuError) -> Stop:
    """What ends the run, saying on which node it happened."""
    kind: Literal["misuse", "refused", "stopped"] = (
        "misuse" if isinstance(error, Misuse) else "refused" if isinstance(error, Refused) else "stopped"
    )
    where = ", on the node and before its `ray start`" if isinstance(error, MissingKey) else ""
    return Stop(kind, f"on node {_node()}: {error}{where}")


def _at_home(item: Item) -> Item:
    """The item with media of an object store where this node's own cache would have them."""
    return replace(item, media=tuple(medium.at_home() for medium in item.media)) if item.media else item


def _misplaced(item: Item, absent: frozenset[str]) -> str | None:
    """What is wrong where the driver sees a file and this node does not."""
    for medium in item.media:
        if not medium.exists and medium.path and str(medium.path) not in absent:
            return (
                f"node {_node()} does not see {medium.path}, which the driver has. Put the benchmark in a folder that "
                "every node sees under the same path, or in an object store (keju run s3://bucket/exam …)"
            )
    return None


def _node() -> str:
    """Address of this node."""
    import ray

    address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return address


def _digests(item: Item) -> list[Digest]:
    """Digests that were taken while the item was asked."""
    found = []
    for medium in item.media:
        if (stamp := medium.stamp) and (sha256 := digests.known(stamp)):
            found.append(Digest(medium.name, stamp.size, stamp.modified_ns, sha256))
    return found
