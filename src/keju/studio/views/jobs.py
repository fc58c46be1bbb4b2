"""How far a job is; stopping it; starting one again that was interrupted; forgetting it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from keju.studio import jobs
from keju.studio.access import Desk, page
from keju.studio.models import Job
from keju.studio.policy import Verb


@require_safe
@page(Verb.CANCEL)
def job(desk: Desk, pk: int) -> HttpResponse:
    """A part of a page, asked for while the job is under way; when it is not any more, the page is loaded anew."""
    found = _found(desk, pk)
    desk.must(Verb.CANCEL, found)
    found = jobs.looked_at(found)
    response = render(desk.request, "studio/job.html", {"desk": desk, "job": found})
    if found.state != Job.State.RUNNING:
        response["HX-Refresh"] = "true"
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@page(Verb.CANCEL)
def cancel(desk: Desk, pk: int) -> HttpResponse:
    found = _found(desk, pk)
    desk.must(Verb.CANCEL, found)
    if not jobs.cancel(jobs.looked_at(found), desk.user):
        messages.warning(desk.request, _("This is over already."))
    return _back(desk, found)


@require_POST
@page(Verb.MANAGE)
def again(desk: Desk, pk: int) -> HttpResponse:
    found = _found(desk, pk)
    try:
        jobs.again(found, desk.user)
    except jobs.Busy as busy:
        messages.error(desk.request, str(busy))
    return _back(desk, found)


@require_POST
@page(Verb.MANAGE)
def dismiss(desk: Desk, pk: int) -> HttpResponse:
    found = jobs.looked_at(_found(desk, pk))
    jobs.dismiss(found)
    return _back(desk, found)


def _found(desk: Desk, pk: int) -> Job:
    return desk.own(Job.objects.select_related("project", "started_by", "cancelled_by"), pk)


def _back(desk: Desk, found: Job) -> HttpResponse:
    if not desk.may(Verb.MANAGE):
        return redirect("project", desk.project.slug)
    if found.kind == Job.Kind.RELEASE:
        return redirect("release", desk.project.slug, found.told["release"])
    return redirect("import", desk.project.slug)
