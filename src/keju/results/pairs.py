"""One run against another, item by item: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from keju.errors import Misuse
from keju.results.leaderboard import state
from keju.results.mark import Mark
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import Interval, cochran_q, holm, mcnemar, paired_difference

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
    warnings: tuple[str, ...] = ()
    """What else differs between the two: protocol, prompts, parser."""

    @property
    def note(self) -> str:
        """Everything a reader must know beside the figures; usually empty."""
        nothing = [] if self.only_first + self.only_second else ["no discordant pairs"]
        left_out = [f"{self.left_out} items left out"] if self.left_out else []
        return "; ".join([*nothing, *left_out, *self.warnings])


def compare(a: Scores, b: Scores, *, common: bool = False) -> Comparison:
    """Pair two marked runs by item id and test their difference.

    Raises `Misuse` where the two do not have the same items, or where one has unanswered items that were not asked to
    count as wrong. With `common` the test is over the items that both have and answered; the rest is counted.
    """
    ids = _paired(a, b, common)
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
    which = "all pairs of runs" if against == "all" else f"{ranked[0].name} against each other run"
    notes = (
        "Difference: first minus second, over the same items.",
        "95 % CI: paired bootstrap over items, 10,000 resamples, seed 0; Agresti and Min's where that degenerates.",
        "p: McNemar's exact test on the discordant items, two-sided.",
        f"p (Holm) is adjusted over the family of {family.size} tests: {which}.",
        *_cochran_note(ranked),
    )
    return Table("pairs", "Paired comparisons", _columns(rows), tuple(rows), notes, "成对比较")


def _paired(a: Scores, b: Scores, common: bool) -> list[str]:
    """Ids of the items to pair."""
    both = [i for i in a.by_id if i in b.by_id]
    if not both:
        raise Misuse(f"{a.name} and {b.name} have no item in common: nothing can be paired")
    if common:
        both = [i for i in both if _counts(a, a.by_id[i]) and _counts(b, b.by_id[i])]
        if not both:
            raise Misuse(f"{a.name} and {b.name} have no item that both answered: nothing can be paired")
        return both
    for one, other in ((a, b), (b, a)):
        if lacking := other.by_id.keys() - one.by_id.keys():
            raise Misuse(f"{one.name} lacks {len(lacking)} items of {other.name}: {_listed(lacking)}. {_REMEDY}")
    for s in (a, b):
        if not s.settled:
            raise Misuse(f"{s.name} is {state(s)}: {_listed(m.id for m in s.items if m.extraction is None)}. {_REMEDY}")
    return both


_REMEDY = "Complete the runs, or compare the items that both answered (common=True, --common)"


def _counts(s: Scores, mark: Mark) -> bool:
    return mark.extraction is not None or (s.count_failures_as_wrong and mark.status != "pending")


def _attempt(a: Scores, b: Scores, common: bool) -> Comparison | str:
    try:
        return compare(a, b, common=common)
    except Misuse as error:
        return str(error)


def _row(a: Scores, b: Scores, test: Comparison | str, adjusted: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {"first": a.name, "second": b.name}
    if isinstance(test, str):
        return row | {"note": f"not tested: {test}"}
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
    clustered = Column("interval_clustered", "95 % CI (by medium)", "interval", "95% 置信区间（按媒体）")
    return (
        Column("first", "First", "text", "前者"),
        Column("second", "Second", "text", "后者"),
        Column("difference", "Difference", "difference", "差值"),
        Column("interval", "95 % CI", "interval", "95% 置信区间"),
        *([clustered] if any(row.get("interval_clustered") for row in rows) else []),
        Column("n", "N", "count", "题数"),
        Column("only_first", "Only first right", "count", "仅前者答对"),
        Column("only_second", "Only second right", "count", "仅后者答对"),
        Column("p", "p", "p", "p"),
        Column("p_holm", "p (Holm)", "p", "p（Holm 校正）"),
        *([Column("note", "Note", "text", "备注")] if any(row.get("note") for row in rows) else []),
    )


def _cochran_note(scores: Sequence[Scores]) -> Iterable[str]:
    """All runs at once, where they have the same items in full."""
    ids = scores[0].by_id.keys()
    if len(scores) < 3 or not all(s.settled and s.by_id.keys() == ids for s in scores):
        return
    q = cochran_q([[s.by_id[i].correct for i in ids] for s in scores])
    p = "p < 0.001" if q.p < 0.001 else f"p = {q.p:.3f}"
    yield f"All {len(scores)} runs at once: Cochran's Q = {q.statistic:.2f}, df = {q.df}, {p}."


def _warnings(a: Scores, b: Scores) -> Iterable[str]:
    if a.protocol != b.protocol:
        yield f"different protocols ({a.protocol}, {b.protocol})"
    elif a.prompts != b.prompts:
        yield f"different versions of protocol {a.protocol}"
    if a.parser != b.parser:
        yield f"different parsers ({a.parser}, {b.parser})"
    if a.benchmark != b.benchmark and _reworded(a, b):
        yield f"different benchmarks ({a.benchmark}, {b.benchmark})"
    if a.variant != b.variant:
        return  # other prompts and keys are what a variant is
    if a.asked != b.asked and any(a.asked[i] != b.asked[i] for i in a.asked.keys() & b.asked.keys()):
        yield "some items were put with different prompts"
    if a.keys != b.keys and any(a.keys[i] != b.keys[i] for i in a.keys.keys() & b.keys.keys()):
        yield "some items have different keys"


def _reworded(a: Scores, b: Scores) -> bool:
    """Whether items of one id are other questions in the two: then only the ids agree."""
    both = a.by_id.keys() & b.by_id.keys()
    return any(a.by_id[i].item.wording.question != b.by_id[i].item.wording.question for i in both)


def _listed(ids: Iterable[str]) -> str:
    names = sorted(ids)
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
