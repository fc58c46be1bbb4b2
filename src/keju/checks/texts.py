"""The texts of an item, one at a time, with the words that say which one it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from keju.items import Item, Wording
from keju.phrase import Phrase

QUESTION = Phrase("the question", "题干")
INSTRUCTION = Phrase("the instruction", "作答说明")


class Text(NamedTuple):
    language: str
    where: Phrase
    """`the question`, `option B in en`."""
    text: str


def texts_in(item: Item) -> Iterator[Text]:
    """Question, instruction and options of every wording; empty ones are left out."""
    several = len(item.wordings) > 1
    for language, wording in item.wordings.items():
        tag = language if several else None
        if wording.question.strip():
            yield Text(language, _in(QUESTION, tag), wording.question)
        if wording.instruction.strip():
            yield Text(language, _in(INSTRUCTION, tag), wording.instruction)
        for label, text in wording.options.items():
            if text.strip():
                yield Text(language, _in(option(label), tag), text)


@lru_cache(maxsize=1 << 8)
def option(label: str) -> Phrase:
    return Phrase(f"option {label}", f"选项 {label} ")


@lru_cache(maxsize=1 << 10)
def _in(where: Phrase, language: str | None) -> Phrase:
    return Phrase(f"{where} in {language}", f"{where.zh.rstrip()}（{language}）") if language else where


def in_language(item: Item, wording: Wording) -> Phrase:
    """` in en`, where the item has several wordings."""
    tag = wording.language
    return Phrase(f" in {tag}", f"（{tag}）") if len(item.wordings) > 1 else Phrase("", "")
