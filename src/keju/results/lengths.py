"""How long questions and options are, by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from keju.benchmark import Benchmark
from keju.items import Item, Wording
from keju.phrase import Phrase, in_chinese
from keju.results.counts import Count, numbers
from keju.results.labels import named
from keju.results.spread import SUMMARY, ranges, summary
from keju.results.table import Column, Table

PARTS = {
    "instruction": Phrase("instruction", "指示语"),
    "question": Phrase("question", "题干"),
    "option": Phrase("option", "选项"),
}
"""Parts of a wording whose texts are measured; each option is a text."""

_UNSPACED = ("zh", "ja", "th", "lo", "km", "my")
"""Languages whose words are not set apart by spaces: their words are not counted."""

_Key = tuple[tuple[str, str], str, int, int]
"""Of a text: its language and the item's modality, its part, its characters (0: empty) and its words."""


def lengths(benchmark: Benchmark) -> Table:
    """Characters of each part by language and modality, and words where the language sets them apart (paper 001,
    "Data Distribution"). Empty texts, where the question is heard or the options are pictures, are only counted."""
    return LENGTHS.of(benchmark)


def _keys(item: Item) -> Iterator[_Key]:
    modality = item.modality
    for tag, wording in item.wordings.items():
        spaced = not tag.startswith(_UNSPACED)
        for part in PARTS:
            for text in _texts(wording, part):
                yield (tag, modality), part, len(text) if text.strip() else 0, len(text.split()) if spaced else 0


def _lengths(_: Benchmark, counts: Counter[_Key]) -> Table:
    rows: list[dict[str, Any]] = []
    for part, title in PARTS.items():
        for language, modality in dict.fromkeys(group for group, *_ in counts):
            texts = Counter({key: n for key, n in counts.items() if key[:2] == ((language, modality), part)})
            figures = _figures(texts)
            if figures or part != "instruction":
                words = None if language.startswith(_UNSPACED) else sum(key[3] * n for key, n in texts.items())
                rows.append(
                    {
                        "part": title,
                        "language": named("language", language),
                        "modality": named("modality", modality),
                        **summary(figures),
                        "words": words / len(figures) if words else None,
                        "empty": texts.total() - len(figures),
                    }
                )
    columns = (
        Column("part", "Part", "text", "部分"),
        Column("language", "Language", "text", "语言"),
        Column("modality", "Modality", "text", "模态"),
        *SUMMARY,
        Column("words", "Words (mean)", "number", "词数（平均）", hidden=all(row["words"] is None for row in rows)),
        Column("empty", "Empty", "count", "空", hide_zero=True),
    )
    note = Phrase("In characters, punctuation and spaces included.", "单位：字符，含标点和空格。")
    return Table("lengths", "Length of texts", columns, tuple(rows), (note,), "文本长度")


LENGTHS = Count(_keys, _lengths)
"""As `lengths`."""


def length_histograms(benchmark: Benchmark) -> list[Table]:
    """For questions and options in each language, how many texts are of which length."""
    (counts,) = numbers(benchmark, [LENGTHS])
    tables = []
    for part in ("question", "option"):
        for language in dict.fromkeys(tag for (tag, _), *_ in counts):
            texts = Counter({key: n for key, n in counts.items() if (key[0][0], key[1]) == (language, part)})
            if figures := _figures(texts):
                counted = Column("n", "Texts", "count", "文本数")
                title = (
                    f"Length of {part}s, {language}",
                    f"{PARTS[part].zh}长度（{in_chinese(named('language', language))}）",
                )
                tables.append(ranges(f"{part}_length_{language}", title, figures, counted))
    return tables


def _figures(texts: Counter[_Key]) -> list[int]:
    """The characters of each text that is not empty."""
    return [key[2] for key in texts.elements() if key[2]]


def _texts(wording: Wording, part: str) -> list[str]:
    match part:
        case "instruction":
            return [wording.instruction]
        case "question":
            return [wording.question]
        case _:
            return list(wording.options.values())
