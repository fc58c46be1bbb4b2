"""Drawing the targets of a batch: all, those of a query, or a seeded sample with the shares of the whole.

What was drawn is frozen with the batch. It is never drawn again: whoever knew the answers could draw until they please.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from keju.splits import drawn
from keju.studio.benchmarks import LABEL_COLUMNS, benchmark_of
from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Item, Project
from keju.studio.policy import may
from keju.studio.queue import ON_CURRENT, hand_out
from keju.studio.staffing import objections
from keju.studio.standing import pasts_of, roles_of, settings_of
from keju.studio.tasks import BLIND, VERBS

STRATA = (*LABEL_COLUMNS, "original_language")
"""Labels by which a sample can be stratified, and items be chosen."""
_FINISHED = (Item.State.ACCEPTED, Item.State.RELEASED)
STATES: dict[str, tuple[str, ...]] = {
    **ON_CURRENT,
    Batch.Kind.REANNOTATE: _FINISHED,
    Batch.Kind.RATE: _FINISHED,
    Batch.Kind.BASELINE: _FINISHED,
}
"""Kind → states of the items that it can take."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What to draw, and who is to judge it."""

    kind: str
    name: str
    query: dict[str, Any] = field(default_factory=dict)
    """Label → primary key of its term (of `original_language`, the tag); `batch` → the same items as that batch."""
    stratify: Sequence[str] = ()
    size: int | None = None
    """None takes all."""
    seed: int = 0
    people: int = 1
    """Who judge one target (in a review, one target in one round)."""
    persons: Sequence[User] = ()
    """Who judge; empty leaves it to the queue. Nobody gets what the policy keeps from them."""
    joins: bool = False
    """Items that are submitted later join (review and equivalence)."""
    policy: dict[str, Any] = field(default_factory=dict)
    """What else the batch keeps, such as `idle_minutes`."""


class NothingToDraw(Exception):
    """No item fits, or fewer than the sample wants."""


class NotForThem(Exception):
    """People who are named could do nothing of it; the arguments say who, why, and what to do."""


def candidates(project: Project, kind: str, query: dict[str, Any]) -> QuerySet[Item]:
    """Items that a batch of this kind can take."""
    if kind == Batch.Kind.EQUIVALENCE and len(project.languages) < 2:  # there is nothing to set side by side
        return project.items.none()
    items = project.items.filter(state__in=STATES[kind], current__isnull=False)
    for name, value in query.items():
        items = (
            items.filter(pk__in=Batch.objects.get(pk=value).targets)
            if name == "batch"
            else items.filter(**{name: value})
        )
    return items if kind in ON_CURRENT else items.filter(reserve=False)


def draw(project: Project, wanted: Draw) -> list[Item]:
    """The items drawn, in the seeded order in which they are handed out. Raises `NothingToDraw`."""
    found = candidates(project, wanted.kind, wanted.query).select_related(
        "current__image", "current__audio", "image", "audio", *LABEL_COLUMNS
    )
    items = {item.code: item for item in found}
    if not items or (wanted.size or 0) > len(items):
        raise NothingToDraw(len(items))
    if wanted.size is None:
        return sorted(items.values(), key=lambda item: drawn(wanted.seed, item.code))
    from keju.people.sample import draw_sample

    exam = benchmark_of(project, [(item, item.current) for item in items.values() if item.current])
    return [items[code] for code in draw_sample(exam, wanted.size, tuple(wanted.stratify), wanted.seed)]


@transaction.atomic
def freeze(project: Project, owner: User, wanted: Draw) -> Batch:
    """Draw, keep what was drawn, and hand it out. Raises `NothingToDraw` and `NotForThem`."""
    items = draw(project, wanted)
    if against := objections(project, wanted.kind, wanted.persons, items):
        raise NotForThem(*against)
    told = {"people": wanted.people, "named": [user.pk for user in wanted.persons], **wanted.policy}
    batch = Batch.objects.create(
        project=project,
        kind=wanted.kind,
        name=wanted.name,
        seed=wanted.seed,
        query=wanted.query,
        stratify=list(wanted.stratify),
        size=wanted.size,
        policy={**told, "joins": wanted.joins},
        targets=[item.pk for item in items],
        created_by=owner,
    )
    if wanted.kind not in ON_CURRENT:  # these are handed out turn by turn
        hand_out(_assignments(batch, items, wanted))
    record(project, owner, "freeze", f"batch:{batch.pk}", kind=batch.kind, drawn=len(items), seed=batch.seed)
    return batch


def half_width(n: int, kappa: float = 0.87, options: int = 4) -> float:
    """Half of the 95 % interval of a κ from `n` items, if it is 0.87 as the paper says and letters are balanced."""
    chance = 1 / options
    observed = kappa * (1 - chance) + chance
    return 1.96 * sqrt(observed * (1 - observed) / n) / (1 - chance)


def _assignments(batch: Batch, items: Sequence[Item], wanted: Draw) -> list[Assignment]:
    load = {user.pk: 0 for user in wanted.persons}
    able = {user.pk: _able(batch, user, items) for user in wanted.persons}
    made = []
    for place, item in enumerate(items):
        fit = [user for user in wanted.persons if item.pk in able[user.pk]]
        for user in _chosen(fit, wanted.people, load) if load else [None] * wanted.people:
            made.append(_assignment(batch, item, place, user))
    return made


def _assignment(batch: Batch, item: Item, place: int, user: User | None) -> Assignment:
    blind = batch.kind in BLIND
    return Assignment(batch=batch, item=item, revision=item.current, user=user, blind=blind, order=place)


def _able(batch: Batch, user: User, items: Sequence[Item]) -> set[int]:
    """The items that a named person may judge."""
    roles, single_user = roles_of(user, batch.project), settings_of(batch.project).single_user
    pasts = pasts_of(user, items)
    return {pk for pk, past in pasts.items() if may(VERBS[batch.kind], roles, past, single_user=single_user)}


def _chosen(fit: Sequence[User], people: int, load: dict[int, int]) -> list[User | None]:
    """Of those who may judge an item the least busy first; a place that none may fill stays free."""
    taken: list[User | None] = sorted(fit, key=lambda user: load[user.pk])[:people]  # type: ignore[assignment]
    for user in taken:
        if user:
            load[user.pk] += 1
    return taken + [None] * (people - len(taken))
