"""Running jobs: each in a thread of this process, told of by a row that every page can read.

A job's process gives signs of life. Where they stop, because the process ended, the job is interrupted and can be
started again; its upload is kept until then. A job that is cancelled stops between two steps, each of which is done
whole. What a job does is in `keju.studio.job_work`.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, connection, connections, transaction
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from keju.errors import KejuError
from keju.studio import failures
from keju.studio.incoming import kept
from keju.studio.intake import Refused
from keju.studio.job_work import WORK
from keju.studio.journal import record
from keju.studio.models import Job, Project
from keju.studio.wording import texts_now, texts_of
from keju.studio.workflow import NotAllowed

SIGN = 5.0  # seconds between two signs of life
_TOLD = 0.5  # seconds between two notes of how far it is


class Busy(Exception):
    """The same is under way already; the text says so."""


class _Gone(Exception):
    """The row is no longer this thread's: the job was taken for dead."""


class _Cancelled(Exception):
    """Someone asked for the job to stop."""


def start(
    project: Project,
    user: User,
    kind: Job.Kind,
    subject: str,
    *,
    upload: UploadedFile[bytes] | None = None,
    **told: Any,
) -> Job:
    """Start a job on a subject. `upload` is kept for it as `told["file"]`. Raises `Busy` where one is under way."""
    _bury(project.jobs.filter(subject=subject))
    try:
        with transaction.atomic():
            job = Job.objects.create(project=project, kind=kind, subject=subject, told=told, **_beginning(user))
    except IntegrityError:
        raise Busy(_("This is under way already.")) from None
    _forget(project.jobs.filter(subject=subject).exclude(pk=job.pk))
    if upload is not None:
        try:
            job.told = {**told, "file": kept(upload, folder_of(job)).name}
        except BaseException:
            job.delete()
            raise
        job.save(update_fields=("told",))
    _go(job)
    return job


def again(job: Job, user: User) -> Job:
    """Start an interrupted or failed job again. Raises `Busy` where it, or another on its subject, is under way."""
    _bury([job])
    anew = {"state": Job.State.RUNNING, "done": 0, "total": 0, "report": {}, "ended_at": None, "cancelled_by": None}
    ended = Job.objects.filter(pk=job.pk, state__in=(Job.State.INTERRUPTED, Job.State.FAILED))
    try:
        with transaction.atomic():
            begun = ended.update(started_at=timezone.now(), **anew, **_beginning(user))
    except IntegrityError:
        begun = 0
    if not begun:
        raise Busy(_("This is under way already."))
    job.refresh_from_db()
    _go(job)
    return job


def cancel(job: Job, user: User) -> bool:
    """Ask a job to stop at its next step; False where it is not under way any more."""
    under_way = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING)
    return bool(under_way.filter(cancelled_by=None).update(cancelled_by=user)) or under_way.exists()


def last_of(project: Project, subject: str) -> Job | None:
    """The last job on a subject; one whose process is gone is interrupted."""
    job = project.jobs.filter(subject=subject).select_related("project", "started_by", "cancelled_by").first()
    return looked_at(job) if job else None


def looked_at(job: Job) -> Job:
    """The job as it is: interrupted where its process is gone."""
    if job.is_dead:
        _bury([job])
        job.refresh_from_db()
    return job


def dismiss(job: Job) -> None:
    """Forget a job that is not under way, and what was uploaded for it."""
    _forget(Job.objects.filter(pk=job.pk))


def all_interrupted() -> None:
    """To be called when the only process of a studio starts: whatever was under way has ended with the one before."""
    if connection.vendor == "sqlite":
        Job.objects.filter(state=Job.State.RUNNING).update(state=Job.State.INTERRUPTED, ended_at=timezone.now())


def folder_of(job: Job) -> Path:
    """Where the upload of a job waits."""
    return Path(settings.JOB_FOLDER) / str(job.pk)


def _beginning(user: User) -> dict[str, Any]:
    """What is told of a run of a job as it begins."""
    language = translation.get_language() or settings.LANGUAGE_CODE
    return {"started_by": user, "language": language, "token": secrets.token_hex(16), "alive_at": timezone.now()}


def _go(job: Job) -> None:
    if settings.JOB_THREADS:
        threading.Thread(target=_in_thread, args=(job,), name=f"job {job.pk}", daemon=True).start()
    else:
        _run(job)


def _in_thread(job: Job) -> None:
    try:
        with _signs_of_life(job):
            _run(job)
    finally:
        connections.close_all()


def _run(job: Job) -> None:
    """Do the work and write down what became of it. A fault of ours is written down too, and then raised."""
    ended: dict[str, Any] = {"state": Job.State.FAILED, "report": {}}
    with translation.override(job.language):
        try:
            ended = {"state": Job.State.DONE, "report": WORK[Job.Kind(job.kind)](job, folder_of(job), _Progress(job))}
        except KejuError as failed:
            ended["report"] = {"failed": texts_of(failures.told(failed))}
        except (Refused, NotAllowed) as refused:
            ended["report"] = {"failed": texts_now(str(refused))}
        except _Cancelled:
            ended["state"] = Job.State.CANCELLED
        except _Gone:
            return
        finally:
            if _end(job, ended):
                shutil.rmtree(folder_of(job), ignore_errors=True)


@transaction.atomic
def _end(job: Job, ended: dict[str, Any]) -> bool:
    """Write down what became of it; False where the row is no longer this thread's."""
    if not _mine(job).update(ended_at=timezone.now(), **ended):
        return False
    if ended["state"] == Job.State.CANCELLED:
        job.refresh_from_db()
        record(job.project, job.cancelled_by, "cancel", f"{job.kind}:{job.name}"[:80])
    return True


class _Progress:
    """Called with (done, total): noted in the row, not oftener than one can read. Raises `_Gone` or `_Cancelled`."""

    def __init__(self, job: Job) -> None:
        self._job, self._noted = job, 0.0

    def __call__(self, done: int, total: int) -> None:
        if monotonic() - self._noted < _TOLD and done < total:
            return
        self._noted = monotonic()
        mine = _mine(self._job)
        if not mine.update(done=done, total=total, alive_at=timezone.now()):
            raise _Gone
        if mine.exclude(cancelled_by=None).exists():
            raise _Cancelled


@contextmanager
def _signs_of_life(job: Job) -> Iterator[None]:
    over = threading.Event()

    def sign() -> None:
        try:
            while not over.wait(SIGN):
                _mine(job).update(alive_at=timezone.now())
        finally:
            connections.close_all()

    beating = threading.Thread(target=sign, name=f"signs of job {job.pk}", daemon=True)
    beating.start()
    try:
        yield
    finally:
        over.set()
        beating.join()


def _mine(job: Job) -> QuerySet[Job]:
    """The row, while it is this thread's."""
    return Job.objects.filter(pk=job.pk, token=job.token, state=Job.State.RUNNING)


def _bury(jobs: Iterable[Job]) -> None:
    for job in jobs:
        if job.is_dead:
            same = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, alive_at=job.alive_at)
            same.update(state=Job.State.INTERRUPTED, ended_at=timezone.now())


def _forget(jobs: QuerySet[Job]) -> None:
    for job in jobs.exclude(state=Job.State.RUNNING):
        shutil.rmtree(folder_of(job), ignore_errors=True)
        job.delete()
