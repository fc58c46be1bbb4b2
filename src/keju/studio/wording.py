"""Texts that come in several languages, in the language of the interface."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import get_language

from keju.phrase import Phrase, in_chinese
from keju.script import to_taiwan


def texts_of(phrase: Phrase | str) -> dict[str, str]:
    """A phrase as a table keeps it."""
    return {"en": str(phrase), "zh-hans": in_chinese(phrase)}


def texts_now(text: str) -> dict[str, str]:
    """A text to be kept for readers of any language: both of a phrase; of another, what it says in that of now."""
    return texts_of(text) if isinstance(text, Phrase) else {(get_language() or "en").lower(): str(text)}


def in_taiwan(text: str) -> str:
    """Simplified Chinese of the interface as Taiwan writes and says it."""
    text = to_taiwan(text)
    for wrong, right in _corrections().items():
        text = text.replace(wrong, right)
    return text


@cache
def _corrections() -> dict[str, str]:
    """What conversion gets wrong → right."""
    told = tomllib.loads((Path(__file__).parent / "locale" / "zh_Hant.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = told["words"]
    return words


def worded(texts: Mapping[str, Any] | Phrase | str) -> str:
    """The text in the language of the interface; Traditional Chinese is made from Simplified where none is given."""
    if isinstance(texts, str):
        texts = texts_of(texts)
    language = (get_language() or "en").lower()
    if language == "zh-hant" and "zh-hant" not in texts and "zh-hans" in texts:
        return in_taiwan(str(texts["zh-hans"]))
    return str(texts.get(language) or texts.get("en") or next(iter(texts.values()), ""))


def in_a_row(texts: Iterable[Any]) -> str:
    """Texts as the language of the interface sets them in a row."""
    return ("、" if (get_language() or "en").startswith("zh") else ", ").join(map(str, texts))
