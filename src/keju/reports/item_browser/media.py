"""What the item browser shows and plays: small pictures and clips inside the page, or links to files beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from keju.benchmark import Benchmark
from keju.errors import MissingExtra
from keju.items import Medium
from keju.printable import printable
from keju.reports.item_browser.entries import Entry, MediumKey
from keju.reports.thumbnails import embedded

SIDES = (320, 240, 180, 128)
"""Pixels of the longer side that are tried until all pictures fit."""
TRIED = 12
"""Pictures by which a size is judged before all are made."""
LUCK = 0.9
"""Share of the room that pictures judged by some may fill."""


def media(
    found: Sequence[Entry], budget: int, folder: Path | None, sources: Sequence[Benchmark] = ()
) -> list[dict[str, str]]:
    """Each medium of `known`, in its order: `kind` and `name`, `uri` where it fits into `budget` characters, `href` of
    the file where it lies beside the report.

    Pictures come first, clips take what they leave. `folder` is the report's; what lies in the folder that holds it,
    or below, is linked. `sources` are benchmarks in which media that runs know by name only are looked for.
    Without the extra `checks` pictures are not drawn.
    """
    every = known(found, sources)
    numbered = [replace(medium, name=str(place)) for place, medium in enumerate(every.values()) if medium.exists]
    uris = _pictures([medium for medium in numbered if medium.kind == "image"], budget)
    uris |= embedded([m for m in numbered if m.kind == "audio"], budget - sum(map(len, uris.values())))
    return [
        {"kind": medium.kind, "name": printable(medium.name)} | _there(uris.get(str(place)), _href(medium, folder))
        for place, medium in enumerate(every.values())
    ]


def served(
    found: Sequence[Entry], sources: Sequence[Benchmark], address: Callable[[Medium], str]
) -> list[dict[str, str]]:
    """Each medium of `known`, in its order: `kind` and `name`, `uri` and `href` where a server has it."""
    return [
        {"kind": medium.kind, "name": printable(medium.name)}
        | (dict.fromkeys(("uri", "href"), address(medium)) if medium.exists else {})
        for medium in known(found, sources).values()
    ]


def _there(uri: str | None, href: str | None) -> dict[str, str]:
    return {key: value for key, value in (("uri", uri), ("href", href)) if value}


def known(found: Sequence[Entry], sources: Sequence[Benchmark] = ()) -> dict[MediumKey, Medium]:
    """The media of all items: the file where one is known, from a source where the run knows the name only."""
    every: dict[MediumKey, Medium] = {}
    for key, medium, mark in (one for entry in found for one in entry.media):
        if key not in every or not every[key].exists:
            seen = mark.record.media if mark.record else ()
            every[key] = medium if medium.exists else _source(medium, mark.id, seen, sources)
    return every


def _source(medium: Medium, item_id: str, seen: Sequence[str], sources: Sequence[Benchmark]) -> Medium:
    """The file that was sent: of the item's media the one of that name whose bytes are those that the record holds."""
    for benchmark in sources:
        for candidate in benchmark[item_id].media if item_id in benchmark else ():
            if candidate.name == medium.name and (not seen or candidate.identity in seen):
                return candidate
    return medium


def _pictures(pictures: Sequence[Medium], budget: int) -> dict[str, str]:
    """As large as lets all of them fit; of the smallest size, as many as fit."""
    if not pictures:
        return {}
    some = list(islice(pictures, 0, None, max(1, len(pictures) // TRIED)))
    try:
        for side in SIDES:
            tried = embedded(some, budget, side=side)
            if (
                sum(map(len, tried.values())) / len(some) * len(pictures) <= budget * 0.9 or side == SIDES[-1]
            ):  # of luck
                break
        return embedded(pictures, budget, side=side)
    except MissingExtra:
        return {}


def _href(medium: Medium, folder: Path | None) -> str | None:
    """Address from the report's folder; None for files elsewhere: the report may be sent, they are not."""
    if folder is None or medium.path is None or not medium.exists:
        return None
    file, around = medium.path.resolve(), folder.resolve().parent
    if not file.is_relative_to(around) or around == Path(around.anchor):
        return None
    return "../" + quote(file.relative_to(around).as_posix())
