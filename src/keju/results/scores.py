"""A marked run: what each item earned, and the counts that every table is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from keju.benchmark import label_of
from keju.errors import Misuse
from keju.items import Item
from keju.protocols import Extraction
from keju.results.mark import Mark
from keju.runs.run import Run
from keju.stats import (
    AboveChance,
    Classification,
    Interval,
    Quality,
    above_chance,
    accuracy_interval,
    clustered_interval,
    precision_recall,
)

THEIRS = "theirs"
"""Name of the parser that is none: right or wrong as the tool said that wrote the file."""

FAINT = 10
"""A group of fewer items is drawn grey: its accuracy says next to nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One group of items of a marked run."""

    value: str | None
    """The label's value; None for the items that do not have the label."""
    n: int
    answered: int
    correct: int
    interval: Interval | None
    """None where nothing was answered."""

    @property
    def accuracy(self) -> float | None:
        """Right answers over all items of the group; None where nothing was answered: not measured is not zero."""
        return self.correct / self.n if self.answered else None

    @property
    def faint(self) -> bool:
        return self.n < FAINT


@dataclass(frozen=True)
class Scores:
    """A run under one parser. N is the number of items of the benchmark, whatever became of the calls."""

    model: str
    benchmark: str
    protocol: str
    parser: str
    variant: Mapping[str, str]
    items: tuple[Mark, ...]
    """In benchmark order."""
    prompts: str
    """Digest of the protocol: equal where two runs were asked alike."""
    wall: float | None = None
    """Seconds that passed in all sessions of the run; None where one was killed and nobody knows how long it ran."""
    count_failures_as_wrong: bool = False
    left_out: int = 0
    """Items of the benchmark that are not in N: they could not be read, or the variant does not apply to them."""
    imported: bool = False
    """Asked by another tool: keju cannot ask what is missing."""

    @property
    def name(self) -> str:
        """Model and variant, as a row is called: `openai/gpt-4o [language=en]`."""
        return self.model + (f" [{self.variation}]" if self.variant else "")

    @property
    def variation(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.variant.items())

    @property
    def n(self) -> int:
        return len(self.items)

    @cached_property
    def _outcomes(self) -> Counter[str]:
        return Counter(mark.status for mark in self.items)

    @cached_property
    def correct(self) -> int:
        return sum(mark.correct for mark in self.items)

    @cached_property
    def valid(self) -> int:
        """Replies that gave a label themselves."""
        return sum(mark.valid for mark in self.items)

    @cached_property
    def drawn(self) -> int:
        """Items whose label was drawn because the reply gave none."""
        return sum(mark.drawn for mark in self.items)

    @property
    def answered(self) -> int:
        """Items that hold a reply, cut ones included."""
        return self._outcomes["answered"] + self._outcomes["truncated"]

    @property
    def invalid(self) -> int:
        """Replies that gave no label."""
        return self.answered - self.valid

    @property
    def truncated(self) -> int:
        return self._outcomes["truncated"]

    @property
    def blocked(self) -> int:
        return self._outcomes["blocked"]

    @property
    def failed(self) -> int:
        return self._outcomes["failed"]

    @property
    def pending(self) -> int:
        return self._outcomes["pending"]

    @property
    def complete(self) -> bool:
        return self.answered == self.n

    @property
    def settled(self) -> bool:
        """Whether the accuracy is final: complete, or every call was made and failures were asked to count as wrong."""
        return self.complete or (self.count_failures_as_wrong and not self.pending)

    @property
    def accuracy(self) -> float | None:
        """Right answers over all N items; None where nothing was answered. Short of `complete` it is a lower bound."""
        return self.correct / self.n if self.answered else None

    @property
    def accuracy_answered(self) -> float | None:
        """Right answers over the items that hold a reply."""
        return self.correct / self.answered if self.answered else None

    @property
    def accuracy_without_draws(self) -> float | None:
        """Right answers that the replies gave themselves, over all N items."""
        return sum(mark.correct and mark.valid for mark in self.items) / self.n if self.answered else None

    @property
    def expected_accuracy(self) -> float | None:
        """Accuracy with each drawn answer counted at its chance instead of as it fell."""
        if not self.answered:
            return None
        return sum(mark.chance if mark.drawn else mark.correct for mark in self.items) / self.n

    @property
    def valid_response_rate(self) -> float | None:
        """Valid replies over all N items (paper 000, "Evaluation Metrics")."""
        return self.valid / self.n if self.answered else None

    @property
    def chance(self) -> float:
        """Accuracy that drawing gives on average."""
        return sum(self.chances) / self.n

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """Probability of drawing each item right."""
        return tuple(mark.chance for mark in self.items)

    @cached_property
    def above_chance(self) -> AboveChance | None:
        """Exact test of the accuracy against drawing; None short of `settled`."""
        return above_chance(self.correct, self.chances) if self.settled else None

    @cached_property
    def interval(self) -> Interval | None:
        """95 % interval of `accuracy`: percentile bootstrap, or Wilson's where that degenerates."""
        return accuracy_interval(self.correct, self.n) if self.answered else None

    @cached_property
    def interval_answered(self) -> Interval | None:
        """95 % interval of `accuracy_answered`."""
        return accuracy_interval(self.correct, self.answered) if self.answered else None

    @property
    def interval_method(self) -> str | None:
        return self.interval.method if self.interval else None

    @cached_property
    def interval_clustered(self) -> Interval | None:
        """95 % interval that resamples groups of items with the same media; None where no two items share theirs."""
        if not (self.answered and 1 < len(set(self.clusters.values())) < self.n):
            return None
        return clustered_interval(list(self.right.values()), self.clusters.values())

    @cached_property
    def classification(self) -> Classification:
        """Precision, recall and F1 over labels, drawn ones included: micro, macro and weighted."""
        return precision_recall([mark.answer for mark in self.items], [mark.label for mark in self.items])

    @property
    def precision(self) -> float:
        """Micro: right answers over labels given."""
        return self.classification.micro.precision

    @property
    def recall(self) -> float:
        """Micro: right answers over all N items."""
        return self.classification.micro.recall

    @property
    def f1(self) -> float:
        return self.classification.micro.f1

    @property
    def weighted(self) -> Quality:
        """Mean over labels weighted by how often each is the key, as the published Multi-TW runs report it."""
        return self.classification.weighted

    @cached_property
    def without_key(self) -> tuple[str, ...]:
        """Items whose source has no usable key: an error of the data, counted in N and never right."""
        return tuple(mark.id for mark in self.items if mark.answer is None)

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

    def by(self, label: str, *, values: Iterable[str | None] | None = None) -> tuple[Cell, ...]:
        """One cell for each value of a label (or `modality`, `split`, `options`, `language`), in order of appearance.

        `values` asks for these, also where no item has them. Raises `Misuse` where no item has the label.
        """
        return self.group(lambda item: label_of(item, label), label, values)

    def group(
        self, value_of: Callable[[Item], str | None], name: str, values: Iterable[str | None] | None = None
    ) -> tuple[Cell, ...]:
        """One cell for each value that `value_of` gives; `name` is what it is called in the error."""
        groups: dict[str | None, list[Mark]] = {}
        for mark in self.items:
            groups.setdefault(value_of(mark.item), []).append(mark)
        if not groups.keys() - {None}:
            raise Misuse(f"no item of {self.benchmark} has the label {name!r}; there is {_labels(self.items)}")
        wanted = groups if values is None else dict.fromkeys(values)
        return tuple(_cell(value, groups.get(value, [])) for value in wanted)


