"""Names of run folders: readable, stable, and possible on every system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{n}" for device in ("com", "lpt") for n in range(1, 10))}
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f%]')


def safe_name(name: str) -> str:
    """`name` as one path component for Windows, macOS and Linux; different names stay different.

    A character that some system forbids becomes `%` and its code; so does a trailing dot or blank, and the first letter
    of a name that Windows keeps for a device (`CON`, `aux.txt`). `/` between words becomes `_` where that is no loss.
    """
    safe = _FORBIDDEN.sub(lambda m: f"%{ord(m[0]):02X}", name)
    if safe.endswith((".", " ")):
        safe = f"{safe[:-1]}%{ord(safe[-1]):02X}"
    if safe.split(".")[0].lower() in _RESERVED or not safe:
        safe = f"%{ord(safe[0]):02X}{safe[1:]}" if safe else "%00"
    return safe


def run_folder(out: Path, benchmark: str, model: str, protocol: str, variant: Mapping[str, str]) -> Path:
    """Where the run of this model over this benchmark lives: the same command finds it again and resumes it."""
    parts = [model.replace("/", "__"), protocol, *(f"{name}={value}" for name, value in variant.items())]
    return out / safe_name(benchmark) / safe_name(" ".join(parts).replace(" ", "."))
