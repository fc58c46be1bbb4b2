"""The folder of one measurement: what was measured on what, and every call with its raw times.

measurement.json   design, environment, and each series: model, settings, protocol, wall seconds of every pass
calls.jsonl        one record a call, as in a run, with its model, condition, level and repeat
tables.json        the tables that were printed
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from keju.errors import Misuse
from keju.formats.names import safe_name
from keju.formats.whole_files import write_whole
from keju.runs.offering import Level
from keju.runs.sweep import Design, Pass, Series


class MeasurementFolder:
    """Written while the measurement goes on: what was measured before an interruption stays.

    Raises `Misuse` where the folder cannot be written.
    """

    def __init__(self, out: Path, benchmark: str, plan: Design, facts: Mapping[str, Any]) -> None:
        """`facts` are further fields of `measurement.json`: environment, length of clips."""
        began = datetime.now(UTC)
        self.folder = out / safe_name(benchmark) / began.strftime("%Y-%m-%dT%H%M%S.%fZ")
        self._head = {"benchmark": benchmark, "began": began.isoformat(timespec="seconds"), **_design(plan), **facts}
        self._series: list[Series] = []
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise self._unwritable(error) from error
        self.save([])

    def keep(self, series: Series, done: Pass) -> None:
        """Add the calls of one pass."""
        head = {"model": series.model, "condition": series.condition, **_level(done.level), "repeat": done.repeat}
        lines = (json.dumps(_call(head, record.to_json()), ensure_ascii=False) + "\n" for record in done.records)
        try:
            with (self.folder / "calls.jsonl").open("a", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
        except OSError as error:
            raise self._unwritable(error) from error

    def save(self, found: Sequence[Series]) -> None:
        """Write `measurement.json` with the series measured so far."""
        document = {**self._head, "series": [_series(series) for series in found]}
        self.write("measurement.json", json.dumps(document, ensure_ascii=False, indent=1, default=str) + "\n")

    def write(self, name: str, text: str) -> None:
        """Put a file into the folder."""
        try:
            write_whole(self.folder / name, text)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> Misuse:
        return Misuse(f"{self.folder} cannot be written: {error.strerror or error}. Choose another folder with -o")


def _design(plan: Design) -> dict[str, Any]:
    return {
        "items": [item.id for item in plan.items],
        "warm_up": [item.id for item in plan.warm_up],
        "levels": [_level(level) for level in plan.levels],
        "repeats": plan.repeats,
        "new_tokens": plan.new_tokens,
        "seed": plan.seed,
    }


def _level(level: Level) -> dict[str, Any]:
    return {"in_flight": level.in_flight} if level.rate is None else {"rate": level.rate}


def _call(head: Mapping[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """A record's own `model` is the name that the server gave."""
    if "model" in record:
        record["served_model"] = record.pop("model")
    return {**head, **record}


def _series(series: Series) -> dict[str, Any]:
    return {
        "model": series.model,
        "condition": series.condition,
        "endpoint": series.endpoint,
        "settings": dict(series.settings),
        "protocol": series.protocol.to_json(),
        "discovered": dict(series.discovered),
        "stopped": series.stopped,
        "passes": [
            {**_level(one.level), "repeat": one.repeat, "wall_s": round(one.wall_s, 4), "peak": one.peak}
            for one in series.passes
        ],
    }
