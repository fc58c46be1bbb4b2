"""How alike splits are: every label's values counted in each, and how far they are from their share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from keju.benchmark import Benchmark, label_of
from keju.phrase import Phrase, in_chinese
from keju.results.breakdowns import UNLABELLED
from keju.results.counts import ITEMS
from keju.results.labels import heading_of, in_order, named
from keju.results.table import Column, Table

OFF = Column("off", "Off by", "number", "偏差")


def split_balance(benchmark: Benchmark, of: Mapping[str, str], splits: Sequence[str], labels: Sequence[str]) -> Table:
    """Items by split, as a whole and for each value of `labels`; `of` is item id → split.

    `off` is the largest difference, in items, between a split's count and the share that its size entitles it to.
    """
    sizes = Counter(of.values())
    rows = [
        {"label": Phrase("all items", "全部"), "value": "", "n": len(of), **{split: sizes[split] for split in splits}}
    ]
    for label in labels:
        counts = Counter((label_of(item, label), of[item.id]) for item in benchmark)
        totals = Counter(label_of(item, label) for item in benchmark)
        for value in in_order(label, totals.keys()):
            there = {split: counts[value, split] for split in splits}
            off = max(abs(there[split] - totals[value] * sizes[split] / len(of)) for split in splits)
            title = UNLABELLED if value is None else named(label, value)
            rows.append({"label": heading_of(label), "value": title, "n": totals[value], **there, "off": off})
    columns = (
        Column("label", "Label", "text", "标签"),
        Column("value", "Value", "text", "值"),
        ITEMS,
        *(Column(split, split, "count", in_chinese(named("split", split))) for split in splits),
        OFF,
    )
    note = Phrase(
        "Off by: the largest difference, in items, from the share that the split's size gives it.",
        "偏差：与按划分大小应得题数的最大差值（题）。",
    )
    return Table("splits", "Splits", columns, tuple(rows), (note,) if labels else (), "划分")
