"""What the readers met, as findings: each code of a `Problem` belongs to one rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.checks.finding import Finding, Severity
from keju.checks.rule import Group, Rule
from keju.phrase import Phrase

RULE_OF: dict[str, str] = {}
"""Code of a problem → code of its rule."""


def met(group: Group, code: str, name: str, severity: Severity, *problems: str, remedy: Phrase, **words: Any) -> None:
    """Register the rule for these codes of problems; for all that no rule knows where none is named.

    A problem that cost an item is an error, whatever the rule's severity.
    """
    RULE_OF.update(dict.fromkeys(problems, code))

    def look(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
        for problem in benchmark.problems:
            if problem.code in problems or (not problems and problem.code not in RULE_OF):
                yield rule.finding(
                    _message(problem, rule),
                    remedy,
                    item=problem.item,
                    file=problem.file,
                    line=problem.line,
                    severity="error" if problem.left_out else None,
                    problem=problem.code,
                )

    group.rule(code, name, severity, "benchmark", **words)(look)


def _message(problem: Problem, rule: Rule) -> Phrase:
    """The reader's words; where they are English only, the rule's Chinese title before them."""
    told = problem.message
    return told if isinstance(told, Phrase) else Phrase(told, f"{rule.title.zh}：{told}")
