"""Outputs of Multi-TW's own evaluation: the prompt as it was sent, one generated token, the key."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from keju.errors import BadFile
from keju.formats.outputs import plain, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.rows import Row, Sheet
from keju.items import Medium

NAME = "multi-tw"
SHAPE = "JSONL with `id`, `question` (the whole prompt), `generation`, `answer`, `index2ans`"
HEARD = "聽"
"""The instruction of an audio item asks to listen; every other item is seen."""


def fits(head: Head) -> bool:
    return head.kind in ("jsonl", "json") and head.has("id", "question", "generation", "index2ans")


def read(path: Path) -> list[Sheet]:
    """The outputs in the file, one sheet. Raises `BadFile`."""
    rows = []
    for position, (number, row) in enumerate(plain.objects(path)):
        with texts.written_by("Multi-TW", f"{path}:{number}"):
            rows.append(_row(plain.row_of(row, path, number, position)))
    return [Sheet(path.stem, path.stem, NAME, tuple(rows))]


def _row(row: Row) -> Row:
    """The row with the options cut from the prompt: instruction, question, options in one line, format, empty line."""
    lines = row.question.rstrip("\n").split("\n")
    if len(lines) < 3:
        raise BadFile(f"{row.place}: `question` is not a Multi-TW prompt of instruction, question, options and format")
    marks = list(re.finditer(r"[(（]([A-Z])[)）]", lines[-2]))
    ends = [mark.start() for mark in marks[1:]] + [len(lines[-2])]
    options = {mark[1]: lines[-2][mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}
    medium = Medium("audio" if HEARD in lines[0] else "image", row.record.id)
    return replace(row, question="\n".join(lines[:-2]), options=options, media=(medium,), language="zh-Hant")
