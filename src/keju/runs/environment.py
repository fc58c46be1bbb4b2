"""What a run or a measurement was made on: processor, graphics cards, driver, versions, and how busy it was."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "keju",
    "aiohttp",
    "numpy",
    "opencc",
    "faster-whisper",
    "ctranslate2",
    "onnxruntime",
    "rapidocr-onnxruntime",
    "xllamacpp",
    "torch",
    "torchvision",
    "transformers",
    "flash-attn",
    "vllm",
    "sglang",
)
"""What answers and seconds depend on, as far as it is installed here."""

NVIDIA_SMI_SECONDS = 20.0  # it answers in under one; a driver that hangs must not hold the measurement


def environment() -> dict[str, Any]:
    """Facts about this machine now. `load` is the mean number of waiting processes over the last minute, or None."""
    return {
        "cpu": cpu_name(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "gpus": list(gpus()),
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "packages": dict(_versions()),
    }


def cpu_name() -> str:
    """The processor as its maker calls it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def gpus() -> tuple[Mapping[str, str], ...]:
    """Name, driver and memory of each NVIDIA card, as the driver's own tool tells; none where it is not installed."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    fields = ("name", "driver_version", "memory.total")
    asked = [tool, f"--query-gpu={','.join(fields)}", "--format=csv,noheader"]
    try:
        told = subprocess.run(  # noqa: S603 (a fixed command, found on the user's own path)
            asked, capture_output=True, encoding="utf-8", timeout=NVIDIA_SMI_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ()
    rows = ([cell.strip() for cell in line.split(",")] for line in told.splitlines() if line.strip())
    return tuple(dict(zip(("name", "driver", "memory"), row, strict=False)) for row in rows)


def _versions() -> Mapping[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
