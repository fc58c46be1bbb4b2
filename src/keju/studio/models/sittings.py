"""Who sits the human baseline: a participant's place in a batch."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from keju.studio.models.work import Batch


class Participant(models.Model):
    """One person invited to one sitting. Who it is stands nowhere but in the list that the inviter keeps."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="participants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="seats")
    group = models.CharField(_("group"), max_length=40)
    """`expert`, `non-expert`, or what the inviter calls it."""
    language = models.CharField(_("language"), max_length=20, blank=True)
    """The language that the items are put in; empty for each item's own."""
    consented_at = models.DateTimeField(null=True, blank=True)
    """No item is shown before."""

    class Meta:
        ordering = ("batch", "group", "pk")
        constraints = (models.UniqueConstraint(fields=("batch", "user"), name="participant_unique"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.batch}"
