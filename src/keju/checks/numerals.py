"""Numbers in texts: written as figures, and in Chinese or English words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal

from keju.script import fold_width, to_simplified

_FIGURE = re.compile(
    r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(万|亿|hundred|thousand|million|billion)?", re.IGNORECASE
)
_TIMES = {"万": 10**4, "亿": 10**8, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_LARGE = re.compile("|".join(_TIMES), re.IGNORECASE)
"""Where one stands after words, the number is not worked out."""
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_CHINESE = re.compile("[零〇一二三四五六七八九两十百千]+")
_CHINESE_PARTS = {"半": ("30", "0.5"), "刻": ("15", "45"), "无": ("0",), "首": ("1",), "整": ("0",)}
"""Chinese words that say a number without its digits: half past, a quarter, none, the first, sharp."""
_ENGLISH = """
0 zero no none o sharp
0.5 half
1 one first once single a an january monday i only
2 two second twice both half pair couple double february tuesday ii
3 three third thrice triple march wednesday iii
4 four fourth april thursday iv
5 five fifth may friday v
6 six sixth june saturday vi
7 seven seventh july sunday vii week
8 eight eighth august viii
9 nine ninth september ix
10 ten tenth october x decade
11 eleven eleventh november xi
12 twelve twelfth december xii dozen noon midnight
13 thirteen thirteenth
14 fourteen fourteenth
15 fifteen fifteenth quarter
16 sixteen sixteenth
17 seventeen seventeenth
18 eighteen eighteenth
19 nineteen nineteenth
20 twenty twentieth score
30 thirty thirtieth half
40 forty fortieth
45 quarter
50 fifty fiftieth
60 sixty sixtieth
70 seventy seventieth
80 eighty eightieth
90 ninety ninetieth
"""
"""Number, and the words that may say it: ordinals, months, days, Roman numerals and times of the clock too."""
_SAID: dict[str, list[str]] = defaultdict(list)
for _number, *_words in map(str.split, _ENGLISH.strip().split("\n")):
    for _word in _words:
        _SAID[_word].append(_number)


def numbers_in(text: str) -> Counter[str]:
    """The numbers written as figures, without separators and leading zeros, with their counts: 3万 is 30000."""
    plain = re.sub(r"(?<=\d):00", "", fold_width(to_simplified(text)))  # 8:00 is 八点
    return Counter(_worked_out(figure.replace(",", ""), unit.lower()) for figure, unit in _FIGURE.findall(plain))


def _worked_out(figure: str, unit: str) -> str:
    value = Decimal(figure) * _TIMES.get(unit, 1)
    return str(int(value)) if value == int(value) else str(value)


def may_say(text: str, number: str) -> bool:
    """Whether a text may say `number` in words. In doubt it does: what is reported must be sure."""
    large = _LARGE.search(to_simplified(text)) is not None
    return large or number in {*_chinese_in(text), *_english_in(text)}


def _chinese_in(text: str) -> Iterator[str]:
    simplified = to_simplified(text)
    for char, numbers in _CHINESE_PARTS.items():
        if char in simplified:
            yield from numbers
    for run in _CHINESE.findall(simplified):
        yield "".join(str(_DIGITS[char]) for char in run if char in _DIGITS).lstrip("0") or "0"  # 一九二〇
        value, digit, unit = 0, 0, 1
        for char in run:
            if char in _DIGITS:
                digit, unit = _DIGITS[char], 10 if char in "零〇" else unit
            else:
                unit = _TENS[char]
                value, digit, unit = value + (digit or 1) * unit, 0, unit // 10
        yield from (str(value + digit), str(value + digit * unit))  # 一百六 is 160


def _english_in(text: str) -> Iterator[str]:
    tens = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        said = _SAID.get(word, [])
        yield from said
        units = int(said[0]) if said and said[0].isdecimal() else 0
        if tens and 0 < units < 10:
            yield str(tens + units)
        tens = units if 20 <= units < 100 else 0
