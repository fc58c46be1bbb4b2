"""A person's standing, as the data base knows it: roles in a project, past with an item; and the project's settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from pydantic import BaseModel, ConfigDict

from keju.studio.models import (
    Asset,
    Assignment,
    Batch,
    Comment,
    Dispute,
    Item,
    Membership,
    Project,
    Revision,
    Role,
)
from keju.studio.points import Point
from keju.studio.policy import Past
from keju.studio.wording import worded

Person = User | AnonymousUser


class Step(BaseModel):
    """One step of the review profile."""

    name: str
    """By which tasks and answers know it."""
    label: dict[str, str] = {}
    """Language of the interface → what people read."""
    verb: Literal["review expert", "review linguistic", "review formatting", "review equivalence"]
    rounds: int = 1
    checklist: list[Point] = []
    must_hear: bool = False
    """The clip must have been played to its end before the step can be passed."""

    def __str__(self) -> str:
        return worded(self.label) or self.name


class Settings(BaseModel):
    """`Project.settings`, with the papers' values as defaults."""

    model_config = ConfigDict(extra="ignore")

    single_user: bool = False
    min_options: int = 4
    max_options: int = 4
    thresholds: dict[str, dict[str, float]] = {}
    """Code of a rule of `keju.checks` → threshold → value, where the project wants another than the rule's own."""
    votes: int = 8  # annotators per image, paper 000
    include_if: list[Point] = []
    """What a picture or clip must be to be taken: ticked in screening."""
    exclude_if: list[Point] = []
    """Reasons against it."""
    reannotated_share: float = 0.1  # paper 000 "Quality Assurance"
    raters: int = 3
    steps: list[Step] = []

    def step(self, name: str) -> str:
        """What people read of a step; its bare name where the settings no longer have it."""
        return next((str(step) for step in self.steps if step.name == name), name)


def settings_of(project: Project) -> Settings:
    return Settings.model_validate(project.settings or {})


def roles_of(person: Person, project: Project) -> frozenset[Role]:
    """Roles in a project; empty for those who are not members."""
    if not isinstance(person, User):
        return frozenset()
    membership = Membership.objects.filter(project=project, user_id=person.pk).first()
    return frozenset(Role(name) for name in membership.roles) if membership else frozenset()


def past_of(person: Person, item: Item, *, but: Assignment | None = None) -> Past:
    """What this person has had to do with the item, apart from the assignment `but`."""
    return pasts_of(person, [item], but={but.pk} if but else ())[item.pk]


def pasts_of(person: Person, items: Sequence[Item], *, but: Collection[int] = ()) -> dict[int, Past]:
    """Item → what this person has had to do with it, apart from the assignments `but` (primary keys): as many
    questions to the data base for a thousand as for one."""
    if not isinstance(person, User):
        return {item.pk: Past() for item in items}
    theirs = {"item__in": [item.pk for item in items]}
    tasks: dict[int, list[Assignment]] = defaultdict(list)
    for task in Assignment.objects.filter(user_id=person.pk, **theirs).select_related("batch"):
        if task.pk not in but and task.item_id:
            tasks[task.item_id].append(task)
    disputes = Dispute.objects.filter(**theirs)
    party = {dispute.item_id for dispute in disputes if person.pk in dispute.participants}
    third = {dispute.item_id for dispute in disputes if dispute.third_expert_id == person.pk}
    revised = set(Revision.objects.filter(author_id=person.pk, **theirs).values_list("item", flat=True))
    commented = set(Comment.objects.filter(author_id=person.pk, **theirs).values_list("item", flat=True))
    return {
        item.pk: replace(
            _judged(tasks[item.pk]),
            authored=item.author_id == person.pk,
            revised=item.pk in revised,
            uploaded=any(asset.uploaded_by_id == person.pk for asset in item.assets),
            commented=item.pk in commented,
            third_expert=item.pk in third,
            disputing=item.pk in party,
        )
        for item in items
    }


def pasts_apart(person: Person, tasks: Sequence[Assignment]) -> dict[int, Past]:
    """Assignment → what this person has had to do with its item, apart from that assignment."""
    found: dict[int, Past] = {}
    while left := {task.item_id: task for task in tasks if task.item and task.pk not in found}:
        pasts = pasts_of(
            person, [task.item for task in left.values() if task.item], but={task.pk for task in left.values()}
        )
        found |= {task.pk: pasts[item] for item, task in left.items() if item}
    return found


def _judged(mine: list[Assignment]) -> Past:
    """What follows from a person's tasks on one item."""
    kinds = {task.batch.kind for task in mine}
    return Past(
        assigned=bool(mine),
        reviewing=bool(kinds & {Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE}),
        blind=any(a.blind and (a.state in {"open", "taken"} or a.batch.closed_at is None) for a in mine),
        reannotated=Batch.Kind.REANNOTATE in kinds,
        rated=Batch.Kind.RATE in kinds,
    )


def past_with_asset(person: Person, asset: Asset) -> Past:
    """What this person has had to do with a picture or clip, and with the items that show it."""
    mine = [] if person.pk is None else list(_assignments_with(asset, person.pk))
    return Past(
        uploaded=asset.uploaded_by_id == person.pk,
        assigned=bool(mine),
        blind=any(a.blind and (a.state in {"open", "taken"} or a.batch.closed_at is None) for a in mine),
    )


def _assignments_with(asset: Asset, user_id: int) -> QuerySet[Assignment]:
    """A person's tasks that show the asset: itself, with the stem, or as an option."""
    shown = Q(asset=asset) | Q(revision__image=asset) | Q(revision__audio=asset) | Q(written__contains=asset.sha256)
    mine = Assignment.objects.filter(user_id=user_id, batch__project_id=asset.project_id).exclude(state="void")
    return mine.annotate(written=Cast("revision__body", TextField())).filter(shown).select_related("batch")
