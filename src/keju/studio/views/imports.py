"""Taking in benchmarks and runs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.studio import incoming, jobs, model_marks
from keju.studio.access import Desk, page
from keju.studio.intake import too_large
from keju.studio.journal import record
from keju.studio.models import Job, ModelRun, Project, Source
from keju.studio.paging import paged
from keju.studio.policy import Verb

SUBJECT = "import"
"""One import at a time works on a project."""


class ImportForm(forms.Form):
    """A file, or something that lies on the server already."""

    what = forms.ChoiceField(
        label=gettext_lazy("What it is"),
        choices=(
            (Job.Kind.BENCHMARK, gettext_lazy("A benchmark: questions with their pictures and clips")),
            (Job.Kind.RUNS, gettext_lazy("Runs: what models answered to the questions of this project")),
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        help_text=gettext_lazy("A zip of the folder, or one file: XLSX, CSV, JSON, JSONL, Parquet."),
    )
    name = forms.ChoiceField(label=gettext_lazy("Or from the server’s folder for imports"), required=False)
    source = forms.ModelChoiceField(
        Source.objects.none(),
        label=gettext_lazy("Source of the pictures and clips"),
        required=False,
        empty_label=gettext_lazy("choose later"),
        help_text=gettext_lazy("Those that are here already and have none get it, too."),
    )

    def __init__(self, project: Project, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files)
        fields: dict[str, Any] = self.fields
        fields["source"].queryset = project.sources.all()
        fields["name"].choices = [("", "–"), *((name, name) for name in incoming.offered())]

    def clean_file(self) -> UploadedFile[Any] | None:
        file: UploadedFile[Any] | None = self.cleaned_data["file"]
        if file and (file.size or 0) > settings.UPLOAD_LIMIT:
            raise forms.ValidationError(too_large())
        return file

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if bool(values.get("file")) == bool(values.get("name")) and not self.errors:
            raise forms.ValidationError(_("Choose a file, or something from the folder: one of the two."))
        return values


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def imports(desk: Desk) -> HttpResponse:
    """The form, and what became of the last import; the log has all."""
    form = ImportForm(desk.project, desk.request.POST or None, desk.request.FILES or None)
    if form.is_valid() and _begun(desk, form):
        return redirect("import", desk.project.slug)
    context = {"desk": desk, "form": form, "job": jobs.last_of(desk.project, SUBJECT), "limit": settings.UPLOAD_LIMIT}
    status = 422 if form.errors else 200
    return render(desk.request, "studio/import/import.html", context, status=status)


@require_GET
@page(Verb.MANAGE)
def models(desk: Desk) -> HttpResponse:
    """Runs taken in, and the items by what models made of them."""
    counted = ModelRun.objects.filter(project=desk.project).annotate(
        asked=Count("marks"), right=Count("marks", filter=Q(marks__correct=True))
    )
    runs = counted.order_by("model", "protocol").values("pk", "model", "protocol", "asked", "right")
    found = model_marks.tried(desk.project)
    shown = paged(desk.request, found)
    keys = model_marks.keys_of(one.pk for one in shown)
    context = {
        "desk": desk,
        "runs": [(run, run["right"] / run["asked"] * 100 if run["asked"] else 0) for run in runs],
        "shown": shown,
        "tried": [(one, keys.get(one.pk, "")) for one in shown],
        "impossible": sum(one.impossible for one in found),
        "doubtful": sum(one.doubtful for one in found),
        "enough": model_marks.ENOUGH,
    }
    return render(desk.request, "studio/import/models.html", context)


@require_POST
@page(Verb.MANAGE)
def forget(desk: Desk, pk: int) -> HttpResponse:
    """Take a run out again."""
    with transaction.atomic():
        run = desk.own(ModelRun, pk)
        record(desk.project, desk.user, "forget", f"run:{run.model}"[:80], protocol=run.protocol)
        run.delete()
    messages.success(desk.request, _("Taken out."))
    return redirect("models", desk.project.slug)


def _begun(desk: Desk, form: ImportForm) -> bool:
    """Begin what the form asks for; where that cannot be, say so beside it."""
    told = form.cleaned_data
    source = told["source"].pk if told["source"] else None
    try:
        jobs.start(
            desk.project, desk.user, told["what"], SUBJECT, upload=told["file"], name=told["name"], source=source
        )
    except jobs.Busy as busy:
        form.add_error(None, str(busy))
        return False
    return True
