"""Drivers on a Ray cluster of this machine: what one cost, what the server saw of it, and when its records came.

What a driver has is told by the lines of its `records.jsonl`, looked at every 20 ms. Linux only (/proc).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig.measured import MockServer, environment

PATIENCE = 75.0
"""Seconds until a driver is ended."""
TICK = 0.02


@dataclass(frozen=True)
class Measured:
    """One run of a driver."""

    wall_s: float
    driver_cpu_s: float
    all_cpu_s: float
    """Of the driver and of every process of the cluster; not the server's."""
    in_flight: int
    repeated: int
    """Requests beyond one an item."""
    lost: int
    """Items without a record at the driver."""
    twice: int
    """Records beyond one an item."""
    asking_s: float
    """From the first request until the driver has the last record."""
    first_s: float
    """From the first request until the driver has a record."""
    half: float
    """Share of the records that the driver has at half of that time."""
    ended: bool


@dataclass
class Nodes:
    """A cluster whose head has no room for actors, and so many nodes with room for one each."""

    cluster: Any
    number: int
    workers: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def fill(self) -> None:
        """Add nodes until all are there."""
        while len(self.workers) < self.number:
            self.workers.append(self.cluster.add_node(num_cpus=1, object_store_memory=100 * 2**20))
        self.cluster.wait_for_nodes()

    def lose(self) -> None:
        """Kill a node with everything on it."""
        self.cluster.remove_node(self.workers.pop(), allow_graceful=False)


@contextmanager
def nodes(number: int) -> Iterator[Nodes]:
    """A cluster on this machine, whose processes have the environment of this one."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "object_store_memory": 200 * 2**20, "include_dashboard": False}
    made = Nodes(Cluster(initialize_head=True, head_node_args=head), number)
    made.fill()
    try:
        yield made
    finally:
        made.cluster.shutdown()


@dataclass
class Watch:
    """Looks at a driver's records and at the processors again and again until told to end."""

    out: Path
    leave_out: Sequence[int]
    """Processes that are not the cluster's."""
    arrivals: list[float] = field(default_factory=list)
    """Unix time at which each record was seen."""
    cpu: dict[int, float] = field(default_factory=dict)
    """Process → CPU seconds when it was last seen."""

    def look(self) -> None:
        at = time.time()
        for file in self.out.rglob("records.jsonl"):
            self.arrivals += [at] * (file.read_bytes().count(b"\n") - len(self.arrivals))

    def until(self, over: threading.Event) -> None:
        ticks = 0
        while not over.wait(TICK):
            self.look()
            if ticks % 10 == 0:
                self.cpu |= cluster_cpu(self.leave_out)
            ticks += 1
        self.look()
        self.cpu |= cluster_cpu(self.leave_out)


def cluster_cpu(leave_out: Sequence[int]) -> dict[int, float]:
    """CPU seconds of every process below this one."""
    parents, spent = {}, {}
    for place in Path("/proc").iterdir():
        if place.name.isdecimal():
            try:
                values = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(place.name)] = int(values[1])
            spent[int(place.name)] = (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")
    below = {pid for pid, parent in parents.items() if parent == os.getpid()} - set(leave_out)
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return {pid: spent[pid] for pid in below}


def measure(
    command: Sequence[str], *, items: int, server: MockServer, out: Path, halfway: Callable[[], None] | None = None
) -> Measured:
    """Run a driver that asks so many items and writes below `out`; `halfway` is called when half of them are asked."""
    before, began, over = cluster_cpu([]), time.monotonic(), threading.Event()
    with out.with_suffix(".said").open("w+b") as said, ThreadPoolExecutor(2) as threads:
        driver = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environment())
        assert server._process
        watch = Watch(out, [driver.pid, server._process.pid])
        threads.submit(watch.until, over)
        ending = threads.submit(end_of, driver, over)
        while halfway and not over.wait(TICK):
            if server.seen()["requests"] >= items // 2:
                halfway()
                break
        cpu, ended_at = ending.result()
        said.seek(0)
        if driver.returncode:
            words = said.read()[-2000:].decode(errors="replace")
            print(f"{' '.join(command)} ended with {driver.returncode}: {words}", file=sys.stderr)
    seen = server.seen()
    kept = [json.loads(line)["id"] for file in out.rglob("records.jsonl") for line in file.read_bytes().splitlines()]
    elsewhere = sum(spent - before.get(pid, 0.0) for pid, spent in watch.cpu.items())
    asking, first, half = progress(watch.arrivals, seen["first"])
    return Measured(
        wall_s=ended_at - began,
        driver_cpu_s=cpu,
        all_cpu_s=cpu + elsewhere,
        in_flight=seen["peak"],
        repeated=seen["requests"] - items,
        lost=items - len(set(kept)),
        twice=len(kept) - len(set(kept)),
        asking_s=asking,
        first_s=first,
        half=half,
        ended=driver.returncode == 0,
    )


def end_of(driver: subprocess.Popen[bytes], over: threading.Event) -> tuple[float, float]:
    """Wait until the driver ends, or end it: its CPU seconds and the time by the monotonic clock."""
    alarm = threading.Timer(PATIENCE, driver.kill)
    alarm.start()
    _, status, used = os.wait4(driver.pid, 0)
    alarm.cancel()
    driver.returncode = os.waitstatus_to_exitcode(status)
    over.set()
    return used.ru_utime + used.ru_stime, time.monotonic()


def progress(arrivals: Sequence[float], began: float) -> tuple[float, float, float]:
    """Seconds from `began` to the last record and to the first, and the share of records at half of the former."""
    if not arrivals:
        return math.nan, math.nan, 0.0
    asking = arrivals[-1] - began
    return asking, arrivals[0] - began, sum(at <= began + asking / 2 for at in arrivals) / len(arrivals)
