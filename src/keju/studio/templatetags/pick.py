"""`{{ texts|pick:tag }}`: what a mapping holds under a name that a template has in a variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def pick(texts: Mapping[str, Any] | None, name: str) -> Any:
    """The value, or nothing where there is none."""
    return (texts or {}).get(name, "")
