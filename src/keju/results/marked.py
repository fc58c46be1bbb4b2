"""The items behind the figures: one row an item, with its reply and what was made of it."""

from __future__ import annotations

from typing import Any

from keju.results.mark import Mark
from keju.results.scores import Scores
from keju.results.table import Column, Table


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
        *(Column(f"label_{name}", name.replace("_", " ").capitalize()) for name in names),
        Column("latency_s", "Latency", "seconds", "耗时"),
        Column("error", "Error", "text", "错误"),
        Column("text", "Reply", "text", "回答原文"),
    )
    rows = tuple(_row(mark) for mark in scores.items)
    title = f"Items of {scores.name}, parser {scores.parser}"
    return Table("items", title, columns, rows, (), f"{scores.name} 逐题结果")


def _row(mark: Mark) -> dict[str, Any]:
    error = (mark.record.error if mark.record else None) or {}
    return {
        "id": mark.id,
        "status": mark.status,
        "label": mark.label,
        "key": mark.answer,
        "correct": int(mark.correct) if mark.extraction else None,
        "reason": mark.reason,
        "drawn": int(mark.drawn) if mark.extraction else None,
        "modality": mark.modality,
        **{f"label_{name}": value for name, value in mark.labels.items()},
        "latency_s": mark.latency,
        "error": error.get("message"),
        "text": mark.text,
    }
