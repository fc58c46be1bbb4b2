"""Rules S on the benchmark as a whole: what its card promises, and how its items are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from keju.benchmark import Benchmark, label_of
from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.formats.names import folded
from keju.items import same_language
from keju.phrase import Phrase, listed

GROUP = Group()
_TABLES = "000 Tables 1-2; 001 Table 2"
_MOST_VALUES = 40
"""A label with more values than this is a name or a number, not a category."""


@GROUP.rule(
    "S101",
    "count-differs-from-card",
    "warning",
    "benchmark",
    title=Phrase("a count is not what the card says", "题数与说明卡不符"),
    why=Phrase(
        "The card is what a paper's table is copied from; readers compare with it.",
        "论文的表格往往照说明卡抄写，读者也会拿它来核对。",
    ),
    good='"counts": {"items": 1000, "genre": {"Peking Opera": 210}} and 210 such items',
    bad='"counts": {"genre": {"Peking Opera": 210}} and 208 such items',
    paper=_TABLES,
)
def _counts(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    told = benchmark.card.get("counts")
    for name, value in told.items() if isinstance(told, Mapping) else ():
        if isinstance(value, Mapping):
            there = Counter(label_of(item, str(name)) for item in benchmark)
            for key, count in value.items():
                yield from _count(rule, f"{name} = {key}", count, there[str(key)])
        else:
            yield from _count(rule, str(name), value, len(benchmark))


def _count(rule: Rule, what: str, told: object, there: int) -> Iterator[Finding]:
    if isinstance(told, int) and told != there:
        yield rule.finding(
            Phrase(
                f"the card counts {told} for {what}; there are {there}",
                f"说明卡写 {what} 有 {told} 题，实际为 {there} 题",
            ),
            Phrase("correct the card, or the items' labels", "请改正说明卡，或题目的标签"),
            told=told,
            found=there,
        )


@GROUP.rule(
    "S102",
    "language-differs-from-card",
    "warning",
    "benchmark",
    title=Phrase("the card and the items name different languages", "说明卡与题目的语言不符"),
    why=Phrase("People find benchmarks by the language of the card.", "人们按说明卡上的语言查找题库。"),
    good='"languages": ["zh-Hans", "en"], and items in both',
    bad='"languages": ["zh-Hans", "en"], and no item in English',
)
def _languages(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    told = benchmark.card.get("languages")
    if not isinstance(told, list | tuple) or not told:
        return
    there = list(dict.fromkeys(tag for item in benchmark for tag in item.wordings))
    absent = [str(tag) for tag in told if not any(same_language(str(tag), other) for other in there)]
    unsaid = [tag for tag in there if not any(same_language(str(other), tag) for other in told)]
    for tag, english, chinese in [
        *((tag, "the card names {}, and no item is in it", "说明卡写有 {}，但没有这种语言的题") for tag in absent),
        *((tag, "items are in {}, which the card does not name", "有 {} 的题，但说明卡没有写") for tag in unsaid),
    ]:
        yield rule.finding(
            Phrase(english.format(tag), chinese.format(tag)),
            Phrase("correct `languages` of the card", "请改正说明卡的 languages"),
            language=tag,
        )


@GROUP.rule(
    "S103",
    "label-missing",
    "warning",
    "benchmark",
    title=Phrase("a label is missing from some items", "部分题目缺少标签"),
    why=Phrase(
        "Breakdowns by this label miss the items, and the parts no longer add up to the whole.",
        "按该标签统计时会漏掉这些题，各部分之和不等于总数。",
    ),
    good="every item has a genre",
    bad="998 of 1,000 items have a genre",
    paper=_TABLES,
    thresholds={"share": 0.9},
)
def _label_missing(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    counts = Counter(name for item in benchmark for name, value in item.labels.items() if value)
    for name, there in counts.items():
        if not rule["share"] * len(benchmark) < there < len(benchmark):
            continue
        for item in benchmark:
            if not item.labels.get(name):
                yield rule.finding(
                    Phrase(
                        f"has no {name}; {there} of {len(benchmark)} items have one",
                        f"没有 {name}，而 {len(benchmark)} 题中有 {there} 题有",
                    ),
                    Phrase(f"add its {name}", f"请补上 {name}"),
                    item=item.id,
                    label=name,
                )


@GROUP.rule(
    "S104",
    "label-spelling",
    "warning",
    "benchmark",
    title=Phrase("a label is spelt in two ways", "同一标签有两种写法"),
    why=Phrase("Tables count the two spellings as two categories.", "统计表会把两种写法当成两类。"),
    good="Peking Opera",
    bad="Peking Opera and Peking opera",
    paper=_TABLES,
)
def _label_spelling(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    for name, counts in _labels(benchmark).items():
        usual: dict[str, str] = {}
        for value, _ in counts.most_common():
            plain = " ".join(folded(value).casefold().replace("-", " ").replace("_", " ").split())
            first = usual.setdefault(plain, value)
            if first != value:
                ids = listed([item.id for item in benchmark if item.labels.get(name) == value], 5)
                yield rule.finding(
                    Phrase(
                        f"{name} is {value!r} in {ids}, and {first!r} elsewhere",
                        f"{ids.zh} 的 {name} 写作“{value}”，其他题写作“{first}”",
                    ),
                    Phrase("choose one spelling", "请统一写法"),
                    label=name,
                    value=value,
                    usual=first,
                )


@GROUP.rule(
    "S105",
    "few-of-a-kind",
    "note",
    "benchmark",
    title=Phrase("a category has few items", "某类题目过少"),
    why=Phrase(
        "An accuracy over so few items says next to nothing: of 10 items right answers to 7 mean 39 % to 89 %.",
        "题数太少，正确率几乎说明不了什么：10 题答对 7 题，95% 区间是 39% 到 89%。",
    ),
    good="every genre has 30 items or more",
    bad="Kunqu has 4 items",
    paper=_TABLES,
    thresholds={"items": 10},
)
def _few(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    for name, counts in _labels(benchmark).items():
        few = [(value, count) for value, count in counts.most_common() if count < rule["items"]]
        if few and len(counts) > 1:
            told = listed([f"{value} ({count})" for value, count in few], 6)
            yield rule.finding(
                Phrase(f"{name} has categories of few items: {told}", f"{name} 中有题数很少的类别：{told.zh}"),
                Phrase("add items, or do not report these categories alone", "请增加题目，或不要单独报告这些类别"),
                label=name,
                counts=dict(few),
            )


@GROUP.rule(
    "S106",
    "unbalanced",
    "note",
    "benchmark",
    title=Phrase("nearly all items are of one kind", "绝大多数题目属于同一类"),
    why=Phrase(
        "The score is then that of one category, whatever the benchmark is called.",
        "总分实际上只反映这一类，与题库名称不符。",
    ),
    good="eight genres of 125 items",
    bad="920 of 1,000 items are Peking Opera",
    paper=_TABLES,
    thresholds={"share": 0.8},
)
def _unbalanced(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    for name, counts in _labels(benchmark).items():
        value, count = counts.most_common(1)[0]
        total = counts.total()
        if len(counts) > 1 and count > rule["share"] * total:
            yield rule.finding(
                Phrase(
                    f"{count} of {total} items have {name} = {value}", f"{total} 题中有 {count} 题的 {name} 是 {value}"
                ),
                Phrase("add items of the other kinds, or say so in the card", "请增加其他类的题目，或在说明卡中说明"),
                label=name,
                value=value,
                share=count / total,
            )


def _labels(benchmark: Benchmark) -> dict[str, Counter[str]]:
    """Label → its values with their counts, for labels that are categories."""
    names = dict.fromkeys(name for item in benchmark for name in item.labels)
    counted = {name: Counter(value for item in benchmark if (value := item.labels.get(name))) for name in names}
    return {name: counts for name, counts in counted.items() if 0 < len(counts) <= _MOST_VALUES}
