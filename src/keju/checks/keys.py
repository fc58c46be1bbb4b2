"""Rules Q on all keys together: what a guesser could use who sees no question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.items import Item
from keju.phrase import Phrase, listed

GROUP = Group()
_CHOICES = '000 "Question Construction"'


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
    by_labels: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for item in benchmark:
        if item.answer and item.answer in item.options and len(item.options) > 1:
            by_labels[tuple(item.options)][item.answer] += 1
    for labels, counts in sorted(by_labels.items()):
        total = counts.total()
        if total < rule["items"]:
            continue
        p = _chi_square_p([counts[label] for label in labels])
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


def _chi_square_p(counts: list[int]) -> float:
    """p of Pearson's chi-square test that all are equally likely."""
    from scipy.special import chdtrc

    expected = sum(counts) / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts) / expected
    return float(chdtrc(len(counts) - 1, statistic))
