"""Plain files of outputs: one object a line (or a JSON list, or a table) with a reply and what it replies to.

Fields go by their usual names (see `fields`): an id, a reply; and, unless a benchmark is given, question, options, key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.outputs import fields, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.outcomes import record_of
from keju.formats.outputs.rows import Row, Sheet

NAME = "plain"
SHAPE = "JSONL, JSON or a table: an id and a reply (`response`, `output`, `text`, …) for each item"


def fits(head: Head) -> bool:
    return head.kind in ("jsonl", "json", "table", "xlsx") and head.has_any(fields.REPLY)


def read(path: Path) -> list[Sheet]:
    """The outputs in the file, one sheet a model (or run) that it names. Raises `BadFile`."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for number, row in objects(path):
        group = groups.setdefault((fields.word(row, fields.MODEL), fields.word(row, fields.RUN)), [])
        with texts.written_by("a tool", f"{path}:{number}"):
            group.append(row_of(row, path, number, len(group)))
    several = len(groups) > 1
    return [
        Sheet((f"{model} {run}".strip() if several else model) or path.stem, path.stem, NAME, unique(rows))
        for (model, run), rows in groups.items()
    ]


def objects(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(line or number, fields) of each output in a JSONL, JSON or table file."""
    head = Head.of(path)
    if head.kind == "jsonl":
        yield from texts.json_lines(path)
    elif head.kind == "json":
        yield from _listed(path)
    else:
        yield from texts.table(path)


def _listed(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    value = texts.json_whole(path)
    if isinstance(value, dict):  # id → output, as MathVista publishes them
        value = [{"id": key, **row} if isinstance(row, dict) else row for key, row in value.items()]
    if not isinstance(value, list):
        raise BadFile(f"{path}: is neither a list nor an object of outputs")
    for number, row in enumerate(value, 1):
        if not isinstance(row, dict):
            raise BadFile(f"{path}: entry {number} is {type(row).__name__}, not an object with an id and a reply")
        yield number, row


def row_of(row: Mapping[str, Any], path: Path, number: int, position: int) -> Row:
    """The output that one object or table row holds."""
    reply = fields.first(row, fields.REPLY)
    gold = fields.first(row, fields.GOLD)
    record = record_of(
        fields.word(row, fields.ID),
        reply if isinstance(reply, str) else None,
        stop=fields.word(row, fields.STOP) or None,
        error=_error(row),
        usage=row.get("usage"),
    )
    return Row(
        record,
        str(path),
        number,
        position,
        question=fields.word(row, fields.QUESTION),
        options=fields.options_of(row),
        gold=None if gold is fields.ABSENT else gold,
        labels=fields.labels_of(row),
        language=fields.word(row, fields.LANGUAGE) or None,
        media=fields.media_of(row),
        verdicts=_verdicts(row),
        read=_read(row),
    )


def unique(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows, with ids `subject/id` where the ids count anew in each subject."""
    rows = tuple(rows)
    counts = Counter(row.record.id for row in rows)
    if max(counts.values(), default=0) < 2:
        return rows
    topic = next((t for t in fields.TOPIC if _tells_apart(rows, t)), None)
    if topic is None:
        return rows  # joining names the two that clash
    return tuple(replace(r, record=replace(r.record, id=f"{r.labels[topic]}/{r.record.id}")) for r in rows)


def _tells_apart(rows: tuple[Row, ...], topic: str) -> bool:
    return len({(row.labels.get(topic), row.record.id) for row in rows}) == len(rows) and all(
        topic in row.labels and row.record.id for row in rows
    )


def _error(row: Mapping[str, Any]) -> str | None:
    error = row.get("error")
    if isinstance(error, Mapping):
        error = error.get("message") or error
    return str(error) if error else None


def _verdicts(row: Mapping[str, Any]) -> dict[str, bool | None]:
    """The tool's marks; where it gives only what it read from the reply, whether that is the key."""
    if marks := {name: fields.verdict_of(row[name]) for name in fields.VERDICT if name in row}:
        return marks
    parse, gold = _parse(row), fields.word(row, fields.GOLD)
    return {parse: fields.word(row, (parse,)) == gold} if parse and gold else {}


def _read(row: Mapping[str, Any]) -> str | None:
    parse = _parse(row)
    return fields.word(row, (parse,)) if parse else None


def _parse(row: Mapping[str, Any]) -> str | None:
    """The field that holds what the tool's parser read."""
    reply = next((name for name in fields.REPLY if name in row), None)
    return next((name for name in fields.PARSE if name in row and name != reply), None)
