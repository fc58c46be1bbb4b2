"""The keys: is one letter right more often than others, and does the longest option give the key away?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from keju.benchmark import Benchmark
from keju.items import Item
from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.counts import ITEMS, SHARE
from keju.results.figures import p_equals
from keju.results.table import Column, Table
from keju.stats import above_chance, uniformity

EXPECTED = Column("expected", "Expected", "number", "期望")


def answer_balance(benchmark: Benchmark) -> Table | None:
    """How often each label is the key, beside what would be if all of an item's options were equally likely.

    None where no item has a key.
    """
    keyed = [item for item in benchmark if item.answer is not None]
    if not keyed:
        return None
    counts = Counter(item.answer for item in keyed)
    labels = sorted({label for item in keyed for label in item.options})
    rows = tuple(
        {
            "answer": label,
            "n": counts[label],
            "share": counts[label] / len(keyed),
            "expected": sum(item.chance for item in keyed if label in item.options),
        }
        for label in labels
    )
    columns = (Column("answer", "Key", "text", "答案"), ITEMS, SHARE, EXPECTED)
    return Table("answers", "Keys", columns, rows, tuple(_notes(benchmark, keyed)), "答案分布")


def key_by_length(benchmark: Benchmark) -> Table | None:
    """How often the longest, and the shortest, option is the key, where one option alone is that; None where none is.

    A model that cannot see the picture may go by this.
    """
    chosen: tuple[tuple[Phrase, Callable[[Sequence[int]], int]], ...] = (
        (Phrase("the longest option", "最长的选项"), max),
        (Phrase("the shortest option", "最短的选项"), min),
    )
    rows = [row for title, end in chosen if (row := _by_length(benchmark, title, end))]
    if not rows:
        return None
    columns = (
        Column("rule", "The key is", "text", "答案是"),
        ITEMS,
        Column("hits", "So often", "count", "次数"),
        SHARE,
        c.CHANCE,
        Column("p_chance", "p (more often than by chance)", "p", "p（高于随机）"),
    )
    note = Phrase(
        "Items in which one option alone is the longest or shortest; p is exact, one-sided, Poisson-binomial.",
        "只计唯一最长或最短选项的题；p 为单侧精确泊松二项检验。",
    )
    return Table("key_by_length", "Key and length of options", columns, tuple(rows), (note,), "答案与选项长度")


def _by_length(benchmark: Benchmark, title: Phrase, end: Callable[[Sequence[int]], int]) -> dict[str, Any] | None:
    items = [(item, alone) for item in benchmark if item.answer and (alone := _alone(item, end))]
    if not items:
        return None
    hits = sum(item.answer == alone for item, alone in items)
    chances = [item.chance for item, _ in items]
    test = above_chance(hits, chances)
    share, chance = hits / len(items), sum(chances) / len(items)
    return {"rule": title, "n": len(items), "hits": hits, "share": share, "chance": chance, "p_chance": test.p}


def _alone(item: Item, end: Callable[[Sequence[int]], int]) -> str | None:
    """The label of the only option that is as long as the longest or shortest; None where several are."""
    sizes = {label: len(text) for label, text in item.options.items()}
    labels = [label for label, size in sizes.items() if size == end(list(sizes.values()))]
    return labels[0] if len(labels) == 1 else None


def _notes(benchmark: Benchmark, keyed: Sequence[Item]) -> list[Phrase]:
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for item in keyed:
        groups.setdefault(tuple(item.options), Counter())[item.answer or ""] += 1
    testable = [[counts[label] for label in labels] for labels, counts in groups.items() if len(labels) > 1]
    notes = []
    if testable:
        test = uniformity(testable)
        rough = test.smallest_expected < 5
        notes.append(
            Phrase(
                f"All options equally often the key: chi-square {test.statistic:.2f}, df {test.df}, {p_equals(test.p)}"
                + ("; rough, as fewer than 5 are expected in a cell." if rough else "."),
                f"各选项为答案的次数是否相等：卡方 {test.statistic:.2f}，自由度 {test.df}，{p_equals(test.p)}"
                + ("；有期望数不足 5，仅供参考。" if rough else "。"),
            )
        )
    if len(groups) > 1:
        english = (
            "Expected: the sum of 1 / options over the items that have the option; the test adds up over their kinds."
        )
        notes.append(Phrase(english, "期望：含该选项各题的 1 / 选项数之和；检验按选项组合相加。"))
    if without := len(benchmark) - len(keyed):
        notes.append(Phrase(f"Items without a key: {without:,}.", f"没有答案的题：{without:,}。"))
    return notes
