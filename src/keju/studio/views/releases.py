"""Preparing, building, looking at and letting out releases."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from keju.release.paths import files_in
from keju.splits import WEIGHTS
from keju.studio import jobs
from keju.studio import release_builder as builder
from keju.studio.access import Desk, page
from keju.studio.journal import record
from keju.studio.models import Item, Job, Release
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.ranges import ranged
from keju.studio.release_form import ReleaseForm, begun
from keju.studio.workflow import NotAllowed

SHOWN = 50  # obstacles; whoever has more mends these first


@require_GET
@page(Verb.MANAGE)
def releases(desk: Desk) -> HttpResponse:
    made = Release.objects.filter(project=desk.project).select_related("built_by")
    waiting = desk.project.items.filter(state=Item.State.ACCEPTED, reserve=False).count()
    context = {"desk": desk, "releases": made, "ready": len(builder.chosen(desk.project)), "waiting": waiting}
    return render(desk.request, "studio/release/list.html", context)


@require_POST
@page(Verb.MANAGE)
def prepare(desk: Desk) -> HttpResponse:
    """Begin a release; where one is being prepared already, go on with that."""
    open_one = desk.project.releases.exclude(state=Release.State.FROZEN).first()
    if open_one is None:
        config = {**begun(desk.project), "version": builder.next_version(desk.project)}
        values = {"config": config, "built_by": desk.user}
        try:
            with transaction.atomic():
                made = Release.objects.create(project=desk.project, version=config["version"], **values)
                record(desk.project, desk.user, "prepare", f"release:{made.version}")
        except IntegrityError:  # begun in another tab at the same moment
            made = Release.objects.get(project=desk.project, version=config["version"])
        open_one = made
    return redirect("release", desk.project.slug, open_one.pk)


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def release(desk: Desk, pk: int) -> HttpResponse:
    """The form of a release that is being prepared, or what went out."""
    found = _found(desk, pk)
    if found.state == Release.State.FROZEN:
        return _frozen(desk, found)
    building = desk.request.POST.get("then") == "build"
    form = ReleaseForm(found, desk.request.POST or None, whole=building)
    if desk.request.method != "POST":
        return _shown(desk, found, form)
    if not form.is_valid():
        return _shown(desk, found, form, status=422)
    if not _save(found, form):
        messages.error(desk.request, _("This release went out in the meantime."))
        return redirect("release", desk.project.slug, pk)
    if building:
        _build(desk, found)
    else:
        messages.success(desk.request, _("Saved."))
    return redirect("release", desk.project.slug, pk)


@require_POST
@page(Verb.MANAGE)
def freeze(desk: Desk, pk: int) -> HttpResponse:
    found = _found(desk, pk)
    try:
        builder.freeze(found, desk.user)
        messages.success(desk.request, _("Release %(version)s is out.") % {"version": found.version})
    except NotAllowed as refused:
        messages.error(desk.request, str(refused))
    return redirect("release", desk.project.slug, pk)


@require_POST
@page(Verb.MANAGE)
def discard(desk: Desk, pk: int) -> HttpResponse:
    try:
        builder.discard(_found(desk, pk), desk.user)
        messages.success(desk.request, _("Thrown away. The items are as they were."))
    except NotAllowed as refused:
        messages.error(desk.request, str(refused))
    return redirect("releases", desk.project.slug)


@require_safe
@page(Verb.MANAGE)
def download(desk: Desk, pk: int) -> HttpResponseBase:
    """The release as a zip."""
    found = _found(desk, pk)
    file = builder.folder_of(found) / "release.zip"
    if not file.is_file():
        raise Http404
    response = ranged(desk.request, file, "application/zip")
    response["Content-Disposition"] = f'attachment; filename="{desk.project.slug}-{found.version}.zip"'
    response["Cache-Control"] = "no-store"
    return response


@require_safe
@page(Verb.MANAGE)
def keys(desk: Desk, pk: int) -> HttpResponse:
    """The withheld keys and their salt: to owners alone, and each time is in the log."""
    found = _found(desk, pk)
    file = builder.folder_of(found) / builder.KEYS
    if not file.is_file():
        raise Http404
    record(desk.project, desk.user, "take keys", f"release:{found.version}")
    response = HttpResponse(file.read_bytes(), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{desk.project.slug}-{found.version}.keys.json"'
    response["Cache-Control"] = "no-store"
    return response


def _found(desk: Desk, pk: int) -> Release:
    return desk.own(Release.objects.select_related("project"), pk)


@transaction.atomic
def _save(found: Release, form: ReleaseForm) -> bool:
    """Keep the form; what was built from another one no longer stands. False where the release is out."""
    row = Release.objects.select_for_update().get(pk=found.pk)
    if row.state == Release.State.FROZEN:
        return False
    config = form.config
    if config != row.config:
        row.state, row.report = Release.State.PREPARED, {}
    row.config, row.version = config, config["version"]
    row.save(update_fields=("config", "version", "state", "report"))
    found.refresh_from_db()
    return True


def _build(desk: Desk, found: Release) -> None:
    """Begin to build; how far it is and what became of it is shown on the release's page."""
    if builder.obstacles(found, builder.chosen(desk.project)):
        messages.error(desk.request, _("Something stands in the way; it is listed below."))
        return
    try:
        told: dict[str, Any] = {"release": found.pk, "name": found.version}
        jobs.start(desk.project, desk.user, Job.Kind.RELEASE, _subject(found), **told)
    except jobs.Busy as busy:
        messages.error(desk.request, str(busy))


def _subject(found: Release) -> str:
    return f"release:{found.pk}"


def _shown(desk: Desk, found: Release, form: ReleaseForm, *, status: int = 200) -> HttpResponse:
    pairs = builder.chosen(desk.project)
    blocked = builder.obstacles(found, pairs)
    context = {
        "desk": desk,
        "release": found,
        "form": form,
        "items": len(pairs),
        "obstacles": blocked[:SHOWN],
        "obstacle_count": len(blocked),
        "found": found.report.get("obstacles", [])[:SHOWN],
        "warnings": builder.warnings(found),
        "job": jobs.last_of(desk.project, _subject(found)),
        **_built(found),
    }
    return render(desk.request, "studio/release/prepare.html", context, status=status)


def _frozen(desk: Desk, found: Release) -> HttpResponse:
    pins = found.items.select_related("item", "revision").order_by("item__code")
    context = {"desk": desk, "release": found, "pins": paged(desk.request, pins), **_built(found)}
    return render(desk.request, "studio/release/out.html", context)


def _built(found: Release) -> dict[str, Any]:
    """Files and splits of what was built."""
    if found.state == Release.State.PREPARED:
        return {}
    folder = builder.folder_of(found) / "release"
    counts = Counter(found.items.values_list("split", flat=True))
    top = [name for name in files_in(folder) if not name.startswith(("media/", "legacy/"))] if folder.is_dir() else []
    return {"files": top, "splits": {name: counts[name] for name in WEIGHTS if counts[name]}}
