"""Screening pages: opening a round, voting with the keyboard, the votes and how far screeners agree."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio import drafts, quality, queue, screening
from keju.studio.access import Desk, page
from keju.studio.models import Asset, Assignment, Batch, Source
from keju.studio.paging import paged
from keju.studio.points import points_of
from keju.studio.policy import Verb
from keju.studio.posted import number
from keju.studio.task_drafts import target_of, unsent
from keju.studio.views.drafting import opened, token_of


class RoundForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    source = forms.ModelChoiceField(
        Source.objects.none(), label=gettext_lazy("Source"), required=False, empty_label=gettext_lazy("all candidates")
    )
    votes = forms.IntegerField(label=gettext_lazy("Screeners for each"), min_value=1, max_value=50)
    rule = forms.ChoiceField(
        label=gettext_lazy("Taken if"),
        choices=[
            ("majority", gettext_lazy("more are for it than against; the owner settles a tie")),
            ("unanimous", gettext_lazy("everyone is for it")),
        ],
    )

    def __init__(self, desk: Desk, posted: Any = None) -> None:
        self.desk, self.people = desk, len(screening.screeners(desk.project))
        super().__init__(posted, initial={"votes": min(desk.settings.votes, self.people or 1)})
        self.fields["source"].queryset = Source.objects.filter(project=desk.project)  # type: ignore[attr-defined]

    def clean_votes(self) -> int:
        votes = int(self.cleaned_data["votes"])
        if votes > self.people:
            raise forms.ValidationError(
                ngettext(
                    "Only %(count)d person here may screen: authors, experts and formatters do.",
                    "Only %(count)d people here may screen: authors, experts and formatters do.",
                    self.people,
                )
                % {"count": self.people}
            )
        return votes


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def rounds(desk: Desk) -> HttpResponse:
    """Rounds of screening, and the form for another."""
    form = RoundForm(desk, desk.request.POST or None)
    waiting = screening.candidates(desk.project)
    if form.is_valid():
        told = form.cleaned_data
        assets = list(waiting.filter(source=told["source"]) if told["source"] else waiting)
        if assets:
            batch = screening.open_round(
                desk.project, desk.user, told["name"], told["votes"], told["rule"], sorted(assets, key=lambda a: a.pk)
            )
            if left := len(assets) - len(batch.targets):
                text = ngettext(
                    "%(count)d candidate was left out: only its own uploader could screen it.",
                    "%(count)d candidates were left out: only their own uploader could screen them.",
                    left,
                )
                messages.warning(desk.request, text % {"count": left})
            if fewer := screening.short_of_votes(batch):
                text = ngettext(
                    "%(count)d candidate gets fewer votes than you asked for: nobody screens their own uploads.",
                    "%(count)d candidates get fewer votes than you asked for: nobody screens their own uploads.",
                    fewer,
                )
                messages.warning(desk.request, text % {"count": fewer})
            return redirect("screening-round", desk.project.slug, batch.pk)
        form.add_error(None, _("There are no candidates that wait to be screened."))
    done = Count("assignments", filter=Q(assignments__state=Assignment.State.DONE))
    every = Count("assignments", filter=~Q(assignments__state=Assignment.State.VOID))
    found = Batch.objects.filter(project=desk.project, kind=Batch.Kind.SCREEN).annotate(done=done, every=every)
    context = {"desk": desk, "form": form, "rounds": found, "waiting": waiting.count(), "people": form.people}
    return render(desk.request, "studio/project/screening.html", context, status=422 if form.errors else 200)


@require_GET
@page(Verb.MANAGE)
def report(desk: Desk, pk: int) -> HttpResponse:
    """The votes of a round, ties first, with the screeners' agreement."""
    batch = _batch(desk, pk)
    found = screening.tallies(batch)
    rows = [(tally, screening.outcome(tally, batch.policy["rule"])) for tally in found]
    decided = [row for row in rows if not row[0].waiting or batch.closed_at]
    ties = [row for row in decided if row[1] == "tie" and row[0].asset.state == Asset.State.CANDIDATE]
    agreement = screening.agreement(found)
    context = {
        "desk": desk,
        "batch": batch,
        "rows": paged(desk.request, rows),
        "ties": paged(desk.request, ties, name="ties"),
        "votes": sum(len(tally.votes) for tally in found),
        "due": sum(len(tally.votes) + tally.waiting for tally in found),
        "included": sum(said == "include" for _tally, said in decided),
        "excluded": sum(said == "exclude" for _tally, said in decided),
        "agreement": agreement,
    }
    return render(desk.request, "studio/project/screening_round.html", context)


