"""Texts that come in several languages, in the language of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language

from keju.phrase import Phrase, in_chinese
from keju.script import to_traditional


def texts_of(phrase: Phrase | str) -> dict[str, str]:
    """A phrase as a table keeps it."""
    return {"en": str(phrase), "zh-hans": in_chinese(phrase)}


def worded(texts: Mapping[str, Any] | Phrase | str) -> str:
    """The text in the language of the interface; Traditional Chinese is made from Simplified where none is given."""
    if isinstance(texts, str):
        texts = texts_of(texts)
    language = (get_language() or "en").lower()
    if language == "zh-hant" and "zh-hant" not in texts and "zh-hans" in texts:
        return to_traditional(str(texts["zh-hans"]))
    return str(texts.get(language) or texts.get("en") or next(iter(texts.values()), ""))
