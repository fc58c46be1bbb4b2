"""Pictures and clips, where they come from, and the right to publish them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from keju.studio.models.projects import Project


class Source(models.Model):
    """Where assets come from: a performance photographed, an archive, an exam volume."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="sources")
    stream = models.CharField(_("stream"), max_length=60, blank=True)
    """`field photography`, `digitised archive`, … (paper 000 "Image Collection")."""
    title = models.CharField(_("title"), max_length=200)
    place = models.CharField(_("place"), max_length=200, blank=True)
    date = models.CharField(_("date"), max_length=40, blank=True)
    rights_holder = models.CharField(_("rights holder"), max_length=200, blank=True)
    licence = models.CharField(_("licence (SPDX)"), max_length=60, blank=True)
    consent_file = models.CharField(_("consent on file"), max_length=64, blank=True)
    """sha256 of the signed consent in the store; never served to anyone but owners."""
    notes = models.TextField(_("notes"), blank=True)
    history = HistoricalRecords()

    class Meta:
        ordering = ("title",)

    def __str__(self) -> str:
        return self.title


class Asset(models.Model):
    """One picture or clip, kept by the digest of its bytes."""

    class Kind(models.TextChoices):
        IMAGE = "image", _("picture")
        AUDIO = "audio", _("clip")

    class State(models.TextChoices):
        CANDIDATE = "candidate", _("candidate")
        SELECTED = "selected", _("selected")
        REJECTED = "rejected", _("rejected")

    project = models.ForeignKey(Project, models.CASCADE, related_name="assets")
    sha256 = models.CharField(max_length=64)
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    mime = models.CharField(max_length=40)
    """By content, never by what the browser said."""
    size = models.PositiveBigIntegerField(_("size in bytes"))
    name = models.CharField(_("original file name"), max_length=200)
    """Shown to authors and owners only: a name may tell the answer."""
    measured = models.JSONField(default=dict)
    """Facts of `keju.checks.pictures` or `keju.checks.clips`: width, height, dpi; duration_s, bit_rate, …"""
    dhash = models.CharField(max_length=16, blank=True)
    transcript = models.JSONField(_("transcript"), default=dict, blank=True)
    """Language tag → text, of a clip."""
    details = models.JSONField(_("details"), default=dict, blank=True)
    """Opera title, year, role, camera settings, …: free fields of the project."""
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="assets")
    derived_from = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="derived")
    derivation = models.CharField(_("how it was derived"), max_length=200, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.CANDIDATE)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="uploads")
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-uploaded_at", "pk")
        constraints = (models.UniqueConstraint(fields=("project", "sha256"), name="asset_unique"),)

    def __str__(self) -> str:
        return self.name
