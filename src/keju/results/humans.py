"""People and models on the same items (paper 000, "Human Baseline", Table 3): groups, single people, differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from keju.errors import Misuse
from keju.phrase import Phrase, in_chinese, listed
from keju.results import columns as c
from keju.results.figures import percent
from keju.results.item_analysis import item_analysis
from keju.results.leaderboard import interval_notes
from keju.results.scores import FAINT, Scores, score
from keju.results.table import Column, Table
from keju.runs.run import Run
from keju.stats import accuracy_interval, two_way_difference, two_way_interval

FEW = 5
"""A group of fewer people says little of others like them: a bootstrap of 3 people draws the same one thrice in 1 of 9
resamples."""

WHO = Column("evaluator", "Evaluator", "text", "作答者")
PEOPLE = Column("participants", "Participants", "count", "人数")
SUBSET = Column("subset", "Evaluation subset", "text", "所答题目")
LOWEST = Column("lowest", "Lowest", "share", "最低")
HIGHEST = Column("highest", "Highest", "share", "最高")
PERSON = Column("person", "Person", "text", "作答者")
GROUP = Column("group", "Group", "text", "组别")
BLANK = Column("blank", "Blank", "count", "空白")
UNREAD = Column("unread", "Not read", "count", "无法辨认")
NO_GROUP = Phrase("people (no group)", "未分组")


@dataclass(frozen=True)
class Group:
    """People of one kind, all of whom were given the same items."""

    name: str
    people: tuple[Scores, ...]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(mark.id for mark in self.people[0].items)

    def marks(self, ids: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Right or wrong, shape `(people, items)`; of a model, one row."""
        return np.array([[one.right[item_id] for item_id in ids or self.ids] for one in self.people])

    @property
    def accuracy(self) -> float:
        return float(self.marks().mean())


def groups_of(runs: Sequence[Run]) -> list[Group]:
    """The people of a sitting by group, marked; those without a group last. Raises `Misuse` for no runs."""
    if not runs:
        raise Misuse("a human baseline needs at least one person's answers")
    marked: dict[str | None, list[Scores]] = {}
    for run in runs:
        marked.setdefault(run.info.get("group"), []).append(score(run))
    order = sorted(marked, key=lambda name: name is None)
    return [Group(NO_GROUP if name is None else name, tuple(marked[name])) for name in order]


def on_their_items(groups: Sequence[Group], models: Iterable[Scores]) -> list[Group]:
    """The models' marks on the people's items, the best first. Raises `Misuse` for a run that has none of the items."""
    ids = set(groups[0].ids)
    found = []
    for model in models:
        if not ids & model.by_id.keys():
            raise Misuse(f"the run of {model.name} holds none of the items that people were given")
        found.append(Group(model.name, (model.select(lambda mark: mark.id in ids),)))
    return sorted(found, key=lambda group: -group.accuracy)


def human_tables(runs: Sequence[Run], models: Sequence[Scores] = ()) -> list[Table]:
    """Baseline, differences and people, of the `runs` of a sitting beside marked `models`."""
    groups = groups_of(runs)
    beside = on_their_items(groups, models)
    tables = [human_baseline(groups, beside), people_table(groups)]
    if len(groups) + len(beside) > 1:
        tables.insert(1, human_differences(groups, beside))
    return tables


def with_people(tables: Sequence[Table], people: Sequence[Run], models: Sequence[Scores]) -> list[Table]:
    """The tables of a report on models with those on people, and item analysis of both together."""
    both = {table.name: table for table in item_analysis(models, [score(run) for run in people])}
    return [
        *(table for table in tables if table.name not in both),
        *human_tables(people, models),
        *both.values(),
    ]


def human_baseline(groups: Sequence[Group], models: Sequence[Group] = ()) -> Table:
    """Mean accuracy of each group, and of each model on the same items, in the form of paper 000's Table 3."""
    rows = [_group_row(group) for group in groups] + [_model_row(model, groups[0]) for model in models]
    methods = {row["interval_method"] for row in rows}
    method = replace(c.METHOD, hidden=len(methods) == 1)
    columns = (WHO, PEOPLE, SUBSET, c.N, c.ACCURACY, c.INTERVAL, method, LOWEST, HIGHEST)
    notes = tuple(_baseline_notes(groups, models, methods))
    return Table("humans", "People and models on the same items", columns, tuple(rows), notes, "人与模型：相同题目")


def human_differences(groups: Sequence[Group], models: Sequence[Group] = ()) -> Table:
    """Each group against each other group and each model, over the items of both."""
    pairs = [(a, b) for at, a in enumerate(groups) for b in (*groups[at + 1 :], *models)]
    rows = tuple(_difference_row(a, b) for a, b in pairs)
    columns = (WHO, Column("against", "Against", "text", "对比"), c.N, c.DIFFERENCE, c.INTERVAL)
    note = Phrase(
        "Difference of mean accuracies in percentage points, 95 % CI: two-way bootstrap, the same resampled items for "
        "both. An interval without 0 tells them apart.",
        "平均准确率之差（百分点）；95 % 置信区间：双向自助法，双方使用同一批重抽样题目。区间不含 0 则可区分。",
    )
    return Table("human_differences", "People against models", columns, rows, (note,), "人与模型之差")


def people_table(groups: Sequence[Group]) -> Table:
    """Each person, by group, with the interval of one who answers by oneself."""
    rows = tuple(_person_row(group, one) for group in groups for one in group.people)
    columns = (PERSON, GROUP, c.N, c.CORRECT, c.ACCURACY, c.INTERVAL, BLANK, UNREAD)
    note = Phrase(
        "95 % CI: exact quantiles of the binomial law over items; Wilson's where N < 30 or all or no answers are "
        "right. Blank and unreadable answers count as wrong.",
        "95 % 置信区间：二项分布的精确分位数（对题目）；题数不足 30 或全对、全错时为 Wilson 区间。"
        "空白和无法辨认的答案计为答错。",
    )
    return Table("people", "Each person", columns, rows, (note,), "各人成绩")


