"""Parser sensitivity: the same replies under every rule, side by side. A ranking that turns with the rule is none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.protocols import PARSERS
from keju.results import columns as c
from keju.results.naming import run_names
from keju.results.scan import tally
from keju.results.table import Column, Table
from keju.results.tally import NotHeld, Tally
from keju.runs.run import Run


def parser_sensitivity(
    runs: Sequence[Run], parsers: Sequence[str] | None = None, *, known: Sequence[Tally] = ()
) -> Table:
    """Accuracy, valid responses and rank of each run under each of `parsers` (default: all that read text, and each
    run's own). Asks nothing. `known`: the runs as they were marked before, in their order; that is not done again.
    Raises `Misuse` for no runs or an unknown parser.
    """
    if not runs:
        raise Misuse("parser sensitivity needs at least one run")
    before: Sequence[Tally | None] = known or [None] * len(runs)
    chosen = _chosen(runs, parsers)
    marked = [[_under(name, run, s) for run, s in zip(runs, before, strict=True)] for name in chosen]
    if bare := next((name for name, under_one in zip(chosen, marked, strict=True) if not any(under_one)), None):
        tally(runs[0], parser=bare)  # raises: no run holds what the rule reads
    names = run_names(runs)
    rows = [row for under_one in marked for row in _rows(runs, names, under_one)]
    notes = [
        Phrase(
            'The same stored replies, marked under each rule; "own" is the rule of the run\'s protocol.',
            "同一批已存的回答，按每种规则各标一遍；“自身”是该运行所用协议的规则。",
        ),
        Phrase(
            "Accuracy is over all N items; what a rule cannot read counts as wrong, except where it draws an option.",
            "准确率以全部题数为分母；规则读不出的回答计为答错，随机抽取选项的规则除外。",
        ),
    ]
    if turned := _turned(names, marked):
        notes.append(Phrase(f"The ranking turns with the rule: {turned}.", f"名次随规则而变：{turned.zh}。"))
    for name, under_one in zip(chosen, marked, strict=True):
        if lacking := listed(name for name, s in zip(names, under_one, strict=True) if not s):
            notes.append(
                Phrase(f"Without scores, not read by {name}: {lacking}.", f"没有得分，{name} 未读：{lacking.zh}。")
            )
    draws = (c.DRAWN, c.EXPECTED) if any(s and s.drawn for under_one in marked for s in under_one) else ()
    columns = (
        c.PARSER,
        c.MODEL,
        Column("rank", "Rank", "count", "名次"),
        c.ACCURACY,
        c.INTERVAL,
        c.VALID_RATE,
        c.N,
        *draws,
        Column("own", "Own", "text", "自身规则"),
    )
    return Table("parsers", "Parser sensitivity", columns, tuple(rows), tuple(notes), "解析规则敏感性")


def _chosen(runs: Sequence[Run], parsers: Sequence[str] | None) -> list[str]:
    if parsers is not None:
        return list(parsers)
    own = dict.fromkeys(run.protocol.parser for run in runs)
    by_text = [name for name in PARSERS if name != "likelihood"]  # scores were not asked for in a text run
    return list(dict.fromkeys([*own, *by_text]))


def _under(parser: str, run: Run, known: Tally | None) -> Tally | None:
    """The run under a parser; None where it does not hold what the parser reads."""
    try:
        return known if known and known.parser == parser else tally(run, parser=parser)
    except NotHeld:
        return None


def _rows(runs: Sequence[Run], names: Sequence[str], under_one: Sequence[Tally | None]) -> list[dict[str, Any]]:
    read = [(run, name, s) for run, name, s in zip(runs, names, under_one, strict=True) if s]
    ranked = sorted(read, key=lambda one: (one[2].accuracy is None, -(one[2].accuracy or 0.0)))
    return [
        {
            "parser": s.parser,
            "model": name,
            "rank": None if s.accuracy is None else 1 + sum((other.accuracy or 0.0) > s.accuracy for *_, other in read),
            "accuracy": s.accuracy,
            "interval": s.interval.pair if s.interval else None,
            "valid_response_rate": s.valid_response_rate,
            "n": s.n,
            "drawn": s.drawn,
            "expected_accuracy": s.expected_accuracy,
            "own": Phrase("own", "自身") if s.parser == run.protocol.parser else None,
        }
        for run, name, s in ranked
    ]


def _turned(names: Sequence[str], marked: Sequence[Sequence[Tally | None]]) -> Phrase:
    """The pairs of runs that stand in opposite order under two rules."""
    found: dict[tuple[str, str], Phrase] = {}
    for (a, one), (b, other) in combinations(zip(names, zip(*marked, strict=True), strict=True), 2):
        both = [(s, t) for s, t in zip(one, other, strict=True) if s and t]
        gaps = [(s.correct - t.correct, s.parser) for s, t in both]
        if gaps:
            best, worst = max(gaps), min(gaps)
            if best[0] > 0 > worst[0]:
                x, y = best[1], worst[1]
                found[a, b] = Phrase(
                    f"{a} leads {b} under {x} and trails it under {y}", f"{a} 按 {x} 领先于 {b}，按 {y} 落后"
                )
    return listed(found.values(), between=("; ", "；"))
