"""The user's cache folder: for what can be made again, and may be deleted at any time.

Files that are fetched would fill it without end. Those used least recently leave once they are beyond `media_limit`; a
file's time of change is when it was last used.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MEDIA_LIMIT = "KEJU_CACHE_MEDIA_GB"
_GB, _DEFAULT_GB = 10**9, 50.0
STAYS = 600.0
"""Seconds for which a file that was used stays, whatever the limit: it may still be read, by any process."""
_FRESH = 60.0  # seconds; a use so soon after another is not written down
_LOOKS = 20  # the folder is looked through whenever so small a part of the limit has come
_DOWN_TO = 0.9  # of the limit, so that not every file that comes makes another leave
_came: Counter[Path] = Counter()
"""Folder → bytes that this process has put there since it looked through it."""


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


def media_limit() -> float:
    """Bytes of fetched media to keep: `KEJU_CACHE_MEDIA_GB`, 50 GB where it is not set, infinity where it is `none`.

    Raises `ValueError` where it is neither.
    """
    given = os.environ.get(MEDIA_LIMIT) or str(_DEFAULT_GB)
    if given == "none":
        return math.inf
    with suppress(ValueError):
        if 0 <= (gigabytes := float(given)) < math.inf:
            return gigabytes * _GB
    raise ValueError(f"{MEDIA_LIMIT} is {given!r}: write a number of gigabytes, or none")


def used(file: Path) -> bool:
    """Whether the file is there; if so it was used now."""
    try:
        if time.time() - file.stat().st_mtime < _FRESH:
            return True
        with _locked(file.parent):
            os.utime(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return file.is_file()  # a cache that can only be read
    return True


def came(folder: Path, size: int) -> None:
    """A file of `size` bytes came below `folder`: let others leave where it now holds more than `media_limit`.

    Raises `ValueError` as that does.
    """
    limit = media_limit()
    first = folder not in _came
    _came[folder] += size
    if limit < math.inf and (first or _came[folder] * _LOOKS >= limit):
        _came[folder] = 0
        _make_room(folder, limit)


def _make_room(folder: Path, limit: float) -> None:
    files = sorted(_files(folder))
    held = sum(size for _, size, _ in files)
    if held <= limit:
        return
    for at, size, path in files:
        if held <= limit * _DOWN_TO or time.time() - at < STAYS:
            return
        held -= size * _left(Path(path), at)


def _files(folder: Path) -> Iterator[tuple[float, int, str]]:
    """When each file of the folders in `folder` was used, its bytes and its path."""
    for below in folder.iterdir():
        with suppress(OSError), os.scandir(below) as entries:
            for entry in entries:
                with suppress(OSError):  # gone meanwhile
                    status = entry.stat()
                    yield status.st_mtime, status.st_size, entry.path


def _left(file: Path, at: float) -> bool:
    """Remove the file unless it was used after `at`; whether it is gone."""
    try:
        with _locked(file.parent):
            if file.stat().st_mtime == at:
                file.unlink()
                return True
    except FileNotFoundError:
        return True
    except OSError:  # Windows keeps a file that is open
        return False
    return False


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else marks a file of `folder` as used, or removes one, meanwhile."""
    from filelock import FileLock

    with FileLock(folder.with_suffix(".lock")):
        yield
