"""Run folders read back: the run for marking, the records for resuming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats.json_text import Shape, lacking, read_object
from keju.formats.jsonl import read_items, stream_items
from keju.formats.jsonl_rows import is_large
from keju.formats.places import is_there
from keju.items import Item
from keju.protocols import Protocol
from keju.records import Record
from keju.runs.recorded import Recorded, each_record, refuse_strange
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
    items, records = _items_and_records(folder, info)
    name = info["benchmark"]["name"]
    left_out = _left_out(info, folder / "run.json")
    return Run(
        model=asked["model"],
        benchmark=Benchmark(name, items, problems=left_out, format=info["benchmark"].get("format"), root=folder),
        protocol=Protocol.from_json(asked["protocol"]),
        records=records,
        variant=asked["variant"],
        info=info,
        folder=folder,
    )


def _left_out(info: Mapping[str, Any], path: Path) -> tuple[Problem, ...]:
    try:
        return tuple(Problem(**problem) for problem in info["benchmark"].get("left_out") or ())
    except TypeError as error:
        raise BadFile(f"{path} is damaged: {error}. {_ELSEWHERE}") from error


def _items_and_records(folder: Path, info: Mapping[str, Any]) -> tuple[Sequence[Item], Mapping[str, Record]]:
    """What was asked and what came back; of a run that is large neither is held, and both are read when looked at."""
    path = folder / "items.jsonl"
    if is_large(path):
        _refuse_fewer(_lines(path), info, path)
        stream = stream_items(path)
        return stream, Recorded(folder / "records.jsonl", stream)
    records, _ = read_records(folder / "records.jsonl")  # before the items: a run that grows writes those first
    items = read_items(path, None)
    refuse_strange(records, {item.id for item in items}, path)
    _refuse_fewer(len(items), info, path)
    return items, {item.id: records[item.id] for item in items if item.id in records}


def _refuse_fewer(count: int, info: Mapping[str, Any], path: Path) -> None:
    told = info.get("items")
    if isinstance(told, int) and count < told:
        raise BadFile(f"{path}: holds {count} of the {told} items that run.json counts. {_ELSEWHERE}")


def _lines(path: Path) -> int:
    count, last = 0, b"\n"
    with path.open("rb") as file:
        while portion := file.read(1 << 20):
            count, last = count + portion.count(b"\n"), portion[-1:]
    return count + (last != b"\n")


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
    notes: list[str] = []
    return {record.id: record for _, record in each_record(path, notes)}, notes


def read_info(folder: Path) -> dict[str, Any] | None:
    """`run.json` of a folder; None where there is none. Raises `BadFile` where it is damaged."""
    path = folder / "run.json"
    if not path.is_file():
        return None
    info = read_object(path, _ELSEWHERE)
    schema = info.get("schema")
    if schema != SCHEMA:
        raise BadFile(f"{path} is not of the layout that this keju reads ({schema}, not {SCHEMA}). {_ELSEWHERE}")
    sessions = info.get("sessions")
    wrong = [each for each in sessions if lacking(each, _SESSION)] if isinstance(sessions, list) else []
    if missing := [*lacking(info, _SHAPE), *("sessions.wall_s" for _ in wrong)]:
        raise BadFile(f"{path} is damaged: it lacks {', '.join(missing)}. {_ELSEWHERE}")
    return info


_ELSEWHERE = "Restore the file, or move the folder away and run again"


_SESSION: Shape = {"wall_s": (int, float, NoneType)}
_SHAPE: Shape = {
    **dict.fromkeys(("created", "benchmark.name", "fingerprint.model"), (str,)),
    **dict.fromkeys(("fingerprint.protocol", "fingerprint.settings", "fingerprint.variant"), (dict,)),
    **dict.fromkeys(("benchmark.format", "benchmark.root"), (str, NoneType)),
    **dict.fromkeys(("sessions", "benchmark.left_out"), (list, NoneType)),
    "environment": (dict, NoneType),
}
"""What readers of `run.json` rely on, and of which kind it is."""
