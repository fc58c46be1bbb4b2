"""The language of a short text, from its script."""

from __future__ import annotations

import re
from functools import lru_cache

from keju.script import HAN, script_of

_LETTERS = re.compile(f"(?P<ko>[\\uac00-\\ud7af]+)|(?P<ja>[\\u3040-\\u30ff]+)|(?P<zh>[{HAN}])|(?P<en>[A-Za-z]+)")


def language_of(*texts: str, traditional: bool = False) -> str:
    """BCP-47 tag of the first text that has letters: `zh-Hans`, `zh-Hant`, `en`, `ja`, `ko`; `und` where none has.

    A Han character weighs as much as a Latin word: `What does 旦 mean?` is English. Chinese that could be either script
    is `zh-Hans`, or `zh-Hant` where `traditional` says so (a Big5 file).
    """
    told = next((language for text in texts if (language := _language_in(text))), "und")
    return told if told != "zh" else "zh-Hant" if traditional else "zh-Hans"


@lru_cache(maxsize=1 << 12)
def _language_in(text: str) -> str | None:
    """The language of one text, `zh` where it could be in either script; None where it has no letters."""
    counts = dict.fromkeys(("ja", "ko", "zh", "en"), 0)
    for found in _LETTERS.finditer(text):
        counts[str(found.lastgroup)] += 1
    if not any(counts.values()):
        return None
    language = max(counts, key=lambda name: counts[name])
    if language == "zh" and counts["ja"] * 4 > counts["zh"]:  # a kana run every few Han characters: Japanese
        return "ja"
    if language != "zh":
        return language
    return {"hans": "zh-Hans", "both": "zh-Hans", "hant": "zh-Hant", None: "zh"}[script_of(text)]
