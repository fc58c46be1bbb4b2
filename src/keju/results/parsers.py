"""Parser sensitivity: the same replies under every rule, side by side. A ranking that turns with the rule is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.protocols import PARSERS
from keju.results import columns as c
from keju.results.scan import tally
from keju.results.table import Column, Table
from keju.results.tally import Tally
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
    marked = [
        [s if s and s.parser == name else tally(run, parser=name) for run, s in zip(runs, before, strict=True)]
        for name in _chosen(runs, parsers)
    ]
    rows = [row for under_one in marked for row in _rows(runs, under_one)]
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
    if turned := _turned(marked):
        notes.append(Phrase(f"The ranking turns with the rule: {turned}.", f"名次随规则而变：{turned.zh}。"))
    draws = (c.DRAWN, c.EXPECTED) if any(s.drawn for under_one in marked for s in under_one) else ()
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


def _rows(runs: Sequence[Run], scores: Sequence[Tally]) -> list[dict[str, Any]]:
    ranked = sorted(zip(runs, scores, strict=True), key=lambda pair: -(pair[1].accuracy or 0.0))
    return [
        {
            "parser": s.parser,
            "model": s.name,
            "rank": 1 + sum((other.accuracy or 0.0) > (s.accuracy or 0.0) for other in scores),
            "accuracy": s.accuracy,
            "interval": s.interval.pair if s.interval else None,
            "valid_response_rate": s.valid_response_rate,
            "n": s.n,
            "drawn": s.drawn,
            "expected_accuracy": s.expected_accuracy,
            "own": Phrase("own", "自身") if s.parser == run.protocol.parser else None,
        }
        for run, s in ranked
    ]


def _turned(marked: Sequence[Sequence[Tally]]) -> Phrase:
    """The pairs of runs that stand in opposite order under two rules."""
    found: dict[tuple[str, str], Phrase] = {}
    for i in range(len(marked[0])):
        for j in range(i + 1, len(marked[0])):
            gaps = [(under_one[i].correct - under_one[j].correct, under_one[i].parser) for under_one in marked]
            best, worst = max(gaps), min(gaps)
            if best[0] > 0 > worst[0]:
                a, b, x, y = marked[0][i].name, marked[0][j].name, best[1], worst[1]
                found[a, b] = Phrase(
                    f"{a} leads {b} under {x} and trails it under {y}", f"{a} 按 {x} 领先于 {b}，按 {y} 落后"
                )
    return listed(found.values(), between=("; ", "；"))
