"""Handing out work: a batch draws its targets once, `take_next` gives a person one assignment, `submit` closes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Response
from keju.studio.policy import Verb, may
from keju.studio.responses import FORMS
from keju.studio.standing import past_of, past_with_asset, roles_of, settings_of

IDLE = timedelta(hours=12)
"""A begun assignment that nobody finished goes back to the queue after this time, unless the batch says otherwise."""

VERBS: dict[str, Verb] = {
    Batch.Kind.SCREEN: Verb.SCREEN,
    Batch.Kind.EQUIVALENCE: Verb.REVIEW_EQUIVALENCE,
    Batch.Kind.REANNOTATE: Verb.REANNOTATE,
    Batch.Kind.RATE: Verb.RATE,
    Batch.Kind.BASELINE: Verb.SIT,
}
"""What a batch asks of a person; of a review, the verb of the assignment's step."""


class Closed(Exception):
    """The assignment cannot be answered any more; the text says why."""


def verb_of(assignment: Assignment) -> Verb:
    if assignment.batch.kind == Batch.Kind.REVIEW:
        steps = settings_of(assignment.batch.project).steps
        return Verb(next(step.verb for step in steps if step.name == assignment.step))
    return VERBS[assignment.batch.kind]


@transaction.atomic
def take_next(batch: Batch, user: User) -> Assignment | None:
    """The next assignment that this person may do, begun in their name; the one they began before comes first."""
    _give_back_idle(batch)
    mine = batch.assignments.filter(user=user, state=Assignment.State.TAKEN).first()
    if mine:
        return mine
    waiting = batch.assignments.select_for_update(of=("self",)).select_related("item__project", "asset", "batch")
    free = waiting.filter(Q(user=user) | Q(user__isnull=True), state=Assignment.State.OPEN)
    for assignment in free.order_by("order", "pk"):
        if _fit(assignment, user):
            assignment.user, assignment.state = user, Assignment.State.TAKEN
            assignment.opened_at = timezone.now()
            assignment.save(update_fields=("user", "state", "opened_at"))
            return assignment
    return None


@transaction.atomic
def submit(assignment: Assignment, user: User, data: dict[str, Any], *, key: str = "", **measured: Any) -> Response:
    """Store an answer. The same idempotency key again returns the first response; another answer supersedes it.

    `measured` are `visible_ms` and `media`. Raises `Closed`, or pydantic's `ValidationError` where `data` does not fit.
    """
    assignment = Assignment.objects.select_for_update().select_related("batch__project").get(pk=assignment.pk)
    if assignment.user_id != user.pk:
        raise Closed(_("This task was given to someone else in the meantime."))
    if assignment.state == Assignment.State.VOID:
        raise Closed(_("The item was changed in the meantime; this task no longer counts."))
    if assignment.batch.closed_at is not None:
        raise Closed(_("This round is closed."))
    last = assignment.responses.filter(superseded_by__isnull=True).last()
    if last and key and last.idempotency_key == key:
        return last
    clean = FORMS[assignment.batch.kind].model_validate(data).model_dump()
    response = Response.objects.create(assignment=assignment, data=clean, supersedes=last, idempotency_key=key)
    assignment.state, assignment.submitted_at = Assignment.State.DONE, timezone.now()
    for name, value in measured.items():
        setattr(assignment, name, value)
    assignment.save()
    record(assignment.batch.project, user, "answer", f"assignment:{assignment.pk}", kind=assignment.batch.kind)
    return response


def hand_out(made: Sequence[Assignment]) -> int:
    """Store new assignments; those that are there already are left. Returns how many are new."""
    new = 0
    for assignment in made:
        try:
            with transaction.atomic():
                assignment.save(force_insert=True)
                new += 1
        except IntegrityError:
            continue
    return new


def answer_of(assignment: Assignment) -> dict[str, Any] | None:
    """The answer that stands: the latest that nothing supersedes."""
    response = assignment.responses.filter(superseded_by__isnull=True).last()
    return response.data if response else None


def _fit(assignment: Assignment, user: User) -> bool:
    """Whether the policy lets this person do it, as the item's past now is."""
    project = assignment.batch.project
    taken = Assignment.objects.filter(
        batch=assignment.batch, item=assignment.item, asset=assignment.asset, step=assignment.step, user=user
    ).exclude(pk=assignment.pk)
    if taken.exclude(state=Assignment.State.VOID).exists():  # a later round needs other eyes
        return False
    past = past_of(user, assignment.item) if assignment.item else past_with_asset(user, assignment.asset)  # type: ignore[arg-type]
    return bool(may(verb_of(assignment), roles_of(user, project), past, single_user=settings_of(project).single_user))


def _give_back_idle(batch: Batch) -> None:
    idle = timedelta(minutes=batch.policy["idle_minutes"]) if "idle_minutes" in batch.policy else IDLE
    late = batch.assignments.filter(state=Assignment.State.TAKEN, opened_at__lt=timezone.now() - idle)
    late.update(state=Assignment.State.OPEN, user=None, opened_at=None)
