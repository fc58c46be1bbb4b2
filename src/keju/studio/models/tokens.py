"""Tokens by which a person's programs use the API in their name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """One token; only the digest of its 256 bits is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(_("what it is for"), max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_on = models.DateField(null=True, blank=True)
    """The last day on which it was used."""

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.name
