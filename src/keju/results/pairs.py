"""One run against another, item by item: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.results import columns as c
from keju.results.figures import p_equals
from keju.results.leaderboard import state
from keju.results.pairing import Paired, Pairing, pairing_of, together
from keju.results.table import Column, Table
from keju.results.tally import Tally
from keju.stats import Family, Interval, cochran_q, holm, mcnemar, paired_difference

_SHOWN = 8
"""Ids that a message lists before it only counts."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two marked runs over the same items. Positive differences favour the first."""

    first: str
    second: str
    n: int
    """Items paired."""
    left_out: int
    """Items that only one of the two has, or that one of them has no reply to."""
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    difference: float
    interval: Interval
    """95 %, by a paired bootstrap over items."""
    interval_clustered: Interval | None
    """The same over groups of items that share their media; None where no two items do."""
    p: float
    """Two-sided, on the discordant items."""
    method: str
    """`exact`: McNemar's test as a binomial."""
    warnings: tuple[Phrase, ...] = ()
    """What else differs between the two: protocol, prompts, parser."""

    @property
    def note(self) -> Phrase:
        """Everything a reader must know beside the figures; usually empty."""
        nothing = [] if self.only_first + self.only_second else [Phrase("no discordant pairs", "没有结果不一致的题目")]
        n = self.left_out
        left_out = [Phrase(f"{n} items left out", f"{n} 道题未计入")] if n else []
        return listed([*nothing, *left_out, *self.warnings], between=("; ", "；"))


def compare(a: Tally, b: Tally, *, common: bool = False) -> Comparison:
    """Pair two marked runs by item id and test their difference.

    Raises `Misuse` where the two do not have the same items, or other questions under the same ids, or where one has
    unanswered items that were not asked to count as wrong. With `common` the test is over the items that both have and
    answered; the rest is counted.
    """
    made = attempt(a, b, common)
    if isinstance(made, Phrase):
        raise Misuse(made)
    return made


def attempt(a: Tally, b: Tally, common: bool) -> Comparison | Phrase:
    """The comparison, or why there is nothing to pair."""
    pairing = pairing_of(a, b)
    if reason := _hindrance(pairing, common):
        return reason
    paired = pairing.paired(common)
    if not len(paired.first):
        return Phrase(
            f"{a.name} and {b.name} have no item that both answered: nothing can be paired",
            f"{a.name} 与 {b.name} 没有双方都作答的题目，无法配对",
        )
    return _tested(pairing, paired)


def _tested(pairing: Pairing, paired: Paired) -> Comparison:
    a, b, n = pairing.a, pairing.b, len(paired.first)
    test = mcnemar(paired.first, paired.second)
    difference = paired_difference(paired.first, paired.second)
    clustered = None
    if paired.clusters is not None:
        clustered = paired_difference(paired.first, paired.second, clusters=paired.clusters).interval
    both = int((paired.first & paired.second).sum())
    return Comparison(
        a.name,
        b.name,
        n,
        pairing.union - n,
        both,
        test.only_first,
        test.only_second,
        n - both - test.only_first - test.only_second,
        difference.difference,
        difference.interval,
        clustered,
        test.p,
        test.method,
        tuple(_warnings(pairing)),
    )


def pairs(scores: Sequence[Tally], *, against: Literal["all", "best"] = "all", common: bool = False) -> Table:
    """Table of paired tests with Holm's adjustment over the family that it names.

    `against="all"`: every pair. `against="best"`: the most accurate run against each other one.
    A pair that cannot be tested is listed with the reason and stays out of the family. Raises `Misuse` for fewer than
    two runs.
    """
    if len(scores) < 2:
        raise Misuse("a paired test needs at least two runs")
    ranked = sorted(scores, key=lambda s: (not s.settled, -(s.accuracy or 0.0)))
    if against not in ("all", "best"):
        raise Misuse(f"pairs are tested against 'all' or 'best', not {against!r}")
    chosen = list(combinations(ranked, 2)) if against == "all" else [(ranked[0], other) for other in ranked[1:]]
    made = [attempt(a, b, common) for a, b in chosen]
    family = holm([test.p if isinstance(test, Comparison) else None for test in made])
    rows = [_row(a, b, test, p) for (a, b), test, p in zip(chosen, made, family.adjusted, strict=True)]
    cochran = _cochran_note(ranked) if all(isinstance(test, Comparison) for test in made) else ()
    notes = (*_notes(family, None if against == "all" else ranked[0]), *cochran)
    return Table("pairs", "Paired comparisons", _columns(rows), tuple(rows), notes, "成对比较")


