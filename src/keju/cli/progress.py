"""Progress of a run on stderr: on a terminal a bar with rate, failures and time left; when piped a line at times."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from keju.cli.shown import bare
from keju.printable import printable
from keju.records import Record


class Terminal:
    """Watches one run; use it in a `with` statement."""

    EVERY = 30.0
    """Seconds between lines where stderr is not a terminal."""

    def __init__(self, label: str) -> None:
        self._label = printable(label)
        self._states: Counter[str] = Counter()
        self._total = self._before = 0
        self._began = self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_bar()

    def started(self, total: int, done: int) -> None:
        self._total, self._before = total, done
        self._began = self._last = time.monotonic()
        if done:
            self.note(f"{done} of {total} items are answered already; {total - done} to ask")
        if total > done and sys.stderr.isatty():
            self._start_bar(total, done)

    def recorded(self, record: Record) -> None:
        self._states[record.status] += 1
        if self._bar:
            self._bar.update(self._task, advance=1, trouble=self._trouble(), rate=f"{self._rate():.1f}/s")
        elif time.monotonic() - self._last >= self.EVERY:
            self._last = time.monotonic()
            self._line()

    def note(self, message: str) -> None:
        if self._bar:
            self._bar.console.print(printable(f"{self._label}: {message}"), markup=False, highlight=False)
        else:
            print(f"{self._label}: {message}", file=sys.stderr)

    def finished(self) -> None:
        self._stop_bar()
        if self._states:
            self._line()

    def _line(self) -> None:
        done = self._before + self._states.total()
        print(f"{self._label}: {done}/{self._total} · {self._rate():.1f} items/s{self._trouble()}", file=sys.stderr)

    def _rate(self) -> float:
        return self._states.total() / max(1e-9, time.monotonic() - self._began)

    def _trouble(self) -> str:
        return "".join(f" · {n} {state}" for state, n in sorted(self._states.items()) if state != "answered")

    def _start_bar(self, total: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = ("{task.description}", "{task.fields[rate]}", "{task.fields[trouble]}")
        head, rate, trouble = (TextColumn(text, markup=False) for text in columns)
        self._bar = Bar(
            head,
            BarColumn(),
            MofNCompleteColumn(),
            rate,
            TimeRemainingColumn(),
            trouble,
            console=Console(file=bare(sys.stderr)),
        )
        self._bar.start()
        self._task = self._bar.add_task(self._label, total=total, completed=done, rate="", trouble="")

    def _stop_bar(self) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None


@contextmanager
def counting(label: str, what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows on a terminal how many of a number of things are done; what is yielded is told both numbers."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn(what))
    with Bar(*columns, TimeRemainingColumn(), console=Console(file=bare(sys.stderr)), transient=True) as bar:
        task = bar.add_task(printable(label), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
