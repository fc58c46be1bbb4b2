"""Rules Q5: questions asked twice, or nearly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.checks.similar import normalised, similar_pairs, similar_to
from keju.items import Item, Wording
from keju.phrase import Phrase

GROUP = Group()
_CHECKED = '000 "Quality Assurance and Validation"'


@dataclass(frozen=True, slots=True)
class Asked:
    """What is compared of an item's words."""

    whole: str
    text: str
    figures: str

    @classmethod
    def of(cls, wording: Wording) -> Asked:
        return cls(_whole(wording), _text(wording), _figures(wording))


@GROUP.rule(
    "Q501",
    "question-twice",
    "warning",
    "benchmark",
    title=Phrase("two items ask the same", "两题完全相同"),
    why=Phrase(
        "The item counts twice. Where the keys differ one of them is wrong; where the splits differ the test was seen. "
        "Items that show or play different media are not the same.",
        "同一题被计分两次。如果答案不同，必有一个错；如果分属不同划分，测试题就已泄漏。图片或录音不同的题不算相同。",
    ),
    good="the same words on two different pictures",
    bad="the same words and options on one picture",
    paper=_CHECKED,
)
def _twice(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    for alike in _by_text(benchmark):
        for first, *others in _by_media(alike):
            for item in others:
                yield _told_twice(rule, item, first)


@GROUP.rule(
    "Q502",
    "question-nearly-twice",
    "warning",
    "benchmark",
    title=Phrase("two items ask nearly the same", "两题几乎相同"),
    why=Phrase(
        "Often the one is an older draft of the other. Words and options are compared by their trigrams.",
        "往往其中一题是另一题的旧稿。比较的是题干和选项的三字片段。",
    ),
    good="two questions on one picture that ask different things",
    bad="图中角色属于哪个行当？ and 图中的角色属于哪个行当？",
    paper=_CHECKED,
    thresholds={"similarity": 0.8},
)
def _nearly_twice(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    again = {item.id for alike in _by_text(benchmark) for _, *others in _by_media(alike) for item in others}
    asked = [item for item in benchmark if item.id not in again and item.wording.question.strip()]
    for items in _by_media(asked):
        for pattern in _by_figures(items):
            yield from _nearly_twice_in(pattern, rule)


def of_last(
    item: Item, before: Sequence[Asked], at: Callable[[int], Item], twice: Rule, nearly: Rule
) -> Iterator[Finding]:
    """What both rules find of an item that comes last: it is compared with each `before` it, and not all with all.

    `at` gives one of those by its index; few are asked for.
    """
    asked = Asked.of(item.wording)
    for first in _same(item, asked, before, at):
        yield _told_twice(twice, item, first)
        return
    alike = [n for n, other in enumerate(before) if other.text and other.figures == asked.figures]
    for number, similarity in similar_to(asked.text, [before[n].text for n in alike], nearly["similarity"]):
        other, n = at(alike[number]), alike[number]
        if _by_media([other, item]) and not any(_same(other, before[n], before[:n], at)):
            yield _told_nearly(nearly, item, other, similarity)
            return


def _same(item: Item, asked: Asked, before: Sequence[Asked], at: Callable[[int], Item]) -> Iterator[Item]:
    """Those before an item that ask the same on the same media."""
    same = (at(n) for n, other in enumerate(before) if asked.whole and other.whole == asked.whole)
    return (other for other in same if _by_media([other, item]))


def _nearly_twice_in(items: Sequence[Item], rule: Rule) -> Iterator[Finding]:
    """Each item that is like an earlier one, once."""
    told: set[int] = set()
    for one, other, similarity in similar_pairs([_text(item.wording) for item in items], rule["similarity"]):
        if other not in told:
            told.add(other)
            yield _told_nearly(rule, items[other], items[one], similarity)


def _told_twice(rule: Rule, item: Item, first: Item) -> Finding:
    return _of_pair(rule, item, first, Phrase("asks the same as", "与"), Phrase("", "完全相同"))


def _told_nearly(rule: Rule, item: Item, twin: Item, similarity: float) -> Finding:
    after = Phrase(f" (similarity {similarity:.2f})", f"几乎相同（相似度 {similarity:.2f}）")
    return _of_pair(rule, item, twin, Phrase("asks nearly the same as", "与"), after)


def _of_pair(rule: Rule, item: Item, twin: Item, before: Phrase, after: Phrase) -> Finding:
    leak = item.split != twin.split and item.split is not None and twin.split is not None
    contradicts = _key_text(item) != _key_text(twin)
    english, chinese = f"{before} item {twin.id}{after}", f"{before.zh} {twin.id} {after.zh}"
    if contradicts:
        english, chinese = f"{english}, with another key", f"{chinese}，但答案不同"
    if leak:
        english = f"{english}, and stands in {item.split} while that one is in {twin.split}"
        chinese = f"{chinese}，且分属 {item.split} 和 {twin.split}"
    return rule.finding(
        Phrase(english, chinese),
        Phrase("keep one of them, or make them ask different things", "请只保留其中一题，或让两题问不同的内容"),
        item=item.id,
        severity="error" if rule.code == "Q501" and (leak or contradicts) else None,
        twin=twin.id,
    )


def _by_text(benchmark: Benchmark) -> list[list[Item]]:
    """Items that ask the same; two or more each."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in benchmark:
        groups[_whole(item.wording)].append(item)
    return [items for whole, items in groups.items() if len(items) > 1 and whole]


def _by_media(items: Iterable[Item]) -> list[list[Item]]:
    """Items that show and play the same; two or more each. Only files of equal size are read."""
    of_size: dict[Any, list[Item]] = defaultdict(list)
    for item in items:
        sizes = ((medium.kind, medium.size if medium.exists else medium.name) for medium in item.media)
        of_size[tuple(sizes)].append(item)
    groups: dict[Any, list[Item]] = defaultdict(list)
    for size, alike in of_size.items():
        for item in alike if len(alike) > 1 else ():
            groups[size, tuple(medium.identity for medium in item.media if medium.exists)].append(item)
    return [items for items in groups.values() if len(items) > 1]


def _by_figures(items: Iterable[Item]) -> list[list[Item]]:
    """Items with the same figures in the same order; two or more each."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[_figures(item.wording)].append(item)
    return [items for items in groups.values() if len(items) > 1]


def _whole(wording: Wording) -> str:
    """Equal where two items ask the same, whatever the order of the options; empty where nothing is written."""
    question, *options = _words(wording)
    text = "\n".join([question, *sorted(options)])
    return text if text.strip() else ""


def _text(wording: Wording) -> str:
    """Nearly equal where two items ask nearly the same; empty where there is no question."""
    return "".join(_words(wording)) if wording.question.strip() else ""


def _figures(wording: Wording) -> str:
    """Items made of one pattern with other figures ask other things."""
    return "".join(filter(str.isdigit, "".join([wording.question, *wording.options.values()])))


def _words(wording: Wording) -> list[str]:
    return [normalised(text) for text in (wording.question, *wording.options.values())]


def _key_text(item: Item) -> str | None:
    return normalised(item.options[item.answer]) if item.answer and item.answer in item.options else None
