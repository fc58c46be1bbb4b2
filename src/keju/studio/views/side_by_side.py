"""Two versions of an item beside each other, for people: names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from keju.items import LABELS
from keju.studio.comparing import Difference
from keju.studio.editing import TERMS
from keju.studio.form_labels import label_of
from keju.studio.models import Asset, Project
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
    pictures: tuple[str, str] | None = None
    """sha256 of the picture before and after, empty where there was none; None of other fields."""


def side_by_side(project: Project, found: Iterable[Difference], chosen: Mapping[str, str] | None = None) -> list[Line]:
    """A line a difference; `chosen` are the fields of a merge."""
    return [_line(project, each, (chosen or {}).get(each.name)) for each in found]


def _line(project: Project, each: Difference, chosen: str | None) -> Line:
    assets = [_asset(project, each.name, value) for value in (each.before, each.after)]
    told = [
        _readable(project, each.name, value, asset)
        for value, asset in zip((each.before, each.after), assets, strict=True)
    ]
    digests = [asset.sha256 if asset and asset.kind == Asset.Kind.IMAGE else "" for asset in assets]
    pictures = (digests[0], digests[1]) if any(digests) else None
    return Line(label_of(each.name), each, Difference(each.name, *told), chosen, pictures)


def _asset(project: Project, name: str, value: str) -> Asset | None:
    """The picture or clip that a field names: by its number, or, of an option, by its digest."""
    if name.startswith("asset_"):
        return project.assets.filter(sha256=value).first() if value else None
    if name in {"image", "audio"} and number_of(value) is not None:
        return project.assets.filter(pk=value).first()
    return None


def _readable(project: Project, name: str, value: str, asset: Asset | None) -> str:
    """A field's value: a label's or picture's name instead of its number."""
    if asset is not None:
        return str(asset)
    if number_of(value) is None:
        return value
    if name == "key":
        return LABELS[int(value)]
    if name in TERMS:
        return str(project.terms.filter(pk=value).first() or value)
    return value
