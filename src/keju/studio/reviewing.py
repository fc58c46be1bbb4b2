"""Review: whose turn it is, and what becomes of an item when everyone of a round has judged.

The steps of the project's settings follow one another, and the rounds of a step; in each round so many people judge as
the batch says, unseen by each other. A rejection opens a dispute, a change sends the item back to its author, and when
all have passed it the next round begins, or the item is accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from keju.studio.disputing import open_dispute
from keju.studio.drawing import candidates
from keju.studio.models import Assignment, Batch, Dispute, Item, Project, Response
from keju.studio.queue import ON_CURRENT, answers_of, hand_out, locked, submit
from keju.studio.standing import settings_of
from keju.studio.tasks import steps_of
from keju.studio.workflow import NotAllowed, transition

State = Assignment.State
UNSURE = ("change", "revise")
"""Decisions that send the item back to its author."""


@transaction.atomic
def answer(assignment: Assignment, user: User, data: dict[str, Any], *, key: str = "", **measured: Any) -> Response:
    """Keep an answer, and do what follows from it. Raises what `submit` raises."""
    assignment = locked(assignment)
    response = submit(assignment, user, data, key=key, **measured)
    if assignment.batch.kind in ON_CURRENT and assignment.item:
        settle(assignment.batch, assignment.item)
    return response


def advance(batch: Batch) -> None:
    """Hand out what is due: to items that were submitted since, came back from their author, or lost a pass.

    Asked for whenever someone looks for work, so that nothing hangs on who changed the item; it may be asked any time.
    """
    if batch.closed_at is not None or batch.kind not in ON_CURRENT or not _due(batch).exists():
        return
    with transaction.atomic():
        batch = Batch.objects.select_for_update().select_related("project").get(pk=batch.pk)
        for item in _due(batch).select_for_update(of=("self",)).order_by("pk"):
            if item.pk not in batch.targets:
                batch.targets.append(item.pk)
                batch.save(update_fields=("targets",))
            _void_what_was_overtaken(batch, item)
            settle(batch, item)


def settle(batch: Batch, item: Item) -> None:
    """What follows from the answers to one item. Call it in a transaction that holds the batch."""
    item.refresh_from_db()
    mine = batch.assignments.filter(item=item).exclude(state=State.VOID)
    if item.state not in ON_CURRENT[Batch.Kind(batch.kind)] or mine.exclude(state=State.DONE).exists():
        return
    answers = answers_of(mine)
    for step, round_ in turns(batch):
        here = [one for one in mine if (one.step, one.round) == (step, round_)]
        against = [one for one in here if answers[one.pk]["decision"] != "pass"]
        if against:
            _object(item, batch, against, [answers[one.pk] for one in against])
            return
        if lacking := people_of(batch) - len(here):
            _ask(batch, item, step, round_, lacking)
            return
    _passed(batch, item)


def turns(batch: Batch) -> Iterator[tuple[str, int]]:
    """Steps and rounds in their order; an equivalence review is one."""
    if batch.kind == Batch.Kind.EQUIVALENCE:
        yield "", 1
    for step in steps_of(batch):
        yield from ((step.name, number) for number in range(1, step.rounds + 1))


def people_of(batch: Batch) -> int:
    """How many judge one target in one round."""
    return int(batch.policy.get("people", 1))


def notes_for_author(project: Project, items: Sequence[Item]) -> dict[int, list[tuple[str, str]]]:
    """Item → what reviewers of its current revision asked to be changed: (step, note), and nobody's name."""
    current = {item.pk: item.current_id for item in items}
    judged = Response.objects.filter(
        assignment__item__in=current, assignment__revision__in=current.values(), superseded_by__isnull=True
    ).select_related("assignment__batch")
    settings = settings_of(project)
    notes: dict[int, list[tuple[str, str]]] = {pk: [] for pk in current}
    for one in judged.order_by("pk"):
        if one.data.get("decision") in {*UNSURE, "reject"} and (pk := one.assignment.item_id):
            step = settings.step(one.assignment.step) or str(one.assignment.batch.get_kind_display())
            notes[pk].append((step, one.data["note"]))
    return notes


def _due(batch: Batch) -> QuerySet[Item]:
    """Items that can be judged and wait for nobody, and those that somebody is asked to judge who cannot be judged.

    Of the batch, or also of its query where items that are submitted later join.
    """
    kind = Batch.Kind(batch.kind)
    here = Q(pk__in=batch.targets)
    if batch.policy.get("joins"):
        elsewhere = [pk for other in _open_twins(batch) for pk in other.targets]
        here |= Q(pk__in=candidates(batch.project, kind, batch.query).exclude(pk__in=elsewhere).values("pk"))
    asked = batch.assignments.filter(state__in=(State.OPEN, State.TAKEN))
    idle = here & Q(state__in=ON_CURRENT[kind]) & ~Q(pk__in=asked.values("item"))
    if kind == Batch.Kind.EQUIVALENCE:
        idle &= ~Q(pk__in=_through(batch))
    stale = asked.exclude(item__state__in=ON_CURRENT[kind])
    return batch.project.items.filter(idle | Q(pk__in=stale.values("item")))


def _open_twins(batch: Batch) -> QuerySet[Batch]:
    return batch.project.batches.filter(kind=batch.kind, closed_at__isnull=True).exclude(pk=batch.pk)


def _through(batch: Batch) -> list[int]:
    """Items that as many people as are wanted have passed."""
    passes = Response.objects.filter(
        assignment__batch=batch, assignment__state=State.DONE, superseded_by__isnull=True, data__decision="pass"
    )
    counted = Counter(passes.values_list("assignment__item", flat=True))
    return [pk for pk, count in counted.items() if pk and count >= people_of(batch)]


def _void_what_was_overtaken(batch: Batch, item: Item) -> None:
    """Objections to an item that came back from its author are met; tasks on one that was taken away are over."""
    mine = batch.assignments.filter(item=item).exclude(state=State.VOID)
    if item.state in ON_CURRENT[Batch.Kind(batch.kind)]:
        answers = answers_of(mine)
        mine = mine.filter(pk__in=[pk for pk, data in answers.items() if data["decision"] != "pass"])
    else:
        mine = mine.exclude(state=State.DONE)
    mine.update(state=State.VOID)


def _ask(batch: Batch, item: Item, step: str, round_: int, people: int) -> None:
    place = batch.targets.index(item.pk)
    hand_out(
        Assignment(batch=batch, item=item, revision=item.current, step=step, round=round_, order=place)
        for _ in range(people)
    )


def _object(item: Item, batch: Batch, against: list[Assignment], answers: list[dict[str, Any]]) -> None:
    if any(data["decision"] == "reject" for data in answers):
        people = [one.user_id for one in against if one.user_id]
        open_dispute(item, item.current, Dispute.Cause.REVIEW, people)
    else:
        transition(item, "ask_changes", None, batch=batch.name, step=against[0].step, round=against[0].round)


def _passed(batch: Batch, item: Item) -> None:
    """All have passed it: it is accepted, unless its languages are still being compared or findings are open."""
    compared = item.assignments.filter(batch__kind=Batch.Kind.EQUIVALENCE, batch__closed_at__isnull=True)
    if batch.kind == Batch.Kind.REVIEW and not compared.filter(state__in=(State.OPEN, State.TAKEN)).exists():
        with suppress(NotAllowed):  # asked for again when the findings are closed
            transition(item, "pass_all", None, batch=batch.name)
