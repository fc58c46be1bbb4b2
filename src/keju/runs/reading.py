"""Run folders read back: the run for marking, the records for resuming."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats.jsonl import read_items
from keju.formats.places import is_there
from keju.protocols import Protocol
from keju.records import Record, Status
from keju.runs.run import Run

SCHEMA = 1
"""Version of the run folder's layout, in `run.json`."""


def open_run(folder: str | Path) -> Run:
    """The run that a folder holds, for marking. Takes no lock: a run may be read while it goes on.

    Raises `BadFile` where the folder is no run folder or a line of it cannot be read.
    """
    folder = Path(folder)
    info = read_info(folder)
    if not info:
        raise BadFile(f"{folder} is no run folder: it has no run.json. `keju run` makes one")
    asked = info["fingerprint"]
    items = tuple(read_items(folder / "items.jsonl", None))
    records, _ = read_records(folder / "records.jsonl")
    name = info["benchmark"]["name"]
    left_out = tuple(Problem(**problem) for problem in info["benchmark"].get("left_out", ()))
    return Run(
        model=asked["model"],
        benchmark=Benchmark(name, items, problems=left_out, format=info["benchmark"]["format"], root=folder),
        protocol=Protocol.from_json(asked["protocol"]),
        records={item.id: records[item.id] for item in items if item.id in records},
        variant=asked["variant"],
        info=info,
        folder=folder,
    )


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """Every run folder at or below `paths`, sorted. Raises `BadFile` where a path is neither file nor folder."""
    found: set[Path] = set()
    for path in paths:
        found |= {info.parent for info in path.rglob("run.json")} if is_there(path) and path.is_dir() else set()
    return sorted(found)


def read_records(path: Path) -> tuple[dict[str, Record], list[str]]:
    """Records by item id, and notes on what was dropped: a torn last line (the process died while it wrote).

    Raises `BadFile` on any other line that cannot be read.
    """
    if not path.is_file():
        return {}, []
    lines = path.read_bytes().split(b"\n")
    torn = lines.pop()
    records: dict[str, Record] = {}
    for number, line in enumerate(lines, 1):
        try:
            record = Record.from_json(json.loads(line))
            if record.status not in get_args(Status):
                raise ValueError(f"no status {record.status!r}")
        except (ValueError, TypeError, KeyError) as error:
            if number == len(lines) and not torn:
                torn = line
                break
            raise BadFile(
                f"{path}:{number}: not a record ({error}). Remove the line; its item is then asked again"
            ) from error
        records[record.id] = record
    return records, [f"{path.name}: a torn last line was dropped; its item is asked again"] if torn else []


def read_info(folder: Path) -> dict[str, Any] | None:
    """`run.json` of a folder; None where there is none. Raises `BadFile` where it is damaged."""
    path = folder / "run.json"
    if not path.is_file():
        return None
    try:
        info: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} cannot be read: {error}. {_ELSEWHERE}") from error
    schema = info.get("schema") if isinstance(info, dict) else None
    if schema != SCHEMA:
        raise BadFile(f"{path} is not of the layout that this keju reads ({schema}, not {SCHEMA}). {_ELSEWHERE}")
    if missing := [name for name in ("created", "fingerprint.protocol", "benchmark.format") if not _has(info, name)]:
        raise BadFile(f"{path} is damaged: it lacks {', '.join(missing)}. {_ELSEWHERE}")
    return info


_ELSEWHERE = "Restore the file, or move the folder away and run again"


def _has(info: Any, name: str) -> bool:
    for part in name.split("."):
        if not isinstance(info, Mapping) or part not in info:
            return False
        info = info[part]
    return True
