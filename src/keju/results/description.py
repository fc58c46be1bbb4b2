"""What a benchmark consists of: every table and figure by which the papers present theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from keju.benchmark import Benchmark
from keju.phrase import Phrase
from keju.results.answers import KEY_LENGTHS, KEYS
from keju.results.counts import (
    LANGUAGES,
    Count,
    by_label,
    by_labels,
    grouping_labels,
    label_values,
    named_label,
    tables,
)
from keju.results.lengths import LENGTHS
from keju.results.media import (
    Measured,
    audio_durations,
    image_sizes,
    media_formats,
    media_summary,
    uses,
)
from keju.results.table import Column, Table

PAIRS = (
    ("genre", "question_type"),
    ("genre", "difficulty"),
    ("question_type", "difficulty"),
    ("genre", "language"),
    ("task", "modality"),
    ("task", "level"),
    ("modality", "options"),
    ("level", "modality"),
)
"""Labels that the papers set against each other, by what they say of them (000, "Data Records"; 001, section 2.2)."""


def description(
    benchmark: Benchmark,
    measured: Measured | None = None,
    *,
    labels: Sequence[str] = (),
    pairs: Iterable[tuple[str, str]] = (),
) -> list[Table]:
    """The tables, in the order in which people read them.

    `measured` are the media's facts from `keju.checks.measuring.measure`, None where they were not looked at. `labels`
    are counted, by default all that group the items; `pairs` are crossed as well as those of `PAIRS` that are counted.
    The histograms of texts' lengths are left to `length_histograms`. Raises `Misuse` for a label that no item has.
    """
    values = label_values(benchmark)
    chosen = [named_label(benchmark, name, values) for name in labels] or grouping_labels(values)
    asked = [(named_label(benchmark, a, values), named_label(benchmark, b, values)) for a, b in pairs]
    usual = [pair for pair in PAIRS if set(pair) <= set(chosen)]
    crosses = [by_labels(down, across) for down, across in dict.fromkeys([*usual, *asked])]
    counts = [_OVERVIEW, *map(by_label, chosen), *crosses, LANGUAGES, LENGTHS]
    made = tables(benchmark, [*counts, KEYS, KEY_LENGTHS, uses(measured)])
    always, found = made[: len(counts)], [*made[len(counts) :], *_facts(measured)]
    return [table for table in always if table] + [table for table in found if table and table.rows]


def overview(benchmark: Benchmark) -> Table:
    """The benchmark in five figures."""
    return _OVERVIEW.of(benchmark)


def _overview(benchmark: Benchmark, counts: Counter[tuple[bool, bool, int]]) -> Table:
    left_out = {problem.item for problem in benchmark.problems if problem.left_out}
    options = sum(each * n for (_, _, each), n in counts.items()) / len(benchmark)
    chance = sum(n / each for (_, _, each), n in counts.items()) / len(benchmark)
    figures = {
        Phrase("items", "题数"): len(benchmark),
        Phrase("items left out by the reader", "读取时舍去的题"): len(left_out),
        Phrase("items with a key", "有答案的题"): sum(n for (has_key, _, _), n in counts.items() if has_key),
        Phrase("items in several languages", "多语言的题"): sum(n for (_, several, _), n in counts.items() if several),
        Phrase("options an item (mean)", "每题选项数（平均）"): options,
        Phrase("right by chance (mean, %)", "随机答对（平均，%）"): 100 * chance,
    }
    rows = tuple({"fact": fact, "value": value} for fact, value in figures.items())
    columns = (Column("fact", "Fact", "text", "项目"), Column("value", "Value", "number", "数值"))
    return Table("overview", benchmark.name, columns, rows, title_zh=benchmark.name)


_OVERVIEW = Count(lambda item: ((item.answer is not None, len(item.wordings) > 1, len(item.options)),), _overview)
"""As `overview`."""


def _facts(measured: Measured | None) -> list[Table | None]:
    if not measured:
        return []
    return [media_summary(measured), media_formats(measured), image_sizes(measured), audio_durations(measured)]
