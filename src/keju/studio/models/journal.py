"""The audit log. Rows are only ever added, by `keju.studio.journal`."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from keju.studio.models.projects import Project


class Event(models.Model):
    """Who did what, when; each row holds the digest of the one before it, so that none can be changed unseen."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    object = models.CharField(max_length=80)
    """`item:0001`, `asset:3f2a…`, `batch:7`."""
    data = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ("project", "seq")
        constraints = (models.UniqueConstraint(fields=("project", "seq"), name="event_seq_unique"),)

    def __str__(self) -> str:
        return f"{self.seq} {self.verb} {self.object}"
