"""Items counted: by one label, by two, and by language. What every item has counts as a label: `modality`, `split`."""

from __future__ import annotations

from collections import Counter

from keju.benchmark import Benchmark, label_of
from keju.errors import Misuse
from keju.items import same_language
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


def grouping_labels(benchmark: Benchmark) -> list[str]:
    """Labels that group the items, those of every item first; not those with one value, or more than `MOST_VALUES`."""
    names = dict.fromkeys([*_ALWAYS, *(name for item in benchmark for name in item.labels)])
    return [name for name in names if 1 < len({label_of(item, name) for item in benchmark}) <= MOST_VALUES]


def named_label(benchmark: Benchmark, name: str) -> str:
    """The label that a user means by `name`. Raises `Misuse` where no item has it."""
    there = dict.fromkeys([*_ALWAYS, *(label for item in benchmark for label in item.labels)])
    label = label_meant(name, there)
    if all(label_of(item, label) is None for item in benchmark):
        raise Misuse(f"no item of {benchmark.name} has the label {name!r}; there are {', '.join(there)}")
    return label


def counted(benchmark: Benchmark, label: str) -> Table:
    """Items and their share for each value of `label`, the most frequent first (paper 000, Table 1)."""
    counts = Counter(label_of(item, label) for item in benchmark)
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
    counts = Counter((label_of(item, down), label_of(item, across)) for item in benchmark)
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
    original = Counter(item.wording.language for item in benchmark)
    every = Counter(tag for item in benchmark for tag in item.wordings)
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
    both = sum(any(not same_language(tag, item.wording.language) for tag in item.wordings) for item in benchmark)
    note = Phrase(f"Items that can be paired by language: {both:,}.", f"可作双语配对的题：{both:,}。")
    return Table("languages", "Languages", columns, rows, (note,), "语言")


def _named(label: str, value: str | None) -> str:
    return UNLABELLED if value is None else named(label, value)
