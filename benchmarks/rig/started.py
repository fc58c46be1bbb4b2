"""What it costs to start: a command is run again and again, and the middle of its times is taken."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rig.measured import environment

TIMES = 15
COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "import keju": ("-c", "import keju"),
    "keju --help": ("-m", "keju", "--help"),
    "keju run --help": ("-m", "keju", "run", "--help"),
    "import openai": ("-c", "import openai"),
}


@dataclass(frozen=True)
class Start:
    """Middle of the seconds that a command took."""

    cpu_s: float
    wall_s: float


def commands() -> dict[str, Start]:
    """Every command with its cost."""
    return {name: _start(arguments) for name, arguments in COMMANDS.items()}


def _start(arguments: Sequence[str]) -> Start:
    _once(arguments)  # writes the bytecode
    times = [_once(arguments) for _ in range(TIMES)]
    return Start(median(cpu for cpu, _ in times), median(wall for _, wall in times))


def _once(arguments: Sequence[str]) -> tuple[float, float]:
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environment())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, time.monotonic() - began
