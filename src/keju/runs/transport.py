"""The transport policy: when a failed call is tried again, how long to wait, and when a run must stop.

It concerns calls, never answers: a reply that was delivered is never asked for again.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import deque
from dataclasses import dataclass

from keju.errors import CallFailed, Misuse, RunStopped


@dataclass(frozen=True, slots=True)
class Transport:
    """How often and how patiently one item is tried."""

    attempts: int = 5
    """Attempts per item in one session, the first included."""
    backoff: float = 1.0
    """Seconds before the second attempt; doubles with each further one, with jitter."""
    backoff_cap: float = 30.0
    """Longest wait in seconds that keju chooses by itself."""
    max_wait: float = 300.0
    """Longest wait in seconds that a server may ask for (`Retry-After`); a longer one stops the run."""

    def __post_init__(self) -> None:
        if self.attempts < 1 or not self.max_wait >= 0:
            raise Misuse(
                f"attempts must be at least 1 and max_wait at least 0, not {self.attempts} and {self.max_wait}"
            )

    def wait_after(self, failure: CallFailed, attempt: int) -> float | None:
        """Seconds to wait before the next attempt, or None where there shall be none.

        `attempt` counts from 1. Raises `RunStopped` where the server asks for more than `max_wait`.
        """
        if not failure.retryable:
            return None
        asked = failure.retry_after or 0.0
        if asked > self.max_wait:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() + asked))
            raise RunStopped(
                f"the server asks to wait {asked:.0f} s (until {when}): {failure}. What is answered is kept; "
                f"run the same command again then, or raise --max-wait (now {self.max_wait:.0f} s)"
            )
        if attempt >= self.attempts:
            return None
        chosen = min(self.backoff_cap, self.backoff * 2.0 ** (attempt - 1))
        return max(asked, chosen * random.uniform(0.5, 1.0))


class Slots:
    """How many calls may be in flight now.

    One until the first outcome is known, so that a wrong key does not burn a whole batch; then all of them. A 429
    takes a quarter away, at most once per round; every fourth success gives one back. A wait that the server named
    holds everybody.
    """

    WARM_UP = 5.0
    """Seconds after which a slow first call no longer holds the others."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = 1
        self.in_flight = 0
        self.peak = 0
        self._started = time.monotonic()
        self._warm = False
        self._resume_at = 0.0
        self._lowered_at = 0.0
        self._successes = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a slot; first come, first served."""
        while (wait := self._must_wait()) is not None:
            turn = asyncio.get_running_loop().create_future()
            alarm = asyncio.get_running_loop().call_later(wait, _wake, turn)
            self._waiting.append(turn)
            try:
                await turn
            finally:
                alarm.cancel()
                self._waiting.remove(turn)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)

    def give_back(self) -> None:
        self.in_flight -= 1
        self._wake_free()

    def _wake_free(self) -> None:
        """Wake as many as there are free slots."""
        free = self.limit - self.in_flight
        for turn in itertools.islice(self._waiting, max(0, free)):
            _wake(turn)

    def _must_wait(self) -> float | None:
        """Seconds after which to look again, or None where a slot is free."""
        now = time.monotonic()
        if now < self._resume_at:
            return self._resume_at - now
        if not self._warm and now - self._started >= self.WARM_UP:
            self._open()
        if self.in_flight < self.limit:
            return None
        return None if self.in_flight == 0 else (60.0 if self._warm else self.WARM_UP / 10)

    def _open(self) -> None:
        self._warm = True
        self.limit = self.most
        self._wake_free()

    def succeeded(self) -> None:
        if not self._warm:
            self._open()
        self._successes += 1
        if self.limit < self.most and self._successes % 4 == 0:
            self.limit += 1

    def failed(self, failure: CallFailed, asked_at: float) -> None:
        """Note a failed attempt that began at `asked_at` (monotonic)."""
        if not self._warm:
            self._open()
        if failure.retry_after:
            self._resume_at = max(self._resume_at, time.monotonic() + failure.retry_after)
        if failure.kind == "rate-limit" and asked_at > self._lowered_at:
            self.limit = max(1, self.limit - max(1, self.limit // 4))
            self._lowered_at = time.monotonic()


def _wake(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
