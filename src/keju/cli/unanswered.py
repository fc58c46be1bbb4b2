"""What is still without an answer, why, and what would help."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keju.results.tally import Tally
    from keju.runs.run import Run

REASONS = 3
"""Reasons of failed calls that are printed, the most frequent first; `keju score --items` has them all."""

REMEDIES = {
    "blocked": "a filter refuses them whoever asks again: another model or provider may answer, and "
    "--count-failures-as-wrong marks without them",
    "bad-request": "the server refuses the requests as they are: mend what it names; with other settings or another "
    "protocol it is another run (-o)",
    "medium": "mend or put back the files that are named, then run the same command again",
    "model": "the model cannot take these items: another may, and --count-failures-as-wrong marks without them",
}
"""Kind of failure → what helps where asking the same again does not."""


def say_incomplete(run: Run, tally: Tally) -> None:
    """Tell how many items have no answer, the usual reasons, and what would help."""
    if tally.complete:
        return
    reasons, kinds = _reasons(run, tally)
    stopped = [
        f"stopped: {session['stopped']}" for session in run.info.get("sessions", ())[-1:] if "stopped" in session
    ]
    again = not stopped and not tally.imported and (tally.pending or kinds.keys() - REMEDIES.keys())
    missing = f"{tally.name}: {tally.n - tally.answered} of {tally.n} items have no answer"
    print(missing + ("; run the same command again" if again else ""), file=sys.stderr)
    remedies = [f"{kinds[kind]} {kind}: {remedy}" for kind, remedy in REMEDIES.items() if kind in kinds]
    for line in (*stopped, *(f"{n} × {message}" for message, n in reasons), *remedies):
        print(f"  {line}", file=sys.stderr)


def _reasons(run: Run, tally: Tally) -> tuple[list[tuple[str, int]], Counter[str]]:
    """The usual messages and all kinds, each with its number of items."""
    from keju.results.scan import Scan

    if isinstance(tally, Scan):
        failures = tally.failures()
    else:
        errors = [record.error for i in run.unanswered if (record := run.records.get(i)) and record.error]
        failures = Counter((str(error.get("kind")), str(error.get("message"))) for error in errors)
    kinds, messages = Counter[str](), Counter[str]()
    for (kind, message), n in failures.items():
        kinds[kind] += n
        messages[message] += n
    return messages.most_common(REASONS), kinds
