"""Runs that go on, seen from outside: how far they are. Nothing is opened for writing, and no lock is taken."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from keju.errors import BadFile
from keju.formats.places import is_there
from keju.runs.reading import find_runs, read_info

BLOCK = 1 << 20
"""Bytes that are counted at a time."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look at the runs shows."""

    version: str
    """Another one as soon as any of their files has changed."""
    runs: int = 0
    """Run folders; other tools' files are none."""
    records: int = 0
    """Items with a reply or a failure, in all runs."""
    items: int = 0
    """Items to ask, in all runs."""


@dataclass
class Watch:
    """Looks at what is at or below `paths`, as `keju.api.open_runs` reads it. A look reads only what is new."""

    paths: Sequence[Path]
    _records: dict[Path, _Lines] = field(default_factory=dict)

    def look(self) -> Sight:
        """What is there now. Runs that began since are found; a file that vanishes meanwhile is passed over."""
        folders = find_runs(self.paths)
        found = [file for path in self.paths for file in _files(path)]
        stamps = [(str(file), *stamp) for file in dict.fromkeys(found) if (stamp := _stamp(file))]
        return Sight(
            sha256(repr(stamps).encode("utf-8", "surrogateescape")).hexdigest()[:16],
            len(folders),
            sum(self._records.setdefault(f, _Lines(f / "records.jsonl")).count() for f in folders),
            sum(map(_items, folders)),
        )


@dataclass
class _Lines:
    """Counts the lines of a file that grows; one that is another, or shorter, is counted anew."""

    path: Path
    lines: int = 0
    read: int = 0
    inode: int = 0

    def count(self) -> int:
        with suppress(OSError), self.path.open("rb") as file:
            now = os.fstat(file.fileno())
            if now.st_ino != self.inode or now.st_size < self.read:
                self.lines, self.read, self.inode = 0, 0, now.st_ino
            file.seek(self.read)
            while block := file.read(BLOCK):
                self.lines += block.count(b"\n")
                self.read += len(block)
        return self.lines


def _files(path: Path) -> Iterator[Path]:
    """What a report of `path` is made from: of run folders what the run wrote, of others every file."""
    if not is_there(path):
        return
    if not path.is_dir():
        yield path
    elif folders := find_runs([path]):
        yield from (folder / name for folder in folders for name in ("run.json", "items.jsonl", "records.jsonl"))
    else:
        yield from sorted(path.rglob("*"))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        now = path.stat()
    except OSError:
        return None
    return now.st_ino, now.st_size, now.st_mtime_ns


def _items(folder: Path) -> int:
    try:
        items = (read_info(folder) or {}).get("items")
    except BadFile:  # whoever marks the run says what is wrong
        return 0
    return items if isinstance(items, int) else 0
