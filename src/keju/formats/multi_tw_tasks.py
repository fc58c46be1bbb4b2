"""The task type of a Multi-TW item, from its instruction and an editable table (`multi_tw_tasks.toml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.names import folded
from keju.formats.toml_text import read_toml

LOCAL_TABLE = "tasks.toml"
_ENOUGH = 0.5
"""Least share of a task's cues that an instruction must hold."""


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    medium: str
    exact: frozenset[str]
    cues: tuple[str, ...]

    def likeness(self, instruction: str) -> float:
        """Share of the task's cues in the instruction, 0 to 1."""
        return sum(cue in instruction for cue in self.cues) / len(self.cues) if self.cues else 0.0


def tasks_for(folder: Path) -> tuple[Task, ...]:
    """The shipped table, after the rows of the folder's own `tasks.toml`. Raises `BadFile` where that is broken."""
    local = folder / LOCAL_TABLE
    if not local.is_file():
        return _shipped()
    try:
        return (*_tasks(read_toml(local)), *_shipped())
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{local}: not a task table ({error}); each [[task]] needs name, medium, exact, cues") from error


def task_of(instruction: str, medium: str, tasks: Sequence[Task]) -> str | None:
    """Name of the task: by exact match, else that with most of its cues in the instruction; None if none stands out."""
    fitting = [task for task in tasks if task.medium == medium]
    if exact := [task.name for task in fitting if _plain(instruction) in task.exact]:
        return exact[0]
    likeness: dict[str, float] = {}
    for task in fitting:
        likeness[task.name] = max(likeness.get(task.name, 0.0), task.likeness(instruction))
    best = max(likeness.values(), default=0.0)
    names = [name for name, share in likeness.items() if share == best]
    return names[0] if best >= _ENOUGH and len(names) == 1 else None


@cache
def _shipped() -> tuple[Task, ...]:
    return _tasks(read_toml(Path(str(files("keju.formats"))) / "multi_tw_tasks.toml"))


def _tasks(tables: Mapping[str, Any]) -> tuple[Task, ...]:
    rows = tables["task"]
    return tuple(Task(r["name"], r["medium"], frozenset(map(_plain, r["exact"])), tuple(r["cues"])) for r in rows)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", folded(text)).lower()
