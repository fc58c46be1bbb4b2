"""The command line for tests: in this process with its output caught, or in a process of its own.

A test module makes its fixtures of them: `keju = pytest.fixture(in_process)`, `opera = pytest.fixture(exam)`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keju import api
from keju.cli import main
from making import benchmark

Keju = Callable[..., tuple[int, str, str]]


def in_process(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Keju:
    """Runs one command in an empty folder: exit code, what it printed, what it said on stderr."""
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def exam(tmp_path: Path) -> Path:
    """Eight items in the TCO layout, in Chinese and English, with a genre each."""
    (tmp_path / "made").mkdir()
    api.convert(benchmark(8, folder=tmp_path / "made", name="opera", bilingual=True), "tco", tmp_path / "opera")
    return Path("opera")


def actions(told: str) -> list[str]:
    """The actions of a command, from its help: `sample`, `import` and `score` of `keju human`; none of most."""
    return re.findall(r"^    ([a-z]+)  +\S", told.partition("\npositional arguments:")[2], re.MULTILINE)


def shell(*arguments: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """One command in a process of its own."""
    command = [sys.executable, "-m", "keju", *map(str, arguments)]
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False, **options)
