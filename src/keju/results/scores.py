"""A marked run: what each item earned, and the counts that every table is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum

from keju.benchmark import label_of
from keju.errors import Misuse
from keju.items import Item
from keju.protocols import Extraction
from keju.results.mark import Mark
from keju.results.tally import FAINT, Cell, Counts, Meaning, Tally, cell_of, facts, no_scores, no_such_label
from keju.runs.run import Run
from keju.stats import Classification, Interval, clustered_interval, precision_recall_counts

__all__ = ["FAINT", "THEIRS", "Cell", "Scores", "score"]

THEIRS = "theirs"
"""Name of the parser that is none: right or wrong as the tool said that wrote the file."""


@dataclass(frozen=True)
class Scores(Tally):
    """A marked run, item by item."""

    items: tuple[Mark, ...] = field(kw_only=True)
    """In benchmark order."""

    @cached_property
    def counts(self) -> Counts:
        marks = self.items
        return Counts(
            n=len(marks),
            outcomes=Counter(mark.status for mark in marks),
            correct=sum(mark.correct for mark in marks),
            valid=sum(mark.valid for mark in marks),
            drawn=sum(mark.drawn for mark in marks),
            correct_given=sum(mark.correct and mark.valid for mark in marks),
            expected=fsum(mark.chance if mark.drawn else mark.correct for mark in marks),
        )

    @cached_property
    def chances(self) -> tuple[float, ...]:
        return tuple(mark.chance for mark in self.items)

    @cached_property
    def interval_clustered(self) -> Interval | None:
        if not (self.answered and 1 < len(set(self.clusters.values())) < self.n):
            return None
        return clustered_interval(list(self.right.values()), self.clusters.values())

    @cached_property
    def classification(self) -> Classification:
        return precision_recall_counts(Counter((mark.answer, mark.label) for mark in self.items))

    @cached_property
    def without_key(self) -> tuple[str, ...]:
        return tuple(mark.id for mark in self.items if mark.answer is None)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for mark in self.items for name in mark.labels))

    @cached_property
    def by_id(self) -> Mapping[str, Mark]:
        return {mark.id: mark for mark in self.items}

    @cached_property
    def right(self) -> Mapping[str, bool]:
        """Item id → whether it was answered right."""
        return {mark.id: mark.correct for mark in self.items}

    @cached_property
    def keys(self) -> Mapping[str, str | None]:
        """Item id → its key."""
        return {mark.id: mark.answer for mark in self.items}

    @cached_property
    def clusters(self) -> Mapping[str, object]:
        """Item id → what the item shares with others: its media, or itself where it has none."""
        return {mark.id: mark.media or mark.id for mark in self.items}

    @cached_property
    def asked(self) -> Mapping[str, str]:
        """Item id → digest of the prompt, for the items of which it was recorded."""
        return {mark.id: mark.record.prompt for mark in self.items if mark.record and mark.record.prompt}

    def select(self, keep: Callable[[Mark], bool]) -> Scores:
        """The marks that meet a condition. Raises `Misuse` where none does."""
        kept = tuple(mark for mark in self.items if keep(mark))
        if not kept:
            raise Misuse(f"no item of {self.benchmark} meets the condition")
        return replace(self, items=kept)

    def by(
        self, label: str, *, values: Iterable[str | None] | None = None, meaning: Meaning | None = None
    ) -> tuple[Cell, ...]:
        groups: dict[str | None, list[Mark]] = {}
        for mark in self.items:
            value = label_of(mark.item, label)
            groups.setdefault(meaning(value) if meaning else value, []).append(mark)
        if not groups.keys() - {None}:
            raise no_such_label(self, label)
        wanted = groups if values is None else dict.fromkeys(values)
        return tuple(_cell(value, groups.get(value, [])) for value in wanted)


def score(run: Run, *, parser: str | None = None, count_failures_as_wrong: bool = False) -> Scores:
    """Mark a run under its protocol's parser, or under `parser`; `theirs` takes the verdicts of the tool that wrote an
    imported file. Asks nothing.

    With `count_failures_as_wrong` blocked and failed calls count as wrong answers and the run as settled; every table
    says so. Raises `Misuse` for a run without items, an unknown parser, and one that reads what the run does not
    hold: verdicts, or scores of options.
    """
    if not run.benchmark.items:
        raise Misuse(f"the run of {run.model} over {run.benchmark.name} holds no items: there is nothing to mark")
    if parser == THEIRS and not run.verdicts:
        raise Misuse(f"the run of {run.model} holds no verdicts of another tool: --parser {THEIRS} needs them")
    marks = tuple(_mark(run, item, parser) for item in run.benchmark)
    if parser == "likelihood" and _unscored(marks):
        raise no_scores(run)
    return Scores(**facts(run, parser, count_failures_as_wrong), items=marks)


def _unscored(marks: Iterable[Mark]) -> bool:
    """Whether there are replies, and none has scores."""
    replies = [mark.record for mark in marks if mark.extraction and mark.record]
    return bool(replies) and not any(record.scores for record in replies)


def _mark(run: Run, item: Item, parser: str | None) -> Mark:
    record = run.records.get(item.id)
    if record is None or not record.has_reply:
        return Mark(item, record, None)
    if parser == THEIRS:
        verdict = run.verdicts.get(item.id)
        return Mark(item, record, Extraction(None, None if verdict is not None else "no-label"), verdict)
    extraction = run.protocol.extract(
        record.text,
        item.options,
        item_id=item.id,
        truncated=record.status == "truncated",
        scores=record.scores,
        parser=parser,
    )
    return Mark(item, record, extraction)


def _cell(value: str | None, marks: list[Mark]) -> Cell:
    answered = sum(mark.extraction is not None for mark in marks)
    return cell_of(value, len(marks), answered, sum(mark.correct for mark in marks))
