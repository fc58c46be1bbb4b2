"""Quality ratings of a batch: means, reliability, and the items on which raters are low or apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from django.contrib.auth.models import User

from keju.formats.ratings import Ratings
from keju.phrase import Phrase
from keju.results.agreement import coefficients, raters
from keju.results.judged import Judged, judged
from keju.results.reliability import reliability
from keju.results.table import Column, Table
from keju.stats import icc
from keju.studio.models import Assignment, Batch, Item
from keju.studio.queue import answers_of
from keju.studio.responses import SCALES

LOW_MEAN = 3.5
LOW = 2
APART = 2
"""An item goes to consensus at a mean below `LOW_MEAN`, any rating of `LOW` or less, or raters `APART` points or more
apart, on any scale. Paper 000 says "low or inconsistent" and no figures; these are the studio's."""
STEPS = ("1", "2", "3", "4", "5")
NAMES = {
    "clarity": Phrase("clarity", "清晰度"),
    "plausibility": Phrase("distractor plausibility", "干扰项合理性"),
    "appropriateness": Phrase("cultural appropriateness", "文化适切性"),
}
ONE_WAY = Phrase(
    "Not the same people rated every item, so only the one-way forms, ICC(1,1) and ICC(1,k), hold.",
    "并非每题都由同一批人评分，因此只有单向形式 ICC(1,1) 和 ICC(1,k) 成立。",
)

Given = Mapping[int, Mapping[str, int]]
"""Rater → scale → rating, of one item."""


def ratings_of(batch: Batch) -> dict[int, dict[int, dict[str, int]]]:
    """Item → rater → scale → rating, of those who rated; whoever settles a dispute rates nothing and is not here."""
    done = batch.assignments.filter(state=Assignment.State.DONE)
    answers = answers_of(done)
    table: dict[int, dict[int, dict[str, int]]] = {}
    for pk, item, user in done.order_by("item__code").values_list("pk", "item", "user"):
        if item and user and pk in answers:
            table.setdefault(item, {})[user] = {scale: answers[pk][scale] for scale in SCALES}
    return table


def is_low(given: Given) -> bool:
    """Whether an item's ratings call for consensus."""
    return any(_low([of_scale[scale] for of_scale in given.values()]) for scale in SCALES)


def tables_of(batch: Batch) -> list[Table]:
    """A summary of the scales, then what lies behind each; none where no item has two ratings."""
    table = ratings_of(batch)
    if all(len(given) < 2 for given in table.values()):
        return []
    data = {scale: judged(_ratings(table, scale), "ordinal", STEPS) for scale in SCALES}
    same = same_raters(table)
    return [_summary(data, same=same), *(one for each in data.values() for one in _behind(each, same=same))]


def same_raters(table: Mapping[int, Given]) -> bool:
    """Whether the same people rated every item."""
    return len({frozenset(given) for given in table.values()}) == 1


def _behind(data: Judged, *, same: bool) -> list[Table]:
    forms = reliability(data)
    if not same:
        one_way = tuple(row for row in forms.rows if str(row["form"]).startswith("ICC(1"))
        forms = replace(forms, rows=one_way, notes=(ONE_WAY, *forms.notes))
    table = coefficients(data)
    spoken = tuple(note for note in table.notes if "--" not in note)  # what is said to users of the command line
    return [forms, replace(table, notes=spoken), *([raters(data)] if same else [])]


def _summary(data: Mapping[str, Judged], *, same: bool) -> Table:
    single, average = ("ICC(2,1)", "ICC(2,k)") if same else ("ICC(1,1)", "ICC(1,k)")
    columns = (
        Column("scale", "Scale", "text", "量表"),
        Column("n", "Ratings", "count", "评分数"),
        Column("mean", "Mean", "number", "均值"),
        Column("sd", "SD", "number", "标准差"),
        *_with_ends("single", single),
        *_with_ends("average", average),
        Column("identical", "All alike", "share", "完全相同"),
        Column("within_one", "Within one point", "share", "相差不超过一分"),
    )
    notes = [
        Phrase(
            "SD is that of the ratings (n − 1). A missing rating is missing, not nil.",
            "标准差按评分计算（n − 1）。缺失的评分不计为零。",
        )
    ]
    if not same:
        notes.append(ONE_WAY)
    rows = tuple(_summed(scale, one, single, average) for scale, one in data.items())
    if any(row["identical"] is not None and row["identical"] >= 0.5 for row in rows):  # most items: a ceiling
        notes.append(
            Phrase(
                "On most items all raters are alike: at such a ceiling an ICC is low or undefined although raters "
                "agree; read the share of identical ratings.",
                "多数题的评分完全相同：在这种天花板情形下，即使评分一致，ICC 也会偏低或无定义；请看完全相同的比例。",
            )
        )
    return Table("ratings", "Ratings", columns, rows, tuple(notes), "评分")


def _with_ends(key: str, form: str) -> tuple[Column, ...]:
    """A form of the ICC and the ends of its 95 % interval."""
    return (
        Column(key, form, "number", form),
        Column(f"{key}_low", "95 % CI, low", "number", "95 % 置信区间下限"),
        Column(f"{key}_high", "high", "number", "上限"),
    )


def _summed(scale: str, data: Judged, single: str, average: str) -> dict[str, Any]:
    every = [value for row in data.rows for value in row if value is not None]
    full = [row for row in data.rows if None not in row]
    row = {"scale": NAMES[scale], "n": len(every), "mean": fmean(every), "sd": stdev(every)}
    if len(full) < 2 or data.raters < 2:
        return row | {"identical": None}
    found = icc(full)
    for key, form in (("single", found[single]), ("average", found[average])):
        low, high = form.interval.pair if form.interval else (None, None)
        row |= {key: form.value, f"{key}_low": low, f"{key}_high": high}
    return row | {"identical": found.identical, "within_one": found.within_one}


def _ratings(table: Mapping[int, Given], scale: str) -> Ratings:
    """One column a rater where the same people rated all items; else one a place, whoever sat in it."""
    codes = dict(Item.objects.filter(pk__in=table).values_list("pk", "code"))
    width = max(len(given) for given in table.values())
    people = sorted({rater for given in table.values() for rater in given})
    names = pseudonyms(people) if same_raters(table) else [f"{place}" for place in range(1, width + 1)]
    values = tuple(_padded([str(given[rater][scale]) for rater in sorted(given)], width) for given in table.values())
    return Ratings(scale, tuple(codes[pk] for pk in table), tuple(names), values)


def pseudonyms(people: Sequence[int]) -> list[str]:
    """The names under which people leave the studio, in the order given."""
    found = dict(User.objects.filter(pk__in=people).values_list("pk", "profile__pseudonym"))
    return [found.get(pk) or f"#{pk}" for pk in people]


def _padded(values: Sequence[str], width: int) -> tuple[str | None, ...]:
    return (*values, *[None] * (width - len(values)))


def _low(values: Sequence[int]) -> bool:
    return fmean(values) < LOW_MEAN or min(values) <= LOW or max(values) - min(values) >= APART
