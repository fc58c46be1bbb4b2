"""A soak: 100,000 requests of one run against the rig's server; memory, open files and tasks must stay level.

    python benchmarks/soak.py                    some minutes; writes RESULTS-soak.md
    python benchmarks/soak.py --items 20000      a part of it, printed only

Text items, so that a request costs little and there are many of them. Of the first 10,000, every tenth meets an error
and every hundredth a reset connection before its reply: what fails must not pile up either. Linux only (/proc).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rig import exam
from rig.measured import BENCHMARKS, MODEL, MockServer

ITEMS, EVERY, IN_FLIGHT = 100_000, 10_000, 64
FAULTS = ("500:0.1", "close:0.01")
TAGS = 10_000  # the server knows an item by four digits


@dataclass(frozen=True)
class Sample:
    """The process after so many records."""

    records: int
    wall_s: float
    rss_mb: float
    files: int
    tasks: int
    objects: int
    """Objects that Python's collector follows, after a collection."""


@dataclass
class Watching:
    """A watcher of the run that samples the process."""

    every: int
    samples: list[Sample] = field(default_factory=list)
    _done: int = 0
    _began: float = field(default_factory=time.monotonic)

    def started(self, total: int, done: int) -> None:  # noqa: ARG002
        self._sample()

    def recorded(self, record: object) -> None:  # noqa: ARG002
        self._done += 1
        if self._done % self.every == 0:
            self._sample()

    def note(self, message: str) -> None:
        print(message, file=sys.stderr)

    def finished(self) -> None:
        pass

    def _sample(self) -> None:
        gc.collect()
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        rss = int(status.partition("VmRSS:")[2].split()[0]) / 1024
        files, tasks = sum(1 for _ in Path("/proc/self/fd").iterdir()), len(asyncio.all_tasks())
        taken = Sample(self._done, time.monotonic() - self._began, rss, files, tasks, len(gc.get_objects()))
        self.samples.append(taken)
        print(_row(taken), flush=True)


def write_items(file: Path, n: int) -> None:
    """`items.jsonl` of `n` text items, each with the tag by which the server knows it."""
    with file.open("w", encoding="utf-8") as out:
        for number in range(1, n + 1):
            tag = (number - 1) % TAGS + 1
            wording = {"question": exam.question(tag), "options": exam.options(tag)}
            row = {"id": f"{number:06d}", "wordings": {"zh-Hans": wording}, "answer": exam.key(tag)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


async def soak(folder: Path, n: int, base_url: str, every: int) -> tuple[list[Sample], int]:
    """The samples of a run over `n` items, and how many of them have a reply."""
    from keju import api
    from keju.models.openai_compatible import OpenAICompatible
    from keju.runs.asking import Session
    from keju.runs.transport import Transport

    write_items(folder / "items.jsonl", n)
    model = OpenAICompatible(f"mock/{MODEL}", model=MODEL, base_url=base_url, concurrency=IN_FLIGHT)
    watching = Watching(every)
    session = Session(transport=Transport(backoff=0.01), check_media=False)
    benchmark = api.load(folder / "items.jsonl")
    run = await api.arun(benchmark, model, protocol="tco", out=folder / "runs", session=session, progress=watching)
    return watching.samples, n - len(run.unanswered)


def slope(samples: Sequence[Sample]) -> float:
    """MB that memory grows by per 10,000 records, by least squares; the start, where pools fill, is left out."""
    points = [(sample.records / 10_000, sample.rss_mb) for sample in samples[2:]]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread


HEAD = (
    "| records | seconds | memory, MB | open files | tasks | objects |",
    "|--:|--:|--:|--:|--:|--:|",
)


def _row(s: Sample) -> str:
    return f"| {s.records:,} | {s.wall_s:.0f} | {s.rss_mb:.1f} | {s.files} | {s.tasks} | {s.objects:,} |"


def report(samples: Sequence[Sample], answered: int, requests: int) -> str:
    n, grew = samples[-1].records, slope(samples)
    errors, resets = (100 * float(fault.partition(":")[2]) for fault in FAULTS)
    done = (
        f"{n:,} text items, {requests:,} requests with {IN_FLIGHT} in flight. Of the first {TAGS:,} items "
        f"{errors:.0f} % met a 500 and {resets:.0f} % a reset connection first; {answered:,} items have a reply."
    )
    lines = [
        "# Soak",
        "",
        "Written by `python benchmarks/soak.py`; run it for your own machine.",
        "",
        done,
        f"Memory grew by **{grew:.2f} MB per 10,000 records**, {grew * 1e6 / 10_000:.0f} bytes a record.",
        "",
        *HEAD,
        *map(_row, samples),
        "",
        "Files are mostly the connections, tasks the workers and what they wait for; objects are those that Python's",
        "collector follows. What grows with a run is the id and the status of each item: the run folder keeps them.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=ITEMS)
    args = parser.parse_args()
    print("\n".join(HEAD))
    with tempfile.TemporaryDirectory() as folder, MockServer(0.0, FAULTS) as server:
        samples, answered = asyncio.run(soak(Path(folder), args.items, server.base_url, min(EVERY, args.items // 5)))
        text = report(samples, answered, server.seen()["requests"])
    if args.items == ITEMS:
        (BENCHMARKS / "RESULTS-soak.md").write_text(text, encoding="utf-8")
    print(f"\n{text}")
    return 0 if answered == args.items else 1


if __name__ == "__main__":
    sys.exit(main())
