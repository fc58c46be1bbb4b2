"""Releases: which revision of which item went out, in which split."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from keju.studio.models.items import MOST_SPLIT, Item, Revision
from keju.studio.models.projects import Project


class Release(models.Model):
    class State(models.TextChoices):
        PREPARED = "prepared", _("being prepared")
        BUILT = "built", _("built")
        FROZEN = "frozen", _("released")

    project = models.ForeignKey(Project, models.CASCADE, related_name="releases")
    version = models.CharField(_("version"), max_length=20)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PREPARED)
    config = models.JSONField(default=dict)
    """What `keju.studio.release_form` asks for."""
    report = models.JSONField(default=dict)
    """What the gate said, the agreement figures, warnings of single-user mode."""
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    """Digest of the release's SHA256SUMS."""
    built_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    built_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-built_at",)
        constraints = (models.UniqueConstraint(fields=("project", "version"), name="release_unique"),)

    def __str__(self) -> str:
        return f"{self.project} {self.version}"


class ReleaseItem(models.Model):
    release = models.ForeignKey(Release, models.CASCADE, related_name="items")
    item = models.ForeignKey(Item, models.PROTECT, related_name="releases")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    split = models.CharField(max_length=MOST_SPLIT, blank=True)

    class Meta:
        ordering = ("item__code",)
        constraints = (models.UniqueConstraint(fields=("release", "item"), name="release_item_unique"),)

    def __str__(self) -> str:
        return f"{self.item} in {self.release}"
