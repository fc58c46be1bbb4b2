"""What a sample for people is like: each label's values in it, beside those of all items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from keju.benchmark import Benchmark, label_of
from keju.phrase import Phrase
from keju.results.breakdowns import UNLABELLED
from keju.results.labels import heading_of, in_order, named
from keju.results.table import Column, Table

ALL = Phrase("all items", "全部题目")


def sampled(benchmark: Benchmark, exam: Benchmark, labels: Sequence[str]) -> Table:
    """A row for each value of each label: items there are, items drawn, and the exact share of the draw."""
    rows = [_row(ALL, None, len(benchmark), len(exam), len(exam) / len(benchmark))]
    for label in labels:
        there = Counter(label_of(item, label) for item in benchmark)
        drawn = Counter(label_of(item, label) for item in exam)
        for value in in_order(label, there.keys()):
            shown = UNLABELLED if value is None else named(label, value)
            rows.append(_row(heading_of(label), shown, there[value], drawn[value], len(exam) / len(benchmark)))
    columns = (
        Column("label", "Label", "text", "标签"),
        Column("value", "Value", "text", "值"),
        Column("n", "Items", "count", "题数"),
        Column("drawn", "Drawn", "count", "抽取"),
        Column("exact", "Exact share", "number", "精确份额"),
    )
    note = Phrase(
        "Drawn: by largest remainder for each label, as far as the labels allow that at once. The sample is frozen.",
        "抽取：各标签分别按最大余额法分配，在各标签能同时满足的范围内。样本已冻结。",
    )
    return Table("sample", "Sample", columns, tuple(rows), (note,), "样本")


def _row(label: str, value: str | None, n: int, drawn: int, rate: float) -> dict[str, Any]:
    return {"label": label, "value": value, "n": n, "drawn": drawn, "exact": n * rate}
