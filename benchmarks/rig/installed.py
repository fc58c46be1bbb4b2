"""What a user gets who installs keju without extras: packages and megabytes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rig.measured import BENCHMARKS


@dataclass(frozen=True)
class Install:
    """What an environment holds."""

    packages: int
    mb: float
    """Megabytes of site-packages, without bytecode."""


def uv_command() -> list[str]:
    """How to call uv: this environment's, or the one on the path. Raises `RuntimeError` where there is none."""
    if find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    if found := shutil.which("uv"):
        return [found]
    raise RuntimeError("uv is not there; install it, or leave this out with --no-install")


def core() -> Install:
    """Install the core into a fresh environment with `uv`. Raises `RuntimeError` where there is no uv."""
    uv = uv_command()
    with tempfile.TemporaryDirectory(prefix="keju-install-") as name:
        folder = Path(name)
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        subprocess.run([*uv, "venv", "--quiet", "--python", python, str(folder)], check=True)
        target = ["--python", str(folder / "bin" / "python"), "--link-mode", "copy"]
        subprocess.run([*uv, "pip", "install", "--quiet", *target, str(BENCHMARKS.parent)], check=True)
        return size_of(folder / "bin" / "python")


def size_of(python: Path) -> Install:
    """Packages and megabytes of the environment whose interpreter this is."""
    (packages,) = python.parents[1].glob("lib/python*/site-packages")
    size = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return Install(len(list(packages.glob("*.dist-info"))), size / 1e6)
