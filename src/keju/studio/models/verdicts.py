"""What stands against an item: disputes between people, findings of checks."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from keju.studio.models.items import Item, Revision
from keju.studio.models.media import Asset
from keju.studio.models.projects import Project, Term


class Dispute(models.Model):
    """A disagreement that a third expert settles with author and re-annotator (paper 000 "Disagreement Resolution")."""

    class Cause(models.TextChoices):
        LABEL = "label", _("another answer in re-annotation")
        RATING = "rating", _("low or scattered ratings")
        REVIEW = "review", _("rejected in review")
        EQUIVALENCE = "equivalence", _("languages differ")
        VALIDATOR = "validator", _("finding of a check")

    class Decision(models.TextChoices):
        KEEP = "keep", _("keep the key")
        CHANGE_KEY = "change_key", _("change the key")
        REWORD = "reword", _("reword")
        EXCLUDE = "exclude", _("exclude")

    item = models.ForeignKey(Item, models.CASCADE, related_name="disputes")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="disputes")
    cause = models.CharField(max_length=12, choices=Cause.choices)
    category = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    evidence = models.ForeignKey(Term, models.PROTECT, null=True, blank=True, related_name="+")
    decision = models.CharField(max_length=12, choices=Decision.choices, blank=True)
    """Empty while the dispute is open."""
    note = models.TextField(blank=True)
    third_expert = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="disputes"
    )
    participants = models.JSONField(default=list)
    """Primary keys of author, re-annotator and raters; none of them may be the third expert."""
    agreed = models.JSONField(default=list)
    """Primary keys of those who agree with the decision."""
    result = models.ForeignKey(Revision, models.PROTECT, null=True, blank=True, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("opened_at",)

    def __str__(self) -> str:
        return f"dispute over {self.item}"


class Finding(models.Model):
    """A finding of `keju.checks` that a person closes: by mending what it names, or by waiving it with a reason."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        FIXED = "fixed", _("mended")
        WAIVED = "waived", _("waived")

    project = models.ForeignKey(Project, models.CASCADE, related_name="findings")
    item = models.ForeignKey(Item, models.CASCADE, null=True, blank=True, related_name="findings")
    asset = models.ForeignKey(Asset, models.CASCADE, null=True, blank=True, related_name="findings")
    rule = models.CharField(max_length=10)
    severity = models.CharField(max_length=10)
    message = models.JSONField()
    """`{"en": …, "zh-hans": …, "remedy": {"en": …, "zh-hans": …}}`."""
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("rule", "pk")

    def __str__(self) -> str:
        return f"{self.rule} of {self.item or self.asset or self.project}"
