"""Names of run folders: readable, stable, and possible on every system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from keju.formats.names import safe_name


def run_folder(out: Path, benchmark: str, model: str, protocol: str, variant: Mapping[str, str]) -> Path:
    """Where the run of this model over this benchmark lives: the same command finds it again and resumes it."""
    parts = [model.replace("/", "__"), protocol, *(f"{name}={value}" for name, value in variant.items())]
    return out / safe_name(benchmark) / safe_name(" ".join(parts).replace(" ", "."))
