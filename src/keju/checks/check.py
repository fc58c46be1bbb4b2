"""The driver: every rule looks at what it is for, once; the findings in the order of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from keju.benchmark import Benchmark
from keju.checks import (
    answers,
    audio,
    brackets,
    characters,
    duplicates,
    files,
    folders,
    ids,
    images,
    keys,
    language,
    options,
    photographs,
    questions,
    sets,
    structure,
    translations,
    twins,
)
from keju.checks.finding import Finding
from keju.checks.marks import Marks
from keju.checks.places import placed
from keju.checks.rule import Rule, Subject
from keju.errors import MissingExtra
from keju.formats.names import in_order

_GROUPS = (
    *(structure, files, folders, ids),
    *(questions, options, keys, duplicates),
    *(images, photographs, audio, twins),
    *(language, translations, characters, brackets),
    *(sets, answers),
)
RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in sorted((rule for group in _GROUPS for rule in group.GROUP.rules), key=lambda rule: rule.code)
}
"""Every rule by its code, in the order of the codes."""
_OF_MEDIA: tuple[Subject, ...] = ("image", "audio", "media")


def rules_for(benchmark: Benchmark) -> list[Rule]:
    """The rules that a benchmark is held to: all but the house rules of other profiles."""
    profile = profile_of(benchmark)
    return [rule for rule in RULES.values() if rule.profile in (None, profile)]


def profile_of(benchmark: Benchmark) -> str | None:
    """Whose house rules hold: what the card says under `profile`, else the paper whose layout the benchmark has."""
    told = benchmark.card.get("profile", benchmark.format)
    return told if told in ("tco", "multi-tw") else None


def check(
    benchmark: Benchmark,
    *,
    rules: Sequence[Rule] | None = None,
    marks: Marks | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Finding]:
    """What the rules find, by file, line, item and code; `rules` are those of `rules_for` unless given.

    Media are decoded once each, on `jobs` cores; `progress` is called with media done and media in all. Rules on runs
    look where `marks` are given.
    """
    chosen = rules_for(benchmark) if rules is None else list(rules)
    found = [*_of_texts(benchmark, chosen, marks), *_of_media(benchmark, chosen, jobs, progress)]
    order = {item.id: number for number, item in enumerate(benchmark)}
    return sorted(placed(found, benchmark), key=lambda finding: _place_in(finding, order))


def _of_texts(benchmark: Benchmark, rules: Sequence[Rule], marks: Marks | None) -> Iterator[Finding]:
    for rule in _on("benchmark", rules):
        yield from rule.look(benchmark, rule)
    for rule in _on("item", rules):
        for item in benchmark:
            yield from rule.look(item, rule)
    for rule in _on("marks", rules) if marks else ():
        yield from rule.look((benchmark, marks), rule)


def _of_media(
    benchmark: Benchmark, rules: Sequence[Rule], jobs: int | None, progress: Callable[[int, int], None] | None
) -> Iterator[Finding]:
    wanted = [rule for rule in rules if rule.subject in _OF_MEDIA]
    if not wanted or not any(item.media for item in benchmark):
        return
    from keju.checks.measuring import measure

    measured: list[Any] = []
    try:
        for each in measure(benchmark, jobs, progress):
            measured.append(each)
            for rule in _on(each.medium.kind, wanted):
                yield from rule.look(each, rule)
    except MissingExtra as missing:
        yield structure.not_looked_at(wanted, missing)
        return
    for rule in _on("media", wanted):
        yield from rule.look(measured, rule)


def _on(subject: str, rules: Iterable[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.subject == subject]


def _place_in(finding: Finding, order: dict[str, int]) -> tuple[Any, ...]:
    """Sort key: files by name as people count, then what concerns no file."""
    return (
        finding.file is None,
        in_order(finding.file or ""),
        finding.line or 0,
        order.get(finding.item or "", -1),
        finding.code,
    )
