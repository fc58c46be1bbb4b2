"""Rows that wait are gathered into batches; reading, collating and the forward pass go on side by side.

    readers    several threads   a prompt's media are decoded, its rows made
    collator   one thread        rows of one kind and of similar length become a batch of tensors
    passer     one thread        the forward pass

While a batch is in its pass the next one is collated and those after it are read. A batch for which the memory does
not suffice is halved, as often as it takes; one that fails otherwise is halved until the row at fault stands alone.
Nothing else is lost.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from keju.errors import CallFailed, KejuError, RunStopped
from keju.models.local.sizes import BatchSize, is_broken_device, is_out_of_memory

WINDOW = 4  # batches' worth of waiting rows that are looked at, to find rows of similar length


class Row(Protocol):
    """One sequence of a batch."""

    @property
    def key(self) -> Hashable:
        """Only rows with the same key can share a batch."""

    @property
    def length(self) -> int:
        """About how many tokens it will have."""


R = TypeVar("R", bound=Row)
I = TypeVar("I")  # noqa: E741  what a batch is collated into
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Done(Generic[A]):
    """What became of a row, and its clocks in seconds. The seconds of a batch are shared out evenly among its rows, so
    that their sum is what the machine worked; what a row spent beyond its share it `waited`."""

    answer: A
    waited: float
    collated: float
    passed: float
    rows: int
    """Rows of the batch in which it was answered."""


@dataclass(slots=True)
class _Waiting(Generic[R, A]):
    row: R
    future: Future[Done[A]] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)


@dataclass(slots=True)
class _Batch(Generic[R, A, I]):
    rows: list[_Waiting[R, A]]
    inputs: I | None = None
    collated: float = 0.0
    failure: BaseException | None = None


class Batcher(Generic[R, I, A]):
    """Answers rows in batches. `collate` makes the inputs of a batch, `forward` answers its rows in order.

    `start` runs once, in the thread of `forward`, before its first pass (loading a model takes no part in any clock);
    `recover` after memory ran out. `clock` gives seconds and waits for the device first. `readers` is the number of
    threads that make rows. It may be used from several event loops, one after another.
    """

    def __init__(
        self,
        collate: Callable[[Sequence[R]], I],
        forward: Callable[[I], Sequence[A]],
        size: BatchSize,
        *,
        start: Callable[[], object] = lambda: None,
        recover: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
        readers: int = 2,
    ) -> None:
        self._collate, self._forward, self.size = collate, forward, size
        self._start, self._recover, self._clock = start, recover, clock
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="keju-reader")
        self._state = threading.Condition()
        self._waiting: list[_Waiting[R, A]] = []
        self._coming = 0  # prompts whose rows are being made
        self._closed = self._drained = False
        self._ready: _Batch[R, A, I] | None = None
        self._threads: list[threading.Thread] = []

    async def answer(self, make: Callable[[], Sequence[R]]) -> list[Done[A]]:
        """The answers to the rows that `make` gives, in their order. `make` runs in a thread.

        Raises what `make` raises, `CallFailed` where a row cannot be answered, `RunStopped` where none can.
        """
        self._run()
        with self._state:
            self._coming += 1
        entering = self._readers.submit(self._enter, make)
        entering.add_done_callback(self._came)
        waiting = await asyncio.wrap_future(entering)
        return list(await asyncio.gather(*(asyncio.wrap_future(w.future) for w in waiting)))

    def _enter(self, make: Callable[[], Sequence[R]]) -> list[_Waiting[R, A]]:
        entered: list[_Waiting[R, A]] = [_Waiting(row) for row in make()]
        with self._state:
            self._waiting += entered
        return entered

    def _came(self, _entering: Future[list[_Waiting[R, A]]]) -> None:
        with self._state:
            self._coming -= 1
            self._state.notify_all()

    def _run(self) -> None:
        with self._state:
            if self._closed:
                raise RunStopped("the model has been closed")
            if not self._threads:
                loops = (("keju-collator", self._collate_all), ("keju-passer", self._pass_all))
                self._threads = [threading.Thread(target=loop, name=name, daemon=True) for name, loop in loops]
                for thread in self._threads:
                    thread.start()

    def _collate_all(self) -> None:
        while batch := self._next():
            self._make_inputs(batch)
            with self._state:
                self._ready = batch
                self._state.notify_all()

    def _next(self) -> _Batch[R, A, I] | None:
        """The next batch to collate, None at the end: when the one before has gone into its pass, so that as many rows
        as can be are there to choose from, and there are enough for a full one or no more are coming."""
        with self._state:
            while not self._closed:
                batch = [] if self._ready else self._similar()
                if batch and (len(batch) >= self.size.now or not self._coming):
                    chosen = {id(waiting) for waiting in batch}
                    self._waiting = [w for w in self._waiting if id(w) not in chosen]
                    return _Batch(batch)
                self._state.wait()
            return None

    def _similar(self) -> list[_Waiting[R, A]]:
        """The row that has waited longest and those most like it, as many as a batch holds."""
        self._waiting = [w for w in self._waiting if not w.future.cancelled()]
        if not self._waiting:
            return []
        oldest = self._waiting[0]
        alike = [w for w in self._waiting if w.row.key == oldest.row.key][: self.size.now * WINDOW]
        alike.sort(key=lambda w: w.row.length)
        at = next(i for i, w in enumerate(alike) if w is oldest)
        first = max(0, min(at - self.size.now // 2, len(alike) - self.size.now))
        return alike[first : first + self.size.now]

    def _make_inputs(self, batch: _Batch[R, A, I]) -> None:
        began = time.perf_counter()
        try:
            batch.inputs = self._collate([waiting.row for waiting in batch.rows])
        except Exception as error:  # noqa: BLE001  processors raise anything; a thread that died would leave all waiting
            batch.failure = error
        batch.collated = time.perf_counter() - began

    def _pass_all(self) -> None:
        failure = self._started()
        while batch := self._collated():
            if failure:
                _fail(batch.rows, failure)
            else:
                failure = self._answer(batch)
            del batch  # its tensors go before the next one is waited for

    def _collated(self) -> _Batch[R, A, I] | None:
        """The next batch that is ready for its pass; None at the end."""
        with self._state:
            self._state.wait_for(lambda: self._ready or self._drained)
            batch, self._ready = self._ready, None
            self._state.notify_all()
            return batch

    def _started(self) -> KejuError | None:
        try:
            self._start()
        except KejuError as error:
            return error
        except Exception as error:  # noqa: BLE001  as in `_make_inputs`
            return RunStopped(f"the model cannot be loaded: {_told(error)}")
        return None

    def _answer(self, batch: _Batch[R, A, I]) -> RunStopped | None:
        """Answer every row of `batch`, in parts where it must be. Returns what makes further passes senseless."""
        parts = [batch]
        while parts:
            part = parts.pop(0)
            failure = part.failure or self._pass(part)
            if failure is None:
                self.size.succeeded(len(part.rows))
                continue
            if is_broken_device(failure):
                stop = RunStopped(f"the device failed: {_told(failure)}. Run again; what is answered is kept")
                _fail([w for p in (part, *parts) for w in p.rows], stop)
                return stop
            if no_memory := is_out_of_memory(failure):
                self.size.too_many(len(part.rows))
                self._recover()
            if len(part.rows) == 1:
                _fail(part.rows, _of_one(failure, no_memory=no_memory))
            else:
                parts[:0] = self._halves(part)
        return None

    def _pass(self, part: _Batch[R, A, I]) -> BaseException | None:
        if part.inputs is None:
            self._make_inputs(part)
            if part.failure:
                return part.failure
        inputs, part.inputs = part.inputs, None
        began = self._clock()
        try:
            answers = self._forward(inputs)  # type: ignore[arg-type]  # collated just above
            took = self._clock() - began
            pairs = list(zip(part.rows, answers, strict=True))
        except Exception as error:  # noqa: BLE001  as in `_make_inputs`
            return error.with_traceback(None)  # its frames hold the tensors for which there was no room
        for waiting, answer in pairs:
            _deliver(waiting, answer, part.collated, took, len(part.rows))
        return None

    def _halves(self, part: _Batch[R, A, I]) -> list[_Batch[R, A, I]]:
        middle = (len(part.rows) + 1) // 2
        return [_Batch(part.rows[:middle]), _Batch(part.rows[middle:])]

    async def close(self) -> None:
        """Let the pass in hand end and drop what waits."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._state:
            self._closed = True
            self._state.notify_all()
        self._readers.shutdown(wait=True, cancel_futures=True)
        for waiting in self._waiting:
            waiting.future.cancel()
        for thread in self._threads:  # the collator first: what it has in hand still goes into its pass
            thread.join()
            with self._state:
                self._drained = True
                self._state.notify_all()


def _deliver(waiting: _Waiting[R, A], answer: A, collated: float, passed: float, rows: int) -> None:
    shares = collated / rows, passed / rows
    waited = max(0.0, time.perf_counter() - waiting.since - sum(shares))
    if waiting.future.set_running_or_notify_cancel():
        waiting.future.set_result(Done(answer, waited, *shares, rows))


def _fail(rows: Sequence[_Waiting[R, A]], error: BaseException) -> None:
    for waiting in rows:
        if waiting.future.set_running_or_notify_cancel():
            waiting.future.set_exception(error)


def _of_one(error: BaseException, *, no_memory: bool) -> BaseException:
    """What the row that cannot be answered raises."""
    if isinstance(error, KejuError):
        return error
    if no_memory:
        message = f"the memory does not suffice for this one item: {_told(error)}"
        return CallFailed(message, kind="model", retryable=False)
    return CallFailed(f"the model does not take this item: {_told(error)}", kind="model", retryable=False)


def _told(error: BaseException) -> str:
    """Kind and first line of a library's error."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:300]}"
