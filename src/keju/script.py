"""Chinese script and character width: conversion, folding for comparison, and telling the scripts apart.

Conversion is OpenCC's. `s2tw` and `tw2s` change characters only, in Taiwan's standard forms (裡, 麵, 著). The
configurations with phrases (`s2twp`: 软件 → 軟體) change the words as well, which a comparison of scripts must not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

Script = Literal["hans", "hant"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han characters, as the inside of a regular expression's character class."""

_HAS_HAN = re.compile(f"[{HAN}]")
_CONVERTIBLE = re.compile("[^\0\ud800-\udfff]+")  # OpenCC stops at NUL and cannot encode lone surrogates
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def to_traditional(text: str) -> str:
    """`text` in Traditional script, Taiwan's forms; words stay as they are. Characters with two forms need review."""
    return _convert(text, "s2tw")


def to_taiwan(text: str) -> str:
    """`text` in Traditional script and Taiwan's words (软件 → 軟體): for texts of an interface, never to compare."""
    return _convert(text, "s2twp")


def to_simplified(text: str) -> str:
    """`text` in Simplified script; words stay as they are."""
    return _convert(text, "tw2s")


def fold_width(text: str) -> str:
    """Full-width ASCII variants (Ａ, ：, （, the ideographic space) as ASCII. Nothing else: ℃ gives no C."""
    return text if text.isascii() else text.translate(_WIDTH)


def fold(text: str) -> str:
    """`text` for comparison: widths folded, Chinese in Simplified script. Case is kept."""
    return to_simplified(fold_width(text))


def script_of(text: str) -> Literal["hans", "hant", "both"] | None:
    """The script that `text` must be in; `both` where it mixes them; None where no character tells (人, A).

    A character tells where one script's national set holds it, the other's does not, and conversion changes it.
    """
    found = {script for char in set(text) if (script := _script_of_character(char))}
    if len(found) == 2:
        return "both"
    return found.pop() if found else None


@lru_cache(maxsize=1 << 14)
def _script_of_character(char: str) -> Script | None:
    if not _HAS_HAN.match(char):
        return None
    mainland, taiwan = _encodes(char, "gb2312"), _encodes(char, "big5")
    if mainland and not taiwan and _convert(char, "s2t") != char:
        return "hans"
    if taiwan and not mainland and _convert(char, "t2s") != char:
        return "hant"
    return None


def _encodes(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _convert(text: str, config: str) -> str:
    if not _HAS_HAN.search(text):
        return text
    converter = _converter(config)
    return _CONVERTIBLE.sub(lambda run: str(converter.convert(run[0])), text)


@lru_cache(maxsize=4)
def _converter(config: str) -> Any:
    import opencc

    return opencc.OpenCC(config)
