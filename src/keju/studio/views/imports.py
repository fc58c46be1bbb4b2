"""Taking in benchmarks and runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju import formats
from keju.errors import KejuError
from keju.studio import importer, incoming, model_marks
from keju.studio.access import Desk, page
from keju.studio.intake import too_large
from keju.studio.journal import record
from keju.studio.models import ModelRun, Project, Source
from keju.studio.policy import Verb

SHOWN = 200  # troubles; whoever has more mends these first


class ImportForm(forms.Form):
    """A file, or something that lies on the server already."""

    what = forms.ChoiceField(
        label=gettext_lazy("What it is"),
        choices=(
            ("benchmark", gettext_lazy("A benchmark: questions with their pictures and clips")),
            ("runs", gettext_lazy("Runs: what models answered to the questions of this project")),
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
    )

    def __init__(self, project: Project, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, label_suffix="")
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
    """The form; what became of an import is shown at once, and in the log for ever."""
    form = ImportForm(desk.project, desk.request.POST or None, desk.request.FILES or None)
    context: dict[str, Any] = {"desk": desk, "form": form}
    if form.is_valid():
        try:
            context |= _taken(desk, form.cleaned_data)
        except KejuError as error:
            form.add_error(None, str(error))
    status = 422 if form.errors else 200
    return render(desk.request, "studio/import/import.html", context, status=status)


@require_GET
@page(Verb.MANAGE)
def models(desk: Desk) -> HttpResponse:
    """Runs taken in, and the items by what models made of them."""
    runs = ModelRun.objects.filter(project=desk.project).prefetch_related("marks")
    rows = [(run, len(run.marks.all()), sum(mark.correct for mark in run.marks.all())) for run in runs]
    found = model_marks.tried(desk.project)
    context = {
        "desk": desk,
        "runs": [(run, asked, right, right / asked * 100 if asked else 0) for run, asked, right in rows],
        "tried": found,
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
        run = get_object_or_404(ModelRun, project=desk.project, pk=pk)
        record(desk.project, desk.user, "forget", f"run:{run.model}"[:80], protocol=run.protocol)
        run.delete()
    messages.success(desk.request, _("Taken out."))
    return redirect("models", desk.project.slug)


def _taken(desk: Desk, told: dict[str, Any]) -> dict[str, Any]:
    with _place(told) as place:
        if told["what"] == "runs":
            found = model_marks.take_runs(desk.project, desk.user, Path(place))
            return {"runs": found.runs, "troubles": found.troubles[:SHOWN], "all_troubles": len(found.troubles)}
        report = importer.take(desk.project, desk.user, formats.load(place), told["source"])
    return {"report": report, "troubles": report.troubles[:SHOWN], "all_troubles": len(report.troubles)}


@contextmanager
def _place(told: dict[str, Any]) -> Iterator[str]:
    if told["file"]:
        with incoming.unpacked(told["file"]) as path:
            yield str(path)
    else:
        yield incoming.place_of(told["name"])
