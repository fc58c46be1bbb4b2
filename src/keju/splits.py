"""Splits: which items train, which validate, which test. Seeded, the same on every system and version of Python.

Nothing here draws random numbers: items stand in the order of a digest of seed and id, so that neither the order of
files nor a library's generator matters. `plain` deals them out (TCO); `balanced` keeps the labels' shares alike in all
splits and each picture or clip in one. What was done is in `Splits`, and `record_of` says it for `split_metadata.json`.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from keju.benchmark import Benchmark, label_of
from keju.checks.alike import Look, nearest
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.checks.twins import NEAR
from keju.errors import Misuse
from keju.items import NOTHING, Item

WEIGHTS: Mapping[str, Fraction] = {"train": Fraction(700), "val": Fraction(100), "test": Fraction(200)}
"""Sizes of TCO's splits of 1,000 items (paper 000, "Data Records"); of another number of items, their proportions."""

STRATA = ("genre", "question_type", "difficulty", "level", "task", "modality")
"""Labels whose shares are kept alike unless others are asked for, as far as the benchmark has them."""

VERSION = 1
"""Of the ways to split, written into the record: a change of any of them that moves an item raises it."""

METHODS = {
    "plain": "ids in the order of SHA-256 of seed, line feed and id; the first go to the first split, and so on",
    "balanced": "groups of items that share a medium, largest first, then in the order of SHA-256 of seed, line feed "
    "and first id; each goes to the split that has room for it and lacks most of its labels, single and joint",
}
USES = {
    "train": "supervised fine-tuning",
    "val": "choosing settings and checkpoints while fine-tuning",
    "test": "comparing models; never for training or choosing",
}
"""What the papers' splits are for."""


@dataclass(frozen=True, slots=True)
class Splits:
    of: Mapping[str, str]
    """Item id → split, in the benchmark's order."""
    wanted: Mapping[str, int]
    """Split → size asked for; `sizes` may differ where items that belong together did not fit."""
    method: str
    """A key of `METHODS`."""
    seed: int
    labels: tuple[str, ...] = ()
    """Labels whose shares were kept alike."""
    grouped: str | None = None
    """What never straddles two splits: `medium`, `medium, near duplicates too`, or None."""
    kept: int = 0
    """Items that stayed in the split in which they were."""

    @property
    def sizes(self) -> dict[str, int]:
        """Split → number of items."""
        counts = Counter(self.of.values())
        return {split: counts[split] for split in self.wanted}


def plain(
    benchmark: Benchmark,
    weights: Mapping[str, Fraction] = WEIGHTS,
    seed: int = 0,
    *,
    kept: Mapping[str, str] = NOTHING,
) -> Splits:
    """Deal the items out in seeded order, whatever they show or are about (TCO's profile).

    `kept`: item id → split in which the item stays; only the others are dealt out, into what is left of the sizes.
    """
    kept = _there(benchmark, kept)
    wanted = _sizes(benchmark, weights, kept)
    new = sorted((item.id for item in benchmark if item.id not in kept), key=lambda item_id: drawn(seed, item_id))
    there = Counter(kept.values())
    room = {split: Fraction(max(0, size - there[split])) for split, size in wanted.items() if weights.get(split)}
    sizes = apportioned(len(new), room if any(room.values()) else weights)
    ranked = iter(new)
    of = {next(ranked): split for split, size in sizes.items() for _ in range(size)} | kept
    return Splits({item.id: of[item.id] for item in benchmark}, wanted, "plain", seed, kept=len(kept))


def balanced(
    benchmark: Benchmark,
    weights: Mapping[str, Fraction] = WEIGHTS,
    seed: int = 0,
    *,
    labels: Sequence[str] | None = None,
    groups: Iterable[frozenset[str]] | None = None,
    grouped: str | None = "medium",
    kept: Mapping[str, str] = NOTHING,
) -> Splits:
    """Keep the shares of `labels` alike in all splits (default: those of `STRATA` that vary) and `groups` together.

    `groups` are sets of ids, by default the items of one medium; `grouped` says what they are. Sizes are exact where no
    item shares a medium; else they may miss by less than the largest group. Raises `Misuse` for a label no item has.

    `kept`: item id → split in which the item stays, and with it the others of its group; where those that stay stand in
    several splits, the others go to the one that has most of them.
    """
    names = varying(benchmark) if labels is None else tuple(labels)
    for name in names:
        if all(label_of(item, name) is None for item in benchmark):
            raise Misuse(f"no item of {benchmark.name} has the label {name!r}")
    kept = _there(benchmark, kept)
    wanted = _sizes(benchmark, weights, kept)
    units = _units(benchmark, media_groups(benchmark) if groups is None else groups)
    units.sort(key=lambda unit: (-len(unit), drawn(seed, min(unit))))
    cells = {item.id: _cells(item, names) for item in benchmark}
    settled = _settled(units, kept)
    of = _deal([unit for unit in units if unit[0] not in settled], cells, wanted, settled)
    return Splits({item.id: of[item.id] for item in benchmark}, wanted, "balanced", seed, names, grouped, len(kept))


