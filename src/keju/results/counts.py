"""Items counted: by one label, by two, and by language. What every item has counts as a label: `modality`, `split`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

from keju.benchmark import Benchmark, label_of
from keju.errors import Misuse
from keju.items import Item, same_language
from keju.phrase import Phrase, in_chinese
from keju.results.breakdowns import UNLABELLED
from keju.results.labels import heading_of, in_order, label_meant, named
from keju.results.overview import MOST_VALUES
from keju.results.table import Column, Table

ITEMS = Column("n", "Items", "count", "题数")
SHARE = Column("share", "Share", "share", "占比")
TOTAL = Column("total", "Total", "count", "合计")

_ALWAYS = ("modality", "language", "options", "split")
"""What `keju.benchmark.label_of` knows of every item."""


@dataclass(frozen=True, slots=True)
class Count:
    """A table that is made of nothing but how often keys occur, so that many are made in one pass over the items."""

    keys: Callable[[Item], Iterable[Any]]
    """What is counted of an item."""
    table: Callable[[Benchmark, Counter[Any]], Table | None]
    """The table of the keys' numbers, which come in the order of the items; None where they make none."""

    def of(self, benchmark: Benchmark) -> Table:
        """The table alone, of a count that always makes one."""
        return next(table for table in tables(benchmark, [self]) if table)


def numbers(benchmark: Benchmark, counts: Sequence[Count]) -> list[Counter[Any]]:
    """How often the keys of each count occur, in one pass over the items."""
    found = [(count.keys, Counter[Any]()) for count in counts]
    for item in benchmark:
        for keys, number in found:
            for key in keys(item):
                number[key] += 1
    return [number for _, number in found]


def tables(benchmark: Benchmark, counts: Sequence[Count]) -> list[Table | None]:
    """The table of each count, in one pass over the items."""
    found = zip(counts, numbers(benchmark, counts), strict=True)
    return [count.table(benchmark, number) for count, number in found]


def label_values(benchmark: Benchmark) -> dict[str, set[str | None]]:
    """The values of each label, those of every item first; beyond `MOST_VALUES` no further ones."""
    values: dict[str, set[str | None]] = {name: set() for name in _ALWAYS}
    for number, item in enumerate(benchmark):
        for name in item.labels:
            values.setdefault(name, {None} if number else set())
        for name, there in values.items():
            if len(there) <= MOST_VALUES:
                there.add(label_of(item, name))
    return values


def grouping_labels(values: Mapping[str, Set[str | None]]) -> list[str]:
    """Of `label_values`, those that group the items: not those with one value, or more than `MOST_VALUES`."""
    return [name for name, there in values.items() if 1 < len(there) <= MOST_VALUES]


def named_label(benchmark: Benchmark, name: str, values: Mapping[str, Set[str | None]] | None = None) -> str:
    """The label that a user means by `name`. Raises `Misuse` where no item has it.

    `values` are the benchmark's `label_values`, taken here where they are not given.
    """
    values = values or label_values(benchmark)
    label = label_meant(name, values)
    if not values.get(label, set()) - {None}:
        raise Misuse(f"no item of {benchmark.name} has the label {name!r}; there are {', '.join(values)}")
    return label


def counted(benchmark: Benchmark, label: str) -> Table:
    """Items and their share for each value of `label`, the most frequent first (paper 000, Table 1)."""
    return by_label(label).of(benchmark)


def by_label(label: str) -> Count:
    """As `counted`."""
    return Count(lambda item: (label_of(item, label),), partial(_counted, label=label))


def _counted(benchmark: Benchmark, counts: Counter[str | None], *, label: str) -> Table:
    rows = tuple(
        {"value": _named(label, value), "n": n, "share": n / len(benchmark)}
        for value, n in sorted(counts.items(), key=lambda pair: (pair[0] is None, -pair[1], pair[0] or ""))
    )
    head = heading_of(label)
    total = Phrase(f"Items in all: {len(benchmark):,}.", f"总题数：{len(benchmark):,}。")
    columns = (Column("value", head, "text", head.zh), ITEMS, SHARE)
    return Table(f"by_{label}", f"Items by {head.lower()}", columns, rows, (total,), f"题数：按{head.zh}")


def crossed(benchmark: Benchmark, down: str, across: str) -> Table:
    """Items for each pair of values of two labels, `down` the rows and `across` the columns, with their sum.

    Items that have neither label are left out, and counted in a note. Raises `Misuse` where those are all.
    """
    return by_labels(down, across).of(benchmark)


def by_labels(down: str, across: str) -> Count:
    """As `crossed`."""
    return Count(
        lambda item: ((label_of(item, down), label_of(item, across)),), partial(_crossed, down=down, across=across)
    )


def _crossed(benchmark: Benchmark, counts: Counter[tuple[str | None, str | None]], *, down: str, across: str) -> Table:
    if neither := counts.pop((None, None), 0):
        notes = (Phrase(f"Items with neither label: {neither:,}.", f"两个标签都没有的题：{neither:,}。"),)
    if not counts:
        raise Misuse(f"no item of {benchmark.name} has the label {down!r} or {across!r}")
    rows = in_order(down, {value for value, _ in counts})
    columns = in_order(across, {value for _, value in counts})
    keys = {value: f"{across}:{UNLABELLED if value is None else value}" for value in columns}
    heads = [Column(keys[value], title := _named(across, value), "count", in_chinese(title)) for value in columns]
    first, second = heading_of(down), heading_of(across)
    return Table(
        f"{down}_by_{across}",
        f"Items by {first.lower()} and {second.lower()}",
        (Column("value", first, "text", first.zh), *heads, TOTAL),
        tuple(
            {
                "value": _named(down, row),
                **{keys[column]: counts[row, column] for column in columns},
                "total": sum(counts[row, column] for column in columns),
            }
            for row in rows
        ),
        notes if neither else (),
        f"题数：按{first.zh}和{second.zh}",
    )


def by_language(benchmark: Benchmark) -> Table:
    """For each language, items that were authored in it and items that have it as a translation (paper 000)."""
    return LANGUAGES.of(benchmark)


def _by_language(_: Benchmark, counts: Counter[tuple[str, tuple[str, ...]]]) -> Table:
    original, every = Counter[str](), Counter[str]()
    for (own, tags), n in counts.items():
        original[own] += n
        for tag in tags:
            every[tag] += n
    rows = tuple(
        {
            "language": named("language", tag),
            "n": every[tag],
            "original": original[tag],
            "translated": every[tag] - original[tag],
        }
        for tag in sorted(every, key=lambda tag: (-original[tag], tag))
    )
    columns = (
        Column("language", "Language", "text", "语言"),
        ITEMS,
        Column("original", "Authored in it", "count", "原作"),
        Column("translated", "Translated", "count", "译文"),
    )
    both = sum(n for (own, tags), n in counts.items() if not all(same_language(tag, own) for tag in tags))
    note = Phrase(f"Items that can be paired by language: {both:,}.", f"可作双语配对的题：{both:,}。")
    return Table("languages", "Languages", columns, rows, (note,), "语言")


LANGUAGES = Count(lambda item: ((item.wording.language, tuple(item.wordings)),), _by_language)
"""As `by_language`."""


def _named(label: str, value: str | None) -> str:
    return UNLABELLED if value is None else named(label, value)
