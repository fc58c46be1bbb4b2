"""Founding a project, and its first page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from keju.studio.access import Desk, page, person
from keju.studio.founding import found
from keju.studio.models import Asset, Batch, Finding, Item, Project
from keju.studio.policy import Verb


class NewProject(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    class Meta:
        model = Project
        fields = ("title", "slug", "profile")
        help_texts = {  # noqa: RUF012 - as Django reads it
            "slug": gettext_lazy("Part of every address: small letters, digits and hyphens, such as “opera-2026”."),
            "profile": gettext_lazy("Gives vocabulary, review steps and thresholds to begin with; all can be changed."),
        }
        error_messages = {  # noqa: RUF012 - as Django reads it
            "slug": {"invalid": gettext_lazy("Only a to z, digits and hyphens; no spaces.")}
        }


@require_http_methods(["GET", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """The administrator founds a project and becomes its owner."""
    user = person(request)
    if not user.is_superuser:
        raise PermissionDenied(_("Only the administrator of this studio can begin a project."))
    form = NewProject(request.POST or None)
    if form.is_valid():
        told = form.cleaned_data
        return redirect("project", found(told["slug"], told["title"], told["profile"], user).slug)
    return render(request, "studio/project/new.html", {"form": form}, status=422 if form.errors else 200)


@require_GET
@page(Verb.SEE_PROJECT)
def overview(desk: Desk) -> HttpResponse:
    """Where the project stands, and what waits for this person."""
    project = desk.project
    rounds = Batch.objects.filter(project=project, kind=Batch.Kind.SCREEN, closed_at=None)
    context = {
        "desk": desk,
        "items": _counted(Item.objects.filter(project=project), Item.State),
        "assets": _counted(Asset.objects.filter(project=project), Asset.State),
        "findings": Finding.objects.filter(project=project, state=Finding.State.OPEN).count(),
        "people": project.memberships.count(),
        "roles": [role.label for role in desk.roles],
        "steps": _first_steps(desk),
        "screening": rounds if desk.may(Verb.SCREEN) else [],
        "may_manage": desk.may(Verb.MANAGE),
        "may_see_assets": desk.may(Verb.SEE_ASSETS),
    }
    return render(desk.request, "studio/project/overview.html", context)


def _counted(rows: Any, states: Any) -> list[tuple[str, str, int]]:
    """(value, label, rows) of each state in which there are rows."""
    counts = dict(rows.order_by().values_list("state").annotate(Count("pk")))
    return [(state.value, state.label, counts[state]) for state in states if counts.get(state)]


def _first_steps(desk: Desk) -> list[tuple[str, str, bool]]:
    """What an owner does first, in order: (name of the page, words, done)."""
    if not desk.may(Verb.MANAGE):
        return []
    project = desk.project
    steps = [
        ("settings", _("Look through settings and review steps"), project.history.count() > 1),
        ("members", _("Invite the people who write and review"), project.memberships.count() > 1),
        ("sources", _("Enter where pictures and clips come from, with consent"), project.sources.exists()),
        ("assets", _("Upload pictures and clips"), project.assets.exists()),
        ("import", _("Take in questions that there are already, as a table or a folder"), project.items.exists()),
        ("screening", _("Have candidates screened"), project.batches.filter(kind=Batch.Kind.SCREEN).exists()),
    ]
    return [] if all(done for _page, _words, done in steps) else steps
