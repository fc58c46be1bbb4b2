"""lmms-eval's `<time>_samples_<task>.jsonl`: prompt and reply, without options; a failed request stands as a reply."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.formats.outputs import fields, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.outcomes import record_of
from keju.formats.outputs.rows import Row, Sheet
from keju.items import Medium

NAME = "lmms-eval"
SHAPE = "`<time>_samples_<task>.jsonl` with `doc_id`, `input`, `filtered_resps`"
FIXED = {"doc_id", "target", "doc", "arguments", "filtered_resps", "resps", "token_counts", "input", "input_media"}
"""Fields that are not the task's own metrics."""
_AUDIO = (".wav", ".mp3", ".flac", ".ogg", ".m4a")


def fits(head: Head) -> bool:
    return head.kind == "jsonl" and head.has("doc_id", "filtered_resps") and not head.has("arguments")


def read(path: Path) -> list[Sheet]:
    """The samples of one task. Raises `BadFile`."""
    rows = []
    for number, line in texts.json_lines(path):
        with texts.written_by("lmms-eval", f"{path}:{number}"):
            rows.append(_row(line, path, number))
    _, _, task = path.stem.partition("_samples_")
    model = path.absolute().parent.name if task else path.stem
    return [Sheet(model or path.stem, task or path.stem, NAME, tuple(rows), _empty(path, rows))]


def _empty(path: Path, rows: list[Row]) -> tuple[Problem, ...]:
    if not (ids := [row.record.id for row in rows if row.record.text == ""]):
        return ()
    message = f"{len(ids)} of {len(rows)} replies are empty; some adapters of lmms-eval write so when a call fails"
    return (Problem(None, "replies_empty", f"{message}: {', '.join(ids[:5])}", str(path)),)


def _row(line: Mapping[str, Any], path: Path, number: int) -> Row:
    position = int(line["doc_id"])
    counts = line.get("token_counts")
    usage = counts[0] if isinstance(counts, list) and counts else None
    return Row(
        record_of(str(position), _reply(line), usage=usage),
        str(path),
        number,
        position,
        question=fields.word(line, ("input",)),
        gold=line.get("target"),
        media=tuple(map(_medium, line.get("input_media") or ())),
        verdicts={
            name: mark
            for name, value in line.items()
            if name not in FIXED and (mark := fields.verdict_of(value)) is not None
        },
        read=fields.word(line, fields.PARSE) if any(name in line for name in fields.PARSE) else None,
    )


def _reply(line: Mapping[str, Any]) -> str | None:
    """The raw reply where it differs from the filtered one, out of the lists that some tasks nest it in."""
    value = line.get("resps", line["filtered_resps"])
    while isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, str) else None


def _medium(name: Any) -> Medium:
    path = str(name).replace("\\", "/")
    return Medium("audio" if path.lower().endswith(_AUDIO) else "image", path)
