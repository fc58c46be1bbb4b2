"""What an assignment asks of a person: the verb of the policy, the step of the review, the form to fill in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from keju.studio.models import Assignment, Batch, Membership, Role
from keju.studio.policy import Verb, Verdict, may
from keju.studio.presenting import Audience
from keju.studio.responses import FORMS, Answer, Equivalence, Facts, Review
from keju.studio.standing import Step, past_of, past_with_asset, roles_of, settings_of

VERBS: dict[str, Verb] = {
    Batch.Kind.SCREEN: Verb.SCREEN,
    Batch.Kind.EQUIVALENCE: Verb.REVIEW_EQUIVALENCE,
    Batch.Kind.REANNOTATE: Verb.REANNOTATE,
    Batch.Kind.RATE: Verb.RATE,
    Batch.Kind.BASELINE: Verb.SIT,
}
"""What a batch asks of a person; of a review, the verb of the assignment's step."""

BLIND = frozenset({Batch.Kind.REANNOTATE, Batch.Kind.RATE, Batch.Kind.BASELINE})
"""Kinds of batches whose people never see a key."""

HEARD = 0.95
"""Share of a clip that must have been played: browsers report the end of a clip some hundredths of a second early."""


def steps_of(batch: Batch) -> list[Step]:
    """The steps of a review, as the project's settings now have them; of other kinds none."""
    return settings_of(batch.project).steps if batch.kind == Batch.Kind.REVIEW else []


def step_of(assignment: Assignment) -> Step | None:
    """The step of a review; None in other kinds, and where the settings no longer have it."""
    return next((step for step in steps_of(assignment.batch) if step.name == assignment.step), None)


def verb_of(assignment: Assignment) -> Verb | None:
    """What one must be allowed; None where the step is no longer in the settings, so that nobody is."""
    if assignment.batch.kind == Batch.Kind.REVIEW:
        step = step_of(assignment)
        return Verb(step.verb) if step else None
    return VERBS[assignment.batch.kind]


def form_of(assignment: Assignment) -> type[Answer]:
    form = FORMS[assignment.batch.kind]
    return Equivalence if form is Review and verb_of(assignment) is Verb.REVIEW_EQUIVALENCE else form


def audience_of(assignment: Assignment) -> Audience:
    return Audience.BLIND if assignment.batch.kind in BLIND else Audience.REVIEWER


def facts_of(assignment: Assignment, media: dict[str, Any]) -> Facts:
    """What an answer to it is held against; `media` is what the player told."""
    step, revision = step_of(assignment), assignment.revision
    must_hear = bool(step and step.must_hear and revision and revision.audio)
    return Facts(
        options=len(revision.content.options) if revision else 0,
        checklist=tuple(point.code for point in step.checklist) if step else (),
        unheard=must_hear and not _heard(assignment, media),
    )


def _heard(assignment: Assignment, media: dict[str, Any]) -> bool:
    clip = assignment.revision.audio if assignment.revision else None
    length = float(clip.measured.get("duration_s") or 0) if clip else 0.0
    return bool(media.get("ended")) and float(media.get("heard_s") or 0) >= HEARD * length


def verdict_of(assignment: Assignment, user: User) -> Verdict:
    """Whether the policy lets this person do it, their past with the item being all but this assignment."""
    verb, project = verb_of(assignment), assignment.batch.project
    if verb is None:
        return Verdict(False)
    if assignment.item:
        past = past_of(user, assignment.item, but=assignment)
    else:
        past = past_with_asset(user, assignment.asset)  # type: ignore[arg-type] # an item or an asset, always
    return may(verb, roles_of(user, project), past, single_user=settings_of(project).single_user)


def members_with(batch: Batch, roles: frozenset[Role] | set[Role]) -> list[User]:
    """People of the project who have one of these roles, in the order in which they came."""
    memberships = Membership.objects.filter(project=batch.project, user__is_active=True).select_related("user")
    return [one.user for one in memberships.order_by("pk") if roles & {Role(name) for name in one.roles}]
