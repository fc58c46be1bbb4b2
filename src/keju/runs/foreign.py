"""Runs that were asked elsewhere, and runs marked again with a benchmark's present keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from keju.benchmark import Benchmark, Problem
from keju.items import Item
from keju.phrase import Phrase
from keju.protocols import load_protocol
from keju.runs.run import Run
from keju.variants import apply, parse_variants

if TYPE_CHECKING:
    from keju.formats.outputs import Outputs

_GONE = Phrase("is no longer in the benchmark; left out", "已不在题库中；不计")
_STALE = Phrase("was reworded since it was asked; left out", "作答之后题目有改动；不计")
_OWN_PROTOCOL = {"multi-tw": "multi-tw"}
"""Formats of outputs whose protocol is known; those of any other tool are read by `robust`, or by likelihood."""


def run_of(outputs: Outputs, protocol: str | None = None) -> Run:
    """A run made of another tool's outputs, to be marked as `protocol` marks.

    How it was asked is not known: the run's protocol says `imported` unless the file's own protocol is known or named.
    Where every output is a likelihood of each option, the most likely one is the answer.
    """
    known = protocol or _OWN_PROTOCOL.get(outputs.format)
    compared = bool(outputs.records) and all(record.scores for record in outputs.records.values())
    usual = load_protocol("option-likelihood" if compared else "robust")
    marking = load_protocol(known) if known else replace(usual, name=f"imported ({outputs.format})")
    problems = list(dict.fromkeys((*outputs.benchmark.problems, *outputs.problems)))
    benchmark = replace(outputs.benchmark, problems=tuple(problems))
    return Run(
        outputs.model,
        benchmark,
        marking,
        outputs.records,
        info={"imported": outputs.format},
        verdicts=outputs.marks,
        theirs=outputs.theirs,
    )


def remark(run: Run, benchmark: Benchmark) -> Run:
    """The run with the keys and labels that `benchmark` has now.

    An answer stands only if the question is still the one that was asked; items whose wording or options changed are
    left out of the marks and listed in `.benchmark.problems`, as are items that `benchmark` no longer has.
    """
    now = apply(benchmark, parse_variants([f"{name}={value}" for name, value in run.variant.items()]))
    kept: list[Item] = []
    problems = list(run.benchmark.problems)
    for item in run.benchmark:
        if item.id not in now:
            problems.append(Problem(item.id, "gone", _GONE, left_out=True))
            continue
        present = now[item.id]
        if run.protocol.prompt(present).text_digest() != run.protocol.prompt(item).text_digest():
            problems.append(Problem(item.id, "stale", _STALE, left_out=True))
            continue
        if present.answer != item.answer:
            message = Phrase(
                f"key changed from {item.answer} to {present.answer}; marked again",
                f"答案由 {item.answer} 改为 {present.answer}；已重新判分",
            )
            problems.append(Problem(item.id, "rescored", message))
        kept.append(present)
    records = {item.id: run.records[item.id] for item in kept if item.id in run.records}
    return replace(run, benchmark=replace(run.benchmark, items=tuple(kept), problems=tuple(problems)), records=records)
