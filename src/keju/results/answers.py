"""The keys: is one letter right more often than others, and does the longest option give the key away?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from keju.benchmark import Benchmark
from keju.items import Item
from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.counts import ITEMS, SHARE, Count, tables
from keju.results.figures import p_equals
from keju.results.table import Column, Table
from keju.stats import above_chance, uniformity

EXPECTED = Column("expected", "Expected", "number", "期望")

_Key = tuple[tuple[str, ...], str | None]
"""Of an item: the labels of its options, and its key."""
_ENDS: Mapping[str, tuple[Phrase, Callable[[Sequence[int]], int]]] = {
    "longest": (Phrase("the longest option", "最长的选项"), max),
    "shortest": (Phrase("the shortest option", "最短的选项"), min),
}


def answer_balance(benchmark: Benchmark) -> Table | None:
    """How often each label is the key, beside what would be if all of an item's options were equally likely.

    None where no item has a key.
    """
    return tables(benchmark, [KEYS])[0]


def _balance(benchmark: Benchmark, counts: Counter[_Key]) -> Table | None:
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for (options, answer), n in counts.items():
        if answer is not None:
            groups.setdefault(options, Counter())[answer] = n
    if not groups:
        return None
    keyed = sum(group.total() for group in groups.values())
    keys = sum(groups.values(), Counter[str]())
    rows = tuple(
        {
            "answer": label,
            "n": keys[label],
            "share": keys[label] / keyed,
            "expected": sum(group.total() / len(options) for options, group in groups.items() if label in options),
        }
        for label in sorted({label for options in groups for label in options})
    )
    columns = (Column("answer", "Key", "text", "答案"), ITEMS, SHARE, EXPECTED)
    return Table("answers", "Keys", columns, rows, tuple(_notes(groups, len(benchmark) - keyed)), "答案分布")


KEYS = Count(lambda item: ((tuple(item.options), item.answer),), _balance)
"""As `answer_balance`."""


def key_by_length(benchmark: Benchmark) -> Table | None:
    """How often the longest, and the shortest, option is the key, where one option alone is that; None where none is.

    A model that cannot see the picture may go by this.
    """
    return tables(benchmark, [KEY_LENGTHS])[0]


def _alone(item: Item) -> Iterator[tuple[str, int, bool]]:
    """The rule, the options, and whether the key is the only one of them that is so long; nothing where several are."""
    if item.answer:
        sizes = {label: len(text) for label, text in item.options.items()}
        for rule, (_, end) in _ENDS.items():
            if [*sizes.values()].count(length := end([*sizes.values()])) == 1:
                yield rule, len(sizes), sizes.get(item.answer) == length


def _by_length(_: Benchmark, counts: Counter[tuple[str, int, bool]]) -> Table | None:
    rows = [_row(title, counts, rule) for rule, (title, _) in _ENDS.items() if any(rule == key[0] for key in counts)]
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


KEY_LENGTHS = Count(_alone, _by_length)
"""As `key_by_length`."""


def _row(title: Phrase, counts: Counter[tuple[str, int, bool]], rule: str) -> dict[str, Any]:
    of_rule = Counter({key: n for key, n in counts.items() if key[0] == rule})
    chances = [1 / options for _, options, _ in of_rule.elements()]
    hits = sum(n for (_, _, hit), n in of_rule.items() if hit)
    test = above_chance(hits, chances)
    share, chance = hits / len(chances), sum(chances) / len(chances)
    return {"rule": title, "n": len(chances), "hits": hits, "share": share, "chance": chance, "p_chance": test.p}


def _notes(groups: Mapping[tuple[str, ...], Counter[str]], without: int) -> list[Phrase]:
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
    if without:
        notes.append(Phrase(f"Items without a key: {without:,}.", f"没有答案的题：{without:,}。"))
    return notes
