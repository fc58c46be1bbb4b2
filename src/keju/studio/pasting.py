"""What people paste: a whole question, or an answer sheet. Read by the reader of `keju.formats`; nothing is guessed."""

from __future__ import annotations

import csv
import re
import unicodedata
from dataclasses import dataclass, replace

from keju.formats.question_text import QuestionText, parse_question, read_answer
from keju.items import LABELS

_CIRCLED = "①②③④⑤⑥"
_CIRCLED_MARK = re.compile(rf"([{_CIRCLED}])[.．、]?\s*")
_NUMBER = re.compile(r"\s*(?:第\s*\d{1,3}\s*[题題][.．、:：]?|[(（]?\d{1,3}\s*[.．、)）])\s*(?=\D)")
"""The number of an exam paper before its question: `12.`, `(12)`, `第12题`."""
_ANSWER_MARK = re.compile(
    rf"\s*[【\[(（]?(?:正确|正確|参考|參考|标准|標準)?答案[】\])）]?\s*[:：]?\s*(?=[(（]?[A-Za-zＡ-Ｚ{_CIRCLED}](?![a-z]))"
)
_ANSWER_SAID = re.compile(r"(?:答案|answer|key)\s*(?:[:：]|是|is)?\s*(?P<said>[^\n]{1,20})", re.IGNORECASE)
_PAIR = re.compile(r"(?<![\w-])(?P<id>[\w-]*\d)\s*[-.:、,\t =]\s*[(\[]?(?P<label>[A-Z])[)\]]?(?![A-Za-z])")
_RUN = re.compile(
    r"(?<![\w-])(?P<first>\d+)\s*[-~–—]\s*(?P<last>\d+)\s*[:.、 ]?\s*(?P<labels>(?:[A-Z]\s*){2,})(?![a-z])"
)
"""`1-5 ABDCA`."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """A question block taken apart."""

    stem: str
    options: tuple[str, ...]
    key: int | None = None
    rest: str = ""
    """What is neither; the editor shows it, so that nothing is lost."""


def read_block(text: str) -> Pasted | None:
    """Stem, options and key of a pasted question; None where its options cannot be told without guessing."""
    parsed = parse_question(_lettered(text.strip()))
    if parsed is None:
        return None
    parsed = replace(parsed, question=_NUMBER.sub("", parsed.question, count=1))
    key, rest = _key(parsed)
    return Pasted(parsed.question, tuple(parsed.options.values()), key, rest)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of an answer sheet: an item as the sheet names it, and the label it gives."""

    name: str
    label: str


def read_sheet(text: str) -> list[SheetRow]:
    """The rows of an answer sheet: CSV with a column of answers, `1-B 2-D …`, `1-5 ABDCA`, or lines `0001 B`."""
    plain = unicodedata.normalize("NFKC", text.lstrip("\ufeff"))
    if rows := _csv_rows(plain):
        return rows
    rows = []
    for run in _RUN.finditer(plain):
        labels = re.findall("[A-Z]", run["labels"])
        first, last = int(run["first"]), int(run["last"])
        if last - first + 1 == len(labels):
            rows += [SheetRow(str(first + n), label) for n, label in enumerate(labels)]
    left = plain if not rows else _RUN.sub(" ", plain)
    return rows + [SheetRow(pair["id"], pair["label"]) for pair in _PAIR.finditer(left)]


def _csv_rows(text: str) -> list[SheetRow]:
    """Rows of a table whose first line names a column of ids and one of answers."""
    lines = text.strip().splitlines()
    if not lines:
        return []
    separator = "\t" if "\t" in lines[0] else ","
    header, *rows = list(csv.reader(lines, delimiter=separator))
    names = [name.strip().casefold() for name in header]
    ids = [names.index(name) for name in ("id", "code", "题号", "題號", "编号", "編號", "number") if name in names]
    keys = [names.index(name) for name in ("answer", "key", "答案", "correct") if name in names]
    if not ids or not keys:
        return []
    return [
        SheetRow(row[ids[0]].strip(), row[keys[0]].strip().strip("()").upper())
        for row in rows
        if len(row) > max(ids[0], keys[0]) and row[ids[0]].strip()
    ]


def _lettered(text: str) -> str:
    """`① 生 ② 旦` with letters, where circled numbers come in order from ①; the answer on a line of its own."""
    text = _ANSWER_MARK.sub("\n答案：", text)
    marks = list(_CIRCLED_MARK.finditer(text))
    begin = max((number for number, mark in enumerate(marks) if mark[1] == "①"), default=len(marks))
    row = [mark for number, mark in enumerate(marks[begin:]) if mark[1] == _CIRCLED[number : number + 1]]
    if len(row) < 2:
        return text
    pieces, end = [], 0
    for label, mark in zip(LABELS, row, strict=False):
        pieces += [text[end : mark.start()].rstrip(), f"\n({label}) "]
        end = mark.end()
    return "".join([*pieces, text[end:]])


def _key(parsed: QuestionText) -> tuple[int | None, str]:
    """The index of the answer that stands after the options, and what else stands there."""
    said = _ANSWER_SAID.search(parsed.trailing)
    if said is None:
        return None, parsed.trailing
    plain = said["said"].strip()
    if plain[:1] in _CIRCLED:
        plain = LABELS[_CIRCLED.index(plain[0])]
    for words in (plain, re.split(r"[\s。，,;；]", plain)[0]):
        label, _problem = read_answer(words, parsed.options)
        if label:
            before, after = parsed.trailing[: said.start()], parsed.trailing[said.end() :]
            return list(parsed.options).index(label), (before + after).strip()
    return None, parsed.trailing
