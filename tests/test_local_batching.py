"""Batches: what waits is gathered, memory that runs out halves them, and whatever happens no row is lost."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keju.errors import CallFailed, RunStopped
from keju.models.local.batching import Batcher, Done
from keju.models.local.sizes import BatchSize, is_broken_device, is_out_of_memory


@dataclass(frozen=True)
class Line:
    text: str
    key: Hashable = ""

    @property
    def length(self) -> int:
        return len(self.text)


class Machine:
    """Answers each row with its text reversed, and remembers the batches; `fits` is how many rows its memory holds."""

    def __init__(self, fits: int = 1000, bad: str | None = None) -> None:
        self.fits, self.bad = fits, bad
        self.batches: list[list[Line]] = []
        self.recovered = 0
        self.gate = threading.Event()
        self.gate.set()

    def collate(self, rows: Sequence[Line]) -> list[Line]:
        return list(rows)

    def forward(self, rows: list[Line]) -> list[str]:
        self.gate.wait(10)
        self.batches.append(rows)
        if len(rows) > self.fits:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
        if self.bad in [row.text for row in rows]:
            raise ValueError("Image features and image tokens do not match")
        return [row.text[::-1] for row in rows]

    def recover(self) -> None:
        self.recovered += 1

    def batcher(self, size: BatchSize, **more: object) -> Batcher[Line, list[Line], str]:
        return Batcher(self.collate, self.forward, size, recover=self.recover, **more)  # type: ignore[arg-type]


def answers(
    batcher: Batcher[Line, list[Line], str], prompts: Sequence[Sequence[Line]], *, close: bool = True
) -> list[list[Done[str]] | BaseException]:
    """What becomes of prompts that are all asked before the first is read."""
    all_asked = threading.Event()

    def read(rows: Sequence[Line]) -> Sequence[Line]:
        all_asked.wait(10)
        return rows

    async def asking() -> list[list[Done[str]] | BaseException]:
        asked = [asyncio.create_task(batcher.answer(partial(read, rows))) for rows in prompts]
        try:
            await asyncio.sleep(0)
            all_asked.set()
            return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 20)
        finally:
            if close:
                await batcher.close()

    return asyncio.run(asking())


def texts(found: list[list[Done[str]] | BaseException]) -> list[list[str]]:
    return [[done.answer for done in prompt] for prompt in found if not isinstance(prompt, BaseException)]


@settings(max_examples=40, deadline=None)
@given(
    prompts=st.lists(st.lists(st.tuples(st.text("ab", max_size=9), st.sampled_from("xyz")), max_size=4), max_size=25),
    size=st.integers(1, 9),
    fits=st.integers(1, 12),
)
def test_every_row_gets_its_own_answer_whatever_the_batches(
    prompts: list[list[tuple[str, str]]], size: int, fits: int
) -> None:
    machine = Machine(fits)
    rows = [[Line(text, key) for text, key in prompt] for prompt in prompts]
    found = answers(machine.batcher(BatchSize(1, size)), rows)
    assert texts(found) == [[row.text[::-1] for row in prompt] for prompt in rows]
    assert all(len({row.key for row in batch}) == 1 for batch in machine.batches)
    assert max(map(len, machine.batches), default=0) <= size


def test_waiting_prompts_are_gathered_into_full_batches_of_similar_length() -> None:
    machine = Machine()
    lengths = [1, 90, 2, 91, 3, 92, 4, 93]
    answers(machine.batcher(BatchSize.fixed(4)), [[Line("x" * n) for n in lengths]])
    assert [sorted(row.length for row in batch) for batch in machine.batches] == [[1, 2, 3, 4], [90, 91, 92, 93]]


def test_a_row_of_odd_length_does_not_wait_until_the_end() -> None:
    machine = Machine()
    answers(machine.batcher(BatchSize.fixed(2)), [[Line("x" * 99), *(Line("x" * n) for n in range(20))]])
    assert 99 in [row.length for row in machine.batches[0]]


def test_memory_that_runs_out_halves_the_batch_and_nothing_is_lost_or_answered_twice() -> None:
    machine = Machine(fits=3)
    size = BatchSize.fixed(8)
    found = answers(machine.batcher(size), [[Line(str(n))] for n in range(100, 124)])
    assert texts(found) == [[str(n)[::-1]] for n in range(100, 124)]
    assert [len(batch) for batch in machine.batches][:3] == [8, 4, 2]
    answered = [row.text for batch in machine.batches if len(batch) <= 3 for row in batch]
    assert sorted(answered) == [str(n) for n in range(100, 124)]
    assert machine.recovered == sum(len(batch) > 3 for batch in machine.batches)
    assert size.now == 2


def test_the_size_grows_while_there_is_room_and_never_again_reaches_what_was_too_much() -> None:
    machine = Machine(fits=5)
    size = BatchSize(1, 64)
    answers(machine.batcher(size), [[Line(str(n))] for n in range(60)])
    sizes = [len(batch) for batch in machine.batches]
    assert max(sizes) == 8
    assert sizes[sizes.index(8) + 1 :].count(8) <= 1  # one more may have been collated already
    assert max(sizes[-5:]) == 4
    assert (size.now, size.most) == (4, 4)


def test_one_item_for_which_the_memory_does_not_suffice_fails_alone() -> None:
    machine = Machine(fits=0)
    (failure,) = answers(machine.batcher(BatchSize.fixed(4)), [[Line("a")]])
    assert isinstance(failure, CallFailed)
    assert (failure.kind, failure.retryable) == ("model", False)
    assert "memory does not suffice for this one item: RuntimeError: CUDA out of memory" in str(failure)


def test_a_row_that_the_model_cannot_take_fails_alone_and_its_neighbours_are_answered() -> None:
    machine = Machine(bad="13")
    size = BatchSize.fixed(8)
    found = answers(machine.batcher(size), [[Line(str(n))] for n in range(10, 26)])
    failures = [one for one in found if isinstance(one, BaseException)]
    assert len(failures) == 1
    assert isinstance(found[3], CallFailed)
    assert "ValueError: Image features and image tokens do not match" in str(found[3])
    assert len(texts(found)) == 15
    assert size.now == 8


def test_a_row_that_cannot_be_collated_fails_alone_too() -> None:
    machine = Machine()

    def collate(rows: Sequence[Line]) -> list[Line]:
        if any(row.text == "bad" for row in rows):
            raise ValueError("no placeholder")
        return list(rows)

    machine.collate = collate  # type: ignore[method-assign]
    found = answers(machine.batcher(BatchSize.fixed(4)), [[Line("a")], [Line("bad")], [Line("c")]])
    assert texts(found) == [["a"], ["c"]]
    assert "no placeholder" in str(found[1])


def test_what_reading_a_prompt_raises_reaches_who_asked_and_holds_nobody_up() -> None:
    def unreadable() -> list[Line]:
        raise CallFailed("medium x.png is not there", kind="medium", retryable=False)

    async def asking() -> list[object]:
        batcher = Machine().batcher(BatchSize.fixed(8))
        asked = [batcher.answer(unreadable), batcher.answer(lambda: [Line("ab")])]
        found = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 10)
        await batcher.close()
        return list(found)

    failed, answered = asyncio.run(asking())
    assert "is not there" in str(failed)
    assert texts([answered]) == [["ba"]]  # type: ignore[list-item]


def test_a_device_that_broke_stops_the_run_since_every_further_pass_would_fail() -> None:
    machine = Machine()

    def forward(rows: list[Line]) -> list[str]:
        raise RuntimeError("CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA")

    machine.forward = forward  # type: ignore[method-assign]
    found = answers(machine.batcher(BatchSize.fixed(2)), [[Line(str(n))] for n in range(5)])
    assert all(isinstance(one, RunStopped) for one in found)
    assert "device-side assert triggered. Run again" in str(found[0])


@pytest.mark.parametrize("error", [OSError("no weights"), RunStopped("no weights")])
def test_a_model_that_cannot_be_loaded_stops_the_run(error: Exception) -> None:
    def start() -> None:
        raise error

    found = answers(Machine().batcher(BatchSize.fixed(2), start=start), [[Line("a")], [Line("b")]])
    assert all(isinstance(one, RunStopped) and "no weights" in str(one) for one in found)


def test_the_next_batch_is_collated_while_one_is_in_its_pass() -> None:
    machine = Machine()
    collated = threading.Semaphore(0)

    def collate(rows: Sequence[Line]) -> list[Line]:
        collated.release()
        return list(rows)

    machine.collate = collate  # type: ignore[method-assign]
    machine.gate.clear()

    async def asking() -> None:
        batcher = machine.batcher(BatchSize.fixed(1))
        both = asyncio.gather(*(batcher.answer(lambda: [Line("a")]) for _ in range(2)))
        for _ in range(2):  # two are collated though not one pass has ended
            assert await asyncio.to_thread(collated.acquire, timeout=10)
        assert machine.batches == []
        machine.gate.set()
        await both
        await batcher.close()

    asyncio.run(asking())


def test_a_prompt_that_is_given_up_is_not_answered_and_holds_nobody_up() -> None:
    machine = Machine()
    machine.gate.clear()

    async def asking() -> list[Done[str]]:
        batcher = machine.batcher(BatchSize.fixed(1), readers=1)
        first = [asyncio.create_task(batcher.answer(lambda: [Line("a")])) for _ in range(3)]
        given_up = [asyncio.create_task(batcher.answer(lambda: [Line("given up")])) for _ in range(20)]
        await asyncio.sleep(0.05)
        for task in given_up:
            task.cancel()
        last = asyncio.create_task(batcher.answer(lambda: [Line("last")]))
        await asyncio.sleep(0.05)
        machine.gate.set()
        await asyncio.wait_for(asyncio.gather(*first), 10)
        found = await asyncio.wait_for(last, 10)
        await batcher.close()
        return found

    assert [done.answer for done in asyncio.run(asking())] == ["tsal"]
    assert "given up" not in [row.text for batch in machine.batches for row in batch]


def test_the_seconds_of_a_batch_are_shared_out_and_the_rest_was_waiting() -> None:
    ticks = iter(range(0, 1000, 8))

    found = answers(
        Machine().batcher(BatchSize.fixed(4), clock=lambda: float(next(ticks))), [[Line(str(n))] for n in range(4)]
    )
    done = [one for prompt in found if not isinstance(prompt, BaseException) for one in prompt]
    assert [one.passed for one in done] == [2.0] * 4
    assert all(one.rows == 4 and one.waited >= 0 for one in done)


def test_loading_the_model_is_waiting_and_no_pass() -> None:
    slow = Machine().batcher(BatchSize.fixed(1), start=lambda: time.sleep(0.2))
    (found,) = answers(slow, [[Line("a")]])
    assert not isinstance(found, BaseException)
    assert found[0].waited > 0.15
    assert found[0].passed < 0.1


def test_it_serves_one_event_loop_after_another_until_it_is_closed() -> None:
    batcher = Machine().batcher(BatchSize.fixed(2))
    assert texts(answers(batcher, [[Line("ab")]], close=False)) == [["ba"]]
    assert texts(answers(batcher, [[Line("cd")]])) == [["dc"]]
    (closed,) = answers(batcher, [[Line("ef")]])
    assert isinstance(closed, RunStopped)


@pytest.mark.parametrize(
    ("error", "no_memory", "broken"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"), True, False),
        (RuntimeError("MPS backend out of memory (MPS allocated: 17 GB)"), True, False),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried …"), True, False),
        (RuntimeError("CUDA error: out of memory"), True, False),
        (MemoryError(), True, False),
        (ValueError("out of memory lane"), False, False),
        (RuntimeError("CUDA error: an illegal memory access was encountered"), False, True),
        (RuntimeError("The size of tensor a must match"), False, False),
    ],
)
def test_what_an_error_says_of_the_device(error: Exception, no_memory: bool, broken: bool) -> None:
    assert (is_out_of_memory(error), is_broken_device(error)) == (no_memory, broken)
