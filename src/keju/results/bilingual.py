"""One model, the same items put in two ways: languages (paper 000, Table 6), scripts, or any other variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase
from keju.results import columns as c
from keju.results.labels import heading_of
from keju.results.leaderboard import BENCHMARK
from keju.results.naming import run_name
from keju.results.pairs import attempt
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import Family, holm


def bilingual(scores: Sequence[Scores], variant: str = "language") -> Table:
    """Paired table of runs that differ in one variant only, model by model, over the items that both runs answered.

    Recall, precision and F1 are micro, as in paper 000, Table 6. A run without the variant is the benchmark as it was
    authored: where that is in one language it is paired under that name. Raises `Misuse` where no two runs pair up.
    """
    rows: list[dict[str, Any]] = []
    left_out: set[Phrase] = set()
    untested: list[Phrase] = []
    for first, second in _pairs(scores, variant):
        test = attempt(first, second, common=True)
        if isinstance(test, Phrase):
            untested.append(Phrase(f"{test}.", f"{test.zh}。"))
            continue
        if test.left_out:
            left_out.add(_left_out(first.name, test.left_out))
        rows.append(_row(first, second, variant) | _test(test))
    if not rows:
        if untested:
            raise Misuse(untested[0])
        raise Misuse(f"no two runs of one model differ in {variant!r} only; run it again with --variant {variant}=…")
    family = holm([row["p"] for row in rows])
    paired = [row | {"p_holm": p} for row, p in zip(rows, family.adjusted, strict=True)]
    notes = (*_notes(family), *sorted(left_out), *untested)
    title, title_zh = f"Paired by {variant}", f"按{heading_of(variant).zh}配对"
    telling = (
        replace(column, hidden=len({row[column.key] for row in rows}) == 1) for column in (BENCHMARK, c.PROTOCOL)
    )
    columns = (c.MODEL, *telling, *_columns(variant))
    return Table(f"paired_{variant}", title, columns, tuple(paired), notes, title_zh)


def _pairs(scores: Sequence[Scores], variant: str) -> list[tuple[Scores, Scores]]:
    """Runs that agree in all but the variant; of one model's several values each is paired with the first."""
    groups: dict[tuple[Any, ...], list[Scores]] = {}
    for s in scores:
        rest = tuple(sorted((name, value) for name, value in s.variant.items() if name != variant))
        groups.setdefault((s.model, s.benchmark, s.protocol, s.parser, rest), []).append(s)
    return [
        (group[0], other)
        for group in groups.values()
        for other in group[1:]
        if value(group[0], variant) != value(other, variant)
    ]


def value(s: Scores, variant: str) -> str:
    """The variant's value in a run; `as authored` where it was not applied and the items do not have one language."""
    if variant in s.variant:
        return s.variant[variant]
    languages = {mark.item.wording.language for mark in s.items}
    return languages.pop() if variant == "language" and len(languages) == 1 else Phrase("as authored", "原作")


def _row(first: Scores, second: Scores, variant: str) -> dict[str, Any]:
    shared = {m.id for m in first.items if m.extraction} & {m.id for m in second.items if m.extraction}
    rest = {name: value for name, value in first.variant.items() if name != variant}
    row: dict[str, Any] = {
        "model": run_name(first.model, rest),
        "benchmark": first.benchmark,
        "protocol": first.protocol,
    }
    for side, s in (("first", first), ("second", second)):
        quality = s.select(lambda mark: mark.id in shared).classification.micro
        row |= {
            side: value(s, variant),
            f"{side}_recall": quality.recall,
            f"{side}_precision": quality.precision,
            f"{side}_f1": quality.f1,
        }
    return row


def _test(test: Any) -> dict[str, Any]:
    return {
        "n": test.n,
        "difference": test.difference,
        "interval": test.interval.pair,
        "only_first": test.only_first,
        "only_second": test.only_second,
        "p": test.p,
    }


def _columns(variant: str) -> tuple[Column, ...]:
    zh = heading_of(variant).zh
    sides = [
        column
        for side, ordinal, mark in (("first", "First", "一"), ("second", "Second", "二"))
        for column in (
            Column(side, f"{ordinal} {variant}", "text", f"{zh}{mark}"),
            Column(f"{side}_recall", "Recall", "share", "召回率"),
            Column(f"{side}_precision", "Precision", "share", "精确率"),
            Column(f"{side}_f1", "F1", "share", "F1"),
        )
    ]
    return (
        *sides,
        c.N,
        c.DIFFERENCE,
        c.INTERVAL,
        c.ONLY_FIRST,
        c.ONLY_SECOND,
        c.P,
        c.P_HOLM,
    )


def _notes(family: Family) -> tuple[Phrase, ...]:
    return (
        Phrase(
            "Same items on both sides, paired by id; recall is accuracy, precision is over valid answers, both micro.",
            "两侧题目相同，按题号配对；召回率即准确率，精确率以有效回答为分母，均为微平均。",
        ),
        Phrase(
            "Difference: first minus second, 95 % CI by a paired bootstrap over items; p: McNemar's exact test.",
            "差值：前者减后者，95 % 置信区间由对题目的配对自助法得出；p：McNemar 精确检验。",
        ),
        Phrase(
            f"p (Holm) is adjusted over the family of {family.size} tests of this table.",
            f"p（Holm 校正）按本表 {family.size} 个检验组成的检验族校正。",
        ),
    )


def _left_out(model: str, n: int) -> Phrase:
    return Phrase(
        f"{model}: {n} items that only one run has or answered are left out.",
        f"{model}：{n} 道题只在一次运行中出现或作答，未计入。",
    )
