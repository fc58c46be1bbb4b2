"""Rules Q on one item: stem, options and key. `keys` and `duplicates` look at the whole."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.problems import RULE_OF, met
from keju.checks.rule import Group, Rule
from keju.formats.multi_tw_item import KEPT as KEPT_ROW
from keju.formats.question_text import mark_of, names_other_options
from keju.formats.tco_item import KEPT as KEPT_TEXTS
from keju.items import LABELS, Item, Wording
from keju.phrase import Phrase, listed
from keju.script import HAN, fold, fold_width

GROUP = Group()
_CHOICES = '000 "Question Construction"'

# Stem and options


@GROUP.rule(
    "Q101",
    "stem-empty",
    "error",
    "item",
    title=Phrase("an item asks nothing", "题干为空"),
    why=Phrase(
        "A model would be given options without a question. Only where a recording or the exam's instruction asks may "
        "the question be empty.",
        "模型只看到选项而没有问题。只有录音或作答说明已经提问时，题干才可以为空。",
    ),
    good="图中角色属于哪个行当？",
    bad="an empty first line, then (A) 生 (B) 旦 (C) 净 (D) 丑",
    paper="001 §2.1 Completeness Check",
)
def _stem_empty(item: Item, rule: Rule) -> Iterator[Finding]:
    heard = any(medium.kind == "audio" for medium in item.media)
    for wording in item.wordings.values():
        if not wording.question.strip() and not wording.instruction.strip() and not heard:
            yield rule.finding(
                Phrase(f"the question{_in(item, wording)} is empty", f"题干为空{_in(item, wording).zh}"),
                Phrase("write the question", "请写上题干"),
                item=item.id,
            )


RULE_OF["question_empty"] = "Q101"  # the readers that say so leave the item as it is, and the rule sees it


@GROUP.rule(
    "Q102",
    "not-four-options",
    "error",
    "item",
    profile="tco",
    title=Phrase("an item has not four options", "选项不是四个"),
    why=Phrase(
        "The paper's items have options A to D; its prompt and its answer extraction know no others.",
        "论文规定每题有 A 到 D 四个选项，它的提示词和答案提取也只认这四个。",
    ),
    good="A, B, C, D",
    bad="A, B, C",
    paper=_CHOICES,
    thresholds={"fewest": 4, "most": 4},
)
@GROUP.rule(
    "Q103",
    "not-three-or-four-options",
    "error",
    "item",
    profile="multi-tw",
    title=Phrase("an item has not three or four options", "选项不是三个或四个"),
    why=Phrase(
        "The exam has three or four options; its answer extraction knows A to D.",
        "该考试每题有三个或四个选项，答案提取只认 A 到 D。",
    ),
    good="A, B, C",
    bad="A, B, C, D, E",
    paper="001 §2.2, Table 1",
    thresholds={"fewest": 3, "most": 4},
)
@GROUP.rule(
    "Q104",
    "too-few-options",
    "error",
    "item",
    title=Phrase("an item offers no choice", "选项少于两个"),
    why=Phrase("With one option every answer is right.", "只有一个选项时，怎么答都对。"),
    good="A, B",
    bad="A",
    thresholds={"fewest": 2, "most": 26},
)
def _option_count(item: Item, rule: Rule) -> Iterator[Finding]:
    fewest, most, there = int(rule["fewest"]), int(rule["most"]), len(item.options)
    if not fewest <= there <= most:
        wanted = str(fewest) if fewest == most else f"{fewest}-{most}"
        yield rule.finding(
            Phrase(f"there are {there} options, {wanted} are expected", f"有 {there} 个选项，应为 {wanted} 个"),
            Phrase("add or remove options, and look at the key", "请增减选项，并核对答案"),
            item=item.id,
            options=there,
        )


met(
    GROUP,
    "Q105",
    "options-unclear",
    "error",
    "options_unclear",
    title=Phrase("the options cannot be told from the question", "无法分辨选项"),
    why=Phrase(
        "keju never guesses where an option begins: a wrong cut would ask another question. The item is left out.",
        "选项从哪里开始不能靠猜，切错了就成了另一道题，所以该题被略去。",
    ),
    good="(A) 生, (B) 旦, (C) 净, (D) 丑, a line each",
    bad="two options marked B",
    paper='000 "Data Organization"',
    remedy=Phrase(
        "mark the options (A), (B), (C), (D), each on a line of its own", "请把选项标为 (A)、(B)、(C)、(D)，每个占一行"
    ),
)
met(
    GROUP,
    "Q106",
    "text-after-options",
    "warning",
    "trailing_text",
    title=Phrase("text stands after the options", "选项后面还有文字"),
    why=Phrase(
        "It is not asked. Often it is the answer or an explanation, which other programs would show to the model.",
        "这段文字不会出现在题目中。它往往是答案或解析，其他程序会把它给模型看。",
    ),
    good="the last line is option D",
    bad="after option D: 解析：红脸表示忠义。",
    remedy=Phrase("remove it from the question file", "请从题干文件中删去这段文字"),
)


@GROUP.rule(
    "Q107",
    "option-labels",
    "warning",
    "item",
    title=Phrase("the option labels are not A, B, C, … in order", "选项标号不是按 A、B、C 的顺序"),
    why=Phrase(
        "A reader that goes by position gives the options other letters, and the key names another one.",
        "按位置读取的程序会给选项编上别的字母，答案就指向了另一个选项。",
    ),
    good="A, B, C, D",
    bad="A, C, B, D",
    paper='000 "Data Organization"; 001 Table 1',
)
def _labels_in_order(item: Item, rule: Rule) -> Iterator[Finding]:
    written = _labels_as_written(item) or list(item.options)
    if written != list(LABELS[: len(written)]):
        names = listed(written)
        yield rule.finding(
            Phrase(f"the options are labelled {names}", f"选项标号依次为 {names.zh}"),
            Phrase(
                "label them A, B, C, … in the order in which they stand, and look at the key",
                "请按排列顺序标为 A、B、C……，并核对答案",
            ),
            item=item.id,
        )


RULE_OF["option_labels"] = "Q107"


@GROUP.rule(
    "Q108",
    "number-left-in-stem",
    "note",
    "item",
    title=Phrase("the question begins with a number", "题干开头有题号"),
    why=Phrase(
        "The number of an older paper means nothing here, and it can tell models which exam the item is from.",
        "旧试卷的题号在这里没有意义，还可能让模型认出题目的出处。",
    ),
    good="图中角色属于哪个行当？",
    bad="12. 图中角色属于哪个行当？",
)
def _number_in_stem(item: Item, rule: Rule) -> Iterator[Finding]:
    for wording in item.wordings.values():
        found = re.match(r"(?:\(\d{1,3}\)|\d{1,3}\s*[.、）)])\s*(?![\d])", fold_width(wording.question))
        if found and not re.search(r"[\n;。]\s*\(?\d{1,3}\s*[.、）)]", fold_width(wording.question)[found.end() :]):
            yield rule.finding(
                Phrase(
                    f"the question{_in(item, wording)} begins with {found[0].strip()!r}",
                    f"题干以“{found[0].strip()}”开头{_in(item, wording).zh}",
                ),
                Phrase("remove the number", "请删去题号"),
                item=item.id,
            )


# Key

met(
    GROUP,
    "Q201",
    "answer-empty",
    "error",
    "answer_empty",
    title=Phrase("the answer is empty", "答案为空"),
    why=Phrase("Without its key no reply can be marked, so the item is left out.", "没有答案就无法判分，该题被略去。"),
    good="C",
    bad="an empty answer file",
    paper='000 "Quality Assurance and Validation"',
    remedy=Phrase("write the capital letter of the right option", "请写上正确选项的大写字母"),
)
met(
    GROUP,
    "Q202",
    "answer-not-an-option",
    "error",
    "answer_not_offered",
    "answer_unusable",
    title=Phrase("the answer is none of the options", "答案不在选项中"),
    why=Phrase("No reply could ever be right, so the item is left out.", "怎么答都不会对，所以该题被略去。"),
    good="C, of A to D",
    bad="E, of A to D",
    paper='000 "Quality Assurance and Validation"; 001 Table 1',
    remedy=Phrase("correct the letter, or add the option that is missing", "请改正字母，或补上缺少的选项"),
)
met(
    GROUP,
    "Q203",
    "answer-several",
    "error",
    "answer_several",
    title=Phrase("the answer names several options", "答案有多个选项"),
    why=Phrase(
        "An item has one right option; marking knows no half points, so it is left out.",
        "每题只能有一个正确选项，判分没有半分，所以该题被略去。",
    ),
    good="C",
    bad="CD",
    paper=_CHOICES,
    remedy=Phrase(
        "reword the item so that one option is right, or make it two items", "请修改题目，使正确选项唯一，或拆成两题"
    ),
)


@GROUP.rule(
    "Q204",
    "key-missing",
    "error",
    "benchmark",
    title=Phrase("an item has no key", "题目没有答案"),
    why=Phrase(
        "No reply to it is ever right. Where a whole split has no keys they are taken to be withheld on purpose.",
        "这样的题怎么答都不算对。如果整个划分都没有答案，则视为有意保留。",
    ),
    good='"answer": "C"',
    bad='"answer": null, beside items that have one',
)
def _keys_missing(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    told = {problem.item for problem in benchmark.problems if RULE_OF.get(problem.code) in ("F102", "Q202")}
    of_split: dict[str | None, list[Item]] = defaultdict(list)
    for item in benchmark:
        of_split[item.split].append(item)
    for split, items in of_split.items():
        without = [item for item in items if item.answer is None]
        if without and len(without) == len(items):
            name = Phrase(f"split {split}", f"划分 {split}") if split else Phrase("the benchmark", "题库")
            yield rule.finding(
                Phrase(f"no item of {name} has a key", f"{name.zh}的题都没有答案"),
                Phrase("nothing, if the keys are withheld on purpose", "如果答案是有意不公开的，无需处理"),
                severity="note",
                items=len(items),
            )
            continue
        for item in (item for item in without if item.id not in told):
            yield rule.finding(
                Phrase("has no key, and others have one", "没有答案，而其他题有"),
                Phrase("write the letter of the right option", "请写上正确选项的字母"),
                item=item.id,
            )


RULE_OF["answer_hidden"] = "Q204"


met(
    GROUP,
    "Q205",
    "answer-form",
    "warning",
    "answer_form",
    title=Phrase("the answer is not one capital letter", "答案不是一个大写字母"),
    why=Phrase(
        "keju knows what is meant; a script that compares letters counts every right reply as wrong.",
        "keju 能看懂，但逐字比较的脚本会把所有正确回答判为错误。",
    ),
    good="C",
    bad="c, (C), 答案：C, or the option's text",
    paper='000 "Data Organization"',
    remedy=Phrase("write the capital letter alone", "请只写一个大写字母"),
)

# Options against each other and the stem


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
                        f"options {names}{_in(item, wording)} both read {wording.options[labels[0]]!r}"
                        + (f"; the key is {item.answer}" if keyed else ""),
                        f"选项 {names.zh} 相同{_in(item, wording).zh}：“{wording.options[labels[0]]}”"
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
                    f"nothing is written for option {names}{_in(item, wording)}",
                    f"选项 {names.zh} 没有内容{_in(item, wording).zh}",
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
        if not _long_enough(key, rule):
            continue
        others = [text.strip(" 。.") for label, text in wording.options.items() if label != item.answer]
        told = [text for text in [key, *others] if text and _occurs(text, wording.question)]
        if told == [key]:
            yield rule.finding(
                Phrase(
                    f"the question{_in(item, wording)} contains the key {item.answer}, {key!r}, and no other option",
                    f"题干中出现了答案 {item.answer}“{key}”，而没有其他选项{_in(item, wording).zh}",
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
                    f"the texts of {names}{_in(item, wording)} begin with their own letters",
                    f"选项 {names.zh} 的内容以自己的标号开头{_in(item, wording).zh}",
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
                        f"option {label}{_in(item, wording)} repeats the question",
                        f"选项 {label} 与题干相同{_in(item, wording).zh}",
                    ),
                    Phrase("write the option", "请写上真正的选项内容"),
                    item=item.id,
                )


def _in(item: Item, wording: Wording) -> Phrase:
    """` in en`, where the item has several wordings."""
    tag = wording.language
    return Phrase(f" in {tag}", f"（{tag}）") if len(item.wordings) > 1 else Phrase("", "")


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


def _labels_as_written(item: Item) -> list[str] | None:
    """The labels in the order of the file, where that is kept; options themselves are always in label order."""
    lines: Sequence[object] = ()
    if isinstance(texts := item.extra.get(KEPT_TEXTS), Mapping) and isinstance(texts.get("md"), str):
        lines = texts["md"].split("\n")
    elif isinstance(row := item.extra.get(KEPT_ROW), Mapping) and isinstance(row.get("options"), list):
        lines = row["options"]
    marks = [mark for line in lines if isinstance(line, str) and (mark := mark_of(line))]
    labels = [label for label, _ in marks[-len(item.options) :]]
    return labels if sorted(labels) == sorted(item.options) else None
