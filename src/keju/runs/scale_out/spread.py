"""One session of asking on a cluster: each replica is kept at work, what it reports is written, what is lost is asked
again.

Each exchange with a replica takes records and tops its hand up, so it holds little more than what it has in flight.
Nothing depends on the order in which records come.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from keju import digests
from keju.errors import CallFailed, RunStopped
from keju.items import Item
from keju.protocols import Protocol
from keju.records import Record
from keju.runs.engine import Progress, failed_record
from keju.runs.scale_out.cluster import Cluster
from keju.runs.scale_out.dealing import TRIES, Deal, Hand
from keju.runs.scale_out.remote import PATIENCE, Remote, cause, losses
from keju.runs.scale_out.replica import Digest, Report
from keju.runs.scale_out.replicas import Replicas
from keju.runs.transport import Transport

AHEAD = 0.25
"""Items that a replica holds beyond what it has in flight, as a share of that: they fill its slots while a report
travels."""
CLOSING = 30.0
"""Seconds that a replica may take to close its model."""


@dataclass
class Spread:
    """One session of asking on a cluster; for a run what `Asking` is in one process."""

    replicas: Replicas
    protocol: Protocol
    write: Callable[[Record], None]
    transport: Transport
    concurrency: int
    """Calls in flight in each replica."""
    progress: Progress
    check_media: bool = False
    stopped: str | None = None
    """Why the session ended early, or None."""
    _reports: dict[int, Report] = field(default_factory=dict)
    """The latest report of each replica that is there."""
    _before: Report = field(default_factory=Report)
    """Requests and peak of those that are gone."""
    _noted: set[str] = field(default_factory=set)
    _fruitless: int = 0
    """Replicas that were lost since the last record came."""
    _alive: int = 0

    @property
    def asked(self) -> int:
        return self._before.requests + sum(report.requests for report in self._reports.values())

    @property
    def peak(self) -> int:
        """Calls in flight in all replicas; their peaks need not have fallen together."""
        return max(self._before.peak, sum(report.peak for report in self._reports.values()))

    async def all(self, items: Iterable[Item], number: int) -> None:
        """Ask every one of the `number` items. Returns when all are recorded or no further call can help."""
        self._deal = Deal(iter(items), number)
        self._changed = asyncio.Condition()
        count = min(self.replicas.cluster.replicas, number)
        serving = [asyncio.create_task(self._serve(at)) for at in range(count)]
        try:
            await asyncio.gather(*serving)
        except RunStopped as reason:
            self.stopped = str(reason)
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, at: int) -> None:
        """Keep one replica at work until all items are done; where it is lost, start another."""
        while await self._has_work(hand := Hand()):
            try:
                remote = await self._started()
            except losses(self.replicas.ray) as error:
                await self._lost("that was starting", hand, cause(error))
                continue
            if remote is None:
                return
            self._alive += 1
            try:
                await remote.begin(
                    self.protocol, self.transport, self.concurrency, check_media=self.check_media and at == 0
                )
                await self._work(remote, hand, at)
            except losses(self.replicas.ray) as error:
                await self._lost(f"on node {remote.place.address}", hand, cause(error))
            finally:
                self._alive -= 1
                self._retire(at)
                remote.kill()

    async def _started(self) -> Remote | None:
        """A replica whose model is open; None where all was done before the cluster had room for it."""
        starting = asyncio.create_task(self.replicas.replica())
        try:
            waited = 0.0
            while not (await asyncio.wait([starting], timeout=1.0))[0]:
                if self._deal.over:
                    return None
                waited = 0.0 if self._alive else waited + 1.0
                if waited >= PATIENCE:
                    raise RunStopped(_no_room(self.replicas.cluster))
            return starting.result()
        finally:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)

    async def _work(self, remote: Remote, hand: Hand, at: int) -> None:
        while await self._has_work(hand):
            items = self._deal.give(hand, self._room(hand))
            if not hand:
                continue
            report = self._reports[at] = await remote.exchange(items)
            for answer in report.answers:
                self._take(answer.record, answer.digests, hand)
            for note in report.notes:
                self._note(note)
            await self._tell()
            if report.stop:
                raise report.stop.error()
        with suppress(TimeoutError):
            self.replicas.discovered = dict(await asyncio.wait_for(remote.close(), CLOSING))

    def _room(self, hand: Hand) -> int:
        """How many more items a replica gets: towards the end fewer, so that none sits on what others could ask."""
        most = self.concurrency + math.ceil(self.concurrency * AHEAD) - len(hand)
        share = math.ceil(self._deal.waiting / (2 * max(1, self._alive)))
        return max(0, min(most, share))

    async def _has_work(self, hand: Hand) -> bool:
        """Whether there is something to do; waits while others hold all items: one of them may be lost."""
        async with self._changed:
            await self._changed.wait_for(lambda: hand or self._deal.waiting or self._deal.over)
        return not self._deal.over

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _take(self, record: Record, read: Iterable[Digest], hand: Hand) -> None:
        item = self._deal.done(hand, record.id)
        if item is None:
            return
        _remember(item, read)
        self._fruitless = 0
        self._keep(record)

    def _keep(self, record: Record) -> None:
        try:
            self.write(record)
        except OSError as error:
            raise RunStopped(f"records cannot be written to {error.filename}: {error.strerror or error}") from error
        self.progress.recorded(record)

    def _note(self, message: str) -> None:
        """Every replica would say the same."""
        if message not in self._noted:
            self._noted.add(message)
            self.progress.note(message)

    async def _lost(self, which: str, hand: Hand, why: str) -> None:
        self.replicas.lost += 1
        self._fruitless += 1
        self.progress.note(f"a replica {which} was lost ({why}); {len(hand)} items that it had are asked again")
        for item in self._deal.lost(hand):
            failure = CallFailed(f"{TRIES} replicas were lost while it was asked: {why}", kind="model", retryable=True)
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            self._keep(failed_record(self.protocol.prompt(item), failure, attempts=TRIES, at=at))
        await self._tell()
        most = 2 * self.replicas.cluster.replicas + 1  # a node may take all of them along, twice
        if self._fruitless >= most:
            raise RunStopped(
                f"{most} replicas were lost one after another without an answer: {why}. What is answered is kept; "
                "where memory ran out, give each more of its node (--cpus-per-replica, --gpus-per-replica)"
            )

    def _retire(self, at: int) -> None:
        peak, last = self.peak, self._reports.pop(at, Report())
        self._before = Report(requests=self._before.requests + last.requests, peak=peak)


def _remember(item: Item, read: Iterable[Digest]) -> None:
    """Keep the digests that a replica took, of files that are the same here."""
    taken = {digest.name: digest for digest in read}
    for medium in item.media:
        digest, stamp = taken.get(medium.name), medium.stamp
        if digest and stamp and (stamp.size, stamp.modified_ns) == (digest.size, digest.modified_ns):
            digests.remember(stamp, digest.sha256, settled=stamp.settled)


def _no_room(cluster: Cluster) -> str:
    return (
        f"no replica has had a place on the cluster at {cluster.address} for {PATIENCE:.0f} s: no node that has what "
        "one needs is left. What is answered is kept; start a node and run the same command again"
    )
