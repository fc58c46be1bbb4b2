"""Item analysis: what each item is worth, seen from those who sat it; and which items their author should look at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from keju.errors import Misuse
from keju.items import Item
from keju.phrase import Phrase, listed
from keju.results.item_advice import (
    FEWEST_AGAINST,
    FEWEST_FOR_OPTIONS,
    FEWEST_STRONG,
    Advice,
    Sat,
    advice_on,
    non_functioning,
)
from keju.results.mark import Mark
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import above_chance, item_figures, kr20

ABLE = 0.05
"""A candidate above chance at this level may speak about keys, if it is among the better half of those."""


def item_analysis(scores: Sequence[Scores], people: Sequence[Scores] = ()) -> list[Table]:
    """Three tables: the exam as a whole, the items to look at with the reason, and every item for a spreadsheet.

    A candidate is a model or a person. Of several runs of one model the first counts that saw the media and kept the
    order of options. `people` are marked like runs. Raises `Misuse` for fewer than two candidates.
    """
    models = _candidates(scores)
    if len(models) + len(people) < 2:
        raise Misuse("item analysis needs at least two candidates (models or people) on the same items")
    sat = _sat(models, people)
    doubtful = [(one, advice) for one in sat if (advice := advice_on(one))]
    doubtful.sort(key=lambda pair: min(rank for rank, _ in pair[1]))  # stable: within a rank, benchmark order
    notes = _notes(scores, models, people)
    return [
        _summary(sat, models, people, doubtful, notes),
        _to_review(doubtful, bool(people)),
        _every_item(sat, bool(people), notes),
    ]


def _candidates(scores: Sequence[Scores]) -> list[Scores]:
    """One run a model: the first with its media and the options in their order."""
    chosen: dict[str, Scores] = {}
    for s in scores:
        if not {"shuffle", "rotate"} & s.variant.keys() and s.variant.get("media") != "none" and s.answered:
            chosen.setdefault(s.model, s)
    return list(chosen.values())


def _sat(models: Sequence[Scores], people: Sequence[Scores]) -> list[Sat]:
    every = [*models, *people]
    items: dict[str, Item] = {}
    for s in every:
        for mark in s.items:
            if mark.answer is not None and not _alike(items.setdefault(mark.id, mark.item), mark.item):
                raise Misuse(
                    f"item {mark.id} of {s.name} has other options than in {every[0].name}: "
                    "analyse one benchmark at a time"
                )
    marks = [[s.by_id.get(i) for i in items] for s in every]
    right = [[mark is not None and mark.correct for mark in row] for row in marks]
    answered = [[mark is not None and mark.extraction is not None for mark in row] for row in marks]
    if not items or not any(map(any, answered)):
        raise Misuse("no item has both a key and an answer: there is nothing to analyse")
    strong = _strong(every)
    found = []
    for place, (item, figures) in enumerate(zip(items.values(), item_figures(right, answered), strict=True)):
        given = [(at, one) for at, row in enumerate(marks) if answered[at][place] and (one := row[place])]
        found.append(
            Sat(
                item,
                figures,
                tuple(mark for at, mark in given if at < len(models)),
                tuple(mark for at, mark in given if at >= len(models)),
                tuple(mark for at, mark in given if at in strong),
            )
        )
    return found


def _alike(one: Item, other: Item) -> bool:
    """Whether a letter means the same in both; wordings of two languages are taken at their word."""
    same = one.wording.language != other.wording.language or one.options == other.options
    return same and one.options.keys() == other.options.keys()


def _strong(scores: Sequence[Scores]) -> set[int]:
    """The places of the scores that are above chance, the better half of them, and three at least; ties included."""
    able: dict[int, float] = {}
    for at, s in enumerate(scores):
        marks = [mark for mark in s.items if mark.extraction is not None]
        right = sum(mark.correct for mark in marks)
        if marks and above_chance(right, [mark.chance for mark in marks]).p < ABLE:
            able[at] = right / len(marks)
    ranked = sorted(able.values(), reverse=True)
    least = ranked[: max(FEWEST_STRONG, math.ceil(len(ranked) / 2))][-1] if ranked else 1.0
    return {at for at, share in able.items() if share >= least}


RIGHT = Column("difficulty", "Right", "share", "难度（答对率）")
DISCRIMINATION = Column("discrimination", "Discrimination", "number", "区分度")
CANDIDATES = Column("n", "Candidates", "count", "考生数")
MODELS_RIGHT = Column("models_right", "Models right", "share", "模型答对率")
PEOPLE_RIGHT = Column("people_right", "People right", "share", "人类答对率")
UNUSED = Column("unused", "Chosen by < 5 %", "text", "选择率低于 5 %")
ADVICE = Column("advice", "Look at", "text", "建议")
ITEM = Column("id", "Item", "text", "题号")
KEY = Column("key", "Key", "text", "答案")


def _summary(
    sat: Sequence[Sat],
    models: Sequence[Scores],
    people: Sequence[Scores],
    doubtful: Sequence[tuple[Sat, list[Advice]]],
    notes: Sequence[Phrase],
) -> Table:
    right = [one.figures.difficulty for one in sat if one.figures.difficulty is not None]
    told = [one.figures.discrimination for one in sat if one.figures.discrimination is not None]
    ranks = Counter(rank for _, advice in doubtful for rank, _ in advice)
    answered = [one.figures for one in sat if one.figures.n]
    strong, most = (max(map(len, found)) for found in zip(*((one.strong, one.marks) for one in sat), strict=True))
    facts: list[tuple[Phrase, float | int | None]] = [
        (Phrase("models", "模型"), len(models)),
        (Phrase("people", "人类考生"), len(people)),
        (Phrase("items", "题数"), len(sat)),
        (Phrase("mean share right", "平均难度（答对率）"), sum(right) / len(right)),
        (Phrase("mean discrimination", "平均区分度"), sum(told) / len(told) if told else None),
        (Phrase("KR-20", "KR-20 信度"), _reliability(sat, len(models) + len(people))),
        (Phrase("keys to look at", "答案存疑"), ranks[0] if strong >= FEWEST_STRONG else None),
        (
            Phrase("items on which better candidates do worse", "强者反而答错的题"),
            ranks[1] if most >= FEWEST_AGAINST else None,
        ),
        (Phrase("items that nobody answers", "无人答对的题"), sum(figures.right == 0 for figures in answered)),
        (
            Phrase("items that everybody answers", "人人答对的题"),
            sum(figures.right == figures.n for figures in answered),
        ),
        (Phrase("wrong options chosen by fewer than 5 %", "选择率低于 5 % 的错误选项"), _options_unused(sat)),
    ]
    rows = tuple({"fact": fact, "value": value} for fact, value in facts)
    columns = (Column("fact", "The exam", "text", "试卷"), Column("value", "Figure", "number", "数值"))
    return Table("item_analysis", "Item analysis", columns, rows, tuple(notes), "题目分析")


def _reliability(sat: Sequence[Sat], candidates: int) -> float | None:
    """KR-20 over the items that every candidate answered."""
    whole = [[mark.correct for mark in one.marks] for one in sat if one.figures.n == candidates]
    return kr20([list(row) for row in zip(*whole, strict=True)]) if len(whole) > 1 else None


def _options_unused(sat: Sequence[Sat]) -> int | None:
    """None where too few sat the exam to tell."""
    enough = [one for one in sat if one.figures.n >= FEWEST_FOR_OPTIONS]
    return sum(len(non_functioning(one)) for one in enough) if enough else None


def _to_review(doubtful: Sequence[tuple[Sat, list[Advice]]], people: bool) -> Table:
    rows = tuple(
        _item_row(one) | {"advice": _said(advice), "choices": _choices(one), "question": _question(one.item)}
        for one, advice in doubtful
    )
    columns = (
        ITEM,
        ADVICE,
        KEY,
        Column("choices", "Chosen", "text", "选择人数"),
        RIGHT,
        *((MODELS_RIGHT, PEOPLE_RIGHT) if people else ()),
        DISCRIMINATION,
        CANDIDATES,
        Column("question", "Question", "text", "题干"),
    )
    none = (Phrase("No item stands out.", "没有需要特别查看的题。"),)
    return Table("items_to_review", "Items to look at", columns, rows, () if rows else none, "待查看的题目")


def _every_item(sat: Sequence[Sat], people: bool, notes: Sequence[Phrase]) -> Table:
    labels = sorted({label for one in sat for label in one.item.options})
    columns = (
        ITEM,
        KEY,
        CANDIDATES,
        RIGHT,
        *((MODELS_RIGHT, PEOPLE_RIGHT) if people else ()),
        DISCRIMINATION,
        *(Column(f"share_{label}", f"Chose {label}", "share", f"选 {label}") for label in labels),
        Column("share_none", "No label", "share", "未给选项"),
        UNUSED,
        ADVICE,
    )
    rows = tuple(_item_row(one) | _shares(one) | {"advice": _said(advice_on(one))} for one in sat)
    return Table("item_statistics", "Every item", columns, rows, tuple(notes), "逐题统计", for_sheets=True)


def _item_row(one: Sat) -> dict[str, Any]:
    return {
        "id": one.item.id,
        "key": one.item.answer,
        "n": one.figures.n,
        "difficulty": one.figures.difficulty,
        "models_right": _share_right(one.models),
        "people_right": _share_right(one.people),
        "discrimination": one.figures.discrimination,
        "unused": ", ".join(non_functioning(one)) or None,
    }


def _shares(one: Sat) -> dict[str, float]:
    n = one.figures.n
    if not n:
        return {}
    shares = {f"share_{label}": one.choices[label] / n for label in one.item.options}
    return shares | {"share_none": 1 - one.choices.total() / n}


def _share_right(marks: Sequence[Mark]) -> float | None:
    return sum(mark.correct for mark in marks) / len(marks) if marks else None


def _choices(one: Sat) -> str:
    """`A 1 · B 3`, the options that anyone chose."""
    return " · ".join(f"{label} {one.choices[label]}" for label in one.item.options if one.choices[label])


def _question(item: Item) -> str:
    text = " ".join(item.wording.question.split())
    return text if len(text) <= 60 else text[:59] + "…"  # enough to know the item by


def _said(advice: Sequence[Advice]) -> Phrase | None:
    return listed((said for _, said in advice), between=("; ", "；")) if advice else None


def _notes(scores: Sequence[Scores], models: Sequence[Scores], people: Sequence[Scores]) -> list[Phrase]:
    names = listed(s.name for s in models)
    notes = [
        Phrase(
            f"Candidates: {len(people)} people, and the models {names}.",
            f"考生：{len(people)} 人，以及模型 {names.zh}。",
        ),
        Phrase(
            "Right is the share of candidates who are right (difficulty in test theory: high is easy). Discrimination "
            "is the correlation of the item's mark with the candidate's share right on the other items.",
            "难度为答对的考生比例，越高越容易。区分度为该题对错与其余各题答对率的相关系数。",
        ),
        Phrase(
            "A key is doubted where most of the strongest candidates (the better half of those above chance), and "
            f"three at least, agree on another option. From {len(models) + len(people)} candidates all this is a hint, "
            "no proof: models share their mistakes.",
            "最强的考生（高于随机者中较好的一半）多数且至少三位选同一个别的选项时，答案存疑。"
            f"依据只有 {len(models) + len(people)} 位考生，以上仅为线索，不是证明：模型会犯同样的错。",
        ),
    ]
    if len(models) + len(people) < FEWEST_FOR_OPTIONS:
        notes.append(
            Phrase(
                f"Wrong options that hardly anyone chooses are counted from {FEWEST_FOR_OPTIONS} candidates on.",
                f"少有人选的错误选项，考生满 {FEWEST_FOR_OPTIONS} 位才计数。",
            )
        )
    if others := listed(s.name for s in scores if not any(s is one for one in models)):
        notes.append(
            Phrase(
                f"Left out (a second run of a model, other order of options, or no media): {others}.",
                f"未计入（同一模型的其他运行、选项顺序不同或不给媒体）：{others.zh}。",
            )
        )
    return notes
