"""One's own work: what waits in every round, and the page on which one item is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect
from pydantic import ValidationError

from keju.studio import drafts
from keju.studio.access import Desk, page
from keju.studio.models import Assignment, Batch, Item
from keju.studio.paging import Paged, paged
from keju.studio.policy import ROLES, Verb
from keju.studio.posted import number_of
from keju.studio.presenting import ShownItem, present
from keju.studio.queue import Closed, answer_of, take_next, waiting_for, why_closed
from keju.studio.responses import POINTS, SCALES, Answer, Equivalence, Rating, Reannotation, Review
from keju.studio.reviewing import advance, answer, notes_for_author
from keju.studio.task_drafts import keep, target_of, unsent
from keju.studio.tasks import BLIND, VERBS, audience_of, form_of, step_of, steps_of
from keju.studio.views.disputes import open_disputes
from keju.studio.views.drafting import opened, token_of, told, typed
from keju.studio.views.items import with_strategies

Fields = dict[str, Any]
_ELSEWHERE = {Batch.Kind.SCREEN: "screen", Batch.Kind.BASELINE: "sitting"}
"""Kinds whose tasks have pages of their own."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One round, as the work page shows it."""

    batch: Batch
    waiting: int
    begun: bool
    done: Paged
    """Answers that can still be changed."""


@require_GET
@page(Verb.SEE_PROJECT)
def work(desk: Desk) -> HttpResponse:
    """Every round in which one has something to do."""
    open_batches = desk.project.batches.filter(closed_at__isnull=True).select_related("project")
    mine = [_waiting(desk, batch) for batch in open_batches if _has_a_part(desk, batch)]
    returned = paged(desk.request, desk.project.items.filter(author=desk.user, state=Item.State.REVISE))
    notes = notes_for_author(desk.project, list(returned))
    context = {
        "desk": desk,
        "rounds": [one for one in mine if one.waiting or one.begun or one.done],
        "returned": [(item, notes[item.pk]) for item in returned],
        "pages": returned,
        "disputes": open_disputes(desk),
    }
    return render(desk.request, "studio/work/work.html", context)


@require_POST
@page(Verb.SEE_PROJECT)
def take(desk: Desk, pk: int) -> HttpResponse:
    """Begin the next task of a round."""
    batch = desk.own(Batch.objects.select_related("project"), pk)
    return redirect(*_next(desk, batch))


@require_http_methods(["GET", "POST"])
@page(Verb.SEE_PROJECT)
def assignment(desk: Desk, pk: int) -> HttpResponse:
    """One task: the item as one may see it, and the form; an answer leads to the next task."""
    task = _mine(desk, pk)
    if task.revision is None or task.batch.kind in _ELSEWHERE:
        raise Http404
    if desk.request.method != "POST":
        reason = why_closed(task, desk.user)
        if reason and task.state != Assignment.State.DONE:
            messages.warning(desk.request, reason)
            return redirect("work", desk.project.slug)
        draft = None if reason else unsent(desk.user, task)
        fields = _READ[form_of(task)](draft.query) if draft else answer_of(task) or {}
        return _page(desk, task, fields, closed=reason, draft=draft)
    return _submit(desk, task)


@require_POST
@page(Verb.SEE_PROJECT)
def autosave(desk: Desk, pk: int) -> HttpResponse:
    """Keep what is typed and not sent. 409 where it was sent already, or can no longer be answered."""
    task = _mine(desk, pk)
    sent = typed(desk.request)
    return told(None if why_closed(task, desk.user) else keep(desk.user, task, sent["token"], sent["fields"]))


def _mine(desk: Desk, pk: int) -> Assignment:
    """A task of this person; sittings keep each answer at once, and have no drafts."""
    related = ("batch__project", "item", "asset", "revision__item", "revision__image", "revision__audio")
    task = get_object_or_404(Assignment.objects.select_related(*related), pk=pk, batch__project=desk.project)
    if task.user_id != desk.user.pk or task.batch.kind == Batch.Kind.BASELINE:
        raise Http404
    return task


def _submit(desk: Desk, task: Assignment) -> HttpResponse:
    posted = desk.request.POST
    fields, token = _READ[form_of(task)](posted), token_of(posted)
    measured = _measured(posted.get("measured", ""))
    try:
        with transaction.atomic():
            answer(task, desk.user, fields, key=token, **measured)
            drafts.spend(desk.user, target_of(task), token, task.pk)
    except Closed as closed:
        messages.warning(desk.request, str(closed))
        return _leave(desk, resolve_url("work", desk.project.slug))
    except ValidationError as wrong:
        return _page(desk, task, fields, errors=_errors(wrong), status=422)
    return _leave(desk, resolve_url(*_next(desk, task.batch)))


def _leave(desk: Desk, url: str) -> HttpResponse:
    return HttpResponseClientRedirect(url) if desk.request.headers.get("HX-Request") else redirect(url)


