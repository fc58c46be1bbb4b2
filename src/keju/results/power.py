"""What the runs could have shown: the smallest difference that N items tell, and the items that a difference needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.pairing import pairing_of
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import detectable_difference, items_needed

POWER = 0.8
"""Chance of finding a difference that is there; with 5 % two-sided, the custom since Cohen (1988)."""


def power(scores: Sequence[Scores]) -> Table:
    """Each pair of runs over the items that both answered: the difference that so many items show, by McNemar's test,
    and how many items the difference that was found would need. Raises `Misuse` where no two runs share an item.
    """
    ranked = sorted(scores, key=lambda s: -(s.accuracy or 0.0))
    rows = [row for a, b in combinations(ranked, 2) if (row := _row(a, b))]
    if not rows:
        raise Misuse("power needs two runs that answered the same items")
    columns = (
        Column("first", "First", "text", "前者"),
        Column("second", "Second", "text", "后者"),
        c.N,
        c.DIFFERENCE,
        Column("discordant", "Discordant", "share", "结果不一致"),
        Column("detectable", "Detectable difference", "difference", "可检出的差值"),
        Column("needed", "Items needed", "count", "所需题数"),
    )
    notes = (
        Phrase(
            "Detectable: the smallest difference that McNemar's test of N items finds with 80 % power at 5 %, "
            "two-sided, for the share of items that exactly one of the two has right (Connor 1987).",
            "可检出的差值：以 N 题作 McNemar 检验（双侧 5 %），有 80 % 把握检出的最小差值；"
            "取决于恰有一方答对的题目比例（Connor 1987）。",
        ),
        Phrase(
            "Items needed: for the difference found, were it the true one. It is a guide for the next benchmark, and "
            "says nothing of these runs that p does not say.",
            "所需题数：若真实差值等于测得值，检出它所需的题数。供设计下一个题库参考，对这些运行并不比 p 多说什么。",
        ),
    )
    return Table("power", "Detectable differences", columns, tuple(rows), notes, "可检出的差值")


def _row(a: Scores, b: Scores) -> dict[str, Any] | None:
    if pairing_of(a, b).strangers:
        return None
    both = [
        (mark.correct, other.correct)
        for mark in a.items
        if (other := b.by_id.get(mark.id)) and mark.extraction is not None and other.extraction is not None
    ]
    if not both:
        return None
    n = len(both)
    difference = (sum(x for x, _ in both) - sum(y for _, y in both)) / n
    discordant = sum(x != y for x, y in both) / n
    return {
        "first": a.name,
        "second": b.name,
        "n": n,
        "difference": difference,
        "discordant": discordant,
        "detectable": detectable_difference(n, discordant=discordant, power=POWER) if discordant else None,
        "needed": items_needed(abs(difference), discordant=discordant, power=POWER) if difference else None,
    }
