"""Records of a run of keju itself, for replaying it; `keju.runs.reading` reads run folders for marking."""

from __future__ import annotations

from pathlib import Path

from keju.errors import BadFile
from keju.formats.outputs import texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.rows import Row, Sheet
from keju.records import Record

NAME = "keju"
SHAPE = "`records.jsonl` of a run folder"


def fits(head: Head) -> bool:
    return head.kind == "jsonl" and head.has("id", "status", "attempts", "prompt")


def read(path: Path) -> list[Sheet]:
    """The records in the file, one sheet. Raises `BadFile` naming the line of what is no record."""
    rows = []
    for position, (number, row) in enumerate(texts.json_lines(path)):
        try:
            record = Record.from_json(row)
        except (TypeError, ValueError, AttributeError) as error:
            raise BadFile(f"{path}:{number}: not a record ({error})") from error
        rows.append(Row(record, str(path), number, position))
    return [Sheet(path.parent.name or path.stem, path.parent.name or path.stem, NAME, tuple(rows))]
