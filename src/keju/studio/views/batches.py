"""Rounds of work: opening one, how far it is, what came of it, closing it. For owners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio import agreeing, rating
from keju.studio.access import Desk, page
from keju.studio.closing import close as close_batch
from keju.studio.drawing import STRATA, Draw, NothingToDraw, candidates, freeze, half_width
from keju.studio.models import Assignment, Batch, Dispute, Item, Role, Term
from keju.studio.policy import ROLES, Verb
from keju.studio.queue import ON_CURRENT, answers_of, give_back_idle
from keju.studio.reviewing import advance
from keju.studio.tables import shown
from keju.studio.tasks import BLIND, VERBS, members_with

KINDS = (Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE, Batch.Kind.REANNOTATE, Batch.Kind.RATE)
"""Kinds that are opened here; screening and the human baseline have pages of their own."""
_ELSEWHERE = {Batch.Kind.SCREEN: "screening-round", Batch.Kind.BASELINE: "sitting-results"}
_CAUSES: dict[str, str] = {
    Batch.Kind.REVIEW: Dispute.Cause.REVIEW,
    Batch.Kind.EQUIVALENCE: Dispute.Cause.EQUIVALENCE,
    Batch.Kind.REANNOTATE: Dispute.Cause.LABEL,
    Batch.Kind.RATE: Dispute.Cause.RATING,
}
_LABELS = {
    "genre": Term.Kind.GENRE.label,
    "question_type": Term.Kind.QUESTION_TYPE.label,
    "difficulty": Term.Kind.DIFFICULTY.label,
    "dimension": Term.Kind.DIMENSION.label,
    "instruction": Term.Kind.INSTRUCTION.label,
    "original_language": gettext_lazy("language of authoring"),
}


class DrawForm(forms.Form):
    """What to draw and who judges it; fields that the kind has no use for are left out."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    share = forms.FloatField(
        label=gettext_lazy("Share of the items, %"),
        min_value=0.1,
        max_value=100,
        required=False,
        help_text=gettext_lazy("Drawn at random with the seed below; 100 or empty takes all."),
    )
    same_as = forms.ModelChoiceField(
        Batch.objects.none(),
        label=gettext_lazy("Same items as"),
        required=False,
        empty_label=gettext_lazy("a new draw"),
        help_text=gettext_lazy("Takes all items of that round, whatever the share."),
    )
    stratify = forms.MultipleChoiceField(
        label=gettext_lazy("Keep the shares of"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("The sample then has as much of each as the whole."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=gettext_lazy("The same seed and items give the same sample. Nothing is ever drawn again."),
    )
    people = forms.IntegerField(label=gettext_lazy("People for each item"), min_value=1, max_value=20, initial=1)
    persons = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label=gettext_lazy("Only these people"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Tick nobody to leave it to whoever is free. Nobody gets an item of their own."),
    )
    joins = forms.BooleanField(
        label=gettext_lazy("Items that are submitted later join this round"), required=False, initial=True
    )
    idle_hours = forms.IntegerField(
        label=gettext_lazy("Hours until a task that someone began and left goes to another"),
        min_value=1,
        max_value=24 * 60,
        initial=12,
    )

    def __init__(self, desk: Desk, kind: Batch.Kind, data: Any = None) -> None:
        self.desk, self.kind = desk, kind
        super().__init__(data, initial=self._begins_with())
        for name in ("share", "same_as", "stratify", "seed", "persons") if kind in ON_CURRENT else ("joins",):
            del self.fields[name]
        if kind not in ON_CURRENT:
            self._offer()
        self._narrow()

    def _begins_with(self) -> dict[str, Any]:
        settings, kinds = self.desk.settings, self.desk.project.batches.filter(kind=self.kind)
        began = {"name": f"{self.kind.label} {kinds.count() + 1}".capitalize()}
        if self.kind == Batch.Kind.REANNOTATE:
            return {**began, "share": 100 * settings.reannotated_share, "stratify": self._varying()}
        if self.kind == Batch.Kind.RATE:
            drawn = self.desk.project.batches.filter(kind=Batch.Kind.REANNOTATE).first()
            return {**began, "people": settings.raters, "same_as": drawn, "stratify": self._varying()}
        return began

    def _varying(self) -> list[str]:
        items = candidates(self.desk.project, self.kind, {})
        return [name for name in STRATA if items.values(name).distinct().count() > 1]

    def _offer(self) -> None:
        field: Any = self.fields["same_as"]
        field.queryset = self.desk.project.batches.filter(kind__in=BLIND)
        field = self.fields["stratify"]
        field.choices = [(name, _LABELS[name]) for name in STRATA]
        people = members_with(Batch(project=self.desk.project, kind=self.kind), set(ROLES[VERBS[self.kind]]))
        field = self.fields["persons"]
        field.queryset = User.objects.filter(pk__in=[one.pk for one in people])

    def _narrow(self) -> None:
        """A field for each label by which items can be chosen."""
        for name in STRATA[:-1]:
            terms = Term.objects.filter(project=self.desk.project, kind=name)
            if terms.exists():
                self.fields[f"only_{name}"] = forms.ModelChoiceField(
                    terms, label=_LABELS[name], required=False, empty_label=gettext_lazy("any")
                )
        tags = sorted(set(self.desk.project.items.values_list("original_language", flat=True)))
        if len(tags) > 1:
            self.fields["only_original_language"] = forms.ChoiceField(
                label=_LABELS["original_language"],
                required=False,
                choices=[("", gettext_lazy("any")), *((tag, tag) for tag in tags)],
            )

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or self.cleaned_data
        persons, people = told.get("persons"), told.get("people") or 1
        if persons and len(persons) < people:
            self.add_error("persons", _("Tick at least as many people as judge each item."))
        return told

    @property
    def choosing(self) -> list[forms.BoundField]:
        """The fields by which items are chosen."""
        return [self[name] for name in self.fields if name.startswith("only_")]

    @property
    def main(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if not name.startswith("only_")]

    def wanted(self) -> Draw:
        told = self.cleaned_data
        query = {name: getattr(told.get(f"only_{name}"), "pk", told.get(f"only_{name}")) for name in STRATA}
        query = {name: value for name, value in query.items() if value}
        if told.get("same_as"):
            query["batch"] = told["same_as"].pk
        share = None if told.get("same_as") else told.get("share")
        found = candidates(self.desk.project, self.kind, query).count()
        return Draw(
            self.kind,
            told["name"],
            query,
            told.get("stratify", ()),
            max(1, math.floor(found * share / 100 + 0.5)) if share and share < 100 and found else None,
            told.get("seed", 0),
            told["people"],
            list(told.get("persons") or ()),
            told.get("joins", False),
            {"idle_minutes": 60 * told["idle_hours"]},
        )


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
        "verdicts": [] if blind else _verdicts(found),
        "tables": [shown(table) for table in _tables(found)] if blind and closed else [],
        "disputes": Dispute.objects.filter(item__in=found.targets, cause=_CAUSES[found.kind]).select_related("item"),
        "states": _states(found),
        "all_in": tasks.exists() and not tasks.exclude(state=Assignment.State.DONE).exists(),
        "labels": [_LABELS[name] for name in found.stratify if name in _LABELS],
        "orphans": _nobody(desk, found),
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
    return get_object_or_404(desk.project.batches.select_related("project", "created_by"), pk=pk, kind__in=KINDS)


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


def _verdicts(found: Batch) -> list[Verdict]:
    """What was answered, also what no longer counts, newest first."""
    tasks = found.assignments.filter(responses__isnull=False).select_related("item", "user", "revision").distinct()
    standing = answers_of(tasks)
    rows = []
    for task in tasks.order_by("-submitted_at")[:200]:
        data = standing.get(task.pk) or task.responses.order_by("pk").last().data  # type: ignore[union-attr]
        rows.append(Verdict(task, data["decision"], data["note"]))
    return rows


def _states(found: Batch) -> list[tuple[str, int]]:
    counted = Item.objects.filter(pk__in=found.targets).order_by("state").values_list("state").annotate(Count("pk"))
    return [(str(Item.State(state).label), count) for state, count in counted]


def _nobody(desk: Desk, found: Batch) -> list[str]:
    """Roles that the round needs and nobody has."""
    verbs = (
        {Verb(step.verb) for step in desk.settings.steps} if found.kind == Batch.Kind.REVIEW else {VERBS[found.kind]}
    )
    lacking = [ROLES[verb] for verb in sorted(verbs) if not members_with(found, set(ROLES[verb]))]
    return [" / ".join(str(Role(role).label) for role in sorted(roles)) for roles in lacking]
