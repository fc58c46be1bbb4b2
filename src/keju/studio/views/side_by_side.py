"""Two versions of an item beside each other, for people: names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from keju.items import LABELS
from keju.studio.comparing import Difference
from keju.studio.editing import TERMS
from keju.studio.form_labels import label_of
from keju.studio.models import Project
from keju.studio.posted import number_of


@dataclass(frozen=True, slots=True)
class Line:
    """One field that differs."""

    label: str
    field: Difference
    """As the form holds it."""
    told: Difference
    """As people read it."""
    chosen: str | None = None
    """What a merge took, as the form holds it."""


def side_by_side(project: Project, found: Iterable[Difference], chosen: Mapping[str, str] | None = None) -> list[Line]:
    """A line a difference; `chosen` are the fields of a merge."""
    return [Line(label_of(each.name), each, _told(project, each), (chosen or {}).get(each.name)) for each in found]


def _told(project: Project, each: Difference) -> Difference:
    return Difference(each.name, _readable(project, each.name, each.before), _readable(project, each.name, each.after))


def _readable(project: Project, name: str, value: str) -> str:
    """A field's value: a label's or picture's name instead of its number."""
    if number_of(value) is None:
        return value
    if name == "key":
        return LABELS[int(value)]
    if name in TERMS:
        return str(project.terms.filter(pk=value).first() or value)
    if name in {"image", "audio"}:
        return str(project.assets.filter(pk=value).first() or value)
    return value