@require_POST
@page(Verb.MANAGE)
def close(desk: Desk, pk: int) -> HttpResponse:
    batch = _batch(desk, pk)
    if batch.closed_at is None:
        screening.close(batch, desk.user)
        messages.success(desk.request, _("The round is closed."))
    return redirect("screening-round", desk.project.slug, pk)


@require_POST
@page(Verb.MANAGE)
def settle(desk: Desk, pk: int, asset: int) -> HttpResponse:
    """The owner settles a tie."""
    batch = _batch(desk, pk)
    tally = next(iter(screening.tallies(batch, asset=desk.own(Asset, asset))), None)
    said = desk.request.POST.get("decision")
    if tally and said in ("include", "exclude") and screening.outcome(tally, batch.policy["rule"]) == "tie":
        screening.settle(batch, tally, desk.user, "include" if said == "include" else "exclude")
    return redirect("screening-round", desk.project.slug, pk)


@require_http_methods(["GET", "POST"])
@page(Verb.SCREEN)
def vote(desk: Desk, pk: int) -> HttpResponse:
    """The next candidate for this person, with the criteria; keys 1 and 2 decide."""
    batch = _batch(desk, pk)
    if desk.request.method == "POST":
        mine = get_object_or_404(Assignment, batch=batch, user=desk.user, pk=number(desk.request, "assignment"))
        return _voted(desk, batch, mine)
    assignment_ = queue.take_next(batch, desk.user) if batch.closed_at is None else None
    return _ballot(desk, batch, assignment_)


@require_GET
@page(Verb.SCREEN)
def revote(desk: Desk, pk: int, assignment: int) -> HttpResponse:
    """One's own vote once more, to change it while the round is open."""
    batch = _batch(desk, pk)
    return _ballot(desk, batch, get_object_or_404(Assignment, batch=batch, user=desk.user, pk=assignment))


def _voted(desk: Desk, batch: Batch, assignment: Assignment) -> HttpResponse:
    data = _read(desk.request.POST, batch)
    if data["decision"] not in {"include", "exclude"}:
        return _ballot(desk, batch, assignment, data, _("Include it or exclude it."))
    if data["decision"] == "exclude" and not (data["reasons"] or data["note"]):
        return _ballot(desk, batch, assignment, data, _("Tick a reason against it, or write one."))
    try:
        visible, token = number(desk.request, "visible_ms"), token_of(desk.request.POST)
        with transaction.atomic():
            queue.submit(assignment, desk.user, data, key=token, visible_ms=visible)
            drafts.spend(desk.user, target_of(assignment), token, assignment.pk)
    except queue.Closed as closed:
        messages.error(desk.request, str(closed))
        return redirect("screen", desk.project.slug, batch.pk)
    if assignment.asset:
        screening.decide(batch, assignment.asset)
    desk.request.session["last-vote"] = assignment.pk
    return redirect("screen", desk.project.slug, batch.pk)


def _ballot(
    desk: Desk, batch: Batch, assignment: Assignment | None, data: dict[str, Any] | None = None, error: str = ""
) -> HttpResponse:
    mine = batch.assignments.filter(user=desk.user, state=Assignment.State.DONE)
    last = mine.filter(pk=desk.request.session.get("last-vote", 0)).first()
    draft = unsent(desk.user, assignment) if assignment and not data else None
    data = _read(draft.query, batch) if draft else data
    answer = data or (queue.answer_of(assignment) if assignment else None) or {}
    context = {
        "desk": desk,
        "batch": batch,
        "assignment": assignment,
        "asset": assignment.asset if assignment else None,
        "panel": quality.panel(assignment.asset) if assignment and assignment.asset else None,
        "answer": answer,
        "include_if": points_of(batch.policy["include_if"]),
        "exclude_if": points_of(batch.policy["exclude_if"]),
        "error": error,
        "done": mine.count(),
        "last": None if assignment == last else last,
        **(opened(desk, target_of(assignment), draft) if assignment else {}),
    }
    return render(desk.request, "studio/project/screen.html", context, status=422 if error else 200)


def _read(posted: QueryDict, batch: Batch) -> dict[str, Any]:
    """A vote as its form says it."""
    return {
        "decision": posted.get("decision"),
        "met": _ticked(posted.getlist("met"), batch.policy["include_if"]),
        "reasons": _ticked(posted.getlist("reasons"), batch.policy["exclude_if"]),
        "note": posted.get("note", "").strip(),
    }


def _ticked(codes: list[str], criteria: list[Any]) -> list[str]:
    """Those that are criteria of the round."""
    known = {point.code for point in points_of(criteria)}
    return [code for code in codes if code in known]


def _batch(desk: Desk, pk: int) -> Batch:
    return desk.own(Batch.objects.select_related("project").filter(kind=Batch.Kind.SCREEN), pk)
