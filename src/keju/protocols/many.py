"""Many replies read by one parser, on every core: what a parser that looks at the options cannot be spared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

from keju.cores import cores
from keju.errors import Misuse
from keju.protocols.parsers import extract

Row: TypeAlias = tuple[str, dict[str, str], bool]
"""Reply, options, and whether the output cap cut it."""
Told: TypeAlias = tuple[str | None, bool]
"""The label, and whether the reply names what is not an option."""

FEW = 20_000
"""Replies below which no process is started: at 50 µs each they take a second, and a process half of one to start."""
_COMMAND = (sys.executable, "-m", "keju.protocols.many")


def read_many(rows: Sequence[Row], parser: str) -> list[Told]:
    """What each reply declares, in order. Raises `Misuse` where a process does not start."""
    jobs = cores()
    if len(rows) < FEW or jobs < 2:
        return [_told(*row, parser) for row in rows]
    size = -(-len(rows) // jobs)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    with ThreadPoolExecutor(jobs, thread_name_prefix="keju-read") as pool:
        return [told for part in pool.map(lambda part: _elsewhere(part, parser), parts) for told in part]


def _told(text: str, options: dict[str, str], truncated: bool, parser: str) -> Told:
    found = extract(text, options, parser, truncated=truncated)
    return found.label, found.reason == "not-an-option"


def _elsewhere(rows: Sequence[Row], parser: str) -> list[Told]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    asked = json.dumps([parser, rows]).encode()
    done = subprocess.run(_COMMAND, input=asked, stdout=subprocess.PIPE, env=environment, check=False)  # noqa: S603 - ours
    if done.returncode:
        raise Misuse(
            f"the process that reads replies ended with {done.returncode}; try: {' '.join(_COMMAND)} </dev/null"
        )
    return [(label, other) for label, other in json.loads(done.stdout)]


def main() -> None:
    """Read what stands on the input, and write what it says."""
    parser, rows = json.load(sys.stdin.buffer)
    json.dump([_told(text, options, cut, parser) for text, options, cut in rows], sys.stdout)


if __name__ == "__main__":
    main()
