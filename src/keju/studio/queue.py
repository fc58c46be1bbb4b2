"""Handing out work: `hand_out` makes assignments, `take_next` gives a person one of them, `submit` keeps the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from keju.splits import drawn
from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Item, Response, Revision
from keju.studio.policy import ROLES
from keju.studio.responses import Media
from keju.studio.standing import settings_of
from keju.studio.tasks import BLIND, facts_of, form_of, members_with, verb_of, verdict_of

IDLE = timedelta(hours=12)
"""A begun assignment that nobody finished goes back to the queue after this time, unless the batch says otherwise."""

LOOK = 50
"""Tasks on items that a person judged before are asked of others first; so many are looked at for one that nobody else
can do. Looking at all would take seconds where there are thousands."""

State = Assignment.State
ON_CURRENT: dict[str, tuple[str, ...]] = {
    Batch.Kind.REVIEW: (Item.State.IN_REVIEW,),
    Batch.Kind.EQUIVALENCE: (Item.State.IN_REVIEW, Item.State.ACCEPTED),
}
"""Kinds that judge an item as it now is → in which states. The others judge the revision that was drawn, whatever came
after."""


class Closed(Exception):
    """The assignment cannot be answered any more; the text says why."""


def take_next(batch: Batch, user: User) -> Assignment | None:
    """The next assignment that this person may do, begun in their name; the one they began before comes first."""
    if batch.closed_at is not None:
        return None
    give_back_idle(batch)
    for mine in batch.assignments.filter(user=user, state=State.TAKEN).select_related("item"):
        if not _overtaken(mine):
            return mine
        _put_back(batch.assignments.filter(pk=mine.pk))  # it is taken anew, with the item as it now is
    first, again = _waiting(batch, user)
    for assignment in [*first, *again[:LOOK]]:
        if _fit(assignment, user) and (taken := _take(assignment, user)):
            return taken
    return None


@transaction.atomic
def submit(assignment: Assignment, user: User, data: dict[str, Any], *, key: str = "", **measured: Any) -> Response:
    """Store an answer. The same idempotency key again returns the first response; another answer supersedes it.

    `measured` are `visible_ms` and `media`, as the browser tells them. Raises `Closed`, or pydantic's `ValidationError`
    where `data` does not fit.
    """
    assignment = locked(assignment)
    last = assignment.responses.filter(superseded_by__isnull=True).last()
    if last and key and last.idempotency_key == key:
        return last
    if reason := why_closed(assignment, user):
        raise Closed(reason)
    media = Media.model_validate(measured.get("media") or {}).model_dump()
    clean = form_of(assignment).model_validate(data, context=facts_of(assignment, media)).model_dump()
    response = Response.objects.create(assignment=assignment, data=clean, supersedes=last, idempotency_key=key)
    assignment.state, assignment.submitted_at = State.DONE, timezone.now()
    assignment.media = media
    assignment.visible_ms = _visible(assignment, measured.get("visible_ms"))
    assignment.save()
    conflict = str(verdict_of(assignment, user).reason)
    told = {"conflict": conflict} if conflict else {}
    record(assignment.batch.project, user, "answer", f"assignment:{assignment.pk}", kind=assignment.batch.kind, **told)
    return response


def locked(assignment: Assignment) -> Assignment:
    """The assignment as it now is, for this transaction alone.

    Rows are locked in one order everywhere (batch, item, assignment, project), so that nobody waits in a circle.
    """
    Batch.objects.select_for_update().get(pk=assignment.batch_id)
    if assignment.item_id:
        Item.objects.select_for_update().get(pk=assignment.item_id)
    whole = Assignment.objects.select_for_update(of=("self",)).select_related(
        "batch__project", "item", "revision__audio", "revision__image"
    )
    return whole.get(pk=assignment.pk)


def why_closed(assignment: Assignment, user: User) -> str:
    """Why this person can no longer answer it; empty where they can."""
    if assignment.user_id != user.pk:
        return _("This task was given to someone else in the meantime.")
    if assignment.batch.closed_at is not None:
        return _("This round is closed.")
    if assignment.state == State.VOID or _overtaken(assignment):
        return _("The item was changed in the meantime; this task no longer counts.")
    if assignment.state == State.DONE and assignment.batch.kind in ON_CURRENT and not _others_wait(assignment):
        return _("Everyone has answered, and the item has moved on; your answer can no longer be changed.")
    verdict = verdict_of(assignment, user)
    return "" if verdict else str(verdict.reason) or _("This step is no longer part of the review.")


@transaction.atomic
def hand_out(made: Iterable[Assignment]) -> int:
    """Store new assignments; those that are there already are left. Returns how many are new.

    Those that have a person are theirs for good; the others anyone fit may take.
    """
    new = 0
    for assignment in made:
        assignment.named = assignment.user_id is not None
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


def answers_of(assignments: QuerySet[Assignment]) -> dict[int, dict[str, Any]]:
    """Assignment → the answer that stands, of all that are done."""
    done = assignments.filter(state=State.DONE)
    standing = Response.objects.filter(assignment__in=done, superseded_by__isnull=True).order_by("pk")
    return {response.assignment_id: response.data for response in standing}


def waiting_for(batch: Batch, user: User) -> int:
    """How many assignments of the batch this person could be given now, as far as that can be counted cheaply."""
    first, again = _waiting(batch, user)
    counted = first or [one for one in again[:LOOK] if _fit(one, user)]
    return len({(one.item_id, one.asset_id, one.step) for one in counted})


def give_back_idle(batch: Batch) -> int:
    """Put begun assignments that lie idle back into the queue; what was made for a person stays theirs."""
    idle = timedelta(minutes=batch.policy["idle_minutes"]) if "idle_minutes" in batch.policy else IDLE
    late = batch.assignments.filter(state=State.TAKEN, opened_at__lt=timezone.now() - idle)
    return _put_back(late)


def _put_back(begun: QuerySet[Assignment]) -> int:
    named = begun.filter(named=True).update(state=State.OPEN, opened_at=None)
    return named + begun.filter(named=False).update(state=State.OPEN, user=None, opened_at=None)


def _waiting(batch: Batch, user: User) -> tuple[Sequence[Assignment], Sequence[Assignment]]:
    """Open assignments in the order in which this person gets them, of blind kinds a seeded one of their own; and apart
    those on items that they judged in the same step before.
    """
    whole = batch.assignments.select_related("item__project", "item__current", "asset", "batch__project")
    free = whole.filter(Q(user=user) | Q(user__isnull=True), state=State.OPEN)
    if batch.kind != Batch.Kind.SCREEN and not settings_of(batch.project).single_user:
        free = free.exclude(item__author=user).exclude(item__in=_revised_by(user))
        if batch.kind == Batch.Kind.REANNOTATE:
            free = free.exclude(Q(user__isnull=True), item__assignments__user=user)
        if batch.kind == Batch.Kind.RATE:
            free = free.exclude(item__in=_to_answer(user))
    held = _held(batch, user)
    rows = [row for row in free.order_by("order", "pk") if held.get(_place(row), row.pk) == row.pk]
    if batch.kind in BLIND:
        rows.sort(key=lambda row: drawn(batch.seed, f"{user.pk} {row.item_id}"))
    before = batch.assignments.filter(_TURN, user=user).values_list("item", "asset", "step")
    judged = set(before) if batch.kind == Batch.Kind.REVIEW else set()
    first: list[Assignment] = []
    again: list[Assignment] = []
    for row in rows:
        (again if (row.item_id, row.asset_id, row.step) in judged else first).append(row)
    return first, again


def _place(assignment: Assignment) -> tuple[int | None, int | None, str, int]:
    """Target, step and round: two places of one round are for two people."""
    return assignment.item_id, assignment.asset_id, assignment.step, assignment.round


def _held(batch: Batch, user: User) -> dict[tuple[int | None, int | None, str, int], int]:
    """Place → this person's assignment; there is one at most that is not void."""
    return {_place(one): one.pk for one in batch.assignments.filter(user=user).exclude(state=State.VOID)}


