"""People: their roles in a project, how they sign in, and the pseudonym under which they appear in a release."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from keju.studio.models.projects import Project


class Role(models.TextChoices):
    OWNER = "owner", _("owner")
    AUTHOR = "author", _("author")
    EXPERT = "expert", _("domain expert")
    LINGUIST = "linguist", _("linguist")
    FORMATTER = "formatter", _("formatter or second annotator")
    ANNOTATOR = "annotator", _("re-annotator or rater")
    ADJUDICATOR = "adjudicator", _("adjudicator")
    PARTICIPANT = "participant", _("participant of the human baseline")


class Profile(models.Model):
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile")
    pseudonym = models.CharField(_("pseudonym"), max_length=40, unique=True)
    """`annotator-07`: the only name that leaves the studio."""
    expertise = models.CharField(_("expertise"), max_length=200, blank=True)
    languages = models.JSONField(_("languages"), default=list, blank=True)
    ui_language = models.CharField(_("language of the interface"), max_length=10, blank=True)

    def __str__(self) -> str:
        return self.pseudonym


class Membership(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    roles = models.JSONField(_("roles"), default=list)
    """Values of `Role`."""
    history = HistoricalRecords()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "user"), name="membership_unique"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.project}: {', '.join(self.roles)}"


class SignInLink(models.Model):
    """A link that signs one person in; only the digest of its 128-bit token is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    batch = models.ForeignKey("Batch", models.CASCADE, null=True, blank=True, related_name="invitations")
    """Of a participant: the sitting that the link opens; such a link works until the batch closes."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link of {self.user}"
