"""A benchmark: ordered items, a card that describes them, and the problems met while reading."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, overload

from keju.errors import Misuse
from keju.items import NOTHING, Item


@dataclass(frozen=True, slots=True)
class Problem:
    """Something met while reading a benchmark. `left_out` problems cost an item; others were repaired or tolerated."""

    item: str | None
    """Id of the item, or None where it concerns the whole benchmark."""
    code: str
    """Short name, for machines: `encoding_not_utf8`, `answer_missing`, `media_missing`, …"""
    message: str
    """What is wrong and what to do, for people."""
    file: str | None = None
    line: int | None = None
    left_out: bool = False

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        return ": ".join(part for part in (place, self.item and f"item {self.item}", self.message) if part)


class Source(Protocol):
    """Where items lie that are too many to hold."""

    @property
    def ids(self) -> Sequence[str]:
        """Every item's id, in order; each once."""

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        """The items at these places of `ids`, one held at a time. Raises `BadFile` where the source has changed."""


@dataclass(frozen=True, eq=False)
class Stream(Sequence[Item]):
    """Items that are read where they lie whenever they are asked for; their ids alone are held."""

    source: Source
    chosen: Sequence[int] | None = None
    """Places in the source; None: all."""
    changes: tuple[Callable[[Item], Item], ...] = ()
    """What is done to each item as it is read; the id stays."""

    @property
    def places(self) -> Sequence[int]:
        return range(len(self.source.ids)) if self.chosen is None else self.chosen

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """Id → place in this stream, in order."""
        every = self.source.ids
        return {every[place]: number for number, place in enumerate(self.places)}

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Item]:
        for item in self.source.read(self.places):
            yield self._changed(item)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Stream: ...
    def __getitem__(self, at: int | slice) -> Item | Stream:
        if isinstance(at, slice):
            return replace(self, chosen=self.places[at])
        return self._changed(next(self.source.read([self.places[at]])))

    def at(self, numbers: Iterable[int]) -> Stream:
        """The items at these places of this stream."""
        places = self.places
        return replace(self, chosen=array("Q", (places[number] for number in numbers)))

    def where(self, keep: Callable[[Item], object]) -> Stream:
        """The items that meet a condition; each is read once to see."""
        return self.at(number for number, item in enumerate(self) if keep(item))

    def mapped(self, change: Callable[[Item], Item]) -> Stream:
        """The items, each changed as it is read."""
        return replace(self, changes=(*self.changes, change))

    def _changed(self, item: Item) -> Item:
        for change in self.changes:
            item = change(item)
        return item


@dataclass(frozen=True)
class Benchmark:
    """Ordered items with unique ids. Never changed; `select` and variants make new ones."""

    name: str
    items: Sequence[Item] = field(repr=False)
    """A tuple, or a `Stream` of too many to hold."""
    card: Mapping[str, Any] = field(default_factory=lambda: NOTHING, repr=False)
    """`title`, `license`, `languages`, `source`, `version`, … as far as the source says."""
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    format: str | None = None
    """Name of the format it was read from."""
    root: Path | None = None
    """Folder or file it was read from."""

    def __post_init__(self) -> None:
        if not isinstance(self.items, Stream) and len(self._by_id) != len(self.items):
            seen: set[str] = set()
            twice = next(i.id for i in self.items if i.id in seen or seen.add(i.id))  # type: ignore[func-returns-value]
            raise Misuse(f"benchmark {self.name}: item id {twice!r} occurs twice; ids must be unique")

    @property
    def _by_id(self) -> dict[str, Item]:
        cached: dict[str, Item] | None = self.__dict__.get("_index")
        if cached is None:
            cached = {item.id: item for item in self.items}
            object.__setattr__(self, "_index", cached)
        return cached

    @property
    def ids(self) -> KeysView[str]:
        """Every item's id, in order."""
        return (self.items.ids if isinstance(self.items, Stream) else self._by_id).keys()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __getitem__(self, item_id: str) -> Item:
        """The item with this id. Raises `KeyError` where there is none."""
        return self.items[self.items.ids[item_id]] if isinstance(self.items, Stream) else self._by_id[item_id]

    def __contains__(self, item_id: object) -> bool:
        return item_id in self.ids

    def select(
        self,
        *,
        split: str | None = None,
        where: Mapping[str, str] | None = None,
        ids: Iterable[str] | None = None,
        limit: int | None = None,
    ) -> Benchmark:
        """The items that meet every condition, in the same order.

        `where` compares labels (and `modality`, `split`); `limit` keeps the first so many.
        Raises `Misuse` where nothing is left, naming what there is.
        """
        chosen = self.items
        if split is not None:
            chosen = _kept(chosen, lambda item: item.split == split)
            if not chosen:
                raise Misuse(f"benchmark {self.name} has no split {split!r}; it has {_listed(i.split for i in self)}")
        for name, value in (where or {}).items():
            kept = _kept(chosen, partial(_has_label, name=name, value=value))
            if not kept:
                there = {found for item in chosen if (found := label_of(item, name)) is not None}
                if not there:
                    labels = _listed({*BUILT_IN, *(label for item in chosen for label in item.labels)})
                    raise Misuse(f"no item of {self.name} has the label {name!r}; there is {labels}")
                raise Misuse(f"no item of {self.name} has {name} = {value!r}; there is {_listed(there)}")
            chosen = kept
        if ids is not None:
            wanted = set(ids)
            if unknown := wanted - self.ids:
                raise Misuse(f"benchmark {self.name} has no item {_listed(unknown)}")
            chosen = _kept(chosen, lambda item: item.id in wanted)
        if limit is not None:
            if limit < 1:
                raise Misuse(f"limit must be at least 1, not {limit}")
            chosen = chosen[:limit]
        return replace(self, items=chosen)

    @property
    def fingerprint(self) -> str:
        """16 hex digits over everything a model could see: wordings, options, media bytes, and the keys and labels."""
        digest = hashlib.sha256()
        for item in self.items:
            digest.update(json.dumps(_content(item), ensure_ascii=False, sort_keys=True).encode())
        return digest.hexdigest()[:16]


BUILT_IN = ("modality", "split", "options", "language")
"""Labels that every item has."""


def label_of(item: Item, name: str) -> str | None:
    """Value of a label, or of one that is built in; `options` is their number."""
    if name in item.labels:
        return item.labels[name]
    match name:
        case "modality":
            return item.modality
        case "split":
            return item.split
        case "options":
            return str(len(item.options))
        case "language":
            return item.wording.language
    return None


def _has_label(item: Item, *, name: str, value: str) -> bool:
    return label_of(item, name) == value


def _kept(items: Sequence[Item], keep: Callable[[Item], object]) -> Sequence[Item]:
    return items.where(keep) if isinstance(items, Stream) else tuple(item for item in items if keep(item))


def _content(item: Item) -> list[Any]:
    wordings = [[w.language, w.instruction, w.question, list(w.options.items())] for w in item.wordings.values()]
    media = [m.sha256 if m.exists else f"absent:{m.name}" for m in item.media]
    return [item.id, wordings, item.answer, media, sorted(item.labels.items())]


def _listed(values: Iterable[str | None], most: int = 8) -> str:
    names = sorted({"(none)" if value is None else value for value in values})
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