def score(run: Run, *, parser: str | None = None, count_failures_as_wrong: bool = False) -> Scores:
    """Mark a run under its protocol's parser, or under `parser`; `theirs` takes the verdicts of the tool that wrote an
    imported file. Asks nothing.

    With `count_failures_as_wrong` blocked and failed calls count as wrong answers and the run as settled; every table
    says so. Raises `Misuse` for a run without items and an unknown parser.
    """
    if not run.benchmark.items:
        raise Misuse(f"the run of {run.model} over {run.benchmark.name} holds no items: there is nothing to mark")
    if parser == THEIRS and not run.verdicts:
        raise Misuse(f"the run of {run.model} holds no verdicts of another tool: --parser {THEIRS} needs them")
    marks = tuple(_mark(run, item, parser) for item in run.benchmark)
    walls = [session.get("wall_s") for session in run.info.get("sessions", ())]
    return Scores(
        run.model,
        run.benchmark.name,
        run.protocol.name,
        parser or run.protocol.parser,
        dict(run.variant),
        marks,
        run.protocol.digest,
        sum(walls) if walls and None not in walls else None,
        count_failures_as_wrong,
        run.left_out,
        "imported" in run.info,
    )


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
    correct = sum(mark.correct for mark in marks)
    return Cell(value, len(marks), answered, correct, accuracy_interval(correct, len(marks)) if answered else None)


def _labels(marks: tuple[Mark, ...]) -> str:
    return ", ".join(sorted({name for mark in marks for name in mark.labels} | {"modality", "options", "language"}))
