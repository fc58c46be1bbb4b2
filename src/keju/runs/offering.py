"""How a measurement offers calls to a model: as many as a level holds, or at random times whatever has come back."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from keju.errors import CallFailed, Misuse
from keju.runs.transport import Slots


@dataclass(frozen=True, slots=True)
class Level:
    """One load: exactly one of its two fields is given."""

    in_flight: int | None = None
    """Closed loop: so many calls at a time; the next one leaves when one has come back."""
    rate: float | None = None
    """Open loop: so many calls a second on average leave at random times (Poisson), whether others came back or not."""

    def __post_init__(self) -> None:
        if self.in_flight is not None and self.in_flight < 1:
            raise Misuse(f"a level of concurrency must be at least 1, not {self.in_flight}")
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise Misuse(f"a rate must be above 0 calls a second, not {self.rate}")

    def __str__(self) -> str:
        return f"{self.in_flight} in flight" if self.rate is None else f"{self.rate:g} calls a second"

    def slots(self, calls: int, seed: int) -> Slots:
        """What gives out the slots of one pass of `calls` calls."""
        if self.rate is None:
            return Held(self.in_flight or 1)
        return Arrivals(arrival_times(self.rate, calls, seed))

    def workers(self, calls: int) -> int:
        """Calls that may be in flight at once."""
        return min(self.in_flight, calls) if self.in_flight is not None else calls


class Held(Slots):
    """All slots from the first call on, whatever comes back: a measurement does not spare the server."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.limit = most
        self._warm = True

    def failed(self, failure: CallFailed, asked_at: float) -> None:
        """A failure is counted, and changes nothing of the load."""


class Arrivals(Held):
    """A slot at each of the given times, in seconds after the first is asked for."""

    def __init__(self, times: Sequence[float]) -> None:
        super().__init__(len(times))
        self._times = iter(times)
        self._zero: float | None = None

    async def take(self) -> None:
        self._zero = self._zero or time.monotonic()
        at = next(self._times, None)
        if at is not None:  # else all have arrived, and the worker finds nothing more to ask
            await asyncio.sleep(max(0.0, self._zero + at - time.monotonic()))
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)


def arrival_times(rate: float, calls: int, seed: int) -> list[float]:
    """Times of `calls` arrivals of a Poisson process of `rate` a second; the first arrives at 0."""
    draw = random.Random(seed)
    times = [0.0]
    while len(times) < calls:
        times.append(times[-1] + draw.expovariate(rate))
    return times[:calls]
