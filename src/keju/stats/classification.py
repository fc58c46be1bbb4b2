"""Precision, recall and F1 of option labels, as the two papers' tables have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keju.errors import Misuse


@dataclass(frozen=True, slots=True)
class Quality:
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Classification:
    micro: Quality
    """K / V, K / N and their harmonic mean (paper 000, Table 6): equal to accuracy only where every reply is valid."""
    macro: Quality
    """Plain mean over the labels that occur as keys."""
    weighted: Quality
    """Mean over those labels, weighted by how often each is the key (the published Multi-TW runs)."""


def precision_recall(keys: Sequence[str | None], predicted: Sequence[str | None]) -> Classification:
    """Precision, recall and F1 of `predicted` labels against `keys`, one of each an item.

    None as a prediction: no valid answer, counted in N. None as a key: no answer can be right, counted in N, of no
    label. A label that is never predicted has precision 0. Raises `Misuse` for no items or unequal lengths.
    """
    if len(keys) != len(predicted):
        raise Misuse(f"every item needs its key and its prediction; here are {len(keys)} and {len(predicted)}")
    return precision_recall_counts(Counter(zip(keys, predicted, strict=True)))


def precision_recall_counts(pairs: Mapping[tuple[str | None, str | None], int]) -> Classification:
    """The same from the number of items with each key and prediction."""
    n = sum(pairs.values())
    if not n:
        raise Misuse("there are no items to measure")
    support, given = Counter[str](), Counter[str]()
    for (key, label), count in pairs.items():
        support.update({key: count} if key is not None else {})
        given.update({label: count} if label is not None else {})
    right = {key: pairs.get((key, key), 0) for key in sorted(support)}
    micro = _quality(sum(right.values()), given.total(), n)
    each = {key: _quality(count, given[key], support[key]) for key, count in right.items()}
    return Classification(micro, _mean(each, dict.fromkeys(each, 1)), _mean(each, support))


def _quality(right: int, given: int, wanted: int) -> Quality:
    return Quality(
        right / given if given else 0.0,
        right / wanted if wanted else 0.0,
        2 * right / (given + wanted) if given + wanted else 0.0,
    )


def _mean(each: dict[str, Quality], weights: Mapping[str, int]) -> Quality:
    total = sum(weights.values())
    if not total:
        return Quality(0.0, 0.0, 0.0)
    means = (sum(weights[x] * getattr(each[x], name) for x in each) / total for name in Quality.__slots__)
    return Quality(*means)
