"""CITATION.cff and CHANGELOG.md."""

from __future__ import annotations

import json
from collections.abc import Iterator

from keju.release.settings import Creator, Settings


def citation(settings: Settings) -> str:
    """The citation in Citation File Format 1.2.0, which GitHub and Zenodo read."""
    lines = ["cff-version: 1.2.0", "type: dataset"]
    lines += [f"message: {_text('Please cite this data set as below.')}", f"title: {_text(settings.title)}"]
    lines += ["authors:"]
    for creator in settings.creators:
        first, *others = _author(creator)
        lines += [f"  - {first}", *(f"    {line}" for line in others)]
    lines += [f"version: {_text(settings.version)}", f"date-released: {_text(settings.date)}"]
    lines += [f"license: {_text(settings.license)}"] if settings.license else []
    lines += [f"url: {_text(settings.url)}"] + ([f"doi: {_text(settings.doi)}"] if settings.doi else [])
    lines += [f"abstract: {_text(settings.description)}"]
    if settings.keywords:
        lines += ["keywords:", *(f"  - {_text(word)}" for word in settings.keywords)]
    return "\n".join(lines) + "\n"


def changelog(settings: Settings) -> str:
    """What changed, by version."""
    parts = ["# Changes\n"]
    for version, text in settings.changes.items():
        date = f" ({settings.date})" if version == settings.version else ""
        parts.append(f"## {version}{date}\n\n{text}\n")
    return "\n".join(parts)


def cited(settings: Settings) -> str:
    """The citation in a line."""
    names = " and ".join(creator.name for creator in settings.creators)
    place = f"https://doi.org/{settings.doi}" if settings.doi else settings.url
    return f"{names} ({settings.date[:4]}). {settings.title}, version {settings.version}. {place}"


def _author(creator: Creator) -> Iterator[str]:
    if creator.family:
        yield f"family-names: {_text(creator.family)}"
        if creator.given:
            yield f"given-names: {_text(creator.given)}"
        if creator.affiliation:
            yield f"affiliation: {_text(creator.affiliation)}"
    else:
        yield f"name: {_text(creator.name)}"
    if creator.orcid:
        yield f"orcid: {_text(creator.orcid)}"


def _text(value: str) -> str:
    """A YAML scalar: JSON strings are some."""
    return json.dumps(value, ensure_ascii=False)
