"""Ids of items, made from the project's template and the item's place in its source.

`{seq:04}` numbers the items of a project. `{volume:02}-{section}-{level}-P{part}-{question:03}` is a place; its last
field counts on. Numbers are never given twice, and gaps stay: an id names one item for ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter

from keju.studio.models import Item, Project

Locator = dict[str, str | int]


class BadTemplate(ValueError):
    """The template is not text with simple fields in it; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a template."""

    name: str
    spec: str
    """Python format: `04`, `03`, or empty for a text."""
    before: str
    """The template's text in front of it."""

    @property
    def counts(self) -> bool:
        """Whether its value is a number."""
        return self.spec != ""

    def shown(self, value: str | int) -> str:
        return format(int(value), self.spec) if self.counts else str(value)


def fields_of(template: str) -> list[Field]:
    """The fields of an id template in order. Raises `BadTemplate`."""
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise BadTemplate(str(error)) from error
    fields = []
    for before, name, spec, conversion in pieces:
        if name is None:
            continue
        if not name.isidentifier() or conversion or not re.fullmatch(r"(0?\d{1,2}d?|d)?", spec or ""):
            raise BadTemplate(f"{{{name}:{spec}}} is not a field such as {{seq:04}} or {{section}}")
        fields.append(Field(name, spec or "", before))
    if not fields:
        raise BadTemplate("there is no field such as {seq:04}")
    return fields


def code_of(template: str, locator: Mapping[str, str | int]) -> str | None:
    """The id of a place; None while a field is missing or is no number where the template wants one."""
    fields = fields_of(template)
    try:
        made = "".join(field.before + field.shown(locator[field.name]) for field in fields if locator[field.name] != "")
    except (KeyError, TypeError, ValueError):
        return None
    if any(locator[field.name] == "" for field in fields):
        return None
    end = [piece[0] for piece in Formatter().parse(template) if piece[1] is None]
    return made + "".join(end[-1:])


def next_place(project: Project, like: Mapping[str, str | int]) -> Locator:
    """The place after all items that share `like`'s fields before the last: where the next item goes."""
    *places, counter = fields_of(project.id_template)
    locator: Locator = {field.name: like.get(field.name, "") for field in places}
    taken = [
        _number(there.get(counter.name))
        for there in project.items.values_list("locator", flat=True)
        if all(str(there.get(name, "")) == str(value) for name, value in locator.items())
    ]
    if not counter.counts:
        return {**locator, counter.name: ""}
    number = max(taken, default=0) + 1
    while (code := code_of(project.id_template, {**locator, counter.name: number})) and _taken(project, code):
        number += 1
    return {**locator, counter.name: number}


def _taken(project: Project, code: str) -> bool:
    return Item.objects.filter(project=project, code=code).exists()


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0
