"""Every table that some runs allow, in the order in which a report shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from keju.benchmark import label_of
from keju.errors import Misuse
from keju.models.catalogue import presets
from keju.results.bias import bias_tables
from keju.results.bilingual import bilingual
from keju.results.breakdowns import breakdown, dimensions, read_dimensions
from keju.results.circular import circular_tables
from keju.results.invalid import invalid_tables
from keju.results.item_analysis import item_analysis
from keju.results.labels import folded, label_meant
from keju.results.latency import latency_by_modality, latency_by_stage
from keju.results.leaderboard import leaderboard
from keju.results.other_marks import other_marks
from keju.results.pairs import pairs
from keju.results.parsers import parser_sensitivity
from keju.results.power import power
from keju.results.published import beside
from keju.results.scores import Scores
from keju.results.size import size_effect
from keju.results.table import Table
from keju.runs.run import Run

MOST_VALUES = 40
"""A label with more values names items rather than groups them, and gets no breakdown unless asked for."""


def overview(
    runs: Sequence[Run],
    scores: Sequence[Scores],
    *,
    labels: Sequence[str] = (),
    published: Sequence[str] = (),
) -> list[Table]:
    """Leaderboard, paired tests, breakdowns, dimensions, variants, parsers, invalid and biased answers, item analysis,
    other tools' marks, latency, size, and published tables.

    A table that would be empty or would mix item sets is left out.
    """
    rows, alone = beside(published)
    tables = [leaderboard(scores, published=rows)]
    if len(scores) > 1 and _same_items(scores):
        unturned = [s for s in scores if "rotate" not in s.variant]  # rotations have a table of their own
        tables += [*_possible(lambda: [pairs(unturned, common=True)]), *_possible(lambda: [power(unturned)])]
    groups = labels or _labels(runs)
    tables += [breakdown(scores, label) for label in groups]
    known = read_dimensions()
    if any(folded(mark.labels.get("question_type", "")) in known for s in scores for mark in s.items):
        tables.append(dimensions(scores))
    for name in ("language", "script", "media", "shuffle"):
        tables += _possible(partial(_paired, scores, name))
    tables += _possible(lambda: circular_tables(scores))
    tables.append(parser_sensitivity(runs, known=scores))
    tables += [*invalid_tables(scores, groups), *bias_tables(scores)]
    tables += [*_possible(lambda: item_analysis(scores)), *_possible(lambda: other_marks(runs, scores))]
    if any(record.stages for run in runs for record in run.records.values()):
        tables += [latency_by_stage(scores), latency_by_modality(scores)]
    billions = {name: p.parameters for p in presets() if p.parameters for name in (p.name, p.run)}
    if sum(s.model in billions for s in scores) > 2:  # a correlation of two points is always ±1
        tables.append(size_effect(scores, billions))
    return tables + alone


def _labels(runs: Sequence[Run]) -> list[str]:
    """Labels that group the items, and the modality where it varies."""
    values: dict[str, set[str | None]] = {"modality": set()}
    for items in (list(run.benchmark) for run in runs):
        own = dict.fromkeys(["modality", *(name for item in items for name in item.labels)])
        others = values.keys() - own.keys()
        for name in own:
            meant = label_meant(name, others)  # another run's name of the same label
            there = values.setdefault(meant if meant in others else name, set())
            there |= {label_of(item, name) for item in items}
    return [name for name, there in values.items() if 1 < len(there) <= MOST_VALUES]


def _same_items(scores: Sequence[Scores]) -> bool:
    return len({frozenset(mark.id for mark in s.items) for s in scores}) == 1


def _paired(scores: Sequence[Scores], variant: str) -> list[Table]:
    """What the variant does to each model."""
    return [bilingual(scores, variant)]


def _possible(made: Callable[[], list[Table]]) -> list[Table]:
    """The tables; none where the runs do not allow them: no two pair up, none was rotated, …"""
    try:
        return made()
    except Misuse:
        return []
