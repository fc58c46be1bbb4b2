"""What a benchmark consists of: every table and figure by which the papers present theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keju.benchmark import Benchmark
from keju.phrase import Phrase
from keju.results.answers import answer_balance, key_by_length
from keju.results.counts import by_language, counted, crossed, grouping_labels, named_label
from keju.results.lengths import lengths
from keju.results.media import (
    Measured,
    audio_durations,
    image_sizes,
    media_formats,
    media_summary,
    media_use,
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
    chosen = [named_label(benchmark, name) for name in labels] or grouping_labels(benchmark)
    asked = [(named_label(benchmark, down), named_label(benchmark, across)) for down, across in pairs]
    usual = [pair for pair in PAIRS if set(pair) <= set(chosen)]
    tables = [overview(benchmark), *(counted(benchmark, label) for label in chosen)]
    tables += [crossed(benchmark, down, across) for down, across in dict.fromkeys([*usual, *asked])]
    tables += [by_language(benchmark), lengths(benchmark)]
    found = [answer_balance(benchmark), key_by_length(benchmark), *_media(benchmark, measured)]
    return tables + [table for table in found if table and table.rows]


def overview(benchmark: Benchmark) -> Table:
    """The benchmark in five figures."""
    left_out = {problem.item for problem in benchmark.problems if problem.left_out}
    figures = {
        Phrase("items", "题数"): len(benchmark),
        Phrase("items left out by the reader", "读取时舍去的题"): len(left_out),
        Phrase("items with a key", "有答案的题"): sum(item.answer is not None for item in benchmark),
        Phrase("items in several languages", "多语言的题"): sum(len(item.wordings) > 1 for item in benchmark),
        Phrase("options an item (mean)", "每题选项数（平均）"): sum(len(i.options) for i in benchmark) / len(benchmark),
        Phrase("right by chance (mean, %)", "随机答对（平均，%）"): 100
        * sum(i.chance for i in benchmark)
        / len(benchmark),
    }
    rows = tuple({"fact": fact, "value": value} for fact, value in figures.items())
    columns = (Column("fact", "Fact", "text", "项目"), Column("value", "Value", "number", "数值"))
    return Table("overview", benchmark.name, columns, rows, title_zh=benchmark.name)


def _media(benchmark: Benchmark, measured: Measured | None) -> list[Table | None]:
    if not measured:
        return [media_use(benchmark, measured)]
    facts = [media_summary(measured), media_formats(measured), image_sizes(measured), audio_durations(measured)]
    return [media_use(benchmark, measured), *facts]
