"""Asking on a Ray cluster: single items dealt to actors, as `keju run --ray` does, against Ray Data.

    python benchmarks/ray_data.py                all, about half an hour; writes RESULTS-ray_data.md
    python benchmarks/ray_data.py --quick        one repetition of the small exam, printed only

Two nodes on this machine with a replica each, 16 calls in flight in each. Ray Data asks with the same model, protocol
and engine, in a pool of two actors whose calls are coroutines, and its rows are written as they come. Linux only.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from rig import exam, mock_server
from rig.measured import MODEL, MockServer, environment
from rig.on_ray import PATIENCE, Measured, Nodes, measure, nodes
from rig.page import write_page
from rig.report import ranged, table
from soak import write_items

REPLICAS, IN_FLIGHT = 2, 16
OPEN, MOST = 128, 20
"""Items, and at most blocks, that an actor of Ray Data works on at once; 16 items are asked. A slow call holds its
block up, so fewer would leave calls idle. Blocks are 8 at least, but no actor has more than its share of all."""
SMALL, BIG = 400, 2000
"""Items of an exam."""
LATENCY, SLOW, SLOW_SHARE = 0.05, 2.0, 0.05
"""Seconds of a call; seconds of a slow one; share of items that are slow where the server has a tail."""
REPETITIONS = 3


@dataclass(frozen=True)
class Way:
    """How the items reach the actors."""

    name: str
    block: int | None = None
    """Items a block of Ray Data; 0: as many blocks as replicas; None: `keju run --ray`."""
    singly: bool = False
    """Batches of one item, each a block of its own on the way back, so that records come before their block is done."""


WAYS = (
    Way("`keju run --ray`"),
    Way("Ray Data, blocks of 1", 1),
    Way("Ray Data, blocks of 8", 8),
    Way("Ray Data, blocks of 64", 64),
    Way("Ray Data, a block a replica", 0),
    Way("Ray Data, a block a replica, back one by one", 0, singly=True),
)


# The server, and the driver that uses Ray Data: processes of their own.


class Tailed(mock_server.Connection):
    """Answers some items late."""

    def _answer(self, number: int, *more: Any) -> None:
        later = SLOW - LATENCY if exam.unit("slow", number) < SLOW_SHARE else 0.0
        self._loop.call_later(later, super()._answer, number, *more)


@dataclass
class TailedServer(MockServer):
    """The rig's server with a tail."""

    def __enter__(self) -> TailedServer:
        command = [sys.executable, __file__, "--serve"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        return self


def serve() -> None:
    import uvloop

    mock_server.Connection = Tailed  # type: ignore[misc]
    uvloop.run(mock_server.serve(mock_server.Counters(LATENCY, {}, 1), 0))


class Asker:
    """What an actor of Ray Data calls: keju's model and engine."""

    def __init__(self, base_url: str) -> None:
        from keju.models.registry import open_model
        from keju.protocols import load_protocol
        from keju.runs.engine import Asking, Silent
        from keju.runs.transport import Slots, Transport

        model = open_model(f"openai-compatible/{MODEL}", base_url=base_url)
        self._records: dict[str, str] = {}
        self._asking = Asking(model, load_protocol("tco"), self._keep, Transport(), IN_FLIGHT, Silent())
        self._slots = Slots(IN_FLIGHT)

    async def __call__(self, batch: Any) -> dict[str, list[str]]:
        import asyncio

        items = [pickle.loads(row) for row in batch["item"].to_pylist()]
        await asyncio.gather(*map(self._one, items))
        return {"record": [self._records.pop(item.id) for item in items]}

    async def _one(self, item: Any) -> None:
        await self._slots.take()
        try:
            await self._asking.ask_one(item, self._slots)
        finally:
            self._slots.give_back()

    def _keep(self, record: Any) -> None:
        self._records[record.id] = json.dumps(record.to_json(), ensure_ascii=False)


def ask_by_ray_data(given: argparse.Namespace) -> None:
    """Ask the exam's items, and write each record as it comes."""
    import ray
    import ray.data

    from keju import api

    ray.init(given.address, logging_level="ERROR", log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    if given.singly:
        context.target_max_block_size = 1
    rows = [{"item": pickle.dumps(item)} for item in api.load(given.exam)]
    block = given.block or math.ceil(len(rows) / REPLICAS)
    blocks = math.ceil(len(rows) / block)
    calls = min(MOST, max(8, OPEN // block), math.ceil(blocks / REPLICAS))
    pool = ray.data.ActorPoolStrategy(
        size=REPLICAS, max_tasks_in_flight_per_actor=calls, max_concurrent_calls_per_actor=calls
    )
    asked = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
        Asker,
        fn_constructor_args=(given.base_url,),
        batch_size=1 if given.singly else None,
        batch_format="pyarrow",
        compute=pool,
        num_cpus=1,
    )
    given.out.mkdir(parents=True)
    with (given.out / "records.jsonl").open("w", encoding="utf-8") as file:
        for row in asked.iter_rows():
            file.write(row["record"] + "\n")
            file.flush()


def command(way: Way, file: Path, base_url: str, address: str, out: Path) -> list[str]:
    if way.block is None:
        told = ["-m", f"openai-compatible/{MODEL}", "--base-url", base_url, "--protocol", "tco", "-o", str(out)]
        where = ["--ray", address, "--replicas", str(REPLICAS), "--concurrency", str(IN_FLIGHT)]
        return [sys.executable, "-m", "keju", "run", str(file), *told, *where]
    told = ["--exam", str(file), "--base-url", base_url, "--address", address, "--out", str(out)]
    return [sys.executable, __file__, "--block", str(way.block), *told, *["--singly"] * way.singly]


# The page.


@dataclass(frozen=True)
class Part:
    """One table: an exam, a server, and what happens half way."""

    title: str
    items: int
    tailed: bool = False
    loses: bool = False
    """A node is killed half way, and none takes its place."""

    def measure(self, way: Way, folder: Path, there: Nodes, turn: int) -> Measured:
        with TailedServer(LATENCY) if self.tailed else MockServer(LATENCY) as server:
            out = folder / f"{WAYS.index(way)}-{PARTS.index(self)}-{turn}"
            file = folder / str(self.items) / "items.jsonl"
            told = command(way, file, server.base_url, there.address, out)
            halfway = there.lose if self.loses else None
            found = measure(told, items=self.items, server=server, out=out, halfway=halfway)
        there.fill()
        return found

    def lines(self, turns: Sequence[dict[Way, Measured]]) -> list[str]:
        columns = LOSSES if self.loses else COLUMNS
        rows = [[way.name, *(column.cell([turn[way] for turn in turns]) for column in columns)] for way in turns[0]]
        return [f"## {self.title}", "", table(["", *(column.head for column in columns)], rows), ""]


PARTS = (
    Part(f"{SMALL} items, 50 ms each", SMALL),
    Part(f"{BIG:,} items, 50 ms each", BIG),
    Part(f"{SMALL} items, 5 % of them 2 s", SMALL, tailed=True),
    Part(f"{BIG:,} items, 5 % of them 2 s", BIG, tailed=True),
    Part(f"{BIG:,} items, 50 ms each; half way one of the two nodes is killed", BIG, loses=True),
)


@dataclass(frozen=True)
class Column:
    head: str
    of: Callable[[Measured], float]
    form: str

    def cell(self, runs: Sequence[Measured]) -> str:
        """The middle, and the range where it is one; of runs that did not end, how many."""
        values = [self.of(run) for run in runs if run.ended]
        stuck = f"{len(runs) - len(values)} of {len(runs)} failed or took more than {PATIENCE:.0f} s"
        if not values:
            return stuck if self.head == WALL else "–"
        shown = ranged(median(values), values, self.form)
        return f"{shown}; {stuck}" if len(values) < len(runs) and self.head == WALL else shown


WALL = "wall s"
COLUMNS = (
    Column(WALL, lambda run: run.wall_s, "{:.1f}"),
    Column("asking s", lambda run: run.asking_s, "{:.1f}"),
    Column("CPU s, driver", lambda run: run.driver_cpu_s, "{:.1f}"),
    Column("CPU s, all", lambda run: run.all_cpu_s, "{:.1f}"),
    Column("in flight", lambda run: run.in_flight, "{:.0f}"),
    Column("first record after s", lambda run: run.first_s, "{:.2f}"),
    Column("there at half time", lambda run: run.half, "{:.0%}"),
)
LOSSES = (
    Column(WALL, lambda run: run.wall_s, "{:.1f}"),
    Column("asking s", lambda run: run.asking_s, "{:.1f}"),
    Column("requests beyond one an item", lambda run: run.repeated, "{:.0f}"),
    Column("items without a record", lambda run: run.lost, "{:.0f}"),
    Column("records beyond one an item", lambda run: run.twice, "{:.0f}"),
)


def page(parts: Sequence[Part], ways: Sequence[Way], repetitions: int) -> list[str]:
    """Every table; within a repetition the ways take turns."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="keju-ray-") as name:
        folder = Path(name)
        os.environ["KEJU_CACHE"] = str(folder / "cache")
        os.environ["RAY_DATA_DEFAULT_ASYNC_BATCH_UDF_MAX_CONCURRENCY"] = str(IN_FLIGHT)
        for size in (SMALL, BIG):
            (folder / str(size)).mkdir()
            write_items(folder / str(size) / "items.jsonl", size)
        with nodes(REPLICAS) as there:
            for part in parts:
                turns = []
                for turn in range(repetitions):
                    turns.append({way: part.measure(way, folder, there, turn) for way in ways})
                    print(part.title, *turns[-1].items(), sep="\n  ", file=sys.stderr, flush=True)
                lines += part.lines(turns)
    return lines[:-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one repetition of the small exam, printed only")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--singly", action="store_true", help=argparse.SUPPRESS)
    for name, kind in (("block", int), ("exam", Path), ("base-url", str), ("address", str), ("out", Path)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
    elif given.exam:
        ask_by_ray_data(given)
    elif given.quick:
        print("\n".join(page([part for part in PARTS if part.items == SMALL], WAYS, 1)))
    else:
        before = os.getloadavg()[0]
        lines = page(PARTS, WAYS, REPETITIONS)
        introduction = (
            f"[README.md](README.md) says what is measured. Two nodes on one machine, a replica with {IN_FLIGHT} calls "
            f"in flight on each; the middle of {REPETITIONS} repetitions, in which the ways take turns, with their "
            f"range. Load of the machine before and after: {before:.1f} and {os.getloadavg()[0]:.1f}."
        )
        print(write_page(__file__, introduction, lines, ("ray", "pyarrow", "aiohttp", "uvloop")))


if __name__ == "__main__":
    main()
