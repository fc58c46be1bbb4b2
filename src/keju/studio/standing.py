"""A person's standing, as the data base knows it: roles in a project, past with an item; and the project's settings."""

from __future__ import annotations

from typing import Literal

from django.contrib.auth.models import AnonymousUser, User
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
    min_width: int = 1280  # paper 000 "Image Selection"
    min_height: int = 720
    votes: int = 8  # annotators per image, paper 000
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


def past_of(person: Person, item: Item) -> Past:
    """What this person has had to do with the item."""
    if not isinstance(person, User):
        return Past()
    mine = list(Assignment.objects.filter(item=item, user_id=person.pk).select_related("batch"))
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
    return Past(uploaded=asset.uploaded_by_id == person.pk)
