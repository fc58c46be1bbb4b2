"""Where another tool erred, or we do: its marks beside ours, item by item, and why they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from keju.errors import Misuse
from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.figures import percent
from keju.results.mark import Mark
from keju.results.marked import OUTCOMES, REASONS
from keju.results.naming import run_names
from keju.results.replies import excerpt
from keju.results.scores import THEIRS, Scores, score
from keju.results.table import Column, Table
from keju.runs.run import Run

Why = Literal[
    "same",
    "failure",
    "missing",
    "no-key",
    "key",
    "refusal",
    "guess",
    "none",
    "unread",
    "other-label",
    "unsaid",
    "marking",
]
WHY: dict[Why, Phrase] = {
    "same": Phrase("the same mark", "判分相同"),
    "failure": Phrase("a failed call was marked as an answer", "把失败的调用当作回答判分"),
    "missing": Phrase("there is no reply, or no mark of theirs", "没有回答，或对方未判分"),
    "no-key": Phrase("the item has no usable key", "题目没有可用的答案"),
    "key": Phrase("another key", "答案不同"),
    "refusal": Phrase("a letter was read out of a refusal", "从拒答中读出了字母"),
    "guess": Phrase("no letter was read, and yet it is right: one was drawn", "未读出字母却判对：随机抽取"),
    "none": Phrase("a letter was read where the reply declares none", "回答未给出选项，对方却读出字母"),
    "unread": Phrase("the answer was not found", "未读出答案"),
    "other-label": Phrase("another letter was read", "读出的字母不同"),
    "unsaid": Phrase("the file does not say what was read", "文件未说明读出了什么"),
    "marking": Phrase("the same letter and key, another mark", "字母与答案相同，判分不同"),
}
"""Why two marks differ, the gravest first; the other tool is the subject of each."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One item under both: our mark, their verdict, and why they differ."""

    mark: Mark
    verdict: bool | None
    read: str | None
    """What they took from the reply: a label, `""` for none; None where the file does not say."""
    key: str | None
    why: Why


def other_marks(runs: Sequence[Run], scores: Sequence[Scores]) -> list[Table]:
    """Two tables: each imported run's marks by why they differ from ours, and the items that differ.

    `scores` are our marks of the `runs`, in their order. Raises `Misuse` where no run holds another tool's marks.
    """
    pairs = [
        (name, marked_beside(run, s))
        for name, run, s in zip(run_names(runs), runs, scores, strict=True)
        if run.verdicts
    ]
    if not pairs:
        raise Misuse("no run here holds another tool's marks: give files that other tools wrote and marked")
    return [_summary(pairs), _items(pairs)]


def marked_beside(run: Run, ours: Scores) -> list[Beside]:
    """Every item of an imported run with both marks, in benchmark order; marks that are theirs are made anew."""
    return [_beside(run, mark) for mark in (score(run) if ours.parser == THEIRS else ours).items]


def _beside(run: Run, mark: Mark) -> Beside:
    verdict, said = run.verdicts.get(mark.id), run.theirs.get(mark.id)
    read, key = (said.read, said.key) if said else (None, None)
    return Beside(mark, verdict, read, key, _why(mark, verdict, read, key))


def _why(mark: Mark, verdict: bool | None, read: str | None, key: str | None) -> Why:
    if verdict is None or mark.status == "pending":
        return "missing"
    if mark.extraction is None:
        return "failure"
    if verdict == mark.correct:
        return "same"
    if mark.answer is None:
        return "no-key"
    if key is not None and key != mark.answer:
        return "key"
    return _reading(mark, verdict, read)


def _reading(mark: Mark, verdict: bool, read: str | None) -> Why:
    """Why marks by one key differ."""
    if read is None:
        return "unsaid"
    if not read:
        return "guess" if verdict else "unread"
    if mark.label is None:
        return "refusal" if mark.reason == "refusal" else "none"
    return "other-label" if read != mark.label else "marking"


