"""A thread of its own for a library that blocks and must not be entered twice at once.

The event loop goes on meanwhile, so one clip is transcribed while another item is answered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from keju.cores import cores

Tool = TypeVar("Tool")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Timed(Generic[Result]):
    """What a piece of work gave, and its two clocks."""

    result: Result
    waited: float
    """Seconds until the work began: earlier work, and loading the library for the first piece."""
    seconds: float
    """Seconds of the work itself."""


class Worker(Generic[Tool]):
    """Loads a tool at its first use, in its own thread, and does one piece of work with it at a time, first come first
    served."""

    def __init__(self, load: Callable[[], Tool], name: str, *, unload: Callable[[Tool], object] | None = None) -> None:
        self._load, self._unload = load, unload
        self._tool: Tool | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def do(self, work: Callable[[Tool], Result]) -> Timed[Result]:
        """Do `work` with the tool. What it raises, and what loading raises, comes out here."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work, time.monotonic())

    def _do(self, work: Callable[[Tool], Result], asked_at: float) -> Timed[Result]:
        if self._tool is None:
            self._tool = self._load()
        began = time.monotonic()
        result = work(self._tool)
        return Timed(result, waited=began - asked_at, seconds=time.monotonic() - began)

    async def close(self) -> None:
        """Finish the piece in hand, drop those that wait, and let the tool go."""
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
        tool, self._tool = self._tool, None
        if tool is not None and self._unload:
            await asyncio.to_thread(self._unload, tool)


def fair_threads() -> int:
    """Threads for one of two tools that work side by side: half the processors. More threads than free processors make
    these libraries slower, since idle threads spin while they wait."""
    return max(1, cores() // 2)
