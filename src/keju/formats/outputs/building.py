"""Joining outputs to items: to those of a given benchmark, or to items built from the file's own questions and keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats.language import language_of
from keju.formats.outputs.fields import options_in
from keju.formats.outputs.rows import Row, Sheet
from keju.items import Item, Wording

LANGUAGES = {"english": "en", "chinese": "zh", "simplified chinese": "zh-Hans", "traditional chinese": "zh-Hant"}


def build(sheet: Sheet) -> tuple[Benchmark, list[str]]:
    """A benchmark of the file's own items, and the item id of each row. Raises `BadFile` where it tells too little."""
    ids = _ids(sheet)
    items, problems = [], []
    for item_id, row, language in zip(ids, sheet.rows, _languages(sheet.rows), strict=True):
        item, met = _item(item_id, row, language)
        items.append(item)
        problems += met
    if any(not row.record.id for row in sheet.rows):
        message = "the file gives no ids; its items are numbered in its order, so compare only files of the same order"
        problems.append(Problem(None, "ids_from_position", message, file=sheet.rows[0].file))
    return Benchmark(sheet.name, tuple(items), problems=tuple(problems), format=sheet.format), ids


def key_of(gold: Any, options: Mapping[str, str]) -> tuple[str | None, str | None]:
    """(label, None) of a key written as label, option text, index from 0 or list of one; else (None, code of why)."""
    if isinstance(gold, list):
        return key_of(gold[0], options) if len(gold) == 1 else (None, "answer_multiple" if gold else "answer_missing")
    if isinstance(gold, int) and not isinstance(gold, bool) and 0 <= gold < len(options):
        return list(options)[gold], None
    text = "" if gold is None else str(gold).strip()
    if text in options or not text:
        return (text, None) if text else (None, "answer_missing")
    if same := [label for label, option in options.items() if option.strip() == text]:
        return (same[0], None) if len(same) == 1 else (None, "answer_ambiguous")
    bare = re.sub(r"[()（）.\s,，、]", "", text).upper()
    if bare in options:
        return bare, None
    several = len(set(bare)) == len(bare) > 1 and all(letter in options for letter in bare)
    return None, "answer_multiple" if several else "answer_unusable"


WHY = {
    "answer_missing": "the file holds no key; no reply is marked right",
    "answer_multiple": "the key names several options ({gold}), and keju marks single choice; no reply is marked right",
    "answer_ambiguous": "the key is the text of two options ({gold}); no reply is marked right",
    "answer_unusable": "the key {gold} is neither a label nor the text of an option; no reply is marked right",
}


def _item(item_id: str, row: Row, language: str) -> tuple[Item, list[Problem]]:
    question, options = row.question, dict(row.options)
    if not options:
        question, options = options_in(row.question)
    if len(options) < 2:
        raise BadFile(
            f"{row.place}: item {item_id}: the file does not hold its options; give the benchmark (--benchmark)"
        )
    answer, code = key_of(row.gold, options)
    problems = [Problem(item_id, code, WHY[code].format(gold=repr(row.gold)), row.file, row.line)] if code else []
    written = [text.strip() for text in options.values() if text.strip()]
    if twice := next((text for text in written if written.count(text) > 1), None):
        problems.append(Problem(item_id, "options_identical", f"two options read {twice!r}", row.file, row.line))
    item = Item(item_id, {language: Wording(language, question, options)}, answer, media=row.media, labels=row.labels)
    return item, problems


def _ids(sheet: Sheet) -> list[str]:
    ids = [row.record.id or str(row.position + 1) for row in sheet.rows]
    first: dict[str, Row] = {}
    for item_id, row in zip(ids, sheet.rows, strict=True):
        if (other := first.setdefault(item_id, row)) is not row:
            raise BadFile(f"{row.place}: item {item_id} already has an output (line {other.line}); keep one of them")
    return ids


def _languages(rows: Sequence[Row]) -> list[str]:
    """Each row's tag: the one that the file names, else what the text shows; where it shows none, that of most rows."""
    texts = [(row.question, " ".join(row.options.values())) for row in rows]
    shown = [language_of(*text) for text in texts]
    counts = Counter(shown)
    usual = max(counts.keys() - {"und"}, key=lambda tag: (counts[tag], tag), default="und")
    if counts["zh-Hant"] > counts["zh-Hans"]:  # then a text of characters that both scripts share is Traditional too
        shown = [language_of(*text, traditional=True) for text in texts]
    named = [LANGUAGES.get((row.language or "").lower(), row.language) for row in rows]
    seen = [usual if tag == "und" else tag for tag in shown]
    return [tag if tag and tag != "zh" else other for tag, other in zip(named, seen, strict=True)]
