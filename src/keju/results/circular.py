"""Circular evaluation: the same items with their options in every place. Only what is right in all of them is known.

Known as CircularEval (Liu et al., MMBench, ECCV 2024). `keju run --circular` asks the rotations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.results import columns as c
from keju.results.figures import p_equals, percent
from keju.results.mark import Mark
from keju.results.naming import told_apart
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import accuracy_interval, cochran_q

Rotations = Mapping[int, Scores]
"""Places that the options were moved on → the run; 0 is the items as they are."""


def circular_tables(scores: Sequence[Scores]) -> list[Table]:
    """Circular evaluation and, where a model was asked with the key in every place, position bias.

    Raises `Misuse` where no model was asked in two rotations.
    """
    turned = any(_fully_turned(group) for group in rotations_of(scores).values())
    return [circular(scores), *([position_bias(scores)] if turned else [])]


def circular_scores(scores: Sequence[Scores]) -> list[Scores]:
    """One marked run a model, in which an item is right where it is right in every rotation: for paired tests.

    Raises `Misuse` where no model was asked in two rotations.
    """
    return [_in_all(group) for group in rotations_of(scores).values()]


def _in_all(group: Rotations) -> Scores:
    first, *_ = group.values()
    answered = _answered(group)
    marks = [
        replace(mark, verdict=all(one.correct for one in answered[mark.id]))
        if mark.id in answered
        else replace(mark, extraction=None, record=None)
        for mark in first.items
    ]
    return replace(first, items=tuple(marks), variant={**first.variant, "rotate": "all"})


def circular(scores: Sequence[Scores]) -> Table:
    """One row a model: accuracy over the rotations, and the share of items that are right in every one.

    Counted are items that were answered in all rotations of their model. Raises `Misuse` where no model was asked in
    two rotations.
    """
    groups = rotations_of(scores)
    rows = tuple(_row(name, group) for name, group in groups.items())
    short = listed(f"{name} ({len(g)} of {_places(g)})" for name, g in groups.items() if len(g) < _places(g))
    columns = (
        c.MODEL,
        Column("rotations", "Rotations", "count", "轮数"),
        c.N,
        c.ACCURACY,
        Column("circular", "Right in all", "share", "全部答对"),
        Column("interval", "95 % CI (right in all)", "interval", "95 % 置信区间（全部答对）"),
        Column("sometimes", "Right in some", "share", "部分答对"),
        Column("never", "Right in none", "share", "从未答对"),
        Column("same", "Same option always", "share", "始终选同一内容"),
        Column("same_letter", "Same letter always", "share", "始终选同一字母"),
        Column("fixed", "Not moved", "count", "未移动", hide_zero=True),
    )
    notes = [
        Phrase(
            "The same items with their options moved on by 1, 2, … places. Accuracy is the mean over rotations. The "
            "same option always: the model goes by content; the same letter always: by place.",
            "同一批题，选项依次后移 1、2……位。准确率为各轮均值。"
            "始终选同一内容说明按内容作答；始终选同一字母说明按位置作答。",
        ),
        Phrase(
            "Items that a rotation cannot move (`none of the above`, options that are pictures) are counted as they "
            "are.",
            "无法移动选项的题（如“以上都不是”、图片选项）按原样计入。",
        ),
    ]
    if short:
        notes.append(Phrase(f"Not every place was tried: {short}.", f"并非每个位置都试过：{short.zh}。"))
    return Table("circular", "Circular evaluation", columns, rows, tuple(notes), "轮换评测")


def position_bias(scores: Sequence[Scores]) -> Table:
    """How often each place of an option is chosen over the rotations, and how often the key is found in that place.

    Over items with moved options that were answered in every rotation, whose key has so been in each place once. Raises
    `Misuse` where no model was asked in as many rotations as its items have options.
    """
    rows: list[dict[str, Any]] = []
    notes: list[Phrase] = []
    for name, group in rotations_of(scores).items():
        for size, items in sorted(_fully_turned(group).items()):
            rows += _place_rows(name, size, items)
            notes.append(_places_differ(name, size, items))
    if not rows:
        raise Misuse("no model was asked with the key in every place; ask with `keju run … --circular`")
    columns = (
        c.MODEL,
        Column("options", "Options", "count", "选项数"),
        Column("place", "Place", "count", "位置"),
        Column("chosen_share", "Chosen", "share", "选择率"),
        Column("expected", "Without bias", "share", "无偏时"),
        Column("recall", "Right with the key there", "share", "答案在此时的正确率"),
        Column("n", "Items", "count", "题数"),
    )
    notes.insert(
        0,
        Phrase(
            "Each item was asked with its key once in every place, so that places differ by nothing but their place.",
            "每题的正确答案在每个位置各出现一次，各位置之间只有位置不同。",
        ),
    )
    return Table("position_bias", "Position bias", columns, tuple(rows), tuple(notes), "位置偏好")


def rotations_of(scores: Sequence[Scores]) -> dict[str, Rotations]:
    """The runs that differ in their rotation only, by the name of the model and what else varies.

    Raises `Misuse` where no model was asked in two rotations.
    """
    groups: dict[tuple[Any, ...], dict[int, Scores]] = {}
    for s in scores:
        rest = tuple(sorted((name, value) for name, value in s.variant.items() if name != "rotate"))
        groups.setdefault((s.model, s.benchmark, s.protocol, s.parser, rest), {})[int(s.variant.get("rotate", 0))] = s
    several = {key: dict(sorted(group.items())) for key, group in groups.items() if len(group) > 1}
    if not several:
        raise Misuse("no model was asked in several rotations; ask with `keju run … --circular`")
    firsts = told_apart(replace(next(iter(group.values())), variant=dict(key[-1])) for key, group in several.items())
    return {first.name: group for first, group in zip(firsts, several.values(), strict=True)}


def _answered(group: Rotations) -> dict[str, list[Mark]]:
    """Item id → its marks, rotation by rotation, for items that all rotations have and answered."""
    first, *_ = group.values()
    found = {mark.id: [s.by_id[mark.id] for s in group.values() if mark.id in s.by_id] for mark in first.items}
    return {
        i: marks
        for i, marks in found.items()
        if len(marks) == len(group) and all(mark.extraction is not None for mark in marks)
    }


def _row(name: str, group: Rotations) -> dict[str, Any]:
    items = _answered(group)
    if not items:
        return {"model": name, "rotations": len(group), "n": 0}
    n = len(items)
    right = [sum(mark.correct for mark in marks) for marks in items.values()]
    all_right = sum(k == len(group) for k in right)
    never = sum(k == 0 for k in right)
    moved = [marks for marks in items.values() if _moved(marks)]
    return {
        "model": name,
        "rotations": len(group),
        "n": n,
        "accuracy": sum(right) / (n * len(group)),
        "circular": all_right / n,
        "interval": accuracy_interval(all_right, n).pair,
        "sometimes": (n - all_right - never) / n,
        "never": never / n,
        "same": sum(_one({_text(mark) for mark in marks}) for marks in moved) / len(moved) if moved else None,
        "same_letter": sum(_one({mark.label for mark in marks}) for marks in moved) / len(moved) if moved else None,
        "fixed": n - len(moved),
    }


def _text(mark: Mark) -> str | None:
    return mark.item.options.get(mark.label) if mark.label is not None else None


def _one(values: set[str | None]) -> bool:
    return len(values) == 1 and None not in values


def _moved(marks: Sequence[Mark]) -> bool:
    return any(mark.item.options != marks[0].item.options for mark in marks)


def _places(group: Rotations) -> int:
    """Places of the items with the most options: so many rotations bring every option everywhere."""
    return max(len(mark.item.options) for s in group.values() for mark in s.items)


def _fully_turned(group: Rotations) -> dict[int, list[list[Mark]]]:
    """Number of options → items whose key was in every place, with one mark a place, in the order of the places."""
    found: dict[int, list[list[Mark]]] = {}
    for marks in _answered(group).values():
        options = list(marks[0].item.options)
        by_key = {mark.answer: mark for mark in marks}
        if len(options) > 1 and by_key.keys() == set(options):
            found.setdefault(len(options), []).append([by_key[label] for label in options])
    return found


def _place_rows(name: str, size: int, items: Sequence[Sequence[Mark]]) -> list[dict[str, Any]]:
    chosen = Counter(
        list(mark.item.options).index(mark.label) for marks in items for mark in marks if mark.valid and mark.label
    )
    replies = chosen.total()
    return [
        {
            "model": name,
            "options": size,
            "place": place + 1,
            "chosen_share": chosen[place] / replies if replies else None,
            "expected": 1 / size,
            "recall": sum(marks[place].correct for marks in items) / len(items),
            "n": len(items),
        }
        for place in range(size)
    ]


def _places_differ(name: str, size: int, items: Sequence[Sequence[Mark]]) -> Phrase:
    """Cochran's Q over the places of the key, paired by item."""
    right = [[marks[place].correct for marks in items] for place in range(size)]
    test = cochran_q(right)
    shares = [sum(row) / len(row) for row in right]
    gap = percent(max(shares) - min(shares)).removesuffix(" %")
    figures = f"{test.statistic:.2f}", test.df, p_equals(test.p)
    return Phrase(
        "{}, {} options: best and worst place are {} points apart; Cochran's Q = {}, df = {}, {}.".format(
            name, size, gap, *figures
        ),
        "{}，{} 个选项：最好与最差的位置相差 {} 个百分点；Cochran Q = {}，自由度 {}，{}。".format(
            name, size, gap, *figures
        ),
    )
