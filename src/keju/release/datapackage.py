"""datapackage.json (Frictionless Data Package) and the JSON Schema of an item: what stands where, and its licence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.formats.media import kind_of
from keju.items import LABELS
from keju.release.content import ANSWER_DIGEST, CANARY
from keju.release.licences import LICENCES, OWN
from keju.release.paths import CROISSANT, DATAPACKAGE, ITEMS, SUMS, files_in, sha256_of, type_of
from keju.release.settings import Settings

_SLUG = re.compile(r"[^a-z0-9._-]+")
_AFTER = (DATAPACKAGE, CROISSANT, SUMS)
"""Files that are written after this one."""
_ID = r"^\S(.*\S)?$"
_LETTER = "^[A-Z]$"


def datapackage(benchmark: Benchmark, settings: Settings, folder: Path) -> dict[str, Any]:
    """The description of the release in `folder`; every file is a resource with digest and licence."""
    return {
        "profile": "data-package",
        "name": _slug(benchmark.name),
        "title": settings.title,
        "description": settings.description,
        "version": settings.version,
        "created": f"{settings.date}T00:00:00Z",
        "homepage": settings.url,
        "keywords": list(settings.keywords),
        "licenses": [licence_entry(name) for name in dict.fromkeys((settings.license, settings.license_of_media))],
        "sources": [
            {"title": source.what, **({"path": source.url} if source.url else {})} for source in settings.sources
        ],
        "contributors": [{"title": creator.name, "role": "author"} for creator in settings.creators],
        "resources": resources(benchmark, settings.license, settings.license_of_media, folder),
    }


def resources(benchmark: Benchmark, licence: str, of_media: str, folder: Path) -> list[dict[str, Any]]:
    """A resource for each file that lies in `folder` when this is written, in the order of their paths."""
    told = []
    names_there = [name for name in files_in(folder) if name not in _AFTER]
    for number, name in enumerate(names_there, 1):
        names = licences_of(name, licence, of_media)
        resource = {
            "name": f"{number:05d}-{_slug(Path(name).name)}",
            "path": name,
            "mediatype": type_of(name),
            "bytes": (folder / name).stat().st_size,
            "hash": f"sha256:{sha256_of(folder / name)}",
            "licenses": [licence_entry(each) for each in names],
        }
        told.append(resource | (_items_table(benchmark) if name == ITEMS else {"type": "file"}))
    return told


def licences_of(path: str, licence: str, of_media: str) -> list[str]:
    """The licences of what stands in a file of a release."""
    if kind_of(path):
        return [of_media]
    return list(dict.fromkeys((licence, of_media))) if path.endswith(".parquet") else [licence]


def licence_entry(name: str) -> dict[str, str]:
    known = LICENCES.get(name)
    return {"name": name, **({"title": known.title, "path": known.url} if known else {})}


def item_schema(benchmark: Benchmark) -> dict[str, Any]:
    """The JSON Schema of a line of items.jsonl."""
    text = {"type": "string"}
    option = {"type": "object", "patternProperties": {_LETTER: text}, "additionalProperties": False, "minProperties": 2}
    wording = {
        "type": "object",
        "required": ["question", "options"],
        "properties": {
            "question": text,
            "options": option if _lettered(benchmark) else {"type": "object", "additionalProperties": text},
            "instruction": text,
            "as_written": {"type": "array", "items": text},
        },
        "additionalProperties": False,
    }
    medium = {
        "type": "object",
        "required": ["kind", "name", "sha256"],
        "properties": {
            "kind": {"enum": ["image", "audio"]},
            "name": {"type": "string", "pattern": "^media/(images|audio)/", "description": "path in the release"},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
    }
    extra = {CANARY: text, ANSWER_DIGEST: {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"An item of {benchmark.name}",
        "type": "object",
        "required": ["id", "wordings", "answer"],
        "properties": {
            "id": {"type": "string", "pattern": _ID, "description": "unique"},
            "wordings": {
                "type": "object",
                "description": "by BCP-47 tag; the first is the language of authoring",
                "propertyNames": {"enum": _tags(benchmark)},
                "additionalProperties": wording,
                "minProperties": 1,
            },
            "answer": {"enum": [*_labels(benchmark), None], "description": "label of the right option; null: withheld"},
            "media": {"type": "array", "items": medium},
            "labels": {"type": "object", "additionalProperties": text},
            "split": {"enum": _splits(benchmark)} if _splits(benchmark) else False,
            "extra": {"type": "object", "properties": extra},
        },
        "additionalProperties": False,
    }


def _items_table(benchmark: Benchmark) -> dict[str, Any]:
    """What makes items.jsonl a table whose rows are validated."""
    fields: list[dict[str, Any]] = [
        {"name": "id", "type": "string", "constraints": {"required": True, "unique": True, "pattern": _ID}},
        {"name": "wordings", "type": "object", "constraints": {"required": True}},
        {"name": "answer", "type": "string", "constraints": {"enum": _labels(benchmark)}},
        {"name": "media", "type": "array"},
        {"name": "labels", "type": "object"},
        {"name": "split", "type": "string", "constraints": {"enum": _splits(benchmark)}},
        {"name": "extra", "type": "object"},
    ]
    there = {"media": any(i.media for i in benchmark), "labels": any(i.labels for i in benchmark)}
    there |= {"split": any(i.split for i in benchmark)}
    fields = [field for field in fields if there.get(field["name"], True)]
    return {"type": "table", "format": "jsonl", "schema": {"fields": fields, "primaryKey": ["id"]}}


def _labels(benchmark: Benchmark) -> list[str]:
    return _known(label for item in benchmark for label in item.options)


def _splits(benchmark: Benchmark) -> list[str]:
    return _known(item.split for item in benchmark if item.split)


def _tags(benchmark: Benchmark) -> list[str]:
    return _known(tag for item in benchmark for tag in item.wordings)


def _known(values: Iterable[str]) -> list[str]:
    return sorted(set(values))


def _lettered(benchmark: Benchmark) -> bool:
    return all(label in LABELS for label in _labels(benchmark))


def _slug(text: str) -> str:
    return _SLUG.sub("-", text.lower()).strip("-") or OWN
