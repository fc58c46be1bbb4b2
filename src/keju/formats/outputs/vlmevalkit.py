"""VLMEvalKit's tables: predictions (`<model>_<dataset>.xlsx`, `.tsv`, `.json`) and marks (`…_<judge>_result.xlsx`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from keju.benchmark import Problem
from keju.formats.outputs import plain, texts
from keju.formats.outputs.heads import Head
from keju.formats.outputs.rows import Row, Sheet
from keju.formats.vlmevalkit import own_id
from keju.formats.workbooks import LONGEST_CELL

NAME = "vlmevalkit"
SHAPE = "a table with columns `index`, `prediction`, and `hit`, `log` where it was marked"
RANDOM = "randomly generate"
"""Words of the log where VLMEvalKit found no answer and drew one."""


def fits(head: Head) -> bool:
    if head.kind == "folder":
        return bool(_tables(head.path))
    return head.kind in ("xlsx", "table", "json") and head.has("index", "prediction")


def read(path: Path) -> list[Sheet]:
    """The table at `path`, or each in the folder: the marked one where there is one. Raises `BadFile`."""
    return [_read(file) for file in (_tables(path) if path.is_dir() else [path])]


def _tables(folder: Path) -> list[Path]:
    found = {
        file.resolve(): file  # the newest tables are linked from the folder above
        for file in sorted(folder.rglob("*"))
        if file.suffix.lower() in (".xlsx", ".tsv") and file.is_file() and fits(Head.of(file))
    }
    marked = [file for file in found if file.stem.endswith("_result")]
    return [
        file
        for real, file in found.items()
        if real in marked or not any(m.parent == real.parent and m.stem.startswith(f"{real.stem}_") for m in marked)
    ]


def _read(path: Path) -> Sheet:
    rows, random = [], []
    for position, (number, cells) in enumerate(plain.objects(path)):
        with texts.written_by("VLMEvalKit", f"{path}:{number}"):
            told = {name: text for name, text in cells.items() if name != "prediction"}
            if "id" in told:
                told["id"] = own_id(told["id"])
            row = plain.row_of({**told, "response": cells["prediction"]}, path, number, position)
            if RANDOM in str(cells.get("log", "")):
                random.append(row.record.id)
                row = replace(row, read="")
        rows.append(replace(row, record=replace(row.record, status="truncated")) if _cut(row, path) else row)
    model, dataset = _names(path)
    return Sheet(model, dataset, NAME, tuple(rows), (*_met(path, rows), *_drawn(path, random, len(rows))))


def _cut(row: Row, path: Path) -> bool:
    return path.suffix.lower() == ".xlsx" and len(row.record.text or "") >= LONGEST_CELL


def _met(path: Path, rows: Sequence[Row]) -> list[Problem]:
    problems = []
    for row in rows:
        if _cut(row, path):
            message = f"the reply fills the cell ({LONGEST_CELL} characters), so its end may be lost; read as truncated"
            problems.append(Problem(row.record.id, "cell_cut", message, row.file, row.line))
        elif row.record.text == "":
            message = "the cell is empty: an empty reply, or one that the sheet could not hold"
            problems.append(Problem(row.record.id, "cell_empty", message, row.file, row.line))
    return problems


def _drawn(path: Path, random: Sequence[str], n: int) -> list[Problem]:
    if not random:
        return []
    shown = ", ".join(random[:5]) + (" …" if random[5:] else "")
    message = f"{len(random)} of {n} marks in the file are of answers that VLMEvalKit drew at random: {shown}"
    return [Problem(None, "random_answers", message, str(path))]


def _names(path: Path) -> tuple[str, str]:
    """(model, data set) of `<model>/T<time>/<model>_<dataset>.xlsx`; the file's stem twice where no folder tells."""
    for folder in path.absolute().parents[:2]:
        if path.stem.startswith(f"{folder.name}_") and folder.name:
            return folder.name, path.stem.removeprefix(f"{folder.name}_")
    return path.stem, path.stem