def _to_answer(user: User) -> QuerySet[Item]:
    """Items that this person is still to answer blind: they rate them afterwards, as whoever has rated one cannot."""
    due = Assignment.objects.filter(user=user, batch__kind=Batch.Kind.REANNOTATE, batch__closed_at=None)
    return Item.objects.filter(pk__in=due.filter(state__in=(State.OPEN, State.TAKEN)).values("item"))


def _revised_by(user: User) -> QuerySet[Item]:
    return Item.objects.filter(pk__in=Revision.objects.filter(author=user).values("item"))


def _take(assignment: Assignment, user: User) -> Assignment | None:
    """Begin it, unless someone was quicker: the row changes only while it is still open."""
    told: dict[str, Any] = {"user": user, "state": State.TAKEN, "opened_at": timezone.now()}
    if assignment.batch.kind in ON_CURRENT and assignment.item:
        told["revision"] = assignment.item.current  # nobody has looked at it yet
    try:
        with transaction.atomic():
            got = Assignment.objects.filter(pk=assignment.pk, state=State.OPEN).update(**told)
    except IntegrityError:  # the same person took the other one in another tab
        return None
    return (
        Assignment.objects.select_related("batch__project", "item", "revision").get(pk=assignment.pk) if got else None
    )


def _fit(assignment: Assignment, user: User) -> bool:
    """Whether the policy lets this person do it as the item's past now is, and no fresh eyes are to be preferred."""
    if not _judgeable(assignment) or not verdict_of(assignment, user):
        return False
    return user.pk not in _had_a_turn(assignment) or not any(_fresh(assignment))


