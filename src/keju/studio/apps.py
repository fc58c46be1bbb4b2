"""The Django application."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudioConfig(AppConfig):
    name = "keju.studio"
    label = "studio"
    verbose_name = _("keju studio")
    default_auto_field = "django.db.models.BigAutoField"
