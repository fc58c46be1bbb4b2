"""Labels of items as headings and cells: in Chinese where `labels.toml` knows them, else as they are written."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from keju.formats.field_names import known_field
from keju.phrase import Phrase


def heading_of(label: str) -> Phrase:
    """The name of a label, as a heading."""
    return Phrase(label.replace("_", " ").capitalize(), _known().get(label, {}).get("zh", label))


def label_meant(name: str, there: Collection[str]) -> str:
    """The label that `name` stands for: one of those `there`, else one that every item has, else `name` itself.

    Authors' names count as in a sheet's head: `剧种`, `劇種` and `Genre` are `genre`.
    """
    if name in there:
        return name
    return next((label for label in there if _meaning(label) == _meaning(name)), _meaning(name))


def _meaning(name: str) -> str:
    field = known_field(name)
    if field and not field.language:
        return field.role.removeprefix("label:")
    return next((label for label, table in _known().items() if name in (table["zh"], label)), name)


def named(label: str, value: str) -> str:
    """A value of a label, as a cell: a `Phrase` where it is known."""
    zh = _known().get(label, {}).get("values", {}).get(folded(value))
    return Phrase(value, zh) if zh else value


def in_order(label: str, values: Collection[str | None]) -> list[str | None]:
    """The values of a label as its table in `labels.toml` has them, then the others by name, then None."""
    known = list(_known().get(label, {}).get("values", {}))

    def place(value: str | None) -> tuple[bool, int, str]:
        name = folded(value or "")
        return value is None, known.index(name) if name in known else len(known), value or ""

    return sorted(values, key=place)


def folded(name: str) -> str:
    """The name of a type, task or genre without what writers vary in: case, hyphens, underscores, spaces."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


@cache
def _known() -> Mapping[str, Any]:
    return tomllib.loads(files("keju.results").joinpath("labels.toml").read_text(encoding="utf-8"))
