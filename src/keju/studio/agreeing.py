"""Agreement of a batch of blind re-annotations: of the key with what re-annotators chose.

Answers and keys are indices of the options as they stand in the revision that was judged, so that no letters and no
order of display can make or break agreement. Who answers "cannot be answered" gives no label: it is counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from keju.formats.ratings import Ratings
from keju.items import LABELS
from keju.phrase import Phrase
from keju.results.agreement import by_label, coefficients
from keju.results.judged import judged
from keju.results.table import Table
from keju.studio.drawing import STRATA
from keju.studio.models import Assignment, Batch, Item, Revision
from keju.studio.queue import answers_of

KEY = Phrase("key", "答案")


@dataclass(frozen=True, slots=True)
class Reannotated:
    """One item: its key and what each re-annotator chose."""

    item: Item
    revision: Revision
    key: int
    options: int
    answers: tuple[int | None, ...]
    """None: the item cannot be answered, or has more than one right option."""
    people: tuple[int, ...]

    @property
    def disputed(self) -> bool:
        return any(answer != self.key for answer in self.answers)


def reannotated_in(batch: Batch) -> list[Reannotated]:
    """Every item of the batch that someone answered, in the order of its id."""
    done = batch.assignments.filter(state=Assignment.State.DONE)
    answers = answers_of(done)
    by_item: dict[int, list[Assignment]] = {}
    related = ("item__project", "revision", *(f"item__{name}" for name in STRATA if name != "original_language"))
    for one in done.select_related(*related).order_by("item__code", "user"):
        if one.pk in answers and one.item_id:
            by_item.setdefault(one.item_id, []).append(one)
    found = (_reannotated(mine, [answers[one.pk]["answer"] for one in mine]) for mine in by_item.values())
    return [one for one in found if one]


def tables_of(batch: Batch) -> list[Table]:
    """Raw agreement, every coefficient and its interval in one table, then by each label of the draw; none where nobody
    chose an option yet.
    """
    found = reannotated_in(batch)
    labelled = [one for one in found if any(answer is not None for answer in one.answers)]
    if not labelled:
        return []
    most = max(one.options for one in labelled)
    data = judged(_ratings(labelled, batch.stratify), "nominal", LABELS[:most])
    whole = coefficients(data, None if len({one.options for one in labelled}) > 1 else most)
    facts = _facts(found, labelled)
    return [replace(whole, notes=(*facts, *whole.notes)), *(by_label(data, label) for label in batch.stratify)]


def _reannotated(mine: Sequence[Assignment], answers: Sequence[int | None]) -> Reannotated | None:
    item, revision = mine[0].item, mine[0].revision
    content = revision.content if revision else None
    if item is None or revision is None or content is None or content.key is None:
        return None  # without a key there is nothing to agree with
    people = tuple(one.user_id for one in mine if one.user_id)
    return Reannotated(item, revision, content.key, len(content.options), tuple(answers), people)


def _ratings(found: Sequence[Reannotated], labels: Sequence[str]) -> Ratings:
    """The key is one rater; the others are places, whoever sat in them."""
    width = max(len(one.answers) for one in found)
    rows = [[one.key, *one.answers, *[None] * (width - len(one.answers))] for one in found]
    values = tuple(tuple(None if at is None else LABELS[at] for at in row) for row in rows)
    told = {name: tuple(_label(one.item, name) for one in found) for name in labels}
    if len({one.options for one in found}) > 1:
        told["options"] = tuple(str(one.options) for one in found)
    raters = (KEY, *(str(place) for place in range(1, width + 1)))
    return Ratings("", tuple(one.item.code for one in found), raters, values, told)


def _label(item: Item, name: str) -> str | None:
    value = getattr(item, name)
    return None if value is None else str(value)


def _facts(found: Sequence[Reannotated], labelled: Sequence[Reannotated]) -> list[Phrase]:
    """What became of every answer, so that none is missing from the sum."""
    n, differ = len(found), sum(one.disputed for one in found)
    silent = sum(answer is None for one in found for answer in one.answers)
    told = Phrase(
        f"Items answered: {n}; on {differ} an answer is not the key.",
        f"已答 {n} 题；其中 {differ} 题有与答案不同的作答。",
    )
    if not silent:
        return [told]
    return [
        told,
        Phrase(
            f"Answers that name a problem instead of an option: {silent}; they are no label and in no figure "
            f"({len(labelled)} items remain).",
            f"指出题目有问题而未选选项的作答：{silent}；不是标签，不计入任何数字（余 {len(labelled)} 题）。",
        ),
    ]
