"""How far one sequence is from another, in single edits, and the error rate of many of them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from keju.errors import Misuse
from keju.stats.intervals import Interval
from keju.stats.resampling import RESAMPLES, checked, tails

FEWEST = 10
"""Pairs below which resampling them says too little of how they vary."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Edits over the length of what should have been there."""

    edits: int
    """Substitutions, deletions and insertions."""
    length: int
    """Elements (characters, words) of the references."""

    @property
    def rate(self) -> float | None:
        """Above 1 where more was inserted than there is; None for empty references."""
        return self.edits / self.length if self.length else None


def error_rate(pairs: Iterable[tuple[Sequence[Hashable], Sequence[Hashable]]]) -> ErrorRate:
    """Error rate over all `(reference, hypothesis)`: every element counts alike, so long references count more.

    Of sequences of characters it is the character error rate, of words the word error rate.
    """
    edits = length = 0
    for reference, hypothesis in pairs:
        edits += edit_distance(reference, hypothesis)
        length += len(reference)
    return ErrorRate(edits, length)


def error_interval(
    each: Sequence[ErrorRate], *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval | None:
    """Percentile bootstrap of the error rate over whole pairs (clips); None for fewer than `FEWEST` of them.

    The rate is a ratio of two totals, so both are resampled together.
    """
    if len(each) < FEWEST:
        return None
    totals = np.array([[one.edits, one.length] for one in each], dtype=np.float64)
    generator, size = np.random.default_rng(seed), len(each)
    drawn = np.stack([totals[generator.integers(size, size=size)].sum(axis=0) for _ in range(checked(resamples))])
    low, high = np.quantile(drawn[:, 0] / np.maximum(drawn[:, 1], 1.0), tails(level))
    return Interval(float(low), float(high), "bootstrap", level)


def edit_distance(reference: Sequence[Hashable], hypothesis: Sequence[Hashable]) -> int:
    """Fewest substitutions, deletions and insertions of one element that turn one sequence into the other.

    Bit-parallel dynamic programming (Myers 1999, in Hyyrö's form of 2003): one column of the table is a pair of whole
    numbers that hold where it rises and where it falls, so that an hour of speech takes a second.
    """
    if isinstance(reference, str) != isinstance(hypothesis, str):
        raise Misuse("an edit distance compares two texts or two lists of words, not one with the other")
    if not reference:
        return len(hypothesis)
    places: dict[Hashable, int] = defaultdict(int)
    for place, element in enumerate(reference):
        places[element] |= 1 << place
    column, last = (1 << len(reference)) - 1, 1 << (len(reference) - 1)
    rises, falls, distance = column, 0, len(reference)
    for element in hypothesis:
        same = places.get(element, 0)
        diagonal = (((same & rises) + rises) ^ rises) | same | falls
        right_rises = falls | (column & ~(diagonal | rises))
        right_falls = diagonal & rises
        distance += bool(right_rises & last) - bool(right_falls & last)
        right_rises = (right_rises << 1) | 1
        rises = ((right_falls << 1) | ~(diagonal | right_rises)) & column
        falls = right_rises & diagonal & column
    return distance
