"""Pictures and clips: uploading, the list, and the page of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio import quality, screening
from keju.studio.access import Desk, page
from keju.studio.form_labels import language_name
from keju.studio.intake import ACCEPTED, Refused, Taken, items_with, take_in
from keju.studio.journal import record
from keju.studio.models import Asset, Finding, Item, Project, Role, Source
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.posted import number
from keju.studio.uploading import ToDisk

_PAGE = 60  # cards of the list


@csrf_exempt  # checked by `_upload`: the token stands in the form, which is not read before it is known where to
@require_POST
def upload(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Take files in. A program gets JSON: the asset with `warnings`, or `error`; a form goes back to the list."""
    request.upload_handlers = [ToDisk(request)]  # to disk as it comes, never into memory
    return _upload(request, slug)


@csrf_protect
@page(Verb.UPLOAD)
def _upload(desk: Desk) -> HttpResponse:
    files = desk.request.FILES.getlist("file")
    source = Source.objects.filter(project=desk.project, pk=number(desk.request, "source")).first()
    wants_page = "text/html" in desk.request.headers.get("Accept", "")
    if len(files) == 1 and not wants_page:
        return _told(desk, files[0], source)
    if not wants_page:
        return JsonResponse({"error": _("Send one file at a time, in the field “file”.")}, status=400)
    for file in files:
        try:
            taken = take_in(desk.project, desk.user, _path(file), file.name or "", source=source)
            messages.success(desk.request, f"{file.name}: " + " ".join([_("kept."), *taken.warnings]))
        except Refused as refused:
            messages.error(desk.request, f"{file.name}: {refused}")
    return redirect("assets", desk.project.slug)


def _told(desk: Desk, file: Any, source: Source | None) -> JsonResponse:
    try:
        taken = take_in(desk.project, desk.user, _path(file), file.name or "", source=source)
    except Refused as refused:
        return JsonResponse({"error": str(refused)}, status=422)
    return JsonResponse(_as_json(desk.project, taken), status=201 if taken.new else 200)


def _path(file: Any) -> Path:
    if not isinstance(file, TemporaryUploadedFile):
        raise TypeError(f"uploads go to disk, not {type(file).__name__}")
    file.flush()
    return Path(file.temporary_file_path())


def _as_json(project: Project, taken: Taken) -> dict[str, Any]:
    asset = taken.asset
    return {
        "id": asset.pk,
        "sha256": asset.sha256,
        "url": reverse("media", args=[project.slug, asset.sha256]),
        "kind": asset.kind,
        "name": asset.name,
        "warnings": taken.warnings,
        "new": taken.new,
        "page": reverse("asset", args=[project.slug, asset.pk]),
    }


class Wanted(forms.Form):
    """What the list is narrowed to."""

    q = forms.CharField(label=gettext_lazy("File name"), required=False, max_length=200)
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"), required=False, choices=[("", gettext_lazy("all")), *Asset.Kind.choices]
    )
    state = forms.ChoiceField(
        label=gettext_lazy("State"), required=False, choices=[("", gettext_lazy("all")), *Asset.State.choices]
    )
    source = forms.ModelChoiceField(
        Source.objects.none(), label=gettext_lazy("Source"), required=False, empty_label=gettext_lazy("all")
    )
    findings = forms.BooleanField(label=gettext_lazy("with findings"), required=False)
    unused = forms.BooleanField(label=gettext_lazy("used by no item"), required=False)

    def __init__(self, project: Project, *args: Any) -> None:
        super().__init__(*args)
        self.fields["source"].queryset = Source.objects.filter(project=project)  # type: ignore[attr-defined]

    def narrowed(self, assets: QuerySet[Asset], *, by_name: bool) -> QuerySet[Asset]:
        told = self.cleaned_data if self.is_valid() else {}
        if told.get("q") and by_name:
            assets = assets.filter(name__icontains=told["q"])
        for name in ("kind", "state", "source"):
            if told.get(name):
                assets = assets.filter(**{name: told[name]})
        if told.get("findings"):
            assets = assets.filter(Exists(Finding.objects.filter(asset=OuterRef("pk"), state=Finding.State.OPEN)))
        if told.get("unused"):
            assets = assets.filter(items_seen=None, items_heard=None).exclude(Exists(_with_it_as_option()))
        return assets


def _with_it_as_option() -> QuerySet[Item]:
    """Items one of whose options is the picture of the outer query."""
    items = Item.objects.filter(project=OuterRef("project")).annotate(written=Cast("current__body", TextField()))
    return items.filter(written__contains=OuterRef("sha256"))


@require_GET
@page(Verb.SEE_ASSETS)
def assets(desk: Desk) -> HttpResponse:
    """Every picture and clip, newest first, with the place to upload more."""
    wanted = Wanted(desk.project, desk.request.GET)
    names = sees_names(desk)
    opened = Count("findings", filter=Q(findings__state=Finding.State.OPEN))
    every = Asset.objects.filter(project=desk.project).select_related("source").annotate(open_findings=opened)
    every = every.order_by("-uploaded_at", "-pk")
    context = {
        "desk": desk,
        "wanted": wanted,
        "chosen": paged(desk.request, wanted.narrowed(every, by_name=names), per_page=_PAGE),
        "names": names,
        "sources": Source.objects.filter(project=desk.project),
        "may_upload": desk.may(Verb.UPLOAD),
        "limit": settings.UPLOAD_LIMIT,
        "accept": ",".join(ACCEPTED),
    }
    return render(desk.request, "studio/assets/list.html", context)


