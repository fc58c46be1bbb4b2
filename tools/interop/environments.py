"""The tools' environments below `.interop/`, one a tool, made once: gigabytes and minutes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools import Tool

HOME = Path(__file__).resolve().parents[2] / ".interop"


def installed(tool: Tool) -> Path | None:
    """The Python of the tool's environment; None where it was not made, or for other versions."""
    python, ready = _places(tool)
    return python if ready.exists() and ready.read_text(encoding="utf-8") == _wanted(tool) else None


def install(tool: Tool) -> Path:
    """Make the environment where it is not there, and return its Python."""
    python, ready = _places(tool)
    if installed(tool) is None:
        # Without pip, so that nothing is counted among the tool's packages that it does not need.
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", python.parents[1]], check=True)
        if tool.torch:  # by pip, which honours a wheel for the processor alone where the machine has one
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
            subprocess.run([*pip, "--no-deps", "torch==2.13.0"], check=True)
        uv = [sys.executable, "-m", "uv", "pip", "install", "-q", "--compile-bytecode", "--python", str(python)]
        subprocess.run([*uv, *tool.packages], check=True)
        _fit_torchvision(python)
        ready.write_text(_wanted(tool), encoding="utf-8")
    return python


def _places(tool: Tool) -> tuple[Path, Path]:
    """Its Python, and the file that says that the environment is whole."""
    return HOME / tool.name / "bin" / "python", HOME / tool.name / "ready"


def _wanted(tool: Tool) -> str:
    return "\n".join(tool.packages)


def _fit_torchvision(python: Path) -> None:
    """Where torchvision does not fit the PyTorch beside it, declare what its import looks for."""
    tried = subprocess.run([python, "-c", "import torchvision"], capture_output=True, check=False, text=True)
    if "operator torchvision::nms does not exist" in tried.stderr:
        (packages,) = python.parents[1].glob("lib/python*/site-packages")
        shutil.copy(Path(__file__).with_name("torchvision_ops.py"), packages)
        (packages / "torchvision_ops.pth").write_text("import torchvision_ops\n")
