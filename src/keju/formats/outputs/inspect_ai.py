"""Inspect's logs: `.eval` (a zip of JSON, deflate or zstd) and `.json`."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.errors import BadFile
from keju.formats.archives import DAMAGE, unzipped
from keju.formats.outputs import chat, fields, texts, zstd
from keju.formats.outputs.heads import Head
from keju.formats.outputs.outcomes import record_of, seconds
from keju.formats.outputs.rows import Row, Sheet

NAME = "inspect"
SHAPE = "a log of Inspect AI, `.eval` or `.json`"
VALUES = {"C": True, "I": False, "N": False}
"""Inspect's letters: correct, incorrect, no answer. `P`, partial credit, is no plain mark."""


def fits(head: Head) -> bool:
    if head.kind == "zip":
        return head.has_any(("header.json", "_journal/start.json"))
    return head.kind == "json" and head.has("eval", "samples")


def read(path: Path) -> list[Sheet]:
    """The log's samples, one sheet an epoch. Raises `BadFile`."""
    header, samples = _zip(path) if texts.is_zip(path) else _json(path)
    with texts.written_by("Inspect", path):
        spec, status = header["eval"], header.get("status")
        model, task = str(spec["model"]), str(spec["task"])
        order = {str(one): n for n, one in enumerate(spec.get("dataset", {}).get("sample_ids") or ())}
    epochs: dict[int, list[Row]] = {}
    for number, sample in enumerate(samples, 1):
        with texts.written_by("Inspect", f"{path}: sample {number}"):
            rows = epochs.setdefault(int(sample.get("epoch", 1)), [])
            rows.append(_row(sample, path, number, order.get(str(sample["id"]), len(rows))))
    several = len(epochs) > 1
    return [
        Sheet(f"{model} epoch {n}" if several else model, task, NAME, tuple(rows), _met(path, status, order, rows))
        for n, rows in sorted(epochs.items())
    ]


def _met(path: Path, status: str | None, order: Mapping[str, int], rows: list[Row]) -> tuple[Problem, ...]:
    problems = []
    if status != "success":
        message = f"the log's status is {status or 'unfinished'}; it may lack samples"
        problems.append(Problem(None, "log_unfinished", message, str(path)))
    if missing := sorted(order.keys() - {row.record.id for row in rows}, key=order.__getitem__):
        message = f"{len(missing)} of {len(order)} samples are not in the log: {', '.join(missing[:5])}"
        problems.append(Problem(None, "output_missing", message, str(path)))
    return tuple(problems)


def _json(path: Path) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
    log = texts.json_whole(path)
    if not isinstance(log, dict):
        raise BadFile(f"{path}: is not a log of Inspect, which is one object")
    return log, log.get("samples") or ()


def _zip(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    with unzipped(path) as archive:
        names = archive.namelist()
        if any(name.startswith("samples/") and name.endswith("/sample.json") for name in names):
            raise BadFile(f"{path}: is a log in Inspect's chunked form; convert it: inspect log convert --to json")
        header = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
        if header is None:
            raise BadFile(f"{path}: is no log of Inspect; it has no header.json")
        return _entry(archive, header), _samples(path, sorted(n for n in names if n.startswith("samples/")))


def _samples(path: Path, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    with unzipped(path) as archive:
        for name in names:
            yield _entry(archive, name)


def _entry(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    try:
        value = json.loads(zstd.read(archive, name))
    except (*DAMAGE, RecursionError) as error:
        raise BadFile(f"{archive.filename}: {name} in it cannot be read ({error})") from error
    if not isinstance(value, dict):
        raise BadFile(f"{archive.filename}: {name} in it is not an object")
    return value


def _row(sample: Mapping[str, Any], path: Path, number: int, position: int) -> Row:
    asked = sample["input"]
    question, media = (asked, ()) if isinstance(asked, str) else chat.asked(asked)
    metadata, scores = sample.get("metadata") or {}, sample.get("scores") or {}
    return Row(
        _record(sample),
        str(path),
        number,
        position,
        question=question,
        options=fields.options_of(sample),
        gold=sample["target"],
        labels=fields.labels_of(metadata),
        language=fields.word(metadata, fields.LANGUAGE) or None,
        media=media,
        verdicts={name: _verdict(score.get("value")) for name, score in scores.items()},
        read=next((score.get("answer") for score in scores.values()), None),
    )


def _record(sample: Mapping[str, Any]) -> Any:
    output = sample.get("output") or {}
    choice = (output.get("choices") or [{}])[0]
    text = output.get("completion") or chat.text_of(choice.get("message", {}).get("content"))
    stop, error = choice.get("stop_reason"), sample.get("error") or output.get("error")
    if isinstance(error, Mapping):
        error = error.get("message", "the sample ended in an error")
    if sample.get("limit") and not error:  # the sample was stopped at a limit of tokens, time or messages
        stop, error = ("length", None) if text else (None, f"stopped at a limit: {sample['limit'].get('type')}")
    return record_of(
        str(sample["id"]),
        text,
        stop=stop,
        error=error,
        usage=output.get("usage"),
        stages=seconds(infer=output.get("time")),
        model=output.get("model"),
        at=sample.get("started_at") or "",
    )


def _verdict(value: Any) -> bool | None:
    return VALUES[value] if isinstance(value, str) and value in VALUES else fields.verdict_of(value)
