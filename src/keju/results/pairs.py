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
from keju.results.mark import Mark
from keju.results.scores import Scores
from keju.results.table import Column, Table
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


def compare(a: Scores, b: Scores, *, common: bool = False) -> Comparison:
    """Pair two marked runs by item id and test their difference.

    Raises `Misuse` where the two do not have the same items, or where one has unanswered items that were not asked to
    count as wrong. With `common` the test is over the items that both have and answered; the rest is counted.
    """
    ids = _paired(a, b, common)
    if isinstance(ids, Phrase):
        raise Misuse(ids)
    return _tested(a, b, ids)


def _tested(a: Scores, b: Scores, ids: Sequence[str]) -> Comparison:
    first, second = ([s.right[i] for i in ids] for s in (a, b))
    test = mcnemar(first, second)
    difference = paired_difference(first, second)
    clusters = [a.clusters[i] for i in ids]
    shared = 1 < len(set(clusters)) < len(ids)
    clustered = paired_difference(first, second, clusters=clusters).interval if shared else None
    both = sum(x and y for x, y in zip(first, second, strict=True))
    return Comparison(
        a.name,
        b.name,
        len(ids),
        len({*a.by_id, *b.by_id}) - len(ids),
        both,
        test.only_first,
        test.only_second,
        len(ids) - both - test.only_first - test.only_second,
        difference.difference,
        difference.interval,
        clustered,
        test.p,
        test.method,
        tuple(_warnings(a, b)),
    )


def pairs(scores: Sequence[Scores], *, against: Literal["all", "best"] = "all", common: bool = False) -> Table:
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
    made = [_attempt(a, b, common) for a, b in chosen]
    family = holm([test.p if isinstance(test, Comparison) else None for test in made])
    rows = [_row(a, b, test, p) for (a, b), test, p in zip(chosen, made, family.adjusted, strict=True)]
    notes = (*_notes(family, None if against == "all" else ranked[0]), *_cochran_note(ranked))
    return Table("pairs", "Paired comparisons", _columns(rows), tuple(rows), notes, "成对比较")


def _paired(a: Scores, b: Scores, common: bool) -> list[str] | Phrase:
    """Ids of the items to pair, or why there is nothing to pair."""
    both = [i for i in a.by_id if i in b.by_id]
    if not both:
        return Phrase(
            f"{a.name} and {b.name} have no item in common: nothing can be paired",
            f"{a.name} 与 {b.name} 没有共同的题目，无法配对",
        )
    if common:
        both = [i for i in both if _counts(a, a.by_id[i]) and _counts(b, b.by_id[i])]
        if not both:
            return Phrase(
                f"{a.name} and {b.name} have no item that both answered: nothing can be paired",
                f"{a.name} 与 {b.name} 没有双方都作答的题目，无法配对",
            )
        return both
    for one, other in ((a, b), (b, a)):
        if lacking := other.by_id.keys() - one.by_id.keys():
            ids = listed(sorted(lacking), _SHOWN)
            return Phrase(
                f"{one.name} lacks {len(lacking)} items of {other.name}: {ids}. {_REMEDY}",
                f"{one.name} 缺少 {other.name} 的 {len(lacking)} 道题：{ids.zh}。{_REMEDY.zh}",
            )
    for s in (a, b):
        if not s.settled:
            ids = listed(sorted(m.id for m in s.items if m.extraction is None), _SHOWN)
            return Phrase(
                f"{s.name} is {state(s)}: {ids}. {_REMEDY}", f"{s.name}（{state(s).zh}）：{ids.zh}。{_REMEDY.zh}"
            )
    return both


_REMEDY = Phrase(
    "Complete the runs, or compare the items that both answered (common=True, --common)",
    "请先补全运行，或只比较双方都作答的题目（common=True，--common）",
)


def _counts(s: Scores, mark: Mark) -> bool:
    return mark.extraction is not None or (s.count_failures_as_wrong and mark.status != "pending")


def _attempt(a: Scores, b: Scores, common: bool) -> Comparison | Phrase:
    ids = _paired(a, b, common)
    return ids if isinstance(ids, Phrase) else _tested(a, b, ids)


def _row(a: Scores, b: Scores, test: Comparison | Phrase, adjusted: float | None) -> dict[str, Any]:
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


def _notes(family: Family, best: Scores | None) -> tuple[Phrase, ...]:
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


def _cochran_note(scores: Sequence[Scores]) -> Iterable[Phrase]:
    """All runs at once, where they have the same items in full."""
    ids = scores[0].by_id.keys()
    if len(scores) < 3 or not all(s.settled and s.by_id.keys() == ids for s in scores):
        return
    q = cochran_q([[s.by_id[i].correct for i in ids] for s in scores])
    k, figures = len(scores), (f"{q.statistic:.2f}", q.df, p_equals(q.p))
    yield Phrase(
        "All {} runs at once: Cochran's Q = {}, df = {}, {}.".format(k, *figures),
        "{} 次运行一并检验：Cochran Q = {}，自由度 {}，{}。".format(k, *figures),
    )


def _warnings(a: Scores, b: Scores) -> Iterable[Phrase]:
    if a.protocol != b.protocol:
        yield _different("protocols", "协议", a.protocol, b.protocol)
    elif a.prompts != b.prompts:
        yield Phrase(f"different versions of protocol {a.protocol}", f"协议 {a.protocol} 的版本不同")
    if a.parser != b.parser:
        yield _different("parsers", "解析规则", a.parser, b.parser)
    if a.benchmark != b.benchmark and _reworded(a, b):
        yield _different("benchmarks", "基准", a.benchmark, b.benchmark)
    if a.variant != b.variant:
        return  # other prompts and keys are what a variant is
    if a.asked != b.asked and any(a.asked[i] != b.asked[i] for i in a.asked.keys() & b.asked.keys()):
        yield Phrase("some items were put with different prompts", "部分题目的提示不同")
    if a.keys != b.keys and any(a.keys[i] != b.keys[i] for i in a.keys.keys() & b.keys.keys()):
        yield Phrase("some items have different keys", "部分题目的正确答案不同")


def _different(what: str, what_zh: str, one: str, other: str) -> Phrase:
    return Phrase(f"different {what} ({one}, {other})", f"{what_zh}不同（{one}、{other}）")


def _reworded(a: Scores, b: Scores) -> bool:
    """Whether items of one id are other questions in the two: then only the ids agree."""
    both = a.by_id.keys() & b.by_id.keys()
    return any(a.by_id[i].item.wording.question != b.by_id[i].item.wording.question for i in both)
