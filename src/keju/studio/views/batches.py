"""Rounds of work: opening one, how far it is, what came of it, closing it. For owners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio import agreeing, rating
from keju.studio.access import Desk, page
from keju.studio.closing import close as close_batch
from keju.studio.draw_form import STRATUM_NAMES, DrawForm
from keju.studio.drawing import NotForThem, NothingToDraw, candidates, freeze, half_width
from keju.studio.models import Assignment, Batch, Dispute, Item
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.queue import answers_of, give_back_idle
from keju.studio.reviewing import advance
from keju.studio.staffing import lacking
from keju.studio.tables import shown
from keju.studio.tasks import BLIND

KINDS = (Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE, Batch.Kind.REANNOTATE, Batch.Kind.RATE)
"""Kinds that are opened here; screening and the human baseline have pages of their own."""
_ELSEWHERE = {Batch.Kind.SCREEN: "screening-round", Batch.Kind.BASELINE: "sitting-results"}
_CAUSES: dict[str, str] = {
    Batch.Kind.REVIEW: Dispute.Cause.REVIEW,
    Batch.Kind.EQUIVALENCE: Dispute.Cause.EQUIVALENCE,
    Batch.Kind.REANNOTATE: Dispute.Cause.LABEL,
    Batch.Kind.RATE: Dispute.Cause.RATING,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer of a review, as its owner sees it."""

    task: Assignment
    decision: str
    note: str


@require_GET
@page(Verb.MANAGE)
def batches(desk: Desk) -> HttpResponse:
    """Every round with its progress, newest first."""
    tasks = {
        "tasks": Count("assignments", filter=~Q(assignments__state="void")),
        "done": Count("assignments", filter=Q(assignments__state="done")),
    }
    rows = [
        (batch, _ELSEWHERE.get(Batch.Kind(batch.kind), "batch")) for batch in desk.project.batches.annotate(**tasks)
    ]
    kinds = [(kind, candidates(desk.project, kind, {}).count()) for kind in KINDS]
    return render(desk.request, "studio/work/batches.html", {"desk": desk, "rows": rows, "kinds": kinds})


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def new(desk: Desk, kind: str) -> HttpResponse:
    """Draw and freeze a round of this kind."""
    if kind not in KINDS:
        raise Http404
    chosen = Batch.Kind(kind)
    form = DrawForm(desk, chosen, desk.request.POST or None)
    if desk.request.method == "POST" and form.is_valid():
        made = _freeze(desk, form)
        if made:
            return redirect("batch", desk.project.slug, made.pk)
    count = candidates(desk.project, chosen, {}).count()
    context = {
        "desk": desk,
        "form": form,
        "kind": chosen,
        "count": count,
        "widths": [(n, half_width(n)) for n in (50, 100, 200, 300)] if chosen == Batch.Kind.REANNOTATE else [],
        "steps": desk.settings.steps if chosen == Batch.Kind.REVIEW else [],
    }
    status = 422 if form.errors else 200
    return render(desk.request, "studio/work/new.html", context, status=status)


def _freeze(desk: Desk, form: DrawForm) -> Batch | None:
    if form.kind == Batch.Kind.REVIEW and not desk.settings.steps:
        form.add_error(None, _("The project has no review steps yet; add them in the settings."))
        return None
    try:
        made = freeze(desk.project, desk.user, form.wanted())
    except NothingToDraw:
        form.add_error(None, _("No item fits. Items must be in the right state for this kind of round."))
        return None
    except NotForThem as against:
        for text in against.args:
            form.add_error("persons", text)
        return None
    advance(made)
    n = len(made.targets)
    told = ngettext("%(n)d item is drawn and frozen.", "%(n)d items are drawn and frozen.", n)
    messages.success(desk.request, told % {"n": n})
    return made


@require_GET
@page(Verb.MANAGE)
def batch(desk: Desk, pk: int) -> HttpResponse:
    """How far a round is; the answers of a review; of blind kinds the figures, once it is closed."""
    found = _batch(desk, pk)
    advance(found)
    give_back_idle(found)
    tasks = found.assignments.exclude(state=Assignment.State.VOID)
    blind, closed = found.kind in BLIND, found.closed_at is not None
    answered = found.assignments.none() if blind else found.assignments.filter(responses__isnull=False)
    answers = paged(desk.request, answered.distinct().order_by("-submitted_at", "-pk"))
    disputes = Dispute.objects.filter(item__in=found.targets, cause=_CAUSES[found.kind]).select_related("item")
    context = {
        "desk": desk,
        "batch": found,
        "blind": blind,
        "drawn": len(found.targets),
        "width": half_width(len(found.targets))
        if found.kind == Batch.Kind.REANNOTATE and found.targets and not closed
        else None,
        "progress": _progress(tasks),
        "people": _people(tasks),
        "unclaimed": tasks.filter(user__isnull=True).count(),
        "answers": answers,
        "verdicts": _verdicts(answers),
        "tables": [shown(table) for table in _tables(found)] if blind and closed else [],
        "disputes": paged(desk.request, disputes, name="disputes"),
        "states": _states(found),
        "all_in": tasks.exists() and not tasks.exclude(state=Assignment.State.DONE).exists(),
        "labels": [STRATUM_NAMES[name] for name in found.stratify if name in STRATUM_NAMES],
        "lacking": lacking(found),
    }
    return render(desk.request, "studio/work/batch.html", context)


@require_POST
@page(Verb.MANAGE)
def close(desk: Desk, pk: int) -> HttpResponse:
    """Close a round for good."""
    opened = close_batch(_batch(desk, pk), desk.user)
    told = ngettext(
        "The round is closed; %(n)d dispute was opened.", "The round is closed; %(n)d disputes were opened.", opened
    )
    messages.success(desk.request, told % {"n": opened} if opened else _("The round is closed."))
    return redirect("batch", desk.project.slug, pk)


def _batch(desk: Desk, pk: int) -> Batch:
    return desk.own(Batch.objects.select_related("project", "created_by").filter(kind__in=KINDS), pk)


def _tables(found: Batch) -> list[Any]:
    return agreeing.tables_of(found) if found.kind == Batch.Kind.REANNOTATE else rating.tables_of(found)


def _progress(tasks: Any) -> list[dict[str, Any]]:
    """Of each step and round: how many tasks are open, begun, done."""
    states = {state: Count("pk", filter=Q(state=state)) for state in ("open", "taken", "done")}
    return list(tasks.order_by("step", "round").values("step", "round").annotate(**states, all=Count("pk")))


def _people(tasks: Any) -> list[dict[str, Any]]:
    states = {state: Count("pk", filter=Q(state=state)) for state in ("open", "taken", "done")}
    named = tasks.filter(user__isnull=False).order_by("user__username")
    return list(named.values("user__username", "user__profile__pseudonym").annotate(**states))


def _verdicts(answered: Iterable[Assignment]) -> list[Verdict]:
    """What was answered, also what no longer counts."""
    tasks = Assignment.objects.filter(pk__in=[task.pk for task in answered])
    standing = answers_of(tasks)
    rows = []
    for task in tasks.select_related("item", "user", "revision").order_by("-submitted_at", "-pk"):
        data = standing.get(task.pk) or task.responses.order_by("pk").last().data  # type: ignore[union-attr]
        rows.append(Verdict(task, data["decision"], data["note"]))
    return rows


def _states(found: Batch) -> list[tuple[str, int]]:
    counted = Item.objects.filter(pk__in=found.targets).order_by("state").values_list("state").annotate(Count("pk"))
    return [(str(Item.State(state).label), count) for state, count in counted]
