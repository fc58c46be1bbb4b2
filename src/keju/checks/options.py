"""Rules Q3: the options against each other and against the question."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.checks.texts import in_language
from keju.formats.question_text import names_other_options
from keju.items import Item
from keju.phrase import Phrase, listed
from keju.script import HAN, fold, fold_width

GROUP = Group()
_CHOICES = '000 "Question Construction"'


@GROUP.rule(
    "Q301",
    "options-identical",
    "error",
    "item",
    title=Phrase("two options are the same", "有两个选项相同"),
    why=Phrase(
        "Where the key is one of them, the other is as right and is marked wrong; else there is one option less.",
        "如果其中之一是答案，另一个同样正确却会被判错；否则等于少了一个选项。",
    ),
    good="生, 旦, 净, 丑",
    bad="生, 旦, 旦, 丑",
    paper=_CHOICES,
)
def _options_identical(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        same: dict[str, list[str]] = defaultdict(list)
        for label, text in wording.options.items():
            same[_plain(text)].append(label)
        for text, labels in same.items():
            if text and len(labels) > 1:
                keyed = item.answer in labels
                names = listed(labels, between=(" and ", " 和 "))
                yield rule.finding(
                    Phrase(
                        f"options {names}{in_language(item, wording)} both read {wording.options[labels[0]]!r}"
                        + (f"; the key is {item.answer}" if keyed else ""),
                        f"选项 {names.zh} 相同{in_language(item, wording).zh}：“{wording.options[labels[0]]}”"
                        + (f"；答案是 {item.answer}" if keyed else ""),
                    ),
                    Phrase("replace one of them by another distractor", "请把其中一个换成别的干扰项"),
                    item=item.id,
                    severity="error" if keyed else "warning",
                )


@GROUP.rule(
    "Q302",
    "option-empty",
    "error",
    "item",
    title=Phrase("an option is empty", "有空选项"),
    why=Phrase(
        "The model is shown a letter without a text. Only where all options are in the picture or in the recording may "
        "all be empty.",
        "模型只看到字母而没有内容。只有当所有选项都在图片或录音中时，才可以全部为空。",
    ),
    good="生, 旦, 净, 丑; or A, B, C alone beside a picture that shows them",
    bad="生, 旦, (nothing), 丑",
    paper="001 §2.1 Completeness Check",
)
def _option_empty(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        empty = [label for label, text in wording.options.items() if not text.strip()]
        if empty and not (len(empty) == len(wording.options) and item.media):
            names = listed(empty)
            yield rule.finding(
                Phrase(
                    f"nothing is written for option {names}{in_language(item, wording)}",
                    f"选项 {names.zh} 没有内容{in_language(item, wording).zh}",
                ),
                Phrase("write the option, or remove it", "请写上选项内容，或删去该选项"),
                item=item.id,
            )


@GROUP.rule(
    "Q303",
    "option-about-options",
    "warning",
    "item",
    title=Phrase("an option speaks of the other options", "有选项指涉其他选项"),
    why=Phrase(
        "“All of the above” can be told without knowing all, and such an item cannot be put in another order.",
        "“以上都对”不必全懂也能猜到；这样的题也不能打乱选项顺序。",
    ),
    good="four answers to the question",
    bad="以上都不对, 以上皆是, A和B都对, none of the above",
    paper=_CHOICES,
)
def _option_about_options(item: Item, rule: Rule) -> Iterator[Finding]:
    wording = item.wording
    for label, text in wording.options.items():
        named = set(re.findall("(?<![A-Za-z])[A-Z](?![A-Za-z])", fold_width(text)))
        if len(re.sub(r"\W", "", text)) < 2 or not named <= wording.options.keys():
            continue  # `C` alone may be carbon, and `F 和 G` are people
        if names_other_options(text):
            yield rule.finding(
                Phrase(f"option {label}, {text!r}, speaks of the other options", f"选项 {label}“{text}”指涉其他选项"),
                Phrase("replace it by an answer of its own", "请换成一个独立的选项"),
                item=item.id,
            )


@GROUP.rule(
    "Q304",
    "stem-contains-answer",
    "warning",
    "item",
    title=Phrase("the question contains the answer", "题干中出现了答案"),
    why=Phrase(
        "Whoever compares question and options finds the key without the picture or the sound.",
        "对照题干和选项就能找到答案，不需要看图或听录音。",
    ),
    good="图中演员手持何物？ with the key 折扇",
    bad="图中手持折扇的演员手里拿的是什么？ with the key 折扇",
    paper=_CHOICES,
    thresholds={"han": 2, "letters": 4},
)
def _stem_contains_answer(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        key = wording.options.get(item.answer or "", "").strip(" 。.")
        if not _long_enough(key, rule) or not _occurs(key, wording.question):
            continue
        others = [text.strip(" 。.") for label, text in wording.options.items() if label != item.answer]
        if not any(text and _occurs(text, wording.question) for text in others):
            tongue = in_language(item, wording)
            yield rule.finding(
                Phrase(
                    f"the question{tongue} contains the key {item.answer}, {key!r}, and no other option",
                    f"题干中出现了答案 {item.answer}“{key}”，而没有其他选项{tongue.zh}",
                ),
                Phrase(
                    "reword the question, or let it name the other options too",
                    "请改写题干，或让其他选项也出现在题干中",
                ),
                item=item.id,
            )


@GROUP.rule(
    "Q305",
    "mark-left-in-option",
    "warning",
    "item",
    title=Phrase("the options still bear their marks", "选项内容中残留标号"),
    why=Phrase(
        "The model reads the letter twice, and in another order the letters inside contradict those before them.",
        "模型会看到两遍字母；打乱选项后，残留的字母还会与标号矛盾。",
    ),
    good="A: 生, B: 旦",
    bad="A: A 生, B: B 旦",
    thresholds={"options": 2},
)
def _marks_left(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        texts = {label: fold_width(text) for label, text in wording.options.items()}
        marked = [label for label, text in texts.items() if re.match(rf"[(\[]{label}[)\]]|{label}[).:、]\s*\S", text)]
        lettered = [label for label, text in texts.items() if re.match(rf"{label}\s+\S", text)]
        if len(marked) >= rule["options"] or len(marked) + len(lettered) == len(texts) > 1:
            names = listed(sorted([*marked, *lettered]))  # letters alone only in all: A minor, G major, C major
            yield rule.finding(
                Phrase(
                    f"the texts of {names}{in_language(item, wording)} begin with their own letters",
                    f"选项 {names.zh} 的内容以自己的标号开头{in_language(item, wording).zh}",
                ),
                Phrase("remove the letters from the texts", "请删去选项内容中的标号"),
                item=item.id,
            )


@GROUP.rule(
    "Q306",
    "option-repeats-stem",
    "error",
    "item",
    title=Phrase("an option is the question itself", "选项与题干相同"),
    why=Phrase("Something was pasted into the wrong place.", "多半是粘贴错了位置。"),
    good="four answers",
    bad="图中角色属于哪个行当？ as option B",
)
def _option_repeats_stem(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        stem = _plain(wording.question)
        for label, text in wording.options.items():
            if len(stem) > 1 and _plain(text) == stem:
                yield rule.finding(
                    Phrase(
                        f"option {label}{in_language(item, wording)} repeats the question",
                        f"选项 {label} 与题干相同{in_language(item, wording).zh}",
                    ),
                    Phrase("write the option", "请写上真正的选项内容"),
                    item=item.id,
                )


def _plain(text: str) -> str:
    """A text for comparison with its neighbours: widths, blanks and the end's full stop do not count; case does."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().rstrip("。.;；")


def _long_enough(text: str, rule: Rule) -> bool:
    """Whether a text is long enough to be more than a chance word of the question."""
    han = len(re.findall(f"[{HAN}]", text))
    return han >= rule["han"] or (han == 0 and len(re.findall(r"[^\W\d_]", text)) >= rule["letters"])


def _occurs(text: str, stem: str) -> bool:
    """Whether the text stands in the stem, in Latin letters as whole words."""
    text, stem = fold(text).casefold(), fold(stem).casefold()
    if not text.isascii():
        return text in stem
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", stem) is not None
