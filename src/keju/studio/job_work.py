"""What each kind of job does: given its row, the folder of its upload and whom to tell how far it is, it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from keju import formats
from keju.studio import importer, incoming, model_marks, release_builder
from keju.studio.failures import uploaded
from keju.studio.intake import Refused
from keju.studio.models import Job, Release, Source
from keju.studio.troubles import Trouble
from keju.studio.wording import texts_now
from keju.studio.workflow import NotAllowed

Tell = Callable[[int, int], None]
"""Called between two steps, with how much is done, and of how much; 0 where that is not known. Raises where the job is
to stop."""

SHOWN = 200  # troubles; whoever has more mends these first


def _import_benchmark(job: Job, folder: Path, tell: Tell) -> dict[str, Any]:
    source = Source.objects.filter(project=job.project, pk=job.told.get("source")).first()
    with _place(job, folder) as place:
        made = importer.take(job.project, job.started_by, formats.load(place), source, tell)
    told = {**made.counts, "media": made.media, "terms": made.terms, "languages": made.languages, "fields": made.fields}
    return told | _troubles(made.troubles)


def _import_runs(job: Job, folder: Path, tell: Tell) -> dict[str, Any]:
    with _place(job, folder) as place:
        made = model_marks.take_runs(job.project, job.started_by, Path(place), tell)
    runs = [{"model": run.model, "protocol": run.protocol, "items": run.marks.count()} for run in made.runs]
    return {"runs": runs} | _troubles(made.troubles)


def _build_release(job: Job, _folder: Path, tell: Tell) -> dict[str, Any]:
    release = Release.objects.select_related("project").filter(pk=job.told["release"]).first()
    if release is None:
        raise NotAllowed(_("This release was thrown away in the meantime."))
    if release_builder.build(release, job.started_by, tell):
        raise NotAllowed(_("Something stands in the way; it is listed on this page."))
    return {}


WORK: Mapping[Job.Kind, Callable[[Job, Path, Tell], dict[str, Any]]] = {
    Job.Kind.BENCHMARK: _import_benchmark,
    Job.Kind.RUNS: _import_runs,
    Job.Kind.RELEASE: _build_release,
}


@contextmanager
def _place(job: Job, folder: Path) -> Iterator[str]:
    """Where what is imported lies. Raises `Refused`."""
    if not (name := job.told.get("file")):
        place = incoming.place_of(str(job.told["name"]))
        with uploaded(Path(place), job.name):
            yield place
        return
    file = folder / name
    if not file.is_file():
        raise Refused(_("What was uploaded is not here any more; upload it again."))
    with incoming.unpacked(file) as path, uploaded(path, job.name):
        yield str(path)


def _troubles(troubles: Sequence[Trouble]) -> dict[str, Any]:
    shown = [{"item": each.item, "message": texts_now(each.message)} for each in troubles[:SHOWN]]
    return {"trouble_list": shown, "troubles": len(troubles)}
