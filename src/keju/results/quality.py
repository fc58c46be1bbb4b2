"""Precision, recall and F1 over option labels."""

from __future__ import annotations

from collections.abc import Sequence

from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.table import Column, Table
from keju.results.tally import Tally


def quality(scores: Sequence[Tally]) -> Table:
    """Micro (correct/valid and correct/N, paper 000's Table 6), macro and weighted means over labels.

    Weighted is what the published Multi-TW runs report: the mean over labels by how often each is the key.
    """
    kinds = (("micro", "Micro", "微平均"), ("macro", "Macro", "宏平均"), ("weighted", "Weighted", "加权平均"))
    figures = (("precision", "precision", "精确率"), ("recall", "recall", "召回率"), ("f1", "F1", "F1"))
    columns = tuple(
        Column(f"{kind}_{figure}", f"{title} {name}", "share", f"{zh}{name_zh}")
        for kind, title, zh in kinds
        for figure, name, name_zh in figures
    )
    rows = tuple(
        {"model": s.name, "n": s.n}
        | {
            f"{kind}_{figure}": getattr(getattr(s.classification, kind), figure)
            for kind, *_ in kinds
            for figure, *_ in figures
        }
        for s in scores
    )
    note = Phrase(
        "Over option labels. Micro precision is correct/valid, micro recall correct/N; equal where all are valid.",
        "按选项标签计算。微平均精确率 = 答对 / 有效，微平均召回率 = 答对 / 题数；全部有效时两者相等。",
    )
    return Table("quality", "Precision, recall and F1", (c.MODEL, c.N, *columns), rows, (note,), "精确率、召回率与 F1")