def sees_names(desk: Desk) -> bool:
    """Whether this person sees original file names: a name may tell the answer."""
    return bool(desk.roles & {Role.OWNER, Role.AUTHOR}) and Role.ANNOTATOR not in desk.roles


class Details(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    """What people know of a picture or clip."""

    details = forms.CharField(
        label=gettext_lazy("Details, one a line, as “Role: Dan”"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Opera title, year, role, camera settings, …"),
    )

    class Meta:
        model = Asset
        fields = ("source", "derived_from", "derivation", "details")
        labels = {"source": gettext_lazy("Source"), "derived_from": gettext_lazy("Made from")}  # noqa: RUF012 - as Django reads it

    def __init__(self, project: Project, posted: Any, instance: Asset) -> None:
        super().__init__(posted, instance=instance)
        self.fields["source"].queryset = Source.objects.filter(project=project)  # type: ignore[attr-defined]
        others = Asset.objects.filter(project=project, kind=instance.kind).exclude(pk=instance.pk)
        self.fields["derived_from"].queryset = others  # type: ignore[attr-defined]
        self.fields["derived_from"].widget = forms.NumberInput()
        self.fields["derived_from"].help_text = _("Number of the picture or clip that this was made from.")
        self.fields["derivation"].help_text = _("Scanned and restored, cropped, cut from a recording, …")
        self.initial["details"] = "\n".join(f"{name}: {value}" for name, value in instance.details.items())
        if instance.kind == Asset.Kind.AUDIO:
            for tag in project.languages:
                self.fields[f"transcript_{tag}"] = forms.CharField(
                    label=_("Transcript (%(language)s)") % {"language": language_name(tag)},
                    required=False,
                    widget=forms.Textarea(attrs={"rows": 5, "lang": tag}),
                    initial=instance.transcript.get(tag, ""),
                )

    def clean_details(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in filter(None, map(str.strip, self.cleaned_data["details"].splitlines())):
            name, colon, value = line.replace("：", ":", 1).partition(":")
            if not colon or not name.strip():
                raise forms.ValidationError(_("“%(line)s” has no colon; write “Role: Dan”.") % {"line": line})
            found[name.strip()] = value.strip()
        return found

    def clean_derived_from(self) -> Asset | None:
        """Nothing is derived from itself, by however many steps."""
        origin: Asset | None = self.cleaned_data["derived_from"]
        step = origin
        while step is not None:
            if step.pk == self.instance.pk:
                raise forms.ValidationError(_("That one was itself made from this."))
            step = step.derived_from
        return origin

    def save(self, commit: bool = True) -> Asset:
        spoken = {n.removeprefix("transcript_"): t for n, t in self.cleaned_data.items() if n.startswith("transcript_")}
        if spoken:
            self.instance.transcript = {tag: text for tag, text in spoken.items() if text}
        asset: Asset = super().save(commit)
        return asset


@require_http_methods(["GET", "POST"])
@page(Verb.SEE_ASSETS)
def asset(desk: Desk, pk: int) -> HttpResponse:
    """One picture or clip: how it looks, where it is from, what the checks say, which items use it."""
    shown = desk.own(Asset.objects.select_related("source", "uploaded_by__profile"), pk)
    desk.must(Verb.SEE_ASSETS, shown)
    form = Details(desk.project, desk.request.POST or None, instance=shown)
    if desk.request.method == "POST":
        desk.must(Verb.UPLOAD)
        if form.is_valid():
            with transaction.atomic():
                form.save()
                record(desk.project, desk.user, "describe", f"asset:{shown.sha256[:16]}", fields=form.changed_data)
            messages.success(desk.request, _("Saved."))
            return redirect("asset", desk.project.slug, pk)
    context = {
        "desk": desk,
        "asset": shown,
        "form": form,
        "names": sees_names(desk) or shown.uploaded_by_id == desk.user.pk,
        "panel": quality.panel(shown),
        "items": items_with(shown),
        "may_upload": desk.may(Verb.UPLOAD),
        "may_manage": desk.may(Verb.MANAGE),
        "reasons": screening.reasons_against(shown),
    }
    return render(desk.request, "studio/assets/one.html", context, status=422 if form.errors else 200)


@require_POST
@page(Verb.MANAGE)
def choose(desk: Desk, pk: int) -> HttpResponse:
    """The owner's own word on a picture or clip, over any screening."""
    shown = desk.own(Asset, pk)
    state = desk.request.POST.get("state", "")
    if state in Asset.State.values and state != shown.state:
        with transaction.atomic():
            before, shown.state = shown.state, state
            shown.save(update_fields=("state",))
            record(desk.project, desk.user, "choose", f"asset:{shown.sha256[:16]}", **{"from": before, "to": state})
        messages.success(desk.request, _("Saved."))
    return redirect("asset", desk.project.slug, pk)


@require_POST
@page(Verb.MANAGE)
def waive(desk: Desk, pk: int, finding: int) -> HttpResponse:
    """Let a finding stand, with the reason on record."""
    found = get_object_or_404(Finding, project=desk.project, asset_id=pk, pk=finding, state=Finding.State.OPEN)
    reason = desk.request.POST.get("reason", "").strip()[:300]
    if not reason:
        messages.error(desk.request, _("Say why this may stay as it is."))
    else:
        with transaction.atomic():
            found.state, found.reason, found.closed_by = Finding.State.WAIVED, reason, desk.user
            found.save(update_fields=("state", "reason", "closed_by"))
            record(desk.project, desk.user, "waive", f"finding:{found.rule}", asset=pk, reason=reason)
    return redirect("asset", desk.project.slug, pk)