_TURN = ~Q(state=State.VOID) | Q(responses__data__decision="reject")
"""What counts as having judged: an answer that stands, and a rejection, even one that was overruled."""


def _had_a_turn(assignment: Assignment) -> set[int]:
    """People who judged the target in this step before: in another round, or by rejecting it in this one."""
    same = {name: getattr(assignment, name) for name in ("batch", "item", "asset", "step")}
    before = Assignment.objects.filter(_TURN, **same)
    return {pk for pk in before.exclude(pk=assignment.pk).values_list("user", flat=True) if pk}


def _fresh(assignment: Assignment) -> Iterator[User]:
    """People who may do it and have not had a turn."""
    verb, before = verb_of(assignment), _had_a_turn(assignment)
    if verb is not None:
        for member in members_with(assignment.batch, set(ROLES[verb])):
            if member.pk not in before and verdict_of(assignment, member):
                yield member


def _overtaken(assignment: Assignment) -> bool:
    """Whether the item was changed, withdrawn or settled under its reviewer."""
    item = assignment.item
    if assignment.batch.kind not in ON_CURRENT or item is None or assignment.state == State.DONE:
        return False
    return item.current_id != assignment.revision_id or not _judgeable(assignment)


def _judgeable(assignment: Assignment) -> bool:
    """Whether the item is in a state in which this kind of batch judges it."""
    states = ON_CURRENT.get(assignment.batch.kind)
    return states is None or assignment.item is None or assignment.item.state in states


def _others_wait(assignment: Assignment) -> bool:
    """Whether someone else's answer of the same step and round is still to come, so that nothing is decided yet."""
    peers = Assignment.objects.filter(
        batch=assignment.batch, item=assignment.item, step=assignment.step, round=assignment.round
    )
    return peers.filter(state__in=(State.OPEN, State.TAKEN)).exists()


def _visible(assignment: Assignment, told: Any) -> int | None:
    """Milliseconds in sight, never more than passed by the server's clock."""
    if not isinstance(told, int) or isinstance(told, bool) or told < 0 or assignment.opened_at is None:
        return None
    passed = timezone.now() - assignment.opened_at
    return min(told, int(passed.total_seconds() * 1000))
