"""What every table counts of a marked run, whether its items are held as objects (`Scores`) or as columns (`Scan`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any

from keju.benchmark import BUILT_IN
from keju.errors import Misuse
from keju.results.naming import run_name, variation
from keju.runs.run import Run
from keju.stats import (
    AboveChance,
    Classification,
    Interval,
    Quality,
    above_chance,
    accuracy_interval,
)

FAINT = 10
"""A group of fewer items is drawn grey: its accuracy says next to nothing."""

Meaning = Callable[[str | None], str | None]
"""The value of a label → the group that it belongs to."""


class NotHeld(Misuse):
    """A run does not hold what a table asks of it: a label, scores of its options. Other runs may."""


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


@dataclass(frozen=True, slots=True)
class Counts:
    """A marked run's items, counted."""

    n: int
    outcomes: Mapping[str, int]
    """Status, or `pending`, → items."""
    correct: int
    valid: int
    drawn: int
    correct_given: int
    """Right answers that the replies gave themselves."""
    expected: float
    """Right answers, each drawn one counted at its chance."""


def cell_of(value: str | None, n: int, answered: int, correct: int) -> Cell:
    """The cell of a group with these counts."""
    return Cell(value, n, answered, correct, accuracy_interval(correct, n) if answered else None)


@dataclass(frozen=True)
class Tally(ABC):
    """A run under one parser. N is the number of items of the benchmark, whatever became of the calls."""

    model: str
    benchmark: str
    protocol: str
    parser: str
    variant: Mapping[str, str]
    prompts: str
    """Digest of the protocol: equal where two runs were asked alike."""
    wall: float | None = None
    """Seconds that passed in all sessions of the run; None where one was killed and nobody knows how long it ran."""
    count_failures_as_wrong: bool = False
    left_out: int = 0
    """Items of the benchmark that are not in N: they could not be read, or the variant does not apply to them."""
    imported: bool = False
    """Asked by another tool: keju cannot ask what is missing."""
    apart: tuple[str, ...] = ()
    """What tells it from runs of the same model and variant beside it, see `keju.results.naming`."""
    repeat: int | None = None
    """Its number among runs that are alike in all of this; None for the only one."""

    @property
    def name(self) -> str:
        """As a row is called: `openai/gpt-4o [language=en]`, and what tells it from others of this name."""
        return run_name(self.model, self.variant, self.apart, self.repeat)

    @property
    def variation(self) -> str:
        return variation(self.variant)

    @property
    def n(self) -> int:
        return self.counts.n

    @cached_property
    @abstractmethod
    def counts(self) -> Counts:
        """The items counted, once."""

    @property
    def correct(self) -> int:
        return self.counts.correct

    @property
    def valid(self) -> int:
        """Replies that gave a label themselves."""
        return self.counts.valid

    @property
    def drawn(self) -> int:
        """Items whose label was drawn because the reply gave none."""
        return self.counts.drawn

    @property
    def answered(self) -> int:
        """Items that hold a reply, cut ones included."""
        return self.counts.outcomes.get("answered", 0) + self.truncated

    @property
    def invalid(self) -> int:
        """Replies that gave no label."""
        return self.answered - self.valid

    @property
    def truncated(self) -> int:
        return self.counts.outcomes.get("truncated", 0)

    @property
    def blocked(self) -> int:
        return self.counts.outcomes.get("blocked", 0)

    @property
    def failed(self) -> int:
        return self.counts.outcomes.get("failed", 0)

    @property
    def pending(self) -> int:
        return self.counts.outcomes.get("pending", 0)

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
        return self.counts.correct_given / self.n if self.answered else None

    @property
    def expected_accuracy(self) -> float | None:
        """Accuracy with each drawn answer counted at its chance instead of as it fell."""
        return self.counts.expected / self.n if self.answered else None

    @property
    def valid_response_rate(self) -> float | None:
        """Valid replies over all N items (paper 000, "Evaluation Metrics")."""
        return self.valid / self.n if self.answered else None

    @property
    def chance(self) -> float:
        """Accuracy that drawing gives on average."""
        return fsum(self.chances) / self.n  # exact: a plain sum depends on the version of Python

    @cached_property
    @abstractmethod
    def chances(self) -> Sequence[float]:
        """Probability of drawing each item right."""

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
    @abstractmethod
    def interval_clustered(self) -> Interval | None:
        """95 % interval that resamples groups of items with the same media; None where no two items share theirs."""

    @cached_property
    @abstractmethod
    def classification(self) -> Classification:
        """Precision, recall and F1 over labels, drawn ones included: micro, macro and weighted."""

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
    @abstractmethod
    def without_key(self) -> tuple[str, ...]:
        """Items whose source has no usable key: an error of the data, counted in N and never right."""

    @cached_property
    @abstractmethod
    def label_names(self) -> tuple[str, ...]:
        """Labels that any item has, in order of appearance."""

    @abstractmethod
    def by(
        self, label: str, *, values: Iterable[str | None] | None = None, meaning: Meaning | None = None
    ) -> tuple[Cell, ...]:
        """One cell for each value of a label (or `modality`, `split`, `options`, `language`), in order of appearance.

        `values` asks for these, also where no item has them; `meaning` groups them. Raises `NotHeld` where no item
        has the label.
        """


def facts(run: Run, parser: str | None, count_failures_as_wrong: bool) -> dict[str, Any]:
    """The fields of a tally that its run says, whatever its items are."""
    walls = [session.get("wall_s") for session in run.info.get("sessions", ())]
    return {
        "model": run.model,
        "benchmark": run.benchmark.name,
        "protocol": run.protocol.name,
        "parser": parser or run.protocol.parser,
        "variant": dict(run.variant),
        "prompts": run.protocol.digest,
        "wall": sum(walls) if walls and None not in walls else None,
        "count_failures_as_wrong": count_failures_as_wrong,
        "left_out": run.left_out,
        "imported": "imported" in run.info,
    }


def no_such_label(tally: Tally, label: str) -> NotHeld:
    """What to raise where no item has a label."""
    there = ", ".join(sorted({*tally.label_names, *BUILT_IN} - {label}))
    return NotHeld(f"no item of {tally.benchmark} has the label {label!r}; there is {there}")


def no_scores(run: Run) -> NotHeld:
    """What to raise where options are to be compared that nobody scored."""
    return NotHeld(f"the run of {run.model} holds no scores of its options: --parser likelihood needs them")
