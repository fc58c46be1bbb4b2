"""`{% model_marks item %}`: what models made of an item, for people who see its key."""

from __future__ import annotations

from typing import Any

from django import template

from keju.studio.model_marks import tried
from keju.studio.models import Item

register = template.Library()


@register.inclusion_tag("studio/import/_marks.html")
def model_marks(item: Item) -> dict[str, Any]:
    marks = item.marks.select_related("run")
    return {"marks": marks, "tried": next(iter(tried(item.project, [item])), None) if marks else None}
