"""The user's cache folder: for what can be made again, and may be deleted at any time."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Folder for what can be made again: `KEJU_CACHE` if set, else the system's place for caches."""
    if given := os.environ.get("KEJU_CACHE"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        place = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        place = Path.home() / "Library" / "Caches"
    else:
        place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return place / "keju"
