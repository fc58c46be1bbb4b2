"""What was perceived once is kept: one small JSON file for each (medium's bytes, perceiver, its settings).

The files lie in the user's cache folder, are shared by all models and runs, and can be deleted at any time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.caches import cache_folder
from keju.formats.whole_files import write_whole
from keju.items import MediaKind, Medium
from keju.models.perception.perceiver import Perceiver, Perception


class Remembered:
    """`perceiver`, asked only for what it was not asked before. Callers that want the same medium at the same time
    share one piece of work. Failures are not kept."""

    def __init__(self, perceiver: Perceiver, folder: Path | None = None) -> None:
        self.name: str = perceiver.name
        self.kind: MediaKind = perceiver.kind
        self.settings: Mapping[str, Any] = perceiver.settings
        self.folder = folder or cache_folder() / "perception"
        self._perceiver = perceiver
        self._in_hand: dict[str, asyncio.Task[Perception]] = {}

    async def perceive(self, medium: Medium) -> Perception:
        key = self.key(medium)
        began = time.monotonic()
        if task := self._in_hand.get(key):
            return replace(await asyncio.shield(task), cached=True, waited=time.monotonic() - began)
        if known := _read(self._path(key)):
            return known
        task = self._in_hand[key] = asyncio.create_task(self._perceive(medium, key))
        task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)  # a caller that leaves does not undo the work for the others

    def key(self, medium: Medium) -> str:
        """Hex sha256 over all that the text depends on. Raises `CallFailed` where the medium is not there."""
        parts = [medium.sha256, self.name, self.settings]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=dict).encode()).hexdigest()

    async def _perceive(self, medium: Medium, key: str) -> Perception:
        perception = await self._perceiver.perceive(medium)
        row = {
            "text": perception.text,
            "seconds": round(perception.seconds, 4),
            "warnings": list(perception.warnings),
            "perceiver": self.name,
            "settings": dict(self.settings),
            "medium": medium.name,
            "sha256": medium.sha256,
        }
        try:
            _write(self._path(key), row)
        except OSError as error:
            note = f"not kept for next time: {self.folder} cannot be written ({error.strerror or error})"
            return replace(perception, warnings=(*perception.warnings, note))
        return perception

    def _forget(self, key: str, done: asyncio.Task[Perception]) -> None:
        del self._in_hand[key]
        if not done.cancelled():
            done.exception()  # every caller may have left; then nobody else looks at it

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    async def close(self) -> None:
        await self._perceiver.close()


def _read(path: Path) -> Perception | None:
    """What `path` holds; None where it is not there or is damaged, which is repaired by perceiving again."""
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        return Perception(str(row["text"]), float(row["seconds"]), cached=True, warnings=tuple(row["warnings"]))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _write(path: Path, row: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(row, ensure_ascii=False, indent=1, default=dict))
