"""What an item's figures tell its author to look at."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from keju.items import Item
from keju.phrase import Phrase, listed
from keju.results.figures import rounded
from keju.results.mark import Mark
from keju.stats import ItemFigures

FEWEST_STRONG = 3
"""Strong candidates that must agree before a key is doubted; so many are taken even where they are more than half."""

FEWEST_AGAINST = 6
"""Candidates from which a negative discrimination is worth a look (rule S205 of `keju check` has the same)."""

FEWEST_ALIKE = 4
"""Candidates that must all be right, or all wrong, before this says something of the item."""

NON_FUNCTIONING = 0.05
"""A wrong option that fewer choose does not work (Haladyna & Downing 1993, Educ. Psychol. Meas. 53:999)."""

FEWEST_FOR_OPTIONS = 20
"""Candidates from which fewer than 5 % can be told from none: below, one choice alone is more."""


@dataclass(frozen=True, slots=True)
class Sat:
    """An item and all who answered it."""

    item: Item
    figures: ItemFigures
    models: tuple[Mark, ...]
    people: tuple[Mark, ...]
    strong: tuple[Mark, ...]
    """The marks of those candidates, of both kinds, whose answers tell something of keys."""

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.models + self.people

    @property
    def choices(self) -> Counter[str]:
        """Label → candidates that chose it; a reply without a label chose none."""
        return Counter(mark.label for mark in self.marks if mark.valid and mark.label is not None)


Advice = tuple[int, Phrase]
"""Rank, the gravest 0, and the sentence."""


def advice_on(one: Sat) -> list[Advice]:
    """All that is to be looked at."""
    return [advice for look in (_key, _against, _none_right, _all_right, _unused) if (advice := look(one))]


def _key(one: Sat) -> Advice | None:
    """The strong candidates agree on another option."""
    chosen = Counter(mark.label for mark in one.strong if mark.valid and mark.label is not None)
    label, votes = chosen.most_common(1)[0] if chosen else ("", 0)
    n, due = len(one.strong), str(one.item.answer)
    if label == due or votes < FEWEST_STRONG or votes * 2 <= n:
        return None
    return 0, Phrase(
        f"look at the key: {votes} of the {n} strongest candidates choose {label}, {chosen[due]} the key {due}",
        f"请核对答案：最强的 {n} 位考生中有 {votes} 位选 {label}，选答案 {due} 的有 {chosen[due]} 位",
    )


def _against(one: Sat) -> Advice | None:
    """The better a candidate, the rarer right: below what chance gives one item in twenty (normal approximation)."""
    r, n = one.figures.discrimination, one.figures.n
    if r is None or n < FEWEST_AGAINST or r >= -1.645 / math.sqrt(n - 1):
        return None
    return 1, Phrase(
        f"better candidates do worse (discrimination {rounded(r, 2)}): is another option right too?",
        f"越强的考生越答错（区分度 {rounded(r, 2)}）：是否另有正确选项？",
    )


def _none_right(one: Sat) -> Advice | None:
    if one.figures.right or one.figures.n < FEWEST_ALIKE:
        return None
    return 2, Phrase(
        f"none of {one.figures.n} candidates is right: very hard, or the key is wrong",
        f"{one.figures.n} 位考生无一答对：题目很难，或答案有误",
    )


def _unused(one: Sat) -> Advice | None:
    unused = non_functioning(one)
    if not unused or one.figures.n < FEWEST_FOR_OPTIONS:
        return None
    names = listed(unused)
    return 3, Phrase(f"hardly anyone chooses {names}: make it more plausible", f"几乎无人选 {names.zh}：请改得更可信")


def _all_right(one: Sat) -> Advice | None:
    if one.figures.right < one.figures.n or one.figures.n < FEWEST_ALIKE:
        return None
    return 4, Phrase(
        f"all {one.figures.n} candidates are right: it tells nobody apart",
        f"{one.figures.n} 位考生全部答对：分不出高下",
    )


def non_functioning(one: Sat) -> list[str]:
    """Wrong options that fewer than 5 % of the candidates choose."""
    if not one.choices:
        return []
    few = NON_FUNCTIONING * one.figures.n
    return [label for label in one.item.options if label != one.item.answer and one.choices[label] < few]
