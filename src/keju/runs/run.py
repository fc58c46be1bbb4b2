"""A run: one model over one benchmark variant under one protocol, with the records of what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.benchmark import Benchmark, Stream
from keju.items import NOTHING
from keju.protocols import Protocol
from keju.records import WITH_REPLY, Record
from keju.runs.recorded import Recorded

if TYPE_CHECKING:
    from keju.formats.outputs import Theirs


@dataclass(frozen=True)
class Run:
    """Asked, not yet marked. Marks are computed from it by `keju.results`."""

    model: str
    """`provider/name`, and for a cascade what stands before it."""
    benchmark: Benchmark = field(repr=False)  # asyncio shows what a task returned, and a run may be megabytes
    """The items as they were asked, after the variant; this is what `records` answer."""
    protocol: Protocol = field(repr=False)
    records: Mapping[str, Record] = field(repr=False)
    """Item id → record, for the items asked so far, in benchmark order."""
    variant: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Name → value of the variants applied: `{"language": "en"}`; empty for the items as they are."""
    info: Mapping[str, Any] = field(default_factory=lambda: NOTHING, repr=False)
    """`run.json`, whole: settings, versions, environment, fingerprint, wall seconds of each session."""
    folder: Path | None = None
    verdicts: Mapping[str, bool | None] = field(default_factory=lambda: NOTHING, repr=False)
    """Of imported runs: item id → right or wrong as the tool said that wrote the file; None where it did not say."""
    theirs: Mapping[str, Theirs] = field(default_factory=lambda: NOTHING, repr=False)
    """Of imported runs: item id → what that tool read from the reply, and the key by which it marked."""

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Ids of items that hold no reply: not asked yet, failed or blocked."""
        records = self.records
        if not isinstance(records, Recorded):
            return tuple(i for i in self.benchmark.ids if i not in records or not records[i].has_reply)
        if self.info.get("state") == "complete":  # as the writer counted: to count a million again takes a minute
            return ()
        return tuple(i for i in self.benchmark.ids if records.statuses.get(i) not in WITH_REPLY)

    @property
    def large(self) -> bool:
        """Whether its items are too many to hold, and are read when they are looked at."""
        return isinstance(self.benchmark.items, Stream)

    @property
    def left_out(self) -> int:
        """Items of the benchmark that were not asked at all: unreadable, or none of the variant's."""
        return len({problem.item for problem in self.benchmark.problems if problem.left_out})

    @property
    def complete(self) -> bool:
        return not self.unanswered
