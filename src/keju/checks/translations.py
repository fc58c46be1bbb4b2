"""Rules L on two languages of one item: whether they ask the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.numerals import may_say, numbers_in
from keju.checks.problems import met
from keju.checks.rule import Group, Rule
from keju.checks.texts import QUESTION, option
from keju.items import Item, Wording, same_language
from keju.phrase import Phrase, listed
from keju.script import fold_width

GROUP = Group()
_REVIEW = '000 "Bilingual Construction and Review"'


@GROUP.rule(
    "L201",
    "translation-missing",
    "warning",
    "benchmark",
    title=Phrase("a translation is missing", "缺少译文"),
    why=Phrase(
        "Languages are compared over the items that have both; where most have a translation, those without it were "
        "perhaps forgotten.",
        "语言之间只比较两种译文都有的题；如果大多数题都有译文，缺的可能是漏了。",
    ),
    good="every item in zh-Hans and in en",
    bad="999 items in zh-Hans and in en, one in zh-Hans alone",
    paper=_REVIEW,
    thresholds={"share": 0.5},
)
def _missing(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    usual = Counter(len(item.wordings) for item in benchmark).most_common(1)
    counts = Counter(tag for item in benchmark for tag in item.wordings)
    common = [tag for tag, count in counts.items() if count > rule["share"] * len(benchmark)]
    for item in benchmark:
        lacking = [tag for tag in common if tag not in item.wordings]
        if lacking and len(item.wordings) < usual[0][0]:
            names = listed(lacking)
            yield rule.finding(
                Phrase(f"has no wording in {names}, as most items have", f"没有 {names.zh} 文本，而大多数题都有"),
                Phrase("add the translation", "请补上译文"),
                item=item.id,
                languages=lacking,
            )


met(
    GROUP,
    "L202",
    "translation-incomplete",
    "warning",
    "translation_incomplete",
    title=Phrase("a translation lacks its question or has other options", "译文缺少题干，或选项数目不同"),
    why=Phrase(
        "The key names another option there, or none; the translation is left out and the item counts in one language.",
        "译文中的答案会指向别的选项或落空；该译文被略去，题目只剩一种语言。",
    ),
    good="four options in zh and in en",
    bad="four options in zh and three in en",
    paper=_REVIEW,
    remedy=Phrase(
        "complete the translation: the question, and every option under its letter",
        "请补全译文：题干，以及每个字母下的选项",
    ),
)


@GROUP.rule(
    "L203",
    "option-labels-differ",
    "error",
    "item",
    title=Phrase("two languages have different options", "两种语言的选项标号不同"),
    why=Phrase("The key may name nothing in one of them.", "答案在其中一种语言里可能不存在。"),
    good="A to D in both",
    bad="A to D in zh-Hans, A to C in en",
    paper=_REVIEW,
)
def _options_differ(item: Item, rule: Rule) -> Iterator[Finding]:
    for other in _others(item):
        if list(other.options) != list(item.options):
            own, theirs = listed(item.options), listed(other.options)
            yield rule.finding(
                Phrase(
                    f"options are {own} in {item.wording.language} and {theirs} in {other.language}",
                    f"{item.wording.language} 的选项是 {own.zh}，{other.language} 的是 {theirs.zh}",
                ),
                Phrase("give every language the same options", "请让各语言的选项一致"),
                item=item.id,
            )


@GROUP.rule(
    "L204",
    "translation-same",
    "warning",
    "item",
    title=Phrase("a translation is the original", "译文与原文相同"),
    why=Phrase(
        "It was copied and not translated; the comparison of languages compares nothing.",
        "只是复制而没有翻译，语言比较就失去意义。",
    ),
    good="zh-Hans: 图中是什么剧种？ en: Which opera is this?",
    bad="zh-Hans and en: 图中是什么剧种？",
    paper=_REVIEW,
)
def _same(item: Item, rule: Rule) -> Iterator[Finding]:
    for other in _others(item):
        stem = item.wording.question.strip()
        if (
            not _of_one_language(item.wording, other)
            and stem == other.question.strip()
            and re.search(r"[^\W\d_]{2}", stem)
        ):
            yield rule.finding(
                Phrase(
                    f"the question in {other.language} is that in {item.wording.language}",
                    f"{other.language} 的题干与 {item.wording.language} 相同",
                ),
                Phrase("translate it", "请翻译"),
                item=item.id,
                language=other.language,
            )


@GROUP.rule(
    "L205",
    "numbers-differ",
    "warning",
    "item",
    title=Phrase("a number stands in one language only", "两种语言中的数字不同"),
    why=Phrase(
        "One of them asks for another year, amount or place. Numbers written as words (三, three) count as the number.",
        "其中一种语言问的是另一个年份、数量或位置。写成文字的数（三、three）视为相同的数。",
    ),
    good="zh: 1790年, en: in 1790",
    bad="zh: 1790年, en: in 1970",
    paper=_REVIEW,
)
def _numbers_differ(item: Item, rule: Rule) -> Iterator[Finding]:
    for other, where, one, two in _pairs(item):
        first, second = numbers_in(one), numbers_in(two)
        left = [number for number in (first - second).elements() if not _said(number, two, second)]
        right = [number for number in (second - first).elements() if not _said(number, one, first)]
        if left or right:
            here, there = item.wording.language, other.language
            only = [Phrase(f"{number} in {here}", f"{here} 有 {number}") for number in left]
            only += [Phrase(f"{number} in {there}", f"{there} 有 {number}") for number in right]
            told = listed(only, 6)
            yield rule.finding(
                Phrase(f"{where} has only {told}", f"{where.zh}只有一种语言出现：{told.zh}"),
                Phrase("correct the number in one of them", "请改正其中一种语言的数字"),
                item=item.id,
                language=other.language,
            )


@GROUP.rule(
    "L206",
    "letters-differ",
    "note",
    "item",
    title=Phrase(
        "Latin letters of the Chinese text are missing in the other language", "中文里的拉丁字母在另一种语言中没有出现"
    ),
    why=Phrase(
        "Names, units and the letters of a figure must be the same in both for the item to ask the same.",
        "名称、单位和图中的字母在两种语言里必须一致，题目才相同。",
    ),
    good="zh: 图中A点, en: point A of the figure",
    bad="zh: 图中A点, en: point B of the figure",
    paper=_REVIEW,
)
def _letters_differ(item: Item, rule: Rule) -> Iterator[Finding]:
    for other, where, one, two in _pairs(item):
        chinese, foreign = (one, two) if same_language(item.wording.language, "zh") else (two, one)
        if not same_language(item.wording.language, "zh") and not same_language(other.language, "zh"):
            continue
        known = _words(foreign)
        joined = "".join(known)
        missing = [
            word
            for word in dict.fromkeys(_words(chinese))
            if word not in known and (len(word) == 1 or word not in joined)
        ]
        if missing:
            names = listed(missing, 6)
            yield rule.finding(
                Phrase(f"{where} has {names} in one language only", f"{where.zh}中的 {names.zh} 只出现在一种语言中"),
                Phrase("use the same letters and names in both", "请让两种语言使用相同的字母和名称"),
                item=item.id,
                language=other.language,
            )


@GROUP.rule(
    "L207",
    "option-order-differs",
    "warning",
    "benchmark",
    title=Phrase("a translation seems to have its options in another order", "译文的选项顺序似乎不同"),
    why=Phrase(
        "The key is a letter; where the order differs it names another answer in the translation. Told by pairs of "
        "texts that translate each other in other items.",
        "答案是字母；顺序不同时，它在译文中就指向别的答案。依据是其他题里互为译文的选项。",
    ),
    good="zh: A 生, B 旦; en: A Sheng, B Dan",
    bad="zh: A 生, B 旦; en: A Dan, B Sheng",
    paper=_REVIEW,
    thresholds={"pairs": 2},
)
def _order_differs(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    glossary = _glossary(benchmark)
    for item in benchmark:
        for other in _others(item):
            known = glossary[item.wording.language, other.language]
            moved = [
                (label, place)
                for label, text in item.options.items()
                for place, theirs in other.options.items()
                if place != label
                and known[text.strip(), theirs.strip()] >= rule["pairs"]
                and known[text.strip(), other.options.get(label, "").strip()] <= 1
            ]
            if len(moved) > 1:
                here, there = item.wording.language, other.language
                told = listed(
                    Phrase(f"{label} in {here} is {place} in {there}", f"{here} 的 {label} 是 {there} 的 {place}")
                    for label, place in moved
                )
                yield rule.finding(
                    Phrase(f"by the other items {told}", f"从其他题来看，{told.zh}"),
                    Phrase(
                        "put the options of the translation into the order of the original",
                        "请按原文的顺序排列译文的选项",
                    ),
                    item=item.id,
                    language=there,
                )


def _said(number: str, text: str, figures: Iterable[str]) -> bool:
    """Whether a text says the number in another way: in words, or as a decade (80年代, the 1980s)."""
    decade = any(len(other) != len(number) and other[-2:] == number[-2:] for other in figures)
    return may_say(text, number) or (decade and number.endswith("0") and len(number) in (2, 4))


def _glossary(benchmark: Benchmark) -> Mapping[tuple[str, str], Counter[tuple[str, str]]]:
    """(language, language) → how often two option texts stand under one label."""
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for item in benchmark:
        for other in _others(item):
            pairs[item.wording.language, other.language].update(
                (text.strip(), other.options.get(label, "").strip()) for label, text in item.options.items()
            )
    return pairs


def _others(item: Item) -> list[Wording]:
    return list(item.wordings.values())[1:]


def _of_one_language(one: Wording, other: Wording) -> bool:
    """Whether two wordings are of one language, as Simplified and Traditional Chinese."""
    return one.language.split("-")[0] == other.language.split("-")[0]


def _pairs(item: Item) -> Iterator[tuple[Wording, Phrase, str, str]]:
    """(other wording, which text, the original's text, the other's) of every question and option."""
    for other in _others(item):
        yield other, QUESTION, item.wording.question, other.question
        for label, text in item.options.items():
            if label in other.options:
                yield other, option(label), text, other.options[label]


def _words(text: str) -> list[str]:
    """Latin words and letters, without case."""
    return [word.casefold() for word in re.findall(r"[A-Za-z]+", fold_width(text))]
