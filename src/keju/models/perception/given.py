"""Transcripts that were made before: a file with one line a clip, as `keju transcribe -o` writes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from keju.errors import BadFile, CallFailed
from keju.formats.json_text import parse_json
from keju.items import MediaKind, Medium
from keju.models.perception.perceiver import Perception


class Given:
    """Says of each clip what the file says. Clips are found by their bytes, or by name where a line has no `sha256`.

    Nothing is timed: what was perceived before costs nothing now. Raises `BadFile` for a file that holds none.
    """

    kind: MediaKind = "audio"

    def __init__(self, path: Path) -> None:
        self.name = f"given/{path.stem}"
        self._path = path
        rows = [row for row in transcript_rows(path) if "sha256" in row or "name" in row]
        if not rows:
            raise BadFile(f"{path} holds no transcript with the `sha256` or `name` of its clip")
        self._by_digest = {str(row["sha256"]): str(row["text"]) for row in rows if "sha256" in row}
        self._by_name = {str(row["name"]): str(row["text"]) for row in rows if "sha256" not in row}
        content = sorted([*self._by_digest.items(), *self._by_name.items()])
        self.settings: Mapping[str, Any] = {"transcripts": hashlib.sha256(repr(content).encode()).hexdigest()[:16]}

    async def perceive(self, medium: Medium) -> Perception:
        text = self._by_digest.get(medium.sha256, self._by_name.get(medium.name))
        if text is None:
            message = f"{self._path} holds no transcript of {medium.name}; transcribe it, or add a line for it"
            raise CallFailed(message, kind="medium", retryable=False)
        return Perception(text.strip(), 0.0, cached=True, warnings=() if text.strip() else ("its transcript is empty",))

    async def close(self) -> None:
        """Nothing to close."""


def transcript_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Lines of a file of transcripts that hold one: `text`, and `sha256`, `name` or `id` of what it is a transcript of.

    Lines of clips that failed hold none and are passed over. Raises `BadFile` naming the line that is not such a row.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"transcripts {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"transcripts {path} are not UTF-8: {error}") from error
    for number, line in enumerate(text.split("\n"), 1):  # not splitlines(): a transcript may hold a line separator
        if line.strip():
            row = parse_json(line, path, number)
            if not isinstance(row, dict) or not {"sha256", "name", "id"} & row.keys():
                raise BadFile(f'{path}:{number}: not a transcript; write {{"name": "clip.mp3", "text": "…"}}')
            if "error" in row:
                continue
            if not isinstance(row.get("text"), str):
                raise BadFile(f"{path}:{number}: `text` must be a text, not {row.get('text')!r}")
            yield row
