"""The leaderboard: marked runs from best to worst, with everything that a reader needs to trust a place in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, in_chinese, listed
from keju.results import columns as c
from keju.results.naming import told_apart
from keju.results.table import Column, Table
from keju.results.tally import Tally

BENCHMARK = Column("benchmark", "Benchmark", "text", "基准")
RUN = Column("run", "Run", "count", "运行")
"""The number of a run among those that are alike in all else."""


def leaderboard(scores: Sequence[Tally], *, published: Iterable[Mapping[str, Any]] = ()) -> Table:
    """Table of marked runs, best first; incomplete runs stand after complete ones, whatever they have.

    `published` are rows of `keju.results.published`, set last and marked. Raises `Misuse` for no runs.
    """
    if not scores:
        raise Misuse("a leaderboard needs at least one run")
    ranked = sorted(told_apart(scores), key=lambda s: (not s.settled, s.accuracy is None, -(s.accuracy or 0.0)))
    theirs = [{**row, "_published": True} for row in published]
    sources = sorted({row["source"] for row in theirs if "source" in row})
    cited = (Phrase(f"Published rows are from {s}.", f"已发表的数据取自 {in_chinese(s)}。") for s in sources)
    rows = (*map(_row, ranked), *theirs)
    return Table("leaderboard", "Leaderboard", _columns(ranked), rows, (*_notes(ranked), *cited), "排行榜")


def _row(s: Tally) -> dict[str, Any]:
    return {
        "model": s.model,
        "variant": s.variation or None,
        "benchmark": s.benchmark,
        "run": s.repeat,
        "accuracy": s.accuracy,
        "interval": s.interval.pair if s.interval else None,
        "interval_method": _METHODS[s.interval_method] if s.interval_method else None,
        "interval_clustered": s.interval_clustered.pair if s.interval_clustered else None,
        "n": s.n,
        "state": state(s),
        "answered": s.answered,
        "accuracy_answered": s.accuracy_answered,
        "interval_answered": s.interval_answered.pair if s.interval_answered else None,
        "valid_response_rate": s.valid_response_rate,
        "chance": s.chance,
        "p_chance": s.above_chance.p if s.above_chance else None,
        "drawn": s.drawn,
        "expected_accuracy": s.expected_accuracy,
        "accuracy_without_draws": s.accuracy_without_draws,
        "invalid": s.invalid,
        "truncated": s.truncated,
        "blocked": s.blocked,
        "failed": s.failed,
        "pending": s.pending,
        "parser": s.parser,
        "protocol": s.protocol,
    }


def state(s: Tally) -> Phrase:
    """`complete`, or how much is missing, in the words of a table."""
    if s.complete:
        return Phrase("complete", "完整")
    missing = s.n - s.answered
    if s.settled:
        return Phrase(f"{missing} of {s.n} unanswered, counted as wrong", f"{s.n} 题中 {missing} 题未答，计为答错")
    return Phrase(f"incomplete: {missing} of {s.n} unanswered", f"不完整，{s.n} 题中 {missing} 题未答")


def _columns(scores: Sequence[Tally]) -> tuple[Column, ...]:
    """Always the same columns for programs; those that would say nothing in any row are hidden from people."""

    def where(needed: bool, *columns: Column) -> tuple[Column, ...]:
        return tuple(replace(column, hidden=not needed) for column in columns)

    return (
        c.MODEL,
        *where(any(s.variant for s in scores), c.VARIANT),
        *where(len({s.benchmark for s in scores}) > 1, BENCHMARK),
        *where(any(s.repeat for s in scores), RUN),
        c.ACCURACY,
        c.INTERVAL,
        *where(len({s.interval_method for s in scores}) > 1, c.METHOD),
        *where(any(s.interval_clustered for s in scores), c.INTERVAL_CLUSTERED),
        c.N,
        *where(not all(s.complete for s in scores), c.STATE, c.ANSWERED, c.ACCURACY_ANSWERED, c.INTERVAL_ANSWERED),
        c.VALID_RATE,
        c.CHANCE,
        c.P_CHANCE,
        *where(any(s.drawn for s in scores), c.DRAWN, c.EXPECTED, c.UNDRAWN),
        c.INVALID,
        c.TRUNCATED,
        c.BLOCKED,
        c.FAILED,
        *where(any(s.pending for s in scores), c.PENDING),
        c.PARSER,
        c.PROTOCOL,
    )


def _notes(scores: Sequence[Tally]) -> Iterable[Phrase]:
    yield Phrase(
        "Accuracy is right answers over all N items; a reply without a valid label counts as wrong.",
        "准确率 = 答对题数 / 全部题数；未给出有效选项的回答计为答错。",
    )
    yield from interval_notes({s.interval_method for s in scores})
    yield Phrase(
        "Chance is the mean of 1 / options per item; p (above chance) is its exact one-sided Poisson-binomial test.",
        "随机水平为各题“1 / 选项数”的均值；p（高于随机）由泊松二项分布的单侧精确检验得出。",
    )
    if any(s.interval_clustered for s in scores):
        yield Phrase(
            "Some items share a picture or clip: 95 % CI (by medium) resamples those groups whole.",
            "部分题目共用图片或音频：95 % 置信区间（按媒体）将共用媒体的题目整组重抽样。",
        )
    yield from _unanswered_notes(scores)
    if out := listed(f"{s.name} ({s.left_out})" for s in scores if s.left_out):
        yield Phrase(
            f"Items of the benchmark that are not in N, because they could not be read or the variant does not apply: "
            f"{out}; `run.json` lists them.",
            f"有题目因无法读取或不适用于该变体而未计入题数：{out.zh}；详见 run.json。",
        )
    if any(s.drawn for s in scores):
        yield Phrase(
            "Drawn: the reply gave no label and the protocol drew an option. Expected accuracy counts each draw at its "
            "chance; accuracy without draws counts none; a drawn answer is no valid response.",
            "随机抽取：回答未给出选项，由协议随机抽取一个。期望准确率对每次抽取按其随机水平计分；准确率（不计抽取）一概不计；"
            "抽取的答案不是有效回答。",
        )
    yield from comparability_notes(scores)


def _unanswered_notes(scores: Sequence[Tally]) -> Iterable[Phrase]:
    ours = any(not s.settled and not s.imported for s in scores)
    why = Phrase(" `keju score` says why they are, and what would help.", "`keju score` 会说明缺答的原因和补救办法。")
    again = why if ours else Phrase("", "")
    if open_runs := listed(s.name for s in scores if not s.settled):
        yield Phrase(
            f"Incomplete: {open_runs}. Over all N, unanswered items are not yet right, so the accuracy is a lower "
            f"bound; over the answered it may flatter.{again}",
            f"不完整：{open_runs.zh}。以全部题数计，未答的题尚未算对，准确率是下界；以已答题数计则可能偏高。{again.zh}",
        )
    if counted := listed(s.name for s in scores if s.settled and not s.complete):
        yield Phrase(
            f"Blocked and failed calls were counted as wrong answers, as asked: {counted}.",
            f"按要求，被过滤和失败的调用已计为答错：{counted.zh}。",
        )


_METHODS = {"bootstrap": Phrase("bootstrap", "自助法"), "wilson": Phrase("wilson", "Wilson 法")}


def interval_notes(methods: Iterable[str | None]) -> Iterable[Phrase]:
    """What the intervals in a table are."""
    present = set(methods)
    if "bootstrap" in present:
        yield Phrase(
            "95 % CI: percentile bootstrap over items, 10,000 resamples, seed 0.",
            "95 % 置信区间：对题目作百分位自助法，重抽样 10,000 次，随机种子 0。",
        )
    if "wilson" in present:
        yield Phrase(
            "Wilson's interval is shown where N < 30, or all or no answers are right: the bootstrap degenerates.",
            "题数不足 30，或全部答对、全部答错时，自助法退化，改用 Wilson 区间。",
        )


def comparability_notes(scores: Sequence[Tally]) -> Iterable[Phrase]:
    """What stands between rows of one table: another protocol, parser, benchmark or number of items."""
    for name, zh, values in (
        ("benchmarks", "基准", {s.benchmark for s in scores}),
        ("protocols", "协议", {s.protocol for s in scores}),
        ("parsers", "解析规则", {s.parser for s in scores}),
        ("numbers of items", "题数", {str(s.n) for s in scores}),
    ):
        if len(values) > 1:
            found = listed(sorted(values))
            yield Phrase(
                f"Rows differ in their {name} ({found}): they are not directly comparable.",
                f"各行的{zh}不同（{found.zh}），不可直接比较。",
            )
    if len({s.protocol for s in scores}) == 1 and len({s.prompts for s in scores}) > 1:
        yield Phrase(
            "Rows ran under different versions of the same protocol: they are not directly comparable.",
            "各行所用的是同一协议的不同版本，不可直接比较。",
        )
    if broken := sorted({i for s in scores for i in s.without_key}):
        ids = listed(broken, 8)
        yield Phrase(
            f"No usable key, so never right (correct the data): {ids}.",
            f"没有可用的正确答案，因此永不算对（请更正数据）：{ids.zh}。",
        )