def _next(desk: Desk, batch: Batch) -> tuple[Any, ...]:
    """Where the next task of the round is; the work page, with a word, where there is none."""
    if batch.kind in _ELSEWHERE:
        return _ELSEWHERE[Batch.Kind(batch.kind)], desk.project.slug, batch.pk
    advance(batch)
    task = take_next(batch, desk.user)
    if task:
        return "assignment", desk.project.slug, task.pk
    messages.success(
        desk.request, _("There is nothing more for you in “%(name)s” now. Thank you.") % {"name": batch.name}
    )
    return "work", desk.project.slug


def _page(
    desk: Desk,
    task: Assignment,
    fields: Fields,
    *,
    errors: dict[str, str] | None = None,
    closed: str = "",
    draft: drafts.Unsaved | None = None,
    status: int = 200,
) -> HttpResponse:
    if task.revision is None:
        raise Http404
    shown, step = with_strategies(desk, present(task.revision, audience_of(task))), step_of(task)
    context = {
        "desk": desk,
        "task": task,
        "kind": _KINDS[form_of(task)],
        "step": step,
        "blind": task.batch.kind in BLIND,
        "shown": shown,
        "tags": _tags(desk, shown),
        "fields": fields,
        "errors": errors or {},
        "closed": closed,
        "must_hear": bool(step and step.must_hear and shown.audio),
        "media": task.media,
        "measured": desk.request.POST.get("measured", ""),
        "scales": SCALES,
        "points": POINTS,
        **opened(desk, target_of(task), draft),
    }
    part = "studio/work/form.html" if desk.request.headers.get("HX-Request") else "studio/work/assignment.html"
    return render(desk.request, part, context, status=status)


def _tags(desk: Desk, shown: ShownItem) -> list[str]:
    """The project's languages in their order, then any other that the item has."""
    there = {*shown.stem, *shown.instruction, *(tag for option in shown.options for tag in option.text)}
    return [tag for tag in desk.project.languages if tag in there] + sorted(there - set(desk.project.languages))


def _has_a_part(desk: Desk, batch: Batch) -> bool:
    verbs = [Verb(step.verb) for step in steps_of(batch)] if batch.kind == Batch.Kind.REVIEW else [VERBS[batch.kind]]
    return any(desk.roles & ROLES[verb] for verb in verbs)


def _waiting(desk: Desk, batch: Batch) -> Waiting:
    advance(batch)
    mine = batch.assignments.filter(user=desk.user)
    done = mine.filter(state=Assignment.State.DONE, blind=True).order_by("-submitted_at")
    begun = mine.filter(state=Assignment.State.TAKEN).exists()
    return Waiting(batch, waiting_for(batch, desk.user), begun, paged(desk.request, done, name=f"round-{batch.pk}"))


def _measured(sent: str) -> Fields:
    """What the browser measured; anything that it could not have sent is nothing."""
    try:
        told = json.loads(sent)
    except ValueError:
        return {}
    if not isinstance(told, dict):
        return {}
    media = told.get("media")
    return {"visible_ms": told.get("visible_ms"), "media": media if isinstance(media, dict) else {}}


def _errors(wrong: ValidationError) -> dict[str, str]:
    """Field → what to do, in words of ours."""
    found = {}
    for error in wrong.errors(include_url=False):
        name = str(error["loc"][0]) if error["loc"] else ""
        found[name] = error["msg"] if error["type"] == "keju" else _("Please answer this.")
    return found


def _review(posted: QueryDict) -> Fields:
    return {
        "decision": posted.get("decision", ""),
        "checklist": posted.getlist("checklist"),
        "note": posted.get("note", ""),
    }


def _equivalence(posted: QueryDict) -> Fields:
    points = {point: point in posted.getlist("points") for point in POINTS}
    return {"decision": posted.get("decision", ""), **points, "note": posted.get("note", "")}


def _reannotation(posted: QueryDict) -> Fields:
    """One choice: an option by its index, or a problem by its name."""
    choice = posted.get("choice", "")
    return {
        "answer": number_of(choice),
        "problem": "" if choice.isdecimal() else choice,
        "confidence": posted.get("confidence") or None,
        "note": posted.get("note", ""),
    }


def _rating(posted: QueryDict) -> Fields:
    return {**{scale: posted.get(scale, "") for scale in SCALES}, "note": posted.get("note", "")}


_READ: dict[type[Answer], Callable[[QueryDict], Fields]] = {
    Review: _review,
    Equivalence: _equivalence,
    Reannotation: _reannotation,
    Rating: _rating,
}
_KINDS: dict[type[Answer], str] = {
    Review: "review",
    Equivalence: "equivalence",
    Reannotation: "reannotation",
    Rating: "rating",
}
"""Form → template of its fields."""
