"""Rules L on one language: its script, and whether it is the language that the item says. `translations` compares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.checks.texts import QUESTION, texts_in
from keju.items import Item, same_language
from keju.phrase import Phrase, listed
from keju.script import HAN, Script, script_of, to_simplified, to_traditional

GROUP = Group()
_REVIEW = '000 "Bilingual Construction and Review"'
_HAN = re.compile(f"[{HAN}]")


@GROUP.rule(
    "L101",
    "simplified-in-traditional",
    "warning",
    "item",
    title=Phrase("Simplified characters stand in Traditional text", "繁体文本中有简体字"),
    why=Phrase(
        "Readers of Traditional Chinese see an error, and the item no longer measures what its language says. "
        "Characters that both scripts use (里, 后, 台) are never counted.",
        "繁体读者会视为错字，题目也不再是它所标的语言。两种字体通用的字（里、后、台）不计。",
    ),
    good="圖中的人在哪裡？",
    bad="圖中的人在哪里说话？",
)
def _simplified(item: Item, rule: Rule) -> Iterator[Finding]:
    yield from _foreign(item, rule, "zh-Hant", "hans")


@GROUP.rule(
    "L102",
    "traditional-in-simplified",
    "warning",
    "item",
    title=Phrase("Traditional characters stand in Simplified text", "简体文本中有繁体字"),
    why=Phrase(
        "Readers see an error, and the item no longer measures what its language says. Characters that both scripts "
        "use (乾, 著, 於) are never counted.",
        "读者会视为错字，题目也不再是它所标的语言。两种字体通用的字（乾、著、於）不计。",
    ),
    good="图中的角色属于哪个行当？",
    bad="图中的角色屬于哪个行当？",
)
def _traditional(item: Item, rule: Rule) -> Iterator[Finding]:
    yield from _foreign(item, rule, "zh-Hans", "hant")


def _foreign(item: Item, rule: Rule, language: str, script: Script) -> Iterator[Finding]:
    for tag, where, text in texts_in(item):
        if tag == language and script_of(text) in (script, "both"):
            found = list(dict.fromkeys(char for char in text if script_of(char) == script))
            convert = to_traditional if script == "hans" else to_simplified
            pairs = listed([f"{char} ({convert(char)})" for char in found], 8)
            yield rule.finding(
                Phrase(f"{where} has {pairs}", f"{where.zh}中有 {pairs.zh}"),
                Phrase(
                    f"write the characters of {language}; a quotation in the other script may stay",
                    f"请改成 {language} 的字形；引文如有意保留原字形则不必改",
                ),
                item=item.id,
                characters="".join(found),
            )


@GROUP.rule(
    "L103",
    "other-language",
    "warning",
    "item",
    title=Phrase("a text is in another language than it should be", "文本不是所标的语言"),
    why=Phrase(
        "Most often a translation that was not made: the model is asked half in one language, half in another.",
        "往往是漏译：模型看到的题一半是一种语言，一半是另一种。",
    ),
    good="en: Which role type is this? (A) Sheng",
    bad="en: Which role type is this? (A) 生",
    paper=_REVIEW,
)
def _other_language(item: Item, rule: Rule) -> Iterator[Finding]:
    for tag, where, text in texts_in(item):
        is_han, words = _HAN.search(text) is not None, len(re.findall(r"[A-Za-z]{2,}", text))
        untranslated = is_han and not words and same_language(tag, "en")
        english = not is_han and words >= 4 and where.startswith(QUESTION) and same_language(tag, "zh")
        if untranslated or english:
            other = Phrase("Chinese", "中文") if untranslated else Phrase("English", "英文")
            yield rule.finding(
                Phrase(f"{where} is {other}: {text[:40]!r}", f"{where.zh}是{other.zh}：“{text[:40]}”"),
                Phrase("translate it, or correct the language of the wording", "请翻译，或改正所标的语言"),
                item=item.id,
                language=tag,
            )
