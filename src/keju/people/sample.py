"""The items that people are given: a seeded sample whose labels have the shares that the whole benchmark has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from keju.benchmark import Benchmark, label_of
from keju.errors import Misuse
from keju.splits import apportioned, drawn

METHOD = (
    "each label's values by largest remainder; whole shares of joint strata first, then what is most lacking, then "
    "exchanges until no label comes nearer; items and ties in the order of SHA-256 of seed, line feed and id"
)
Stratum = tuple[str | None, ...]
Value = tuple[int, str | None]
"""Position of a label, and one of its values."""


def draw_sample(benchmark: Benchmark, n: int, labels: Sequence[str] = (), seed: int = 0) -> tuple[str, ...]:
    """Ids of `n` items in the order in which people get them, which is a seeded one.

    The number of items of each value of each label is what largest remainder gives, as far as the labels allow that at
    once. Keys are never looked at. Raises `Misuse` where there are fewer than `n` items.
    """
    if not 1 <= n <= len(benchmark):
        raise Misuse(
            f"a sample of {n} items cannot be drawn: {benchmark.name} has {len(benchmark)} that people can sit. "
            f"Choose a number of those (-n {len(benchmark)} takes all)"
        )
    strata: dict[Stratum, list[str]] = {}
    for item_id in sorted((item.id for item in benchmark), key=lambda item_id: drawn(seed, item_id)):
        item = benchmark[item_id]
        strata.setdefault(tuple(label_of(item, label) for label in labels), []).append(item_id)
    taken = _allotted({stratum: len(ids) for stratum, ids in strata.items()}, n)
    chosen = {item_id for stratum, ids in strata.items() for item_id in ids[: taken[stratum]]}
    return tuple(sorted(chosen, key=lambda item_id: drawn(seed, f"order {item_id}")))


def targets(sizes: Mapping[Stratum, int], n: int) -> Counter[Value]:
    """How many of `n` items each value of each label shall have, by largest remainder."""
    wanted: Counter[Value] = Counter()
    for position in range(len(next(iter(sizes)))):
        counts: Counter[str | None] = Counter()
        for stratum, size in sizes.items():
            counts[stratum[position]] += size
        names = {str(at): value for at, value in enumerate(counts)}
        for name, share in apportioned(n, {at: Fraction(counts[value]) for at, value in names.items()}).items():
            wanted[position, names[name]] = share
    return wanted


def _allotted(sizes: Mapping[Stratum, int], n: int) -> Counter[Stratum]:
    """How many items each stratum gives. `sizes` are in seeded order, which settles ties."""
    total = sum(sizes.values())
    exact = {stratum: Fraction(n * size, total) for stratum, size in sizes.items()}
    least = {stratum: int(share) for stratum, share in exact.items()}
    taken: Counter[Stratum] = Counter(least)
    lacking = targets(sizes, n)
    for stratum, count in taken.items():
        _move(lacking, stratum, -count)
    for _ in range(n - sum(taken.values())):
        room = [stratum for stratum in sizes if taken[stratum] < sizes[stratum]]
        chosen = max(room, key=lambda s: (sum(lacking[value] > 0 for value in enumerate(s)), exact[s] - taken[s]))
        taken[chosen] += 1
        _move(lacking, chosen, -1)
    while exchange := _exchange(sizes, taken, least, lacking):
        given, got = exchange
        taken[given] -= 1
        taken[got] += 1
        _move(lacking, given, 1)
        _move(lacking, got, -1)
    return taken


def _exchange(
    sizes: Mapping[Stratum, int], taken: Counter[Stratum], least: Mapping[Stratum, int], lacking: Counter[Value]
) -> tuple[Stratum, Stratum] | None:
    """The exchange of one item that brings the labels nearest to what they shall have; None where none does."""
    spare = [stratum for stratum in sizes if taken[stratum] > least[stratum]]
    room = [stratum for stratum in sizes if taken[stratum] < sizes[stratum]]
    best, found = 0, None
    for given in spare:
        for got in room:
            gain = sum(
                abs(lacking[old]) + abs(lacking[new]) - abs(lacking[old] + 1) - abs(lacking[new] - 1)
                for old, new in zip(enumerate(given), enumerate(got), strict=True)
                if old != new
            )
            if gain > best:
                best, found = gain, (given, got)
    return found


def _move(lacking: Counter[Value], stratum: Stratum, by: int) -> None:
    for value in enumerate(stratum):
        lacking[value] += by