def _hindrance(pairing: Pairing, common: bool) -> Phrase | None:
    """Why there is nothing to pair; None where there is."""
    a, b = pairing.a, pairing.b
    if not pairing.shared:
        return Phrase(
            f"{a.name} and {b.name} have no item in common: nothing can be paired",
            f"{a.name} 与 {b.name} 没有共同的题目，无法配对",
        )
    if pairing.strangers:
        return Phrase(
            f"{a.name} and {b.name} were asked other questions under the same ids ({a.benchmark}, {b.benchmark})",
            f"{a.name} 与 {b.name} 题号相同而题目不同（{a.benchmark}、{b.benchmark}）",
        )
    if common:
        return None
    for one, other in ((a, b), (b, a)):
        if lacking := pairing.lacking(one):
            ids = listed(lacking, _SHOWN)
            return Phrase(
                f"{one.name} lacks {len(lacking)} items of {other.name}: {ids}. {_COMMON}",
                f"{one.name} 缺少 {other.name} 的 {len(lacking)} 道题：{ids.zh}。{_COMMON.zh}",
            )
    for s in (a, b):
        if not s.settled:
            ids = listed(pairing.unanswered(s), _SHOWN)
            return Phrase(
                f"{s.name} is {state(s)}: {ids}. {_REMEDY}", f"{s.name}（{state(s).zh}）：{ids.zh}。{_REMEDY.zh}"
            )
    return None


_COMMON = Phrase(
    "Compare the items that both answered (common=True, --common)", "请只比较双方都作答的题目（common=True，--common）"
)
_REMEDY = Phrase(
    "Complete the runs, or compare the items that both answered (common=True, --common)",
    "请先补全运行，或只比较双方都作答的题目（common=True，--common）",
)


def _row(a: Tally, b: Tally, test: Comparison | Phrase, adjusted: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {"first": a.name, "second": b.name}
    if isinstance(test, Phrase):
        return row | {"note": Phrase(f"not tested: {test}", f"未检验：{test.zh}")}
    return row | {
        "difference": test.difference,
        "interval": test.interval.pair,
        "interval_clustered": test.interval_clustered.pair if test.interval_clustered else None,
        "n": test.n,
        "only_first": test.only_first,
        "only_second": test.only_second,
        "p": test.p,
        "p_holm": adjusted,
        "note": test.note or None,
    }


def _columns(rows: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    return (
        Column("first", "First", "text", "前者"),
        Column("second", "Second", "text", "后者"),
        c.DIFFERENCE,
        c.INTERVAL,
        *([c.INTERVAL_CLUSTERED] if any(row.get("interval_clustered") for row in rows) else []),
        c.N,
        c.ONLY_FIRST,
        c.ONLY_SECOND,
        c.P,
        c.P_HOLM,
        *([Column("note", "Note", "text", "备注")] if any(row.get("note") for row in rows) else []),
    )


def _notes(family: Family, best: Tally | None) -> tuple[Phrase, ...]:
    """`best`: the run that the others are tested against; None where every pair is tested."""
    which = Phrase("all pairs of runs", "所有两两比较")
    if best:
        which = Phrase(f"{best.name} against each other run", f"{best.name} 与其余各次运行的比较")
    return (
        Phrase("Difference: first minus second, over the same items.", "差值：前者减后者，题目相同。"),
        Phrase(
            "95 % CI: paired bootstrap over items, 10,000 resamples, seed 0; Agresti and Min's where that degenerates.",
            "95 % 置信区间：对题目作配对自助法，重抽样 10,000 次，随机种子 0；退化时改用 Agresti–Min 区间。",
        ),
        Phrase(
            "p: McNemar's exact test on the discordant items, two-sided.",
            "p：对结果不一致的题目作 McNemar 精确检验，双侧。",
        ),
        Phrase(
            f"p (Holm) is adjusted over the family of {family.size} tests: {which}.",
            f"p（Holm 校正）按 {family.size} 个检验组成的检验族校正：{which.zh}。",
        ),
    )


def _cochran_note(scores: Sequence[Tally]) -> Iterable[Phrase]:
    """All runs at once, where they have the same items in full."""
    if len(scores) < 3 or not all(s.settled for s in scores) or (marks := together(scores)) is None:
        return
    q = cochran_q(marks)
    k, figures = len(scores), (f"{q.statistic:.2f}", q.df, p_equals(q.p))
    yield Phrase(
        "All {} runs at once: Cochran's Q = {}, df = {}, {}.".format(k, *figures),
        "{} 次运行一并检验：Cochran Q = {}，自由度 {}，{}。".format(k, *figures),
    )


def _warnings(pairing: Pairing) -> Iterable[Phrase]:
    a, b = pairing.a, pairing.b
    if a.protocol != b.protocol:
        yield _different("protocols", "协议", a.protocol, b.protocol)
    elif a.prompts != b.prompts:
        yield Phrase(f"different versions of protocol {a.protocol}", f"协议 {a.protocol} 的版本不同")
    if a.parser != b.parser:
        yield _different("parsers", "解析规则", a.parser, b.parser)
    if a.benchmark != b.benchmark and any(pairing.reworded):
        yield _different("benchmarks", "基准", a.benchmark, b.benchmark)
    if a.variant != b.variant:
        return  # other prompts and keys are what a variant is
    if pairing.differ("prompt"):
        yield Phrase("some items were put with different prompts", "部分题目的提示不同")
    if pairing.differ("key"):
        yield Phrase("some items have different keys", "部分题目的正确答案不同")


def _different(what: str, what_zh: str, one: str, other: str) -> Phrase:
    return Phrase(f"different {what} ({one}, {other})", f"{what_zh}不同（{one}、{other}）")
