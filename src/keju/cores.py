"""The processor cores that this process may use."""

from __future__ import annotations

import os


def cores() -> int:
    """At least one; fewer than the machine has where the process is bound to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
