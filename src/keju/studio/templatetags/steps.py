"""`{{ name|step:desk.settings }}`: a step of the review by its name, as people read it."""

from __future__ import annotations

from django import template

from keju.studio.standing import Settings

register = template.Library()


@register.filter
def step(name: str, settings: Settings) -> str:
    return settings.step(name)
