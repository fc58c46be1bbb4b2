"""Replies without a label: how many of which kind, with examples; and whom models refuse to answer about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from keju.benchmark import label_of
from keju.phrase import Phrase, listed
from keju.protocols.extraction import Reason
from keju.protocols.parsers import extract
from keju.results import columns as c
from keju.results.breakdowns import UNLABELLED, lacking_note
from keju.results.figures import p_equals
from keju.results.labels import heading_of, in_order, label_meant, named
from keju.results.mark import Mark
from keju.results.marked import REASONS
from keju.results.replies import echo_of, excerpt, language_of_reply
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import accuracy_interval, heterogeneity

EXAMPLES = 5
"""Items that a row names before it only counts."""

SHORT = 24
"""Characters of the most frequent reply that a row shows."""


def invalid_tables(scores: Sequence[Scores], labels: Sequence[str]) -> list[Table]:
    """Invalid replies, and refusals by each of `labels`, as far as there are any."""
    tables = [invalid_replies(scores), *(refusals(scores, label) for label in labels)]
    return [table for table in tables if table]


def invalid_replies(scores: Sequence[Scores]) -> Table | None:
    """Each run's replies without a label, by reason, with what they are and an example; None where all gave one.

    Paper 000, "Invalid Response Patterns". Runs marked by another tool (`theirs`) have no reasons.
    """
    rows = [_row(s, reason, marks) for s in scores for reason, marks in _by_reason(s)]
    if not rows:
        return None
    columns = (
        c.MODEL,
        Column("reason", "Reason", "text", "原因"),
        Column("n", "Replies", "count", "回答数"),
        Column("share", "Of all replies", "share", "占全部回答"),
        Column("usual", "Most often", "text", "最常见"),
        Column("languages", "Language", "text", "语言"),
        Column("echoes", "Repeat the question or options", "count", "复述题目或选项", hide_zero=True),
        Column("readable", "Read by robust", "count", "robust 可读", hide_zero=True),
        Column("items", "Items", "text", "题号"),
        Column("example", "Example", "text", "示例"),
    )
    return Table("invalid", "Replies without a label", columns, tuple(rows), tuple(_notes(scores)), "未给出选项的回答")


def refusals(scores: Sequence[Scores], label: str) -> Table | None:
    """How often each run declined, or a filter blocked it, for each value of a label; None where none ever did.

    A filter's refusal is a failed call and no answer, but it is a refusal too: the two are counted apart and together.
    Runs that lack the label are named in a note.
    """
    if not any(refused(mark) for s in scores for mark in s.items):
        return None
    label = label_meant(label, dict.fromkeys(name for s in scores for mark in s.items for name in mark.labels))
    rows: list[dict[str, Any]] = []
    notes: list[Phrase] = []
    lacking: list[str] = []
    for s in scores:
        own = label_meant(label, s.label_names)
        if not any(label_of(mark.item, own) is not None for mark in s.items):
            lacking.append(f"{s.name} ({s.benchmark})")
            continue
        if not any(refused(mark) for mark in s.items):
            notes.append(Phrase(f"{s.name} never refused.", f"{s.name} 从未拒答。"))
            continue
        groups: dict[str | None, list[Mark]] = {}
        for mark in s.items:
            if mark.status != "pending":
                groups.setdefault(label_of(mark.item, own), []).append(mark)
        rows += [_refused_row(s, label, value, groups[value]) for value in in_order(label, groups)]
        notes += _between(s, list(groups.values()))
    if not rows:
        return None
    heading = heading_of(label)
    columns = (
        c.MODEL,
        Column("value", heading, "text", heading.zh),
        Column("refused_share", "Refused", "share", "拒答率"),
        c.INTERVAL,
        Column("n", "Asked", "count", "已问"),
        Column("refused", "Declined", "count", "模型拒答"),
        c.BLOCKED,
    )
    what = Phrase(
        "Refused: the reply declines and gives no label, or a content filter blocked the call. 95 % CI: as in the "
        "leaderboard; Wilson's below 30 items.",
        "拒答：回答婉拒且未给出选项，或调用被内容过滤拦下。95 % 置信区间同排行榜，不足 30 题用 Wilson 法。",
    )
    name = f"refusals_by_{label}"
    notes = [what, *notes, *lacking_note(lacking, heading)]
    return Table(name, f"Refusals by {heading.lower()}", columns, tuple(rows), tuple(notes), f"按{heading.zh}的拒答率")


def refused(mark: Mark) -> bool:
    """Whether the model, or a filter before it, declined to answer."""
    return mark.reason == "refusal" or mark.status == "blocked"


def _by_reason(s: Scores) -> list[tuple[Reason, list[Mark]]]:
    groups: dict[Reason, list[Mark]] = {}
    for mark in s.items:
        if mark.reason and mark.verdict is None:
            groups.setdefault(mark.reason, []).append(mark)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def _row(s: Scores, reason: Reason, marks: Sequence[Mark]) -> dict[str, Any]:
    texts = Counter((mark.text or "").strip() for mark in marks)
    usual, times = texts.most_common(1)[0]
    languages = Counter(tag for mark in marks if (tag := language_of_reply(mark)))
    example = next((mark for mark in marks if (mark.text or "").strip() not in ("", usual)), marks[0])
    return {
        "model": s.name,
        "reason": REASONS[reason],
        "n": len(marks),
        "share": len(marks) / s.answered,
        "usual": f"{_short(usual)} × {times}" if times > 1 and usual else None,
        "languages": " · ".join(f"{tag} {n}" for tag, n in languages.most_common()) or None,
        "echoes": sum(echo_of(mark) is not None for mark in marks),
        "readable": 0 if s.parser == "robust" else sum(_readable(mark) for mark in marks),
        "items": ", ".join(mark.id for mark in marks[:EXAMPLES]) + (" …" if len(marks) > EXAMPLES else ""),
        "example": f"{example.id}: {excerpt(example)}" if excerpt(example) else None,
    }


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def _readable(mark: Mark) -> bool:
    return extract(mark.text or "", mark.item.options, truncated=mark.status == "truncated").valid


def _notes(scores: Sequence[Scores]) -> list[Phrase]:
    notes = [
        Phrase(
            "Reasons are those of each run's own parser; read by robust: replies in which keju's own careful parser "
            "finds a label, so that only the form was wrong.",
            "原因按各次运行自己的解析规则；robust 可读：keju 自己的谨慎规则能从中读出选项，即只是格式不合要求。",
        )
    ]
    if whole := listed(s.name for s in scores if s.answered and not s.invalid):
        notes.append(Phrase(f"Every reply gave a label: {whole}.", f"每个回答都给出了选项：{whole.zh}。"))
    return notes


def _refused_row(s: Scores, label: str, value: str | None, marks: Sequence[Mark]) -> dict[str, Any]:
    declined = sum(mark.reason == "refusal" for mark in marks)
    blocked = sum(mark.status == "blocked" for mark in marks)
    return {
        "model": s.name,
        "value": UNLABELLED if value is None else named(label, value),
        "refused_share": (declined + blocked) / len(marks),
        "interval": accuracy_interval(declined + blocked, len(marks)).pair,
        "n": len(marks),
        "refused": declined,
        "blocked": blocked,
        **({"_faint": True} if len(marks) < 10 else {}),  # as in breakdowns: N < 10 says next to nothing
    }


def _between(s: Scores, groups: Sequence[Sequence[Mark]]) -> list[Phrase]:
    """Whether the groups differ by more than chance."""
    if len(groups) < 2:
        return []
    test = heterogeneity([sum(map(refused, marks)) for marks in groups], [len(marks) for marks in groups])
    rough = Phrase(", rough: some expected counts are below 5", "（部分期望频数小于 5，仅供参考）")
    rough = rough if test.smallest_expected < 5 else Phrase("", "")
    figures = f"{test.statistic:.2f}", test.df, p_equals(test.p)
    return [
        Phrase(
            "{}: between groups: chi-square {}, df {}, {}{}.".format(s.name, *figures, rough),
            "{}：组间差异：卡方 {}，自由度 {}，{}{}。".format(s.name, *figures, rough.zh),
        )
    ]
