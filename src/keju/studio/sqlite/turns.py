"""Turns: one thread at a time, in the order in which they came."""

from __future__ import annotations

from collections import deque
from threading import Event, Lock


class Turns:
    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: deque[Event] = deque()
        self._taken = False

    def take(self, timeout: float) -> bool:
        """Wait for one's turn, `timeout` seconds at most; False where it did not come."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(timeout):
            return True
        with self._guard:
            if mine.is_set():  # at the last moment
                return True
            self._waiting.remove(mine)
            return False

    def give(self) -> None:
        """End one's turn; it goes to whoever has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False
