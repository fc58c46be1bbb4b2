"""Digests of files, taken once: remembered in this process, and in the user's cache folder for every later one.

A picture is asked about by every model, variant and resumed run, and reading its sha256 anew costs as much as sending
it. So a digest is kept under the file's `Stamp`. A file that changed while it was read, or within the two seconds
before, is not kept: it could change again and bear the same stamp.

The cache is one file of lines `key sha256 check`, which any number of processes append to. A line that is torn or
damaged fails its check and is passed over; a cache that cannot be read or written is done without.
"""

from __future__ import annotations

import atexit
import os
import time
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from keju.caches import cache_folder

_SETTLED_NS = 2_000_000_000  # the coarsest clock of a file system (FAT's) ticks every two seconds
_LARGEST = 8 << 20  # bytes of the cache, 75,000 files; beyond it the older half is forgotten
_BATCH = 64  # lines written at a time, and lost at most when the process is killed
_KEY, _LINE = 32, 32 + 1 + 64 + 1 + 8  # characters of a key and of a line


class Stamp(NamedTuple):
    """What tells a file's content from another: it changes whenever the file is written, replaced or moved."""

    path: str
    size: int
    modified_ns: int
    changed_ns: int
    """Time of the last change by the system's own clock, which nobody can set back (on Windows: of creation)."""
    inode: int

    @classmethod
    def of(cls, path: Path, stat: os.stat_result) -> Stamp:
        """The stamp of the file at `path`, whose status is `stat`."""
        return cls(os.fspath(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)

    @property
    def settled(self) -> bool:
        """Whether the file was last changed so long ago that a change from now on will bear another time."""
        return time.time_ns() - max(self.modified_ns, self.changed_ns) > _SETTLED_NS


def known(stamp: Stamp) -> str | None:
    """Hex sha256 of the file with this stamp, where it was taken before."""
    if stamp not in _KNOWN and (found := _kept(_folder()).find(_key(stamp))):
        _KNOWN[stamp] = found
    return _KNOWN.get(stamp)


def remember(stamp: Stamp, sha256: str, *, settled: bool) -> None:
    """Keep the digest of a file that had this stamp, and was `settled` or not, before it was read."""
    _KNOWN[stamp] = sha256
    if settled:
        _kept(_folder()).add(_key(stamp), sha256)


_KNOWN: dict[Stamp, str] = {}
"""What this process knows."""


class _Kept:
    """The cache file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[bytes] = []
        self._lines: dict[bytes, bytes] = {}
        with suppress(OSError):
            self._load()
        atexit.register(self.flush)

    def find(self, key: bytes) -> str | None:
        line = self._lines.get(key, b"")
        return line[_KEY + 1 : _KEY + 65].decode() if line == _line(key, line[_KEY + 1 : _KEY + 65]) else None

    def add(self, key: bytes, sha256: str) -> None:
        self._waiting.append(_line(key, sha256.encode()))
        if len(self._waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Append what waits. The batch begins on a line of its own, whatever a full disk left of the one before."""
        lines, self._waiting = self._waiting, []
        with suppress(OSError):
            if lines:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("ab", buffering=0) as file:
                    file.write(b"\n".join([b"", *lines, b""]))

    def _load(self) -> None:
        with self._path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _LARGEST))
            lines = file.read(_LARGEST).split(b"\n")
        self._lines = {line[:_KEY]: line for line in lines if len(line) == _LINE}
        if size > _LARGEST:
            part = self._path.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(b"\n".join([*lines[len(lines) // 2 :], b""]))
            part.replace(self._path)


def _key(stamp: Stamp) -> bytes:
    told = repr((str(Path(stamp.path).absolute()), *stamp[1:]))
    return blake2b(told.encode(), digest_size=_KEY // 2).hexdigest().encode()


def _line(key: bytes, sha256: bytes) -> bytes:
    line = key + b" " + sha256
    return line + b" %08x" % crc32(line)


def _folder() -> Path | None:
    """The cache folder; None where the system knows no home of the user's."""
    try:
        return cache_folder()
    except RuntimeError:
        return None


@lru_cache(maxsize=4)  # one in a process; tests change it
def _kept(folder: Path | None) -> _Kept:
    return _Kept((folder or Path(os.devnull)) / "digests")
