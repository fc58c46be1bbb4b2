"""From a path to `Outputs`: whose format it is, its reader, and the join to the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, Misuse
from keju.formats.outputs import evalscope, inspect_ai, lm_eval, lmms_eval, multi_tw, own, plain, vlmevalkit
from keju.formats.outputs.building import build, key_of
from keju.formats.outputs.heads import Head
from keju.formats.outputs.joining import join
from keju.formats.outputs.rows import Outputs, Row, Sheet, Theirs
from keju.formats.places import is_there
from keju.items import Item


class Reader(Protocol):
    """A module that reads one tool's files."""

    NAME: str
    SHAPE: str
    """What the file looks like, in a few words, for the error of a file that nobody knows."""

    def fits(self, head: Head) -> bool: ...

    def read(self, path: Path) -> list[Sheet]: ...


_MODULES: tuple[Reader, ...] = (inspect_ai, evalscope, lm_eval, lmms_eval, vlmevalkit, multi_tw, own, plain)
READERS = {reader.NAME: reader for reader in _MODULES}
"""Name → reader, the most particular first: `plain` takes what no other does."""

_SUFFIXES = (".jsonl", ".json", ".eval", ".xlsx", ".tsv", ".csv")


def read_outputs(path: str | Path, *, benchmark: Benchmark | None = None, format: str | None = None) -> list[Outputs]:
    """What models answered, from a file or folder that another tool wrote: one `Outputs` a model and data set.

    With `benchmark` the outputs are joined to its items, and refused where a question or an option differs; without,
    the items are built from the file. `format` is one of `READERS`; None: by content. Raises `BadFile` or `Misuse`.
    """
    path = Path(path)
    if not is_there(path):
        raise BadFile(f"{path} does not exist")
    if format is not None and format not in READERS:
        raise Misuse(f"no format of outputs is called {format!r}; there is {', '.join(READERS)}")
    sheets = [sheet for reader, file in _readers(path, format) for sheet in reader.read(file)]
    if empty := next((sheet for sheet in sheets if not sheet.rows), None):
        raise BadFile(f"{path}: {empty.name} holds no outputs")
    if not sheets:
        raise BadFile(f"{path} holds no outputs")
    return [_outputs(sheet, benchmark) for sheet in sheets]


def _readers(path: Path, format: str | None) -> list[tuple[Reader, Path]]:
    """Each reader with the file, or the folder, that it is to read."""
    if format is not None and (path.is_file() or format in (evalscope.NAME, vlmevalkit.NAME)):
        return [(READERS[format], path)]
    if reader := _reader(path):
        return [(reader, path)]
    if path.is_file():
        raise BadFile(f"{path}: not a file of outputs that keju knows. {_known()}")
    found = [
        (reader, file)
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in _SUFFIXES and file.is_file() and (reader := _reader(file))
        if format in (None, reader.NAME)
    ]
    if not found:
        raise BadFile(f"{path}: no file of outputs in this folder. {_known()}")
    names = {reader.NAME for reader, _ in found}
    if len(names) > 1:
        raise BadFile(
            f"{path}: holds outputs in several formats ({', '.join(sorted(names))}); choose one with --format"
        )
    return found


def _reader(path: Path) -> Reader | None:
    head = Head.of(path)
    return next((reader for reader in READERS.values() if reader.fits(head)), None)


def _known() -> str:
    return "Known: " + "; ".join(f"{reader.NAME} ({reader.SHAPE})" for reader in READERS.values())


def _outputs(sheet: Sheet, benchmark: Benchmark | None) -> Outputs:
    ids: Sequence[str | None]
    if benchmark is None:
        benchmark, ids = build(sheet)
        problems = list(benchmark.problems)
    else:
        ids = join(sheet, benchmark)
        problems = _differences(sheet, ids, benchmark)
    order = {item.id: place for place, item in enumerate(benchmark)}
    pairs = [(item_id, row) for item_id, row in zip(ids, sheet.rows, strict=True) if item_id is not None]
    rows = sorted(pairs, key=lambda pair: order[pair[0]])
    names = dict.fromkeys(name for _, row in rows for name in row.verdicts)
    return Outputs(
        sheet.model,
        benchmark,
        {item_id: replace(row.record, id=item_id) for item_id, row in rows},
        {name: {item_id: row.verdicts[name] for item_id, row in rows if name in row.verdicts} for name in names},
        (*sheet.problems, *problems),
        sheet.format,
        {item_id: _theirs(row, benchmark[item_id]) for item_id, row in rows},
    )


def _theirs(row: Row, item: Item) -> Theirs:
    options = row.options or item.options
    read = None if row.read is None else key_of(row.read, options)[0] or ""
    return Theirs(read, key_of(row.gold, options)[0])


def _differences(sheet: Sheet, ids: Sequence[str | None], benchmark: Benchmark) -> list[Problem]:
    """Keys of the file that are not the benchmark's, outputs of other items, and items without an output."""
    problems, strange = [], []
    for item_id, row in zip(ids, sheet.rows, strict=True):
        if item_id is None:
            strange.append(row.record.id or f"line {row.line}")
            continue
        item = benchmark[item_id]
        key, _ = key_of(row.gold, row.options or item.options)
        if key and key != item.answer:
            message = f"the file's key is {key}, the benchmark's {item.answer}; marked by the benchmark's"
            problems.append(Problem(item_id, "gold_differs", message, row.file, row.line))
    answered = set(ids)
    missing = [item.id for item in benchmark if item.id not in answered]
    file = sheet.rows[0].file
    if strange:
        message = f"{len(strange)} of {len(ids)} outputs are of items that {benchmark.name} has not: {_first(strange)}"
        problems.append(Problem(None, "output_unknown", message, file))
    if missing:
        message = f"{len(missing)} of {len(benchmark)} items have no output in the file: {_first(missing)}"
        problems.append(Problem(None, "output_missing", message, file))
    return problems


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" …" if names[5:] else "")
