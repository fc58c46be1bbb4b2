"""The other tools as clients: each runs what `keju convert` writes for it, in its own environment (`tools/interop`)."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rig.clients import IN_FLIGHT
from rig.measured import BENCHMARKS, MODEL, MockServer, environment

sys.path.append(str(BENCHMARKS.parent / "tools" / "interop"))
from environments import install, installed
from tools import TOOLS, Task, Tool

__all__ = ["BY_NAME", "Peer", "beside", "install"]

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


@dataclass(frozen=True)
class Peer:
    """One tool in one setting."""

    name: str
    tool: Tool
    sizes: tuple[int, int]
    setting: str
    """Its option for requests in flight."""
    options: str = ""
    """Further options of its command."""

    @property
    def installed(self) -> bool:
        return installed(self.tool) is not None

    @property
    def python(self) -> Path:
        """Of its environment. Raises `RuntimeError` where that was not made."""
        if python := installed(self.tool):
            return python
        raise RuntimeError(f"{self.tool.name} is not installed")

    @property
    def title(self) -> str:
        """The tool's name, without the setting."""
        return self.name.partition(",")[0]

    @property
    def version(self) -> str:
        return self.tool.packages[0].partition("==")[2]

    def task(self, folder: Path, url: str, log: Path) -> Task:
        """What the tool is to run over the exam in `folder`."""
        return Task(self.python, beside(log), log, url, folder.name, MODEL, IN_FLIGHT)

    def command(self, folder: Path, items: int, server: MockServer, log: Path) -> list[str]:  # noqa: ARG002
        """Convert the exam in `folder` afresh, and how the tool is called upon it: it may leave things in there."""
        task = self.task(folder, server.base_url, log)
        convert(folder, task.work / "export", self.tool)
        options = ["-C", str(task.work), *self._environment(task)]
        return ["env", *options, *task.command(self.tool), *shlex.split(self.options)]

    def start(self) -> list[str]:
        """The command that shows its options."""
        task = self.task(Path("exam"), "", Path("log"))
        return ["env", *self._environment(task), *task.start(self.tool)]

    def _environment(self, task: Task) -> list[str]:
        """For `env`: what the tool is given, and nothing of the rig's modules."""
        return ["-u", "PYTHONPATH", *(f"{name}={value}" for name, value in task.environment(self.tool).items())]


def beside(log: Path) -> Path:
    """The working folder of a tool that writes into `log`."""
    return log.with_suffix(".work")


def convert(folder: Path, target: Path, tool: Tool) -> None:
    """Write the exam in the tool's form. Raises `CalledProcessError` where keju cannot."""
    target.parent.mkdir(parents=True)
    options = [part for option in tool.convert.items() for part in option]
    command = [sys.executable, "-m", "keju", "convert", str(folder), str(target), "--to", tool.name, *options]
    subprocess.run(command, check=True, capture_output=True, env=environment())
