"""One Multi-TW row ↔ an item. A row that the plain layout would not give back is kept and written as it was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keju.benchmark import Problem
from keju.formats.jsonl import wordings_in, wordings_row
from keju.formats.media import Found, MediaFolder
from keju.formats.multi_tw_tasks import Task, task_of
from keju.formats.names import folded
from keju.formats.question_text import QuestionText, option_lines, parse_options, parse_question, read_answer
from keju.items import LABELS, Item, MediaKind, Medium, Wording
from keju.phrase import Phrase, listed

LANGUAGE = "zh-Hant"
FIELDS = ("id", "image", "audio", "instruction", "question", "options", "answer")
OWN = "keju"
"""Key of a row for what the layout has no field for: labels, split, other wordings."""
KEPT = "_multi_tw"
"""Key of `Item.extra` under which a row is kept that would not be written the same."""
KINDS: tuple[MediaKind, ...] = ("image", "audio")
_ID = re.compile(r"(\d+)-([LR])-([NABC])-(P\d+)-(\d+)")
_STRICT_ID = re.compile(r"0[1-5]-[LR]-[NABC]-P\d-\d{3}")
_NULLS = ("", "null", "none", "nan")


@dataclass(frozen=True)
class Source:
    """Where rows come from: the file's name, its folder's media, and the task table."""

    file: str
    media: MediaFolder
    tasks: Sequence[Task]


def item_of(row: Any, number: int, source: Source) -> tuple[Item | None, list[Problem]]:
    """The item of one row and the problems met. None where its id, options or answer cannot be used.

    `number` is its place in the list, from 1. Raises `BadFile` where keju's own part of the row is damaged.
    """
    item_id = _id_in(row)
    if item_id is None:
        fields = listed(FIELDS)
        what = Phrase(
            f"item {number} of the list has no `id`; each is an object with {fields}",
            f"列表中第 {number} 题没有 `id`；每题应是含 {fields.zh} 的对象",
        )
        return None, [Problem(None, "id_missing", what, source.file, left_out=True)]
    parsed = _options_in(row.get("options"))
    if parsed is None or not parsed.options:
        told = str(row.get("options"))[:80]
        what = Phrase(
            f"options {told} are no list of marked options (A), (B), …; correct them",
            f"options {told} 不是标有 (A)、(B)……的列表；请改正",
        )
        return None, [Problem(item_id, "options_unclear", what, source.file, left_out=True)]
    problems = _gaps(item_id, parsed, source)
    answer, code = read_answer(str(row.get("answer") or ""), parsed.options)
    if code:
        labels = listed(parsed.options)
        what = Phrase(
            f"answer {row.get('answer')!r} is not one capital letter of {labels}",
            f"答案 {row.get('answer')!r} 不是 {labels.zh} 中的一个大写字母",
        )
        problems.append(Problem(item_id, code, what, source.file, left_out=answer is None))
    if answer is None:
        return None, problems
    question, instruction = str(row.get("question") or ""), str(row.get("instruction") or "")
    wording = Wording(LANGUAGE, question, parsed.options, instruction, parsed.as_written)
    extra = {key: value for key, value in row.items() if key not in (*FIELDS, OWN)}
    item = Item(item_id, {LANGUAGE: wording}, answer, _media(item_id, row, source, problems), extra=extra)
    problems += _irregular(item, source)
    item = _with_own(replace(item, labels=derived_labels(item, source.tasks)), row, source)
    again = plain_row(item, source.tasks)
    if again != row or list(again) != list(row):
        item = replace(item, extra={**extra, KEPT: dict(row)})
    return item, problems


def row_of(item: Item, source: Source) -> dict[str, Any]:
    """The row to write: the one that was read, where it still says what the item says; else the plain layout."""
    kept = item.extra.get(KEPT)
    if isinstance(kept, Mapping) and (read := item_of(dict(kept), 0, source)[0]):
        same = ("id", "wordings", "answer", "labels", "split", "extra")
        names = [medium.name for medium in item.media]
        told = [
            name for kind in KINDS if isinstance(name := kept.get(kind), str) and name.strip().lower() not in _NULLS
        ]
        if names == told and all(getattr(read, name) == getattr(item, name) for name in same):
            return dict(kept)
    return plain_row(item, source.tasks)


def plain_row(item: Item, tasks: Sequence[Task]) -> dict[str, Any]:
    """The paper's seven fields in its order, then the item's extra fields, then what only keju knows."""
    wording, media = item.wording, {medium.kind: medium.name for medium in item.media}
    row: dict[str, Any] = {"id": item.id}
    row |= {"image": media.get("image"), "audio": media.get("audio"), "instruction": wording.instruction}
    row |= {
        "question": wording.question,
        "options": list(option_lines(wording, "（{label}）{text}")),
        "answer": item.answer,
    }
    row |= {key: value for key, value in item.extra.items() if key not in row and not key.startswith("_")}
    derived = derived_labels(item, tasks)
    own: dict[str, Any] = {"labels": {k: v for k, v in item.labels.items() if derived.get(k) != v}, "split": item.split}
    read_back = parse_options(row["options"])
    if list(item.wordings) != [LANGUAGE] or read_back is None or read_back.options != dict(wording.options):
        own["wordings"] = wordings_row(item.wordings)
    own = {key: value for key, value in own.items() if value}
    return row | ({OWN: own} if own else {})


def derived_labels(item: Item, tasks: Sequence[Task]) -> dict[str, str]:
    """`volume`, `section`, `level`, `part` from the id, as it writes them, and `task` from the instruction."""
    found = _ID.fullmatch(folded(item.id).strip().upper().replace("_", "-"))
    labels = dict(zip(("volume", "section", "level", "part"), found.groups(), strict=False)) if found else {}
    medium = "audio" if any(medium.kind == "audio" for medium in item.media) else "image"
    task = task_of(item.wording.instruction, medium, tasks) if item.wording.instruction else None
    return labels | ({"task": task} if task else {})


def _id_in(row: Any) -> str | None:
    told = row.get("id") if isinstance(row, Mapping) else None
    usable = isinstance(told, str | int) and not isinstance(told, bool) and str(told).strip()
    return str(told) if usable else None


def _options_in(value: Any) -> QuestionText | None:
    if isinstance(value, Mapping):
        labels = [str(label).strip().upper() for label in value]
        texts = [str(text) if text is not None else "" for text in value.values()]
        marked = [
            text if text.startswith(("(", "（")) else f"({x}) {text}" for x, text in zip(labels, texts, strict=True)
        ]
        parsed = parse_options(marked)
        return QuestionText("", parsed.options) if parsed else None
    if isinstance(value, str):
        return parse_question(value)
    if isinstance(value, list) and all(isinstance(option, str) for option in value):
        return parse_options(value)
    return None


def _gaps(item_id: str, parsed: QuestionText, source: Source) -> list[Problem]:
    labels = "".join(parsed.options)
    if labels == LABELS[: len(labels)]:
        return []
    there = listed(labels)
    what = Phrase(
        f"the option labels are {there}; A, B, C, … without a gap are expected",
        f"选项标号是 {there.zh}；应为连续的 A、B、C……",
    )
    return [Problem(item_id, "option_labels", what, source.file)]


def _media(item_id: str, row: Mapping[str, Any], source: Source, problems: list[Problem]) -> tuple[Medium, ...]:
    found: list[Found] = []
    for kind in KINDS:
        told = row.get(kind)
        for name in told if isinstance(told, list) else [told]:
            if isinstance(name, str) and name.strip().lower() not in _NULLS:
                found.append(source.media.find(kind, name))
        if isinstance(told, str) and told.strip().lower() in _NULLS:
            what = Phrase(
                f"{kind} is {told!r}, read as null; write null", f"{kind} 写作 {told!r}，已按 null 读取；请写 null"
            )
            problems.append(Problem(item_id, "null_form", what, source.file))
    if not found:
        what = Phrase("has neither image nor audio; name its file", "既没有图片也没有音频；请写上文件名")
        problems.append(Problem(item_id, "media_missing", what, source.file))
    problems += [problem for there in found for problem in there.problem(item_id, source.file)]
    return tuple(there.medium for there in found)


def _irregular(item: Item, source: Source) -> list[Problem]:
    found = []
    if not _STRICT_ID.fullmatch(item.id):
        found.append(
            (
                "id_grammar",
                Phrase(
                    "the id is not VV-S-L-Pn-QQQ, as 01-L-A-P1-001; its parts are used as far as they fit",
                    "编号不是 VV-S-L-Pn-QQQ 格式（如 01-L-A-P1-001）；能识别的部分已使用",
                ),
            )
        )
    if "task" not in derived_labels(item, source.tasks):
        told = item.wording.instruction
        what = Phrase(
            f"no task type is known for the instruction {told[:40]!r}; add it to tasks.toml",
            f"无法从作答说明 {told[:40]!r} 判断题型；请加进 tasks.toml",
        )
        found.append(("task_unknown", what))
    return [Problem(item.id, code, message, source.file) for code, message in found]


def _with_own(item: Item, row: Mapping[str, Any], source: Source) -> Item:
    own = row.get(OWN)
    if not isinstance(own, Mapping):
        return item
    wordings: Mapping[str, Wording] = item.wordings
    if "wordings" in own:
        wordings = wordings_in(own["wordings"], f"{source.file}: item {item.id}: {OWN}")
    told = own.get("labels")
    labels = {str(name): str(value) for name, value in told.items()} if isinstance(told, Mapping) else {}
    split = own.get("split")
    return replace(item, wordings=wordings, labels={**item.labels, **labels}, split=str(split) if split else None)
