"""What a command that ends by itself cost. Linux only: the figures come from wait4."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Spent:
    """What one process used up."""

    wall_s: float
    cpu_s: float
    """User and system seconds."""
    rss_mb: float
    """Peak resident memory."""
    code: int
    said: str
    """All that it wrote to stderr."""


def spent(command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> Spent:
    """Run a command to its end; what it prints is dropped."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, cwd=cwd)
    assert process.stderr
    with process.stderr as errors:
        said = errors.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall, cpu = time.monotonic() - began, used.ru_utime + used.ru_stime
    return Spent(wall, cpu, used.ru_maxrss / 1024, process.returncode, said)
