"""Work that takes longer than a page may: imports, and the building of a release."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from keju.studio.models.projects import Project

SILENT = timedelta(seconds=30)
"""A job that gave no sign of life for so long is dead: its process gives one every few seconds."""


class Job(models.Model):
    """One such work; of each subject the last is kept, and the log has all."""

    class Kind(models.TextChoices):
        BENCHMARK = "benchmark", _("import of a benchmark")
        RUNS = "runs", _("import of runs")
        RELEASE = "release", _("building of a release")

    class State(models.TextChoices):
        RUNNING = "running", _("under way")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        INTERRUPTED = "interrupted", _("interrupted")
        CANCELLED = "cancelled", _("cancelled")

    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    subject = models.CharField(max_length=40)
    """What it works on, which no other may work on meanwhile: `import`, `release:12`."""
    told = models.JSONField(default=dict)
    """What it was told to do: names of files, primary keys."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.RUNNING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """0 while it is not known."""
    report = models.JSONField(default=dict)
    """What became of it, for its page; of one that failed `{"failed": {language: why}}`, or empty: our fault."""
    language = models.CharField(max_length=20)
    """The language of whoever started it, of what in its report is in no other."""
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    cancelled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    """Who asked for it to stop, which it does at its next step."""
    started_at = models.DateTimeField(auto_now_add=True)
    token = models.CharField(max_length=32)
    """Of the thread that works on it: one that was taken for dead and still lives has another."""
    alive_at = models.DateTimeField(default=timezone.now)
    """The last sign of life of its process."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-started_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("project", "subject"), condition=models.Q(state="running"), name="job_running_unique"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject} in {self.project}"

    @property
    def name(self) -> str:
        """What it works on, as people call it: a file, a release's version."""
        return str(self.told.get("file") or self.told.get("name") or "")

    @property
    def is_dead(self) -> bool:
        """Whether it says that it is under way, and its process is gone."""
        return self.state == self.State.RUNNING and timezone.now() - self.alive_at > SILENT