def _summary(pairs: Sequence[tuple[str, Sequence[Beside]]]) -> Table:
    rows = [
        _row(name, why, there)
        for name, items in pairs
        for why in WHY
        if (there := [one for one in items if one.why == why])
    ]
    columns = (
        c.MODEL,
        Column("why", "Why", "text", "原因"),
        c.N,
        Column("theirs_right", "Right by theirs", "count", "对方判对"),
        Column("ours_right", "Right by ours", "count", "我方判对"),
        Column("example", "Example", "text", "示例"),
    )
    notes = [_accuracies(name, items) for name, items in pairs]
    return Table(
        "other_marks", "Another tool's marks beside ours", columns, tuple(rows), tuple(notes), "对方与我方的判分"
    )


def _row(name: str, why: Why, items: Sequence[Beside]) -> dict[str, Any]:
    first = items[0].mark
    return {
        "model": name,
        "why": WHY[why],
        "n": len(items),
        "theirs_right": sum(bool(one.verdict) for one in items),
        "ours_right": sum(one.mark.correct for one in items),
        "example": f"{first.id}: {excerpt(first)}" if why != "same" and excerpt(first) else None,
    }


def _accuracies(name: str, items: Sequence[Beside]) -> Phrase:
    n = len(items)
    theirs, ours = (
        percent(sum(marks) / n) for marks in zip(*((bool(i.verdict), i.mark.correct) for i in items), strict=True)
    )
    differ = sum(one.why != "same" for one in items)
    lucky = sum(one.why == "same" and one.read is not None and one.read != (one.mark.label or "") for one in items)
    unlike = Phrase(
        f" Of the same marks {lucky} rest on another letter, or on one where the other side reads none.",
        f"判分相同的题中，{lucky} 题双方读出的字母不同，或只有一方读出字母。",
    )
    unlike = unlike if lucky else Phrase("", "")
    return Phrase(
        f"{name}: {theirs} by theirs, {ours} by ours, over all {n} items; {differ} differ.{unlike}",
        f"{name}：对方 {theirs}，我方 {ours}，以全部 {n} 题计；{differ} 题不同。{unlike.zh}",
    )


def _items(pairs: Sequence[tuple[str, Sequence[Beside]]]) -> Table:
    rows = tuple(_item_row(name, one) for name, items in pairs for one in items if one.why != "same")
    columns = (
        c.MODEL,
        Column("id", "Item", "text", "题号"),
        Column("why", "Why", "text", "原因"),
        Column("theirs_right", "Right by theirs", "text", "对方判分"),
        Column("ours_right", "Right by ours", "text", "我方判分"),
        Column("theirs", "They read", "text", "对方读出"),
        Column("ours", "We read", "text", "我方读出"),
        Column("key", "Key", "text", "答案"),
        Column("their_key", "Their key", "text", "对方答案"),
        Column("reply", "Reply", "text", "回答"),
    )
    none = (Phrase("No item is marked differently.", "没有判分不同的题。"),)
    return Table("other_marks_items", "Items marked differently", columns, rows, () if rows else none, "判分不同的题目")


def _item_row(name: str, one: Beside) -> dict[str, Any]:
    mark = one.mark
    none = Phrase("nothing", "无")
    read = Phrase("not said", "未说明") if one.read is None else one.read or none
    ours = mark.label or (REASONS[mark.reason] if mark.reason else OUTCOMES[mark.status])
    return {
        "model": name,
        "id": mark.id,
        "why": WHY[one.why],
        "theirs_right": _verdict(one.verdict),
        "ours_right": _verdict(mark.correct if mark.extraction is not None else None),
        "theirs": read,
        "ours": ours,
        "key": mark.answer,
        "their_key": one.key,
        "reply": excerpt(mark) or None,
    }


def _verdict(right: bool | None) -> Phrase | None:
    return None if right is None else Phrase("right", "对") if right else Phrase("wrong", "错")
