"""Workers: as many processes as there are cores, each given one file at a time and a time to do it in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Any, Self, cast

from keju.checks.clips import Clip
from keju.checks.pictures import Picture
from keju.errors import Misuse
from keju.items import Medium
from keju.phrase import Phrase

SECONDS = 60.0
"""Time for one file: a thousand times what a large picture takes, and enough for an hour of sound."""
COMMAND = (sys.executable, "-m", "keju.checks.worker")
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",  # one core each
    "OMP_NUM_THREADS": "1",
    # Keep freed memory for the next picture: glibc would hand it back, and taking it anew costs 5 % of a check.
    "MALLOC_MMAP_THRESHOLD_": "268435456",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_ARENA_MAX": "1",
}


def facts(media: Sequence[Medium], jobs: int) -> Iterator[Picture | Clip]:
    """What each medium is, in the order given."""
    with ExitStack() as stack:
        idle: SimpleQueue[Worker] = SimpleQueue()
        for _ in range(min(jobs, len(media))):
            idle.put(stack.enter_context(Worker(SECONDS)))
        pool = ThreadPoolExecutor(max(1, min(jobs, len(media))), thread_name_prefix="keju-check")
        stack.callback(pool.shutdown, cancel_futures=True)

        def one(medium: Medium) -> Picture | Clip:
            worker = idle.get()
            try:
                return worker.facts(medium)
            finally:
                idle.put(worker)

        for future in [pool.submit(one, medium) for medium in media]:
            yield future.result()


class Worker:
    """One process, started when it is first needed and again after it died."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def facts(self, medium: Medium) -> Picture | Clip:
        """What the medium is; of one at which the process dies or stays too long, that it did."""
        if medium.remote:
            medium.file()  # fetched before the clock runs; where the store fails, the check fails with it
        process, late = self._process or self._started(), threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(self._seconds, end)
        clock.start()
        try:
            answer = _answer(process, medium)
        finally:
            clock.cancel()
        if answer and not late.is_set():
            return _facts(medium.kind, json.loads(answer))
        self._end()
        reason = ["the decoder died of it", "解码器因它而崩溃"]
        if late.is_set():
            reason = [f"it was not decoded within {self._seconds:g} s", f"{self._seconds:g} 秒内未能解码"]
        known = {"bytes": medium.size, "sha256": medium.sha256, "mime": medium.mime}
        return _facts(medium.kind, {**known, "trouble": "broke-down", "reason": reason})

    def _started(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        pipe = subprocess.PIPE
        process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND,
            stdin=pipe,
            stdout=pipe,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the parent: a worker ends when its input does
        )
        self._process = process
        if cast("IO[bytes]", process.stdout).readline() != b"ready\n":
            self._end()
            raise Misuse(f"the process that decodes media did not start; try: {' '.join(COMMAND)}")
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()


def _answer(process: subprocess.Popen[bytes], medium: Medium) -> bytes:
    """The line that the process answers with; empty where it died."""
    questions, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    where = {"path": str(medium.path)} if medium.data is None else {"bytes": len(medium.data)}
    try:
        questions.write(json.dumps({"kind": medium.kind, **where}).encode() + b"\n" + (medium.data or b""))
        questions.flush()
        return answers.readline()
    except BrokenPipeError:
        return b""


def _facts(kind: str, told: dict[str, Any]) -> Picture | Clip:
    told["reason"] = Phrase(*told["reason"])
    if kind == "audio":
        return Clip(**told)
    told["dpi"] = tuple(told["dpi"]) if told.get("dpi") else None
    return Picture(**told)
