"""Rules Q2 and Q4: the key of an item, and all keys together: what a guesser could use who sees no question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.problems import RULE_OF, met
from keju.checks.rule import Group, Rule
from keju.items import Item
from keju.phrase import Phrase, listed

GROUP = Group()
_CHOICES = '000 "Question Construction"'

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


@GROUP.rule(
    "Q401",
    "key-longest",
    "warning",
    "benchmark",
    title=Phrase("the key is the longest option too often", "正确选项偏长"),
    why=Phrase(
        "Authors make the right option exact and so longer; who always takes the longest scores above chance.",
        "出题人常把正确选项写得更周全、更长；每次都选最长的，得分就会高于随机。",
    ),
    good="the key is the longest of four options in about a quarter of the items",
    bad="it is in half of them",
    paper=_CHOICES,
    thresholds={"p": 0.01, "items": 30, "excess": 0.05},
)
def _key_longest(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    from keju.stats import above_chance

    for language in dict.fromkeys(tag for item in benchmark for tag in item.wordings):
        lengths = [found for item in benchmark if (found := _longest_first(item, language))]
        if len(lengths) < rule["items"]:
            continue
        longest = sum(is_key for is_key, _ in lengths)
        test = above_chance(longest, [chance for _, chance in lengths])
        if test.p < rule["p"] and longest - test.expected > rule["excess"] * len(lengths):
            share, chance = longest / len(lengths), test.expected / len(lengths)
            yield rule.finding(
                Phrase(
                    f"in {language} the key is the longest option in {longest} of {len(lengths)} items ({share:.0%}; "
                    f"by chance {chance:.0%}, p = {test.p:.2g})",
                    f"{language} 题中，{len(lengths)} 题里有 {longest} 题的答案是最长的选项（{share:.0%}；随机应为 "
                    f"{chance:.0%}，p = {test.p:.2g}）",
                ),
                Phrase(
                    "shorten keys or lengthen other options, where one option is longest",
                    "请缩短正确选项，或把其他选项写得同样长",
                ),
                language=language,
                longest=longest,
                items=len(lengths),
                expected=test.expected,
                p=test.p,
            )


def _longest_first(item: Item, language: str) -> tuple[bool, float] | None:
    """Whether the key is the one longest option, and the chance of that; None where no one option is longest."""
    wording = item.wordings.get(language)
    if wording is None or item.answer not in wording.options:
        return None
    lengths = {label: len(text) for label, text in wording.options.items()}
    most = max(lengths.values())
    longest = [label for label, length in lengths.items() if length == most]
    return (longest == [item.answer], 1 / len(lengths)) if len(longest) == 1 and len(lengths) > 1 else None


@GROUP.rule(
    "Q402",
    "letters-unbalanced",
    "warning",
    "benchmark",
    title=Phrase("one letter is the key too often", "答案字母分布不均"),
    why=Phrase(
        "Models favour some letters; where the key does too, guessing the same letter always scores above chance.",
        "模型偏爱某些字母；如果答案也集中在这些字母上，只猜一个字母就能高于随机。",
    ),
    good="of 1,000 keys about 250 are A",
    bad="of 1,000 keys 340 are C",
    paper=_CHOICES,
    thresholds={"p": 0.01, "items": 30},
)
def _letters(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    from keju.stats import uniformity

    by_labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for item in benchmark:
        if item.answer and item.answer in item.options and len(item.options) > 1:
            by_labels[tuple(item.options)][item.answer] += 1
    for labels, counts in sorted(by_labels.items()):
        total = counts.total()
        if total < rule["items"]:
            continue
        p = uniformity([[counts[label] for label in labels]]).p
        if p < rule["p"]:
            told = listed(f"{label} {counts[label]}" for label in labels)
            yield rule.finding(
                Phrase(
                    f"the keys of {total} items with {len(labels)} options are {told} (chi-square, p = {p:.2g})",
                    f"{total} 道 {len(labels)} 选题的答案为 {told.zh}（卡方检验，p = {p:.2g}）",
                ),
                Phrase(
                    "move options of some items so that the letters are about even; never the order of A and B in a "
                    "translation alone",
                    "请调整部分题目的选项顺序，使各字母大致相等；译文的顺序要同时调整",
                ),
                counts={label: counts[label] for label in labels},
                p=p,
            )