def media_groups(benchmark: Benchmark) -> list[frozenset[str]]:
    """Ids of the items of each picture or clip, by its bytes; one that is not there is known by its name."""
    users: dict[str, set[str]] = {}
    for item in benchmark:
        for medium in item.media:
            key = medium.sha256 if medium.exists else f"{medium.kind} {medium.name}"
            users.setdefault(key, set()).add(item.id)
    return [frozenset(ids) for ids in users.values()]


def near_groups(measured: Iterable[MeasuredImage | MeasuredClip], within: int = NEAR) -> list[frozenset[str]]:
    """Ids of the items whose pictures look alike, or whose clips sound the same, if only by a chain of others.

    `within`: bits of 64 by which the difference hashes of look-alikes may differ.
    """
    pictures: list[MeasuredImage] = []
    sounds: dict[str, set[str]] = {}
    for one in measured:
        if isinstance(one, MeasuredClip):
            sound = one.clip.sound if one.clip.peak > 0 else one.clip.sha256  # silence is like all silence
            sounds.setdefault(sound, set()).update(one.items)
        elif one.picture.contrast > 1:  # a picture of one tone is like all such
            pictures.append(one)
    chains = _chains([(p.picture.dhash, p.picture.thumb) for p in pictures], within) if pictures else {}
    looks = [frozenset(i for member in members for i in pictures[member].items) for members in chains.values()]
    return looks + [frozenset(ids) for ids in sounds.values()]


def _chains(looks: Sequence[tuple[str, str]], within: int) -> dict[int, list[int]]:
    """Positions of pictures that hang together, by the first: each round links every chain to its nearest other."""
    first = list(range(len(looks)))
    while True:
        marked = tuple(Look(*look, frozenset((str(chain),))) for look, chain in zip(looks, first, strict=True))
        links = [(here, there.index) for here, (_, there) in enumerate(nearest(marked, within)) if there]
        if not links:
            break
        for here, there in links:
            low, high = sorted((first[here], first[there]))
            first = [low if chain == high else chain for chain in first]
    chains: dict[int, list[int]] = {}
    for position, chain in enumerate(first):
        chains.setdefault(chain, []).append(position)
    return chains


