"""Where pictures and clips come from, under what licence, and the consent of those who are seen and heard."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from keju.media_types import HEAD, mime_of, suffix_of
from keju.release.licences import LICENCES, OWN, spelled
from keju.studio.access import Desk, page
from keju.studio.journal import record
from keju.studio.models import Source
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.ranges import ranged
from keju.studio.store import keep, place

_CONSENT_LIMIT = 20 * 2**20  # bytes: a scan of some pages


class SourceForm(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    consent = forms.FileField(
        label=gettext_lazy("Signed consent (PDF, PNG or JPEG)"),
        required=False,
        help_text=gettext_lazy("Kept under lock: only owners of the project can open it, and no release holds it."),
    )

    class Meta:
        model = Source
        fields = ("title", "stream", "place", "date", "rights_holder", "licence", "consent", "notes")
        help_texts = {  # noqa: RUF012 - as Django reads it
            "stream": gettext_lazy("Such as field photography, digitised archive, exam booklet."),
            "licence": gettext_lazy("SPDX name such as CC-BY-4.0; “own” for work of the team itself."),
        }
        widgets = {  # noqa: RUF012
            "licence": forms.TextInput(attrs={"list": "licences"}),
            "notes": forms.Textarea(attrs={"rows": 3}),
        }

    def clean_licence(self) -> str:
        licence = spelled(self.cleaned_data["licence"])
        if licence and licence != OWN and licence not in LICENCES:
            raise forms.ValidationError(
                _("“%(licence)s” is not known; choose one of the list, or leave it empty until it is clear.")
                % {"licence": licence}
            )
        return licence

    def clean_consent(self) -> UploadedFile[Any] | None:
        file: UploadedFile[Any] | None = self.cleaned_data["consent"]
        if file and (file.size or 0) > _CONSENT_LIMIT:
            raise forms.ValidationError(_("The consent file is larger than 20 MB; scan it in grey or smaller."))
        if file and not _consent_type(file.read(HEAD)):
            raise forms.ValidationError(_("The consent must be a PDF, PNG or JPEG."))
        return file

    def save(self, commit: bool = True) -> Source:
        if file := self.cleaned_data["consent"]:
            self.instance.consent_file = keep(file.chunks())[0]
        source: Source = super().save(commit)
        return source


def _consent_type(head: bytes) -> str | None:
    """MIME type of a consent file, None for others."""
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    mime = mime_of(head)
    return mime if mime in ("image/png", "image/jpeg") else None


@require_GET
@page(Verb.SEE_ASSETS)
def sources(desk: Desk) -> HttpResponse:
    found = Source.objects.filter(project=desk.project).annotate(used=Count("assets")).order_by("title", "pk")
    context = {"desk": desk, "sources": paged(desk.request, found), "may_write": desk.may(Verb.UPLOAD)}
    return render(desk.request, "studio/project/sources.html", context)


@require_http_methods(["GET", "POST"])
@page(Verb.UPLOAD)
def new(desk: Desk) -> HttpResponse:
    return _edited(desk, Source(project=desk.project))


@require_http_methods(["GET", "POST"])
@page(Verb.UPLOAD)
def source(desk: Desk, pk: int) -> HttpResponse:
    return _edited(desk, desk.own(Source, pk))


def _edited(desk: Desk, source: Source) -> HttpResponse:
    form = SourceForm(desk.request.POST or None, desk.request.FILES or None, instance=source)
    if desk.request.method == "POST" and form.is_valid():
        with transaction.atomic():
            saved = form.save()
            record(desk.project, desk.user, "source", f"source:{saved.pk}", fields=form.changed_data)
        messages.success(desk.request, _("Saved."))
        return redirect("sources", desk.project.slug)
    context: dict[str, Any] = {
        "desk": desk,
        "source": source,
        "form": form,
        "licences": [OWN, *LICENCES],
        "may_open_consent": desk.may(Verb.MANAGE),
        "history": source.history.select_related("history_user").order_by("-history_date")[:20] if source.pk else [],
    }
    return render(desk.request, "studio/project/source.html", context, status=422 if form.errors else 200)


@require_safe
@page(Verb.MANAGE)
def consent(desk: Desk, pk: int) -> HttpResponseBase:
    """The signed consent, for owners, as a download; who opened it is on record."""
    found = desk.own(Source, pk)
    file = place(found.consent_file) if found.consent_file else None
    if file is None or not file.is_file():
        raise Http404
    with file.open("rb") as opened:
        mime = _consent_type(opened.read(HEAD)) or "application/octet-stream"
    record(desk.project, desk.user, "consent", f"source:{pk}")
    response = ranged(desk.request, file, mime)
    suffix = ".pdf" if mime == "application/pdf" else suffix_of(mime)
    response["Content-Disposition"] = f'attachment; filename="consent-{pk}{suffix}"'
    response["Content-Security-Policy"] = "sandbox"
    response["Cache-Control"] = "no-store"
    return response
