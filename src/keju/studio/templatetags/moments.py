"""`{{ batch.closed_at|moment }}`, `{{ batch.frozen_at|day }}`: when; `studio.js` puts it in the reader's zone."""

from __future__ import annotations

from datetime import date, datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html

register = template.Library()


@register.filter
def moment(at: datetime | None) -> str:
    """`2026-03-31 14:05`, or nothing where there is none."""
    return _told(at, "%Y-%m-%d %H:%M")


@register.filter
def day(at: datetime | date | None) -> str:
    """`2026-03-31`, or nothing where there is none."""
    return _told(at, "%Y-%m-%d")


def _told(at: datetime | date | None, how: str) -> str:
    if not isinstance(at, datetime):
        return at.strftime(how) if at else ""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), timezone.localtime(at).strftime(how))
