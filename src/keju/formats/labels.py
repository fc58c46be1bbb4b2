"""The side table: labels by item id, from `labels.csv`, `labels.jsonl`, or any table of that kind."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats.field_names import known_field
from keju.formats.names import folded
from keju.formats.tables import SUFFIXES, Table, read_table
from keju.items import Item
from keju.phrase import Phrase, listed

STEM = "labels"


def is_side_table(name: str) -> bool:
    """Whether a file of a benchmark's folder is its side table."""
    stem, dot, suffix = name.lower().rpartition(".")
    return stem == STEM and dot + suffix in SUFFIXES


def read_labels(
    path: Path, known: Iterable[str], problems: list[Problem], encoding: str | None = None
) -> dict[str, dict[str, str]]:
    """Item id → labels, in column order. `known` are all ids of the benchmark, with those left out of it.

    An encoding that is not UTF-8 is added to `problems`.
    Raises `BadFile` for an id that no item has, an id on two rows, or a table without an id column.
    """
    table = read_table(path, encoding)
    if table.decoded and table.decoded.code:
        problems.append(Problem(None, table.decoded.code, table.decoded.message, table.file))
    id_column = _id_column(table, path)
    ids = {folded(item_id): item_id for item_id in known}
    labels: dict[str, dict[str, str]] = {}
    for row in table.rows:
        told = row.cells.get(id_column, "")
        item_id = ids.get(folded(told)) or ids.get(folded(told.strip()))
        if item_id is None:
            raise BadFile(f"{path}:{row.line}: no item has the id {told!r}{_near(told, ids)}")
        if item_id in labels:
            raise BadFile(f"{path}:{row.line}: a second row for item {item_id}; keep one")
        if row.odd:
            raise BadFile(f"{path}:{row.line}: {next(iter(row.odd.values()))}")
        labels[item_id] = {name: text for name, text in row.cells.items() if name and name != id_column}
    return labels


def join_labels(benchmark: Benchmark, path: Path, encoding: str | None = None) -> Benchmark:
    """The benchmark with the labels of a side table added to its items' own. Raises as `read_labels` does."""
    left_out = {problem.item for problem in benchmark.problems if problem.item and problem.left_out}
    problems = list(benchmark.problems)
    labels = read_labels(path, [*(item.id for item in benchmark), *left_out], problems, encoding)
    problems += unlabelled(benchmark.items, labels, path.name)
    items = tuple(with_labels(item, labels) for item in benchmark)
    return replace(benchmark, items=items, problems=tuple(problems))


def with_labels(item: Item, labels: Mapping[str, Mapping[str, str]]) -> Item:
    """The item with its row of `labels`."""
    return replace(item, labels={**item.labels, **labels[item.id]}) if labels.get(item.id) else item


def unlabelled(items: Iterable[Item], labels: Mapping[str, object], file: str) -> list[Problem]:
    """The problem of items that the side table does not mention, as a list of none or one."""
    missed = [item.id for item in items if item.id not in labels]
    names = listed(missed[:8])
    what = Phrase(f"has no row for {names} ({len(missed)} items)", f"缺少 {names.zh} 的行（共 {len(missed)} 题）")
    return [Problem(None, "labels_missing", what, file)] if missed else []


def labels_text(items: Iterable[Item]) -> str | None:
    """The side table of the items' labels as CSV; None where none has any."""
    labelled = [item for item in items if item.labels]
    columns = list(dict.fromkeys(name for item in labelled for name in item.labels))
    if not columns:
        return None
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", *columns])
    writer.writerows([item.id, *(item.labels.get(name, "") for name in columns)] for item in labelled)
    return text.getvalue()


def _id_column(table: Table, path: Path) -> str:
    for column in table.columns:
        if (field := known_field(column)) and field.role == "id":
            return column
    raise BadFile(f"{path}: no column `id`; it has {', '.join(table.columns)}")


def _near(told: str, ids: Mapping[str, str]) -> str:
    if told.isdecimal() and (padded := [i for i in ids if i.isdecimal() and int(i) == int(told)]):
        return f"; {padded[0]} is meant? A spreadsheet has dropped the leading zeros: format the column as text"
    near = difflib.get_close_matches(folded(told), ids, 1)
    return f"; {near[0]} is meant?" if near else ""
