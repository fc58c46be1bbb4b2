"""Whether what a client wrote says of every item what the mock planned: right, wrong, or without an answer.

    python -m rig.marks EXAM OUTPUT [--theirs]

OUTPUT is read as `keju score` reads it; `--theirs` takes the marks of the tool that wrote it, in place of keju's.
In a process of its own: memory that the measuring process once held would count as its clients' peak.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from rig import exam
from rig.measured import MODEL, environment


@dataclass(frozen=True)
class Marks:
    """What a client's output says of the items, against what the mock planned."""

    items: int
    as_planned: int
    """Items marked right that were to be right, or wrong that were to be wrong."""
    unanswered: int
    """Items without a mark; they are not among `as_planned`."""

    @property
    def whole(self) -> bool:
        return self.as_planned == self.items


def of_output(folder: Path, output: Path, *, theirs: bool) -> Marks:
    """The marks in an output. Raises `RuntimeError` where it cannot be read."""
    command = [sys.executable, "-m", "rig.marks", str(folder), str(output), *["--theirs"] * theirs]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        raise RuntimeError(f"{output} cannot be read: {done.stderr[-500:]}")
    return Marks(**json.loads(done.stdout))


def _read(folder: Path, output: Path, *, theirs: bool) -> Marks:
    from keju import api
    from keju.results.scores import THEIRS

    given = api.load(folder)
    (run,) = api.open_runs([output], benchmark=given)
    right, unanswered = api.score(run, parser=THEIRS if theirs else None).right, set(run.unanswered)
    planned = {f"{n:04d}": exam.answer(n, MODEL) == exam.key(n) for n in range(1, len(given) + 1)}
    agree = sum(right[name] == due for name, due in planned.items() if name not in unanswered)
    return Marks(len(planned), agree, len(unanswered))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exam", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--theirs", action="store_true")
    given = parser.parse_args()
    print(json.dumps(asdict(_read(given.exam, given.output, theirs=given.theirs))))


if __name__ == "__main__":
    main()
