"""Rule L307: brackets and quotation marks that open and do not close, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.checks.texts import texts_in
from keju.items import Item
from keju.phrase import Phrase, listed
from keju.script import fold_width

GROUP = Group()
_PAIRS = ("()", "[]", "{}", "《》", "〈〉", "「」", "『』", "【】", "〔〕", "“”")
_CLOSES = {pair[1]: pair[0] for pair in _PAIRS}
_OPENS = set(_CLOSES.values())
_BRACKET = re.compile("[" + re.escape("".join(_PAIRS)) + "（）［］｛｝]")
_LEFT_OUT = re.compile(
    r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]"  # formulas in LaTeX
    r"|\([^()\[\]]*,[^()\[\]]*\]|\[[^()\[\]]*,[^()\[\]]*\)",  # half-open intervals: (0, 1]
    re.DOTALL,
)
_NUMBER = re.compile(r"(?<![A-Za-z0-9])(?:\d{1,3}|[A-Za-z]|[ivx]{1,4}|[①-⑳]|(?<!十)[一二三四五六七八九十]{1,3})\Z")
"""`1)`, `a)`: the number of a list, which has no opening bracket."""


@GROUP.rule(
    "L307",
    "brackets-unbalanced",
    "warning",
    "item",
    title=Phrase("a bracket or quotation mark is alone", "括号或引号不成对"),
    why=Phrase("Often a piece of the text was lost when it was copied.", "往往是复制时丢了一段文字。"),
    good="《霸王别姬》（京剧）",
    bad="《霸王别姬（京剧）",
    paper='000 "Quality Assurance and Validation"',
)
def _brackets(item: Item, rule: Rule) -> Iterator[Finding]:
    for _, where, text in texts_in(item):
        if places := _alone(text):
            names = listed([text[place] for place in places], 5, between=(" and ", " 和 "))
            around = text[max(0, places[0] - 12) : places[0] + 12].strip()
            yield rule.finding(
                Phrase(f"{where} has {names} alone: …{around}…", f"{where.zh}中的 {names.zh} 不成对：……{around}……"),
                Phrase("add its partner, or the text that is missing", "请补上另一半，或补上缺失的文字"),
                item=item.id,
                characters="".join(text[place] for place in places),
            )


def _alone(text: str) -> list[int]:
    """The places of brackets without a partner; full-width and half-width ones may be partners."""
    if _BRACKET.search(text) is None:
        return []
    plain = _LEFT_OUT.sub(lambda found: " " * len(found[0]), fold_width(text))
    waiting: list[int] = []
    alone: list[int] = []
    for place, char in enumerate(plain):
        opening = _CLOSES.get(char)
        if char in _OPENS:
            waiting.append(place)
        elif opening in [plain[other] for other in waiting]:  # what was opened since then is never closed
            while plain[last := waiting.pop()] != opening:
                alone.append(last)
        elif opening and not (char == ")" and _NUMBER.search(plain, 0, place)):
            alone.append(place)
    return sorted(alone + waiting)