def straddling(splits: Splits, groups: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The groups whose items stand in several splits."""
    return [group for group in groups if len({splits.of[item_id] for item_id in group}) > 1]


def with_splits(benchmark: Benchmark, splits: Splits) -> Benchmark:
    """The benchmark with its items in their splits."""
    return replace(benchmark, items=tuple(replace(item, split=splits.of[item.id]) for item in benchmark))


def record_of(splits: Splits) -> dict[str, Any]:
    """What `split_metadata.json` says: sizes, method, seed, intended use (paper 000, "Data Records"), and the rest."""
    sizes = splits.sizes
    return {
        "sizes": sizes,
        "total": len(splits.of),
        "generation_method": _told(splits),
        "method": splits.method,
        "method_version": VERSION,
        "random_seed": splits.seed,
        "stratified_by": list(splits.labels),
        "grouped_by": splits.grouped,
        **({"kept_in_their_split": splits.kept} if splits.kept else {}),
        "intended_use": {split: USES[split] for split in sizes if split in USES},
    }


def _told(splits: Splits) -> str:
    if not splits.kept:
        return METHODS[splits.method]
    stayed = f"{splits.kept} items stay in the split in which they were"
    return stayed if splits.kept == len(splits.of) else f"{stayed}; of the others: {METHODS[splits.method]}"


def apportioned(total: int, weights: Mapping[str, Fraction]) -> dict[str, int]:
    """`total` in whole parts by weight, by largest remainder; of equal remainders the first. Raises `Misuse`."""
    whole = sum(weights.values())
    if not weights or whole <= 0 or min(weights.values()) < 0:
        raise Misuse("sizes of splits must be numbers of 0 or more, and one of them more than 0")
    exact = {name: total * weight / whole for name, weight in weights.items()}
    parts = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: parts[name] - exact[name])
    for name in by_remainder[: total - sum(parts.values())]:
        parts[name] += 1
    return parts


def varying(benchmark: Benchmark) -> tuple[str, ...]:
    """Those of `STRATA` that have several values here."""
    return tuple(name for name in STRATA if len({label_of(item, name) for item in benchmark}) > 1)


def _sizes(benchmark: Benchmark, weights: Mapping[str, Fraction], kept: Mapping[str, str]) -> dict[str, int]:
    """Split → size; a split that is not asked for, and has items that stay, keeps its size."""
    if len(kept) == len(benchmark):
        return dict(Counter(kept.values()))
    others = Counter(split for split in kept.values() if not weights.get(split))
    sizes = apportioned(len(benchmark) - others.total(), weights)
    if empty := [name for name, size in sizes.items() if not size and weights[name] and name not in kept.values()]:
        raise Misuse(f"{len(benchmark)} items are too few: {', '.join(empty)} would be empty; choose other sizes")
    return {name: size for name, size in sizes.items() if size or name in kept.values()} | dict(others)


def _there(benchmark: Benchmark, kept: Mapping[str, str]) -> dict[str, str]:
    return {item.id: kept[item.id] for item in benchmark if kept.get(item.id)}


def _settled(units: Sequence[Sequence[str]], kept: Mapping[str, str]) -> dict[str, str]:
    """Item id → split, of items that stay and of those that belong with them."""
    settled: dict[str, str] = {}
    for unit in units:
        there = Counter(kept[item_id] for item_id in unit if item_id in kept)
        if there:
            settled |= {item_id: kept.get(item_id, there.most_common(1)[0][0]) for item_id in unit}
    return settled


def drawn(seed: int, item_id: str) -> str:
    """What items are sorted by to stand in seeded order: a digest of seed and id, the same on every system."""
    return hashlib.sha256(f"{seed}\n{item_id}".encode("utf-8", "surrogatepass")).hexdigest()


def _units(benchmark: Benchmark, groups: Iterable[frozenset[str]]) -> list[list[str]]:
    """Ids that must stay together: groups with an id in common are one. Every item is in exactly one."""
    leader = {item.id: item.id for item in benchmark}

    def find(item_id: str) -> str:
        while leader[item_id] != item_id:
            leader[item_id] = item_id = leader[leader[item_id]]
        return item_id

    for group in groups:
        first, *others = sorted(group)
        for other in others:
            leader[find(other)] = find(first)
    units: dict[str, list[str]] = {}
    for item in benchmark:
        units.setdefault(find(item.id), []).append(item.id)
    return list(units.values())


def _cells(item: Item, labels: Sequence[str]) -> list[object]:
    """What an item counts towards: all items, each of its labels, and all of its labels together."""
    values = tuple(label_of(item, name) for name in labels)
    return list(dict.fromkeys([(), *zip(labels, values, strict=True), values]))


def _deal(
    units: Sequence[Sequence[str]],
    cells: Mapping[str, Sequence[object]],
    wanted: Mapping[str, int],
    settled: Mapping[str, str],
) -> dict[str, str]:
    """Item id → split. Each unit goes where most is lacking, measured in roots of what there shall be: in shares, a
    large label would be left to chance, in items a small one. `settled`: items whose split is known before."""
    total = sum(wanted.values())
    n = Counter(cell for every in cells.values() for cell in every)
    of = dict(settled)
    have = Counter((cell, split) for item_id, split in of.items() for cell in cells[item_id])
    there = Counter(of.values())
    room = {split: size - there[split] for split, size in wanted.items()}

    def lack(split: str, own: Counter[object]) -> float:
        quota = {cell: n[cell] * wanted[split] / total for cell in own}
        short = (k * (quota[cell] - have[cell, split]) / math.sqrt(quota[cell]) for cell, k in own.items())
        return math.fsum(short)  # `sum` of floats is another since Python 3.12

    for unit in units:
        own = Counter(cell for item_id in unit for cell in cells[item_id])
        lacking = {split: round(lack(split, own), 9) for split, left in room.items() if left >= len(unit)}
        chosen = max(lacking or room, key=(lacking or room).__getitem__)
        room[chosen] -= len(unit)
        of |= dict.fromkeys(unit, chosen)
        have.update((cell, chosen) for item_id in unit for cell in cells[item_id])
    return of
