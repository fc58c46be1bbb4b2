"""What a release says of itself: `release.toml`, read into plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.encodings import decode
from keju.formats.toml_text import parse_toml
from keju.items import NOTHING
from keju.release.prose import QUESTIONS

CONFIG = "release.toml"
COVERS = ("text", "images", "audio")
"""What a source can be the source of."""


@dataclass(frozen=True, slots=True)
class Creator:
    name: str
    """The whole name, of a person or an institution."""
    family: str = ""
    """Of a person, for citations; empty for an institution."""
    given: str = ""
    affiliation: str = ""
    orcid: str = ""
    """The address: `https://orcid.org/0000-…`."""


@dataclass(frozen=True, slots=True)
class Source:
    what: str
    """What was taken: a collection, a book, a recording, or `made for this benchmark`."""
    license: str
    """SPDX identifier, or `own` for work of the creators themselves."""
    covers: tuple[str, ...] = COVERS
    attribution: str = ""
    """The line that the source's licence asks for."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class People:
    recognisable: str = ""
    """`yes` or `no`: whether somebody can be recognised in pictures or clips."""
    consent_file: str = ""
    """Their consent; looked for, never released."""


@dataclass(frozen=True, slots=True)
class Settings:
    title: str = ""
    title_zh: str = ""
    version: str = ""
    """MAJOR.MINOR.PATCH: data changed, data added, data the same."""
    date: str = ""
    """YYYY-MM-DD. A release bears this date, not the day it was built."""
    license: str = ""
    """SPDX identifier of questions and keys; of everything where `media_license` is empty."""
    media_license: str = ""
    license_file: str = ""
    """Text of a licence that keju does not bring along."""
    media_license_file: str = ""
    description: str = ""
    description_zh: str = ""
    url: str = ""
    """Where the release will stand."""
    doi: str = ""
    canary: str = ""
    """A GUID by which a model that was trained on the release can be told."""
    keywords: tuple[str, ...] = ()
    annotations_creators: tuple[str, ...] = ("expert-generated",)
    language_creators: tuple[str, ...] = ("expert-generated",)
    collection_types: tuple[str, ...] = ()
    """Words of the RAI vocabulary: `Manual Human Curation`, `Direct Measurement`, …"""
    collection_start: str = ""
    collection_end: str = ""
    creators: tuple[Creator, ...] = ()
    sources: tuple[Source, ...] = ()
    people: People = field(default_factory=People)
    changes: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Version → what changed, newest first."""
    datasheet: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Key of `QUESTIONS` → answer."""
    quality: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Name of a quality file → path of it."""
    folder: Path = field(default_factory=Path)
    """Where paths in the file start from."""
    file: str = CONFIG
    """What messages call the file."""

    @property
    def license_of_media(self) -> str:
        return self.media_license or self.license


_OURS = ("folder", "file")
"""Fields of `Settings` that do not stand in the file."""


def read_settings(path: Path) -> Settings:
    """The settings in the TOML file `path`. Raises `BadFile` naming the field that is not as it should be."""
    try:
        text = decode(path.read_bytes(), path).text
    except OSError as error:
        remedy = "keju release BENCHMARK --init writes one to fill in"
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}; {remedy}") from error
    try:
        told = parse_toml(text, path)
    except BadFile as error:
        raise BadFile(f"{error}; texts stand between quotes, long ones between three") from error
    made = {
        "creators": tuple(_record(Creator, row, f"{path}: [[creators]]") for row in _tables(told, "creators", path)),
        "sources": tuple(_record(Source, row, f"{path}: [[sources]]") for row in _tables(told, "sources", path)),
        "people": _record(People, _table(told, "people", path), f"{path}: [people]"),
        **{name: _texts(told, name, path) for name in ("changes", "datasheet", "quality")},
    }
    if strange := sorted(set(made["datasheet"]) - set(QUESTIONS)):
        raise BadFile(f"{path}: [datasheet] has no {strange[0]!r}; it has {', '.join(QUESTIONS)}")
    if ours := [name for name in _OURS if name in told]:
        raise BadFile(f"{path}: unknown field {ours[0]!r}")
    plain = {name: value for name, value in told.items() if name not in made}
    settings: Settings = _record(Settings, {**plain, **made, "folder": path.parent, "file": str(path)}, str(path))
    return settings


def _record(kind: type[Any], row: Mapping[str, Any], place: str) -> Any:
    known = {each.name: each for each in fields(kind)}
    if strange := sorted(set(row) - set(known)):
        names = ", ".join(name for name in known if name not in _OURS)
        raise BadFile(f"{place}: unknown field {strange[0]!r}; there are {names}")
    values = {name: _value(value, known[name].type, f"{place}: {name}") for name, value in row.items()}
    try:
        return kind(**values)
    except TypeError:
        raise BadFile(f"{place}: needs name (creators), what and license (sources)") from None


def _value(value: Any, kind: Any, place: str) -> Any:
    if kind == "str":
        if not isinstance(value, str):
            raise BadFile(f'{place} must be a text between quotes, not {value!r}; write "{value}"')
        return value.strip()
    if kind == "tuple[str, ...]":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise BadFile(f'{place} must be a list of texts: ["one", "two"]')
        return tuple(each.strip() for each in value if each.strip())
    return value


def _table(told: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = told.get(name, {})
    if not isinstance(value, Mapping):
        raise BadFile(f"{path}: [{name}] must be a table")
    return value


def _tables(told: Mapping[str, Any], name: str, path: Path) -> list[Mapping[str, Any]]:
    value = told.get(name, [])
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise BadFile(f"{path}: each of {name} begins with [[{name}]]")
    return value


def _texts(told: Mapping[str, Any], name: str, path: Path) -> dict[str, str]:
    return {
        str(key): _value(value, "str", f"{path}: [{name}] {key}") for key, value in _table(told, name, path).items()
    }
