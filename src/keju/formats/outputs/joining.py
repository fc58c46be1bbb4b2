"""Joining outputs to the items of a benchmark: by id, by position or by text, and never to another question.

A reply read under another item's options or key gives a number that means nothing, so a join by any of these stands
only if every question and option that the file shows is that of the item it is joined to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from keju.benchmark import Benchmark
from keju.errors import BadFile
from keju.formats.outputs.fields import options_in
from keju.formats.outputs.rows import Row, Sheet
from keju.items import Item, Wording

Found = list[str | None] | str
"""Item id of each row, None where the benchmark has no such item; or why the rows do not fit."""


def join(sheet: Sheet, benchmark: Benchmark) -> list[str | None]:
    """The item id of each row, None for rows of items that the benchmark has not (it may be a part of what was asked).

    Raises `BadFile` with the first mismatch of each way where the rows are not of this benchmark.
    """
    reasons = []
    for way, join_by in (("by id", _by_id), ("by position", _by_position), ("by text", _by_text)):
        found = join_by(sheet.rows, benchmark)
        if isinstance(found, list):
            return found
        reasons.append(f"{way}: {found}")
    shown = "; ".join(reasons)
    raise BadFile(f"{sheet.rows[0].file}: these outputs do not belong to benchmark {benchmark.name} ({shown})")


def _by_id(rows: Sequence[Row], benchmark: Benchmark) -> Found:
    by_id = {item.id: item for item in benchmark}
    items = [by_id.get(row.record.id) for row in rows]
    if not any(items):
        return f"{rows[0].place}: " + (f"no item {rows[0].record.id}" if rows[0].record.id else "the output has no id")
    return _checked(rows, items, need_text=False)


def _by_position(rows: Sequence[Row], benchmark: Benchmark) -> Found:
    items = [benchmark.items[row.position] if row.position < len(benchmark) else None for row in rows]
    return _checked(rows, items, need_text=True)


def _by_text(rows: Sequence[Row], benchmark: Benchmark) -> Found:
    asked: dict[str, list[Item]] = {}
    for item in benchmark:
        for wording in item.wordings.values():
            asked.setdefault(_squash(wording.question or wording.instruction), []).append(item)
    items: list[Item | None] = []
    for row in rows:
        shown = _squash(row.question)
        near = {item.id: item for question, several in asked.items() if question in shown for item in several}
        fitting = [item for item in near.values() if _shows(row, item) and not mismatch(row, item)]
        if len(fitting) != 1:
            return f"{row.place}: {len(fitting) or 'no'} items have this question and options"
        items += fitting
    return _checked(rows, items, need_text=True)


def _checked(rows: Sequence[Row], items: Sequence[Item | None], *, need_text: bool) -> Found:
    first: dict[str, Row] = {}
    for row, item in zip(rows, items, strict=True):
        if item is None:
            continue
        if (other := first.setdefault(item.id, row)) is not row:
            return f"{row.place}: a second output for item {item.id} (the first is on line {other.line})"
        if reason := mismatch(row, item):
            return f"{row.place}: item {item.id}: {reason}"
        if need_text and not _shows(row, item):
            return f"{row.place}: the file does not show the question, so its place cannot be checked"
    return [None if item is None else item.id for item in items]


def mismatch(row: Row, item: Item) -> str | None:
    """Why `row` cannot be an output for `item`; None where all that the file shows agrees with one of its wordings."""
    reasons = [_differs(row, wording) for wording in item.wordings.values()]
    return None if None in reasons else reasons[0]


def _differs(row: Row, wording: Wording) -> str | None:
    asked = wording.question or wording.instruction
    if row.question and _squash(asked) not in _squash(row.question):
        return f"the file asks {row.question[:60]!r}, the benchmark {asked[:60]!r}"
    # Lines of a prompt may break an option's text, so a beginning is enough; a permutation still shows.
    options = row.options or options_in(row.question)[1]
    for label, text in options.items():
        there = wording.options.get(label)
        if there is None or not _squash(there).startswith(_squash(text)):
            return f"option {label} is {text[:40]!r} in the file and {there!r} in the benchmark"
    return None


def _shows(row: Row, item: Item) -> bool:
    """Whether the row shows text of its own by which it can be told from other items."""
    question = row.question and any(w.question for w in item.wordings.values())
    return bool(question or any(row.options.values()))


@lru_cache(maxsize=1 << 16)
def _squash(text: str) -> str:
    """The text without white space and without the tags that stand for media, which each tool sets in its own way."""
    return "".join(re.sub(r"<(?:image|audio)(?:[ _]?\d+)?>", "", text).split())
