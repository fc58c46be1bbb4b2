"""The items behind the figures: one row an item, with its reply and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keju.phrase import Phrase
from keju.protocols.extraction import Reason
from keju.results.labels import heading_of, named
from keju.results.mark import Mark, Outcome
from keju.results.scores import Scores
from keju.results.table import Column, Table

OUTCOMES: Mapping[Outcome, Phrase] = {
    "answered": Phrase("answered", "已答"),
    "truncated": Phrase("truncated", "截断"),
    "blocked": Phrase("blocked", "被过滤"),
    "failed": Phrase("failed", "失败"),
    "pending": Phrase("pending", "未问"),
}
"""What can become of an item, as tables say it."""
REASONS: Mapping[Reason, Phrase] = {
    "empty": Phrase("empty", "空回答"),
    "truncated": Phrase("truncated", "截断"),
    "refusal": Phrase("refusal", "拒答"),
    "several": Phrase("several", "多个选项"),
    "not-an-option": Phrase("not-an-option", "不是选项"),
    "no-label": Phrase("no-label", "未给选项"),
}
"""Why a reply gave no label, as tables say it."""


def marked_items(scores: Scores) -> Table:
    """Every item of a marked run, in benchmark order: status, label, key, mark, reason, labels, latency, raw reply."""
    names = list(dict.fromkeys(name for mark in scores.items for name in mark.labels))
    columns = (
        Column("id", "Item", "text", "题号"),
        Column("status", "Status", "text", "状态"),
        Column("label", "Answer", "text", "作答"),
        Column("key", "Key", "text", "正确答案"),
        Column("correct", "Right", "count", "答对"),
        Column("reason", "Invalid because", "text", "无效原因"),
        Column("drawn", "Drawn", "count", "随机抽取"),
        Column("modality", "Modality", "text", "模态"),
        *(Column(f"label_{name}", heading_of(name), "text", heading_of(name).zh) for name in names),
        Column("latency_s", "Latency", "seconds", "耗时"),
        Column("error", "Error", "text", "错误"),
        Column("text", "Reply", "text", "回答原文"),
    )
    rows = tuple(_row(mark) for mark in scores.items)
    title = f"Items of {scores.name}, parser {scores.parser}"
    return Table("items", title, columns, rows, (), f"{scores.name} 逐题结果，解析规则 {scores.parser}")


def _row(mark: Mark) -> dict[str, Any]:
    error = (mark.record.error if mark.record else None) or {}
    return {
        "id": mark.id,
        "status": OUTCOMES[mark.status],
        "label": mark.label,
        "key": mark.answer,
        "correct": int(mark.correct) if mark.extraction else None,
        "reason": REASONS[mark.reason] if mark.reason else None,
        "drawn": int(mark.drawn) if mark.extraction else None,
        "modality": named("modality", mark.modality),
        **{f"label_{name}": named(name, value) for name, value in mark.labels.items()},
        "latency_s": mark.latency,
        "error": error.get("message"),
        "text": mark.text,
    }
