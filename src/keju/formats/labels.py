"""The side table: labels by item id, from `labels.csv`, `labels.jsonl`, or any table of that kind."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from keju.benchmark import Benchmark, Problem
from keju.formats.field_names import known_field
from keju.formats.names import folded
from keju.formats.tables import SUFFIXES, odd_cells, read_table
from keju.items import Item
from keju.phrase import Phrase, listed

STEM = "labels"
UNFIT = "labels_unfit"
"""Code of the problem of a row, or a table, that no item can take its labels from: such a benchmark is not loaded."""


def is_side_table(name: str) -> bool:
    """Whether a file of a benchmark's folder is its side table."""
    stem, dot, suffix = name.lower().rpartition(".")
    return stem == STEM and dot + suffix in SUFFIXES


def read_labels(
    path: Path, known: Iterable[str], problems: list[Problem], encoding: str | None = None
) -> dict[str, dict[str, str]]:
    """Item id → labels, in column order. `known` are all ids of the benchmark, with those left out of it.

    To `problems` are added an encoding that is not UTF-8 and, with the code `UNFIT`, an id that no item has, an id on
    two rows, a cell that a spreadsheet changed, and a table without ids.
    """
    table = read_table(path, encoding)
    if table.decoded and table.decoded.code:
        problems.append(Problem(None, table.decoded.code, table.decoded.message, table.file))
    id_column = next((name for name in table.columns if (field := known_field(name)) and field.role == "id"), None)
    if id_column is None:
        there = ", ".join(table.columns)
        what = Phrase(f"no column `id`; it has {there}", f"没有 id 列；只有 {there}")
        problems.append(Problem(None, UNFIT, what, table.file))
        return {}
    ids = {folded(item_id): item_id for item_id in known}
    labels: dict[str, dict[str, str]] = {}
    for row in table.rows:
        told = row.cells.get(id_column, "")
        item_id = ids.get(folded(told)) or ids.get(folded(told.strip()))
        fault: Phrase | None = None
        if item_id is None:
            near = _near(told, ids)
            fault = Phrase(f"no item has the id {told!r}{near}", f"没有编号为 {told!r} 的题目{near.zh}")
        elif item_id in labels:
            fault = Phrase(f"a second row for item {item_id}; keep one", f"题目 {item_id} 有两行；请只保留一行")
        elif row.odd:
            fault = next(iter(odd_cells(row).values()))
        else:
            labels[item_id] = {name: text for name, text in row.cells.items() if name and name != id_column}
        if fault:
            problems.append(Problem(None, UNFIT, fault, table.file, row.line))
    return labels


def join_labels(benchmark: Benchmark, path: Path, encoding: str | None = None) -> Benchmark:
    """The benchmark with the labels of a side table added to its items' own, and the problems of that."""
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


def _near(told: str, ids: Mapping[str, str]) -> Phrase:
    if told.isdecimal() and (padded := [i for i in ids if i.isdecimal() and int(i) == int(told)]):
        return Phrase(
            f"; {padded[0]} is meant? A spreadsheet has dropped the leading zeros: format the column as text",
            f"；是 {padded[0]} 吗？表格软件去掉了开头的零：请把该列设为“文本”格式",
        )
    near = difflib.get_close_matches(folded(told), ids, 1)
    return Phrase(f"; {near[0]} is meant?", f"；是 {near[0]} 吗？") if near else Phrase("", "")
