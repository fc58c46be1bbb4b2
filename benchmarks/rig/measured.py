"""One client against one fresh server, and what it cost. Linux only: the figures come from wait4 and /proc."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig import exam

BENCHMARKS = Path(__file__).parents[1]
MODEL = "mock-73"
ACCURACY = re.compile(r'"accuracy":\s*([01](?:\.\d+)?)')
TIMEOUT = 900.0  # seconds; the slowest client needs a tenth


def environment() -> dict[str, str]:
    """The environment of clients and server: they find the rig, and Python keeps its bytecode as it does for users."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(BENCHMARKS)}


@dataclass
class MockServer:
    """`rig.mock_server` in a process of its own, in a `with` statement."""

    latency: float = 0.0
    faults: Sequence[str] = ()
    reply: str = "{}"
    """What stands around the letter of an answer."""
    pictures: bool = False
    """Whether it looks at the pictures; that takes time of its own."""
    port: int = 0
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def __enter__(self) -> MockServer:
        command = [sys.executable, "-m", "rig.mock_server", "--latency", str(self.latency), "--reply", self.reply]
        command += ["--pictures"] * self.pictures
        command += [part for fault in self.faults for part in ("--fault", fault)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process
        assert self._process.stdout
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def seen(self) -> dict[str, Any]:
        """The server's counters."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats", timeout=30) as reply:
            counters: dict[str, Any] = json.load(reply)
        return counters


@dataclass(frozen=True)
class Cost:
    """What one run of a client cost."""

    items: int
    cpu_s: float
    """User and system seconds of the client."""
    wall_s: float
    rss_mb: float
    """Peak resident memory."""
    log_bytes: int
    """Size of all that the client wrote."""
    in_flight: int
    """Most requests that the server held at one moment."""
    requests: int
    correct: bool
    """Whether the accuracy that the client reported is the true one."""
    foreign: float
    """Processor time that others used meanwhile, as a share of the machine."""
    first_s: float = 0.0
    """Wall seconds until the server had the first request."""
    pictures: Mapping[str, tuple[str, int, str]] = field(default_factory=dict)
    """Item number → sha256, bytes and type of the picture as it came, where the server looked at them."""


def measure(command: Sequence[str], *, items: int, server: MockServer, log: Path) -> Cost:
    """Run a client to its end. It prints its accuracy as JSON and writes below `log`.

    Raises `RuntimeError` with its last words where it fails.
    """
    log.mkdir(parents=True)
    before, began, at = _busy(), time.monotonic(), time.time()
    output = log.with_suffix(".out")
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment())
        alarm = threading.Timer(TIMEOUT, os.kill, (process.pid, signal.SIGKILL))
        alarm.start()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    wall, cpu, seen = time.monotonic() - began, used.ru_utime + used.ru_stime, server.seen()
    said = output.read_text(encoding="utf-8", errors="replace")
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said[-500:]}")
    others = _busy() - before - cpu - seen["cpu_s"]
    return Cost(
        items=items,
        cpu_s=cpu,
        wall_s=wall,
        rss_mb=used.ru_maxrss / 1024,
        log_bytes=sum(path.stat().st_size for path in log.rglob("*") if path.is_file()),
        in_flight=seen["peak"],
        requests=seen["requests"],
        correct=_accuracy(said) == round(exam.expected(items, MODEL), 4),
        foreign=max(0.0, others / wall / (os.cpu_count() or 1)),
        first_s=max(0.0, seen["first"] - at),
        pictures={number: tuple(picture) for number, picture in seen["pictures"].items()},
    )


def _accuracy(said: str) -> float | None:
    found = ACCURACY.search(said)
    return round(float(found[1]), 4) if found else None


def _busy() -> float:
    """Processor seconds that the machine has spent so far, idle and waiting left out."""
    user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")
