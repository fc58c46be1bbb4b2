"""Options that are pictures, as a benchmark says them: the picture is one of the item's media, and the option's text
names it by its place among the item's pictures, `<image 2>`, as MMMU and evalscope write it.

Places are counted from 1; the picture of the question, where there is one, comes first. A picture that several options
show is there once more, whether or not the question shows it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from keju.items import Item as Question
from keju.items import Medium
from keju.studio.content import Content
from keju.studio.models import Asset, Project

_PLACE = re.compile(r"<image ([1-9]\d?)>")
_ENDING = re.compile(rf"\s*{_PLACE.pattern}\s*$")


def pictures_of(project: Project, contents: Iterable[Content]) -> dict[str, Asset]:
    """sha256 → the pictures that are options in these contents, as far as the project has them."""
    digests = {option.asset for content in contents for option in content.options if option.asset}
    assets = Asset.objects.filter(project=project, sha256__in=digests).select_related("source") if digests else ()
    return {asset.sha256: asset for asset in assets}


def shown_by(content: Content) -> list[str]:
    """sha256 of each picture that is an option, once, in the order of the options."""
    return list(dict.fromkeys(option.asset for option in content.options if option.asset))


def texts_with(content: Content, tag: str, before: int) -> list[str]:
    """The options' texts in a language, with the names of their pictures. `before`: pictures of the question itself."""
    places = {sha256: place for place, sha256 in enumerate(shown_by(content), before + 1)}
    names = [f"<image {places[option.asset]}>" if option.asset else "" for option in content.options]
    return [f"{option.text.get(tag, '')} {name}".strip() for option, name in zip(content.options, names, strict=True)]


@dataclass(frozen=True, slots=True)
class Parted:
    """A benchmark's item with its options' pictures apart from its own."""

    own: tuple[Medium, ...]
    """Media of the question itself."""
    options: Mapping[str, Medium]
    """Label → the picture that is the option."""
    texts: Mapping[str, Mapping[str, str]]
    """Language → label → text of the option, without the picture's name."""


def parted(question: Question) -> Parted:
    """Take an item apart: options whose text ends, in every language, with the name of one of its pictures.

    Where the question itself names a second picture, all stay its own: they could not be counted from there any more.
    """
    pictures = [medium for medium in question.media if medium.kind == "image"]
    asked = {int(place) for wording in question.wordings.values() for place in _PLACE.findall(wording.question)}
    named = () if asked - {1} else question.options
    places = {label: place for label in named if (place := _named(question, label, len(pictures)))}
    apart = [pictures[place - 1] for place in set(places.values()) - asked]
    texts = {
        tag: {label: _ENDING.sub("", text) if label in places else text for label, text in wording.options.items()}
        for tag, wording in question.wordings.items()
    }
    own = tuple(medium for medium in question.media if not any(medium is other for other in apart))
    return Parted(own, {label: pictures[place - 1] for label, place in places.items()}, texts)


def _named(question: Question, label: str, pictures: int) -> int | None:
    """The place that an option's text names, where it is the same in every language and there is such a picture."""
    found = [_ENDING.search(wording.options.get(label, "")) for wording in question.wordings.values()]
    places = {int(each[1]) if each else 0 for each in found}
    return places.pop() if len(places) == 1 and 0 < min(places) <= pictures else None
