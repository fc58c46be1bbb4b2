"""What it costs to start: a command is run again and again, and the middle of its times is taken."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rig.measured import environment
from rig.spent import spent

TIMES = 15
KEJU_HELP = [sys.executable, "-m", "keju", "--help"]
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import keju": [sys.executable, "-c", "import keju"],
    "keju --help": KEJU_HELP,
    "keju run --help": [sys.executable, "-m", "keju", "run", "--help"],
    "import openai": [sys.executable, "-c", "import openai"],
}


@dataclass(frozen=True)
class Start:
    """Middle of the seconds that a command took."""

    cpu_s: float
    wall_s: float


def commands() -> dict[str, Start]:
    """Every command with its cost."""
    return {name: start(command) for name, command in COMMANDS.items()}


def start(command: Sequence[str], times: int = TIMES) -> Start:
    """The cost of a command that ends by itself. Raises `RuntimeError` where it fails."""
    _once(command)  # writes the bytecode
    costs = [_once(command) for _ in range(times)]
    return Start(median(cpu for cpu, _ in costs), median(wall for _, wall in costs))


def _once(command: Sequence[str]) -> tuple[float, float]:
    found = spent(command, environment())
    if found.code:
        raise RuntimeError(f"{' '.join(command)} ended with {found.code}")
    return found.cpu_s, found.wall_s
