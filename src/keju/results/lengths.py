"""How long questions and options are, by language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keju.benchmark import Benchmark
from keju.items import Wording
from keju.phrase import Phrase, in_chinese
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


def lengths(benchmark: Benchmark) -> Table:
    """Characters of each part by language and modality, and words where the language sets them apart (paper 001,
    "Data Distribution"). Empty texts, where the question is heard or the options are pictures, are only counted."""
    rows: list[dict[str, Any]] = []
    for part, title in PARTS.items():
        for language, modality, texts in _groups(benchmark, part):
            filled = [text for text in texts if text.strip()]
            if filled or part != "instruction":
                words = None if language.startswith(_UNSPACED) else [len(text.split()) for text in filled]
                rows.append(
                    {
                        "part": title,
                        "language": named("language", language),
                        "modality": named("modality", modality),
                        **summary([len(text) for text in filled]),
                        "words": sum(words) / len(words) if words else None,
                        "empty": len(texts) - len(filled),
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


def length_histograms(benchmark: Benchmark) -> list[Table]:
    """For questions and options in each language, how many texts are of which length."""
    tables = []
    for part in ("question", "option"):
        for language in dict.fromkeys(tag for item in benchmark for tag in item.wordings):
            texts = [text for tag, _, some in _groups(benchmark, part) if tag == language for text in some]
            if figures := [len(text) for text in texts if text.strip()]:
                counted = Column("n", "Texts", "count", "文本数")
                title = (
                    f"Length of {part}s, {language}",
                    f"{PARTS[part].zh}长度（{in_chinese(named('language', language))}）",
                )
                tables.append(ranges(f"{part}_length_{language}", title, figures, counted))
    return tables


def _groups(benchmark: Benchmark, part: str) -> Iterator[tuple[str, str, list[str]]]:
    """(language, modality, texts of the part), in the order in which they occur."""
    groups: dict[tuple[str, str], list[str]] = {}
    for item in benchmark:
        for tag, wording in item.wordings.items():
            groups.setdefault((tag, item.modality), []).extend(_texts(wording, part))
    return ((tag, modality, texts) for (tag, modality), texts in groups.items())


def _texts(wording: Wording, part: str) -> list[str]:
    match part:
        case "instruction":
            return [wording.instruction]
        case "question":
            return [wording.question]
        case _:
            return list(wording.options.values())
