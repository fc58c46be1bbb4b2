"""A model that answers again what was answered before, from a file of outputs. It needs no world and costs nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import Blocked, CallFailed, Misuse
from keju.formats.outputs import Outputs, read_outputs
from keju.prompts import Prompt
from keju.records import Record, Reply


class Replay:
    """Replies from any file that `keju.formats.outputs` reads, by item id; failures in it stay failures.

    `model` chooses one of several models in the file. Raises `BadFile` where the file cannot be read or is not of
    `benchmark`, `Misuse` where it holds several models and none is chosen.
    """

    concurrency = 64  # answers come from memory

    def __init__(
        self,
        path: str | Path,
        benchmark: Benchmark | None = None,
        *,
        model: str | None = None,
        format: str | None = None,
    ) -> None:
        path = Path(path)
        outputs = _chosen(path, read_outputs(path, benchmark=benchmark, format=format), model)
        self.name = f"replay:{path.stem}"
        self.settings: Mapping[str, Any] = {"sha256": _sha256(path), "model": outputs.model}
        self._path = path
        self._records = outputs.records

    async def answer(self, prompt: Prompt) -> Reply:
        """The reply in the file. Raises `CallFailed` (kind `model`) for an item that it lacks or that failed."""
        record = self._records.get(prompt.item_id)
        if record is None:
            message = f"{self._path} holds no output for item {prompt.item_id}"
            raise CallFailed(message, kind="model", retryable=False)
        if not record.has_reply:
            raise _failure(record)
        return Reply(
            record.text or "",
            "length" if record.status == "truncated" else "stop",
            usage=record.usage,
            stages={"load": 0.0},  # nothing was asked now, so nothing is timed as if it were
            model=record.model,
            scores=record.scores,
            perceived=record.perceived,
            warnings=record.warnings,
        )

    async def close(self) -> None:
        """Nothing to close."""


def _failure(record: Record) -> CallFailed:
    message = str((record.error or {}).get("message", "failed"))
    if record.status == "blocked":
        return Blocked(message)
    return CallFailed(message, kind="model", retryable=False)


def _chosen(path: Path, found: list[Outputs], model: str | None) -> Outputs:
    fitting = [outputs for outputs in found if model in (None, outputs.model)]
    if len(fitting) != 1:
        names = ", ".join(f"{outputs.model} on {outputs.benchmark.name}" for outputs in found)
        raise Misuse(f"{path} must hold one run of {model or 'one model'} to replay; it holds {names}")
    return fitting[0]


def _sha256(path: Path) -> str:
    """Hex digest of the file, or of the names and bytes of all files in the folder."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            digest.update(file.relative_to(path).as_posix().encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
