"""The language of a short text, from its script."""

from __future__ import annotations

import re
from functools import lru_cache

from keju.script import HAN, script_of

_LETTERS = re.compile(f"(?P<ko>[\\uac00-\\ud7af]+)|(?P<ja>[\\u3040-\\u30ff]+)|(?P<zh>[{HAN}])|(?P<en>[A-Za-z]+)")


@lru_cache(maxsize=1 << 12)
def language_of(*texts: str, traditional: bool = False) -> str:
    """BCP-47 tag of the first text that has letters: `zh-Hans`, `zh-Hant`, `en`, `ja`, `ko`; `und` where none has.

    A Han character weighs as much as a Latin word: `What does 旦 mean?` is English. Chinese that could be either script
    is `zh-Hans`, or `zh-Hant` where `traditional` says so (a Big5 file).
    """
    for text in texts:
        counts = dict.fromkeys(("ja", "ko", "zh", "en"), 0)
        for found in _LETTERS.finditer(text):
            counts[str(found.lastgroup)] += 1
        if not any(counts.values()):
            continue
        language = max(counts, key=lambda name: counts[name])
        if language == "zh" and counts["ja"] * 4 > counts["zh"]:  # a kana run every few Han characters: Japanese
            return "ja"
        if language != "zh":
            return language
        script = script_of(text)
        return "zh-Hant" if script == "hant" or (script is None and traditional) else "zh-Hans"
    return "und"
