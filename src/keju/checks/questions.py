"""Rules Q1: the question, the number of its options and their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from keju.checks.finding import Finding
from keju.checks.problems import RULE_OF, met
from keju.checks.rule import Group, Rule
from keju.checks.texts import in_language
from keju.formats.multi_tw_item import KEPT as KEPT_ROW
from keju.formats.question_text import mark_of
from keju.formats.tco_item import KEPT as KEPT_TEXTS
from keju.items import LABELS, Item
from keju.phrase import Phrase, listed
from keju.script import fold_width

GROUP = Group()


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
                Phrase(
                    f"the question{in_language(item, wording)} is empty", f"题干为空{in_language(item, wording).zh}"
                ),
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
    paper='000 "Question Construction"',
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
                    f"the question{in_language(item, wording)} begins with {found[0].strip()!r}",
                    f"题干以“{found[0].strip()}”开头{in_language(item, wording).zh}",
                ),
                Phrase("remove the number", "请删去题号"),
                item=item.id,
            )


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