def human_items(groups: Sequence[Group], models: Sequence[Group] = ()) -> Table:
    """Each item: the share of each group, and of the models, that was right. All wrong may mean a wrong key."""
    heads = [Column(f"group:{group.name}", group.name, "share", in_chinese(group.name)) for group in groups]
    model_head = Column("models", "Models", "share", "模型")
    rows = []
    for at, item_id in enumerate(groups[0].ids):
        row: dict[str, Any] = {"item": item_id, "answer": groups[0].people[0].keys[item_id]}
        row |= {f"group:{group.name}": float(group.marks()[:, at].mean()) for group in groups}
        told = [model.people[0].right[item_id] for model in models if item_id in model.people[0].right]
        rows.append({**row, "models": sum(told) / len(told) if told else None})
    columns = (
        Column("item", "Item", "text", "题目"),
        Column("answer", "Key", "text", "答案"),
        *heads,
        *([model_head] if models else []),
    )
    return Table("human_items", "Share right, by item", columns, tuple(rows), (), "各题答对比例")


def _group_row(group: Group) -> dict[str, Any]:
    marks = group.marks()
    interval = two_way_interval(marks)
    each = marks.mean(axis=1)
    return {
        "evaluator": group.name,
        "participants": len(marks),
        "subset": Phrase(f"{len(group.ids)} sampled items", f"抽取的 {len(group.ids)} 题"),
        "n": len(group.ids),
        "accuracy": group.accuracy,
        "interval": interval.pair,
        "interval_method": _METHODS.get(interval.method, interval.method),
        "lowest": float(each.min()),
        "highest": float(each.max()),
        "_faint": len(group.ids) < FAINT,
    }


def _model_row(model: Group, people: Group) -> dict[str, Any]:
    scores, n = model.people[0], len(people.ids)
    interval = scores.interval
    missing = Phrase(f"{scores.n} of them", f"其中 {scores.n} 题")
    return {
        "evaluator": model.name,
        "participants": None,
        "subset": Phrase("same sampled items", "相同题目") if scores.n == n else missing,
        "n": scores.n,
        "accuracy": scores.accuracy,
        "interval": interval.pair if interval else None,
        "interval_method": _METHODS.get(interval.method, interval.method) if interval else None,
        "_faint": scores.n < FAINT,
    }


def _difference_row(a: Group, b: Group) -> dict[str, Any]:
    ids = [item_id for item_id in a.ids if item_id in b.people[0].right]
    first, second = a.marks(ids), b.marks(ids)
    return {
        "evaluator": a.name,
        "against": b.name,
        "n": len(ids),
        "difference": float(first.mean() - second.mean()),
        "interval": two_way_difference(first, second).pair,
        "_faint": len(ids) < FAINT,
    }


def _person_row(group: Group, one: Scores) -> dict[str, Any]:
    blank = sum(mark.reason in BLANKS for mark in one.items)
    return {
        "person": one.name,
        "group": group.name,
        "n": one.n,
        "correct": one.correct,
        "accuracy": one.accuracy,
        "interval": accuracy_interval(one.correct, one.n, "exact").pair,
        "blank": blank,
        "unread": one.invalid - blank,
        "_faint": one.n < FAINT,
    }


BLANKS = ("empty", "refusal")
"""Reasons why no label was read that say: the person gave no answer."""

_METHODS = {
    "two-way bootstrap": Phrase("two-way bootstrap", "双向自助法"),
    "bootstrap": Phrase("bootstrap", "自助法"),
    "wilson": Phrase("wilson", "Wilson 法"),
}


def _baseline_notes(groups: Sequence[Group], models: Sequence[Group], methods: set[str | None]) -> Iterable[Phrase]:
    first = groups[0].people[0]
    yield Phrase(
        f"Accuracy of a group: mean over people and items; chance is {percent(first.chance)}. Blank answers count as "
        "wrong.",
        f"组的准确率：对人和题目取平均；随机水平为 {percent(first.chance)}。空白计为答错。",
    )
    if "two-way bootstrap" in methods:
        yield Phrase(
            "95 % CI of groups: two-way bootstrap, 10,000 resamples of people and of items, seed 0: three people on a "
            "hundred items are not 300 independent answers.",
            "各组的 95 % 置信区间：双向自助法，人和题目各自重抽样 10,000 次，随机种子 0："
            "三人各答一百题并不是三百个独立的答案。",
        )
    if small := listed(f"{group.name} ({len(group.people)})" for group in groups if len(group.people) < FEW):
        yield Phrase(
            f"Fewer than {FEW} people: {small}. The interval says much of the items and little of other such people.",
            f"不足 {FEW} 人：{small.zh}。区间主要反映题目，难以推及同类的其他人。",
        )
    yield from interval_notes({str(method) for method in methods})
    if short := listed(
        f"{m.name} ({m.people[0].answered} / {len(groups[0].ids)})" for m in models if not _whole(m, groups)
    ):
        yield Phrase(
            f"Did not answer all of the sampled items: {short}. Their accuracy is over those in N, and a lower bound.",
            f"未答完抽取的题目：{short.zh}。其准确率以题数一列为准，且为下界。",
        )


def _whole(model: Group, groups: Sequence[Group]) -> bool:
    return model.people[0].answered == len(groups[0].ids)
