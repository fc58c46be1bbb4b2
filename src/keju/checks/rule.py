"""A rule: one small function with all that explains it. Adding a rule touches one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from keju.checks.finding import Finding, Severity
from keju.items import NOTHING
from keju.phrase import Phrase

Subject = Literal["benchmark", "item", "image", "audio", "media", "marks"]
"""What a rule looks at: the `Benchmark` · each `Item` · each `MeasuredImage` · each `MeasuredClip` · the list of all
that was measured · the benchmark and the `Marks` of runs, as a pair."""


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    """Letter of the group and three digits: F structure, Q question, I image, A audio, L language, S set."""
    name: str
    """`kebab-case`, the same thing in words: `answer-not-an-option`."""
    severity: Severity
    subject: Subject
    title: Phrase
    """What the rule finds, one line."""
    why: Phrase
    """Why it matters to those who take or mark the exam, one or two sentences."""
    good: str
    """An example that passes."""
    bad: str
    """An example that is found."""
    look: Callable[[Any, Rule], Iterable[Finding]]
    """(subject, this rule) → findings, made by `finding`."""
    paper: str | None = None
    """Paper and section whose requirement it is: `000 "Image Selection"`."""
    profile: str | None = None
    """Profile whose house rule it is (`tco`, `multi-tw`), to which no other benchmark is held; None: all are."""
    thresholds: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Name → value; a user's TOML may set others."""

    def __getitem__(self, threshold: str) -> float:
        return self.thresholds[threshold]

    def finding(
        self,
        message: Phrase,
        remedy: Phrase,
        *,
        item: str | None = None,
        file: str | None = None,
        line: int | None = None,
        severity: Severity | None = None,
        **measured: Any,
    ) -> Finding:
        """A finding of this rule; `severity` where this one is graver or lighter than the rule's others."""
        return Finding(self.code, severity or self.severity, message, remedy, item, file, line, measured or NOTHING)


class Group:
    """The rules of one module, in the order they are written."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def rule(
        self, code: str, name: str, severity: Severity, subject: Subject, **words: Any
    ) -> Callable[[Callable[[Any, Rule], Iterable[Finding]]], Callable[[Any, Rule], Iterable[Finding]]]:
        """Decorator that makes a function a rule of this group; `words` are the other fields of `Rule`."""

        def register(look: Callable[[Any, Rule], Iterable[Finding]]) -> Callable[[Any, Rule], Iterable[Finding]]:
            self.rules.append(Rule(code, name, severity, subject, look=look, **words))
            return look

        return register
