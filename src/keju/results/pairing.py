"""Two marked runs by item: which items both have, and what each made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from keju.results.mark import Mark
from keju.results.scores import Scores
from keju.results.tally import Tally

Aspect = Literal["key", "prompt"]
"""What of an item should be alike in both runs: its key, what was asked."""


class Reworded(NamedTuple):
    """Items that both have, with other questions."""

    same_language: int
    translated: int


@dataclass(frozen=True)
class Paired:
    """Marks of the same items in the same order; True is right."""

    first: NDArray[np.bool_]
    second: NDArray[np.bool_]
    clusters: Sequence[Hashable] | None
    """What each item shares with others: its media. None where no two items share theirs."""


class Pairing(ABC):
    """Two marked runs whose items are paired by id."""

    a: Tally
    b: Tally

    @property
    @abstractmethod
    def shared(self) -> int:
        """Items that both have."""

    @property
    @abstractmethod
    def union(self) -> int:
        """Items that either has."""

    @abstractmethod
    def lacking(self, one: Tally) -> Sequence[str]:
        """Ids, sorted, of the other run's items that `one` does not have."""

    @abstractmethod
    def unanswered(self, one: Tally) -> Sequence[str]:
        """Ids, sorted, of items to which `one` has no reply."""

    @abstractmethod
    def paired(self, common: bool) -> Paired:
        """The items that both have, in the order of the first; with `common` those that count as answered in both."""

    @abstractmethod
    def differ(self, aspect: Aspect) -> bool:
        """Whether any item that both have is another in this respect; a prompt that was not recorded is no other."""

    @property
    @abstractmethod
    def reworded(self) -> Reworded:
        """Items whose question is another in the two."""

    @property
    def strangers(self) -> bool:
        """Whether two benchmarks share ids and not questions: most are others, in the same language and variant."""
        unlike = self.a.benchmark != self.b.benchmark and self.a.variant == self.b.variant
        return unlike and 2 * self.reworded.same_language > self.shared


def pairing_of(a: Tally, b: Tally) -> Pairing:
    """The two paired, by whatever holds their items."""
    if isinstance(a, Scores) and isinstance(b, Scores):
        return _Held(a, b)
    from keju.results.joined import Joined

    return Joined(a, b)


def together(scores: Sequence[Tally]) -> NDArray[np.bool_] | None:
    """Marks of all runs, shape `(runs, items)`; None where they do not have the same items."""
    pairings = [pairing_of(scores[0], other) for other in scores[1:]]
    if any(pairing.union > pairing.shared for pairing in pairings):
        return None
    marks = [pairing.paired(common=False) for pairing in pairings]
    return np.array([marks[0].first, *(paired.second for paired in marks)])


@dataclass
class _Held(Pairing):
    """Two runs whose items are held as objects."""

    a: Scores
    b: Scores

    @cached_property
    def _both(self) -> list[str]:
        return [i for i in self.a.by_id if i in self.b.by_id]

    @property
    def shared(self) -> int:
        return len(self._both)

    @property
    def union(self) -> int:
        return self.a.n + self.b.n - self.shared

    def lacking(self, one: Tally) -> Sequence[str]:
        here, there = (self.a, self.b) if one is self.a else (self.b, self.a)
        return sorted(there.by_id.keys() - here.by_id.keys())

    def unanswered(self, one: Tally) -> Sequence[str]:
        marks = self.a.items if one is self.a else self.b.items
        return sorted(mark.id for mark in marks if mark.extraction is None)

    def paired(self, common: bool) -> Paired:
        ids = self._both
        if common:
            ids = [i for i in ids if _counts(self.a, self.a.by_id[i]) and _counts(self.b, self.b.by_id[i])]
        clusters = [self.a.clusters[i] for i in ids]
        first, second = (np.array([s.right[i] for i in ids], dtype=bool) for s in (self.a, self.b))
        return Paired(first, second, clusters if 1 < len(set(clusters)) < len(ids) else None)

    def differ(self, aspect: Aspect) -> bool:
        one, other = _aspect(self.a, aspect), _aspect(self.b, aspect)
        return one != other and any(one[i] != other[i] for i in one.keys() & other.keys())

    @cached_property
    def reworded(self) -> Reworded:
        both = [(self.a.by_id[i].item.wording, self.b.by_id[i].item.wording) for i in self._both]
        same = [one.language == other.language for one, other in both if one.question != other.question]
        return Reworded(same.count(True), same.count(False))


def _aspect(s: Scores, aspect: Aspect) -> Mapping[str, str | None]:
    return s.keys if aspect == "key" else s.asked


def _counts(s: Scores, mark: Mark) -> bool:
    return mark.extraction is not None or (s.count_failures_as_wrong and mark.status != "pending")
