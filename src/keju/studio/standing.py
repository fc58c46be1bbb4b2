"""A person's standing, as the data base knows it: roles in a project, past with an item; and the project's settings."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from pydantic import BaseModel, ConfigDict

from keju.studio.models import Asset, Assignment, Batch, Dispute, Item, Membership, Project, Role
from keju.studio.policy import Past

Person = User | AnonymousUser


class Step(BaseModel):
    """One step of the review profile."""

    name: str
    verb: Literal["review expert", "review linguistic", "review formatting", "review equivalence"]
    rounds: int = 1
    checklist: list[str] = []
    must_hear: bool = False
    """The clip must have been played to its end before the step can be passed."""


class Settings(BaseModel):
    """`Project.settings`, with the papers' values as defaults."""

    model_config = ConfigDict(extra="ignore")

    single_user: bool = False
    min_options: int = 4
    max_options: int = 4
    thresholds: dict[str, dict[str, float]] = {}
    """Code of a rule of `keju.checks` → threshold → value, where the project wants another than the rule's own."""
    votes: int = 8  # annotators per image, paper 000
    include_if: list[str] = []
    """What a picture or clip must be to be taken: ticked in screening."""
    exclude_if: list[str] = []
    """Reasons against it."""
    reannotated_share: float = 0.1  # paper 000 "Quality Assurance"
    raters: int = 3
    steps: list[Step] = []


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
    if not isinstance(person, User):
        return Past()
    mine = list(Assignment.objects.filter(item=item, user_id=person.pk).select_related("batch"))
    mine = [assignment for assignment in mine if assignment != but]
    kinds = {a.batch.kind for a in mine}
    named = [d for d in Dispute.objects.filter(item=item) if person.pk in d.participants]
    third = Dispute.objects.filter(item=item, third_expert_id=person.pk).exists()
    return Past(
        authored=item.author_id == person.pk,
        revised=item.revisions.filter(author_id=person.pk).exists(),
        uploaded=any(asset.uploaded_by_id == person.pk for asset in item.assets),
        assigned=bool(mine),
        reviewing=bool(kinds & {Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE}),
        blind=any(a.blind and (a.state in {"open", "taken"} or a.batch.closed_at is None) for a in mine),
        commented=item.comments.filter(author_id=person.pk).exists(),
        reannotated=Batch.Kind.REANNOTATE in kinds,
        rated=Batch.Kind.RATE in kinds,
        third_expert=third,
        disputing=bool(named),
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
