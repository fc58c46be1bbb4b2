"""One model at one level of the controlled measurement, and which of two such is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from keju.records import STAGES, Record
from keju.results.latency import perception
from keju.results.mark import LATENCY_STAGES
from keju.runs.offering import Level
from keju.runs.sweep import Pass, Series
from keju.stats import Durations, durations

_WAITED = tuple(stage for stage in STAGES if stage != "first_token")  # the first token is part of `infer`


@dataclass(frozen=True)
class Cell:
    """One series at one level: all its repeats."""

    series: Series
    level: Level
    passes: tuple[Pass, ...]

    @cached_property
    def records(self) -> list[Record]:
        return [record for one in self.passes for record in one.records]

    @cached_property
    def timed(self) -> list[Record]:
        """Replies whose time belongs to this condition: in a warm cascade none that perceived anew after all."""
        return [record for record in self.records if self._counts(record)]

    def _counts(self, record: Record) -> bool:
        unwanted = {"warm": "measured", "cold": "cached"}.get(self.series.condition)
        return record.has_reply and "infer" in record.stages and perception(record) != unwanted

    @property
    def errors(self) -> int:
        return sum(not record.has_reply for record in self.records)

    @cached_property
    def throughputs(self) -> list[float]:
        """Replies a second of each repeat."""
        return [sum(record.has_reply for record in one.records) / one.wall_s for one in self.passes]

    @cached_property
    def ranked_by(self) -> tuple[float, float] | None:
        """Lowest and highest of the repeats, the greater the better: replies a second in closed loop; in open loop,
        where the arrivals fix them, the 95th percentile of the response, negative. None where a call failed."""
        if self.errors or len(self.passes) < 2 or len(self.timed) < len(self.records):
            return None
        if self.level.rate is None:
            return min(self.throughputs), max(self.throughputs)
        slowest = [-durations([response_of(record) for record in one.records]).p95 for one in self.passes]
        return min(slowest), max(slowest)

    def seconds(self, of: Callable[[Record], float]) -> Durations | None:
        return durations([of(record) for record in self.timed]) if self.timed else None


def cells_of(series: Series) -> Iterator[Cell]:
    """The cells of one series, level by level."""
    for level in dict.fromkeys(one.level for one in series.passes):
        yield Cell(series, level, tuple(one for one in series.passes if one.level == level))


def rank(cell: Cell, cells: Sequence[Cell]) -> str | None:
    """Place among those that may be compared, `2–3` where the repeats of some overlap; None where there is no other."""
    ours = cell.ranked_by
    rivals = [
        theirs for other in cells if other is not cell and comparable(cell, other) and (theirs := other.ranked_by)
    ]
    if ours is None or not rivals:
        return None
    first = 1 + sum(low > ours[1] for low, _ in rivals)
    last = 1 + len(rivals) - sum(high < ours[0] for _, high in rivals)
    return str(first) if first == last else f"{first}–{last}"


def comparable(one: Cell, other: Cell) -> bool:
    """Whether both are at one level, in one place (this process, or behind an endpoint) and under one condition."""
    a, b = one.series, other.series
    same_place = (a.endpoint is None) == (b.endpoint is None)
    return one.level == other.level and a.condition == b.condition and same_place


def response_of(record: Record) -> float:
    """All seconds that a caller waits for the reply."""
    return sum(record.stages.get(stage, 0.0) for stage in _WAITED)


def latency_of(record: Record) -> float:
    """Seconds of preprocessing, perception and inference."""
    return sum(record.stages.get(stage, 0.0) for stage in LATENCY_STAGES)
