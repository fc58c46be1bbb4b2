"""croissant.json: Croissant 1.1 with the RAI vocabulary 1.0, for programs that look for and load data sets.

Record sets come from the Parquet files: of JSON Lines, the reference library makes ids like `0001` into numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from keju.release.citation import cited
from keju.release.content import Shard
from keju.release.licences import LICENCES, OWN
from keju.release.paths import CROISSANT, SUMS, files_in, sha256_of, type_of
from keju.release.prose import QUESTIONS
from keju.release.settings import Creator, Settings, Source

CONFORMS = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")
PARQUET = "parquet"
"""Id of the file set that the records come from."""
_CR = (
    "arrayShape",
    "citeAs",
    "column",
    "containedIn",
    "equivalentProperty",
    "extract",
    "field",
    "fileObject",
    "fileProperty",
    "fileSet",
    "format",
    "includes",
    "isArray",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "separator",
    "source",
    "subField",
    "transform",
)
"""Words of Croissant's own."""
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{name: f"cr:{name}" for name in _CR},
    **{name: {"@id": f"cr:{name}", "@type": "@json"} for name in ("data", "examples")},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: {"@container": "@language"} for name in ("name", "description")},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
"""`https://schema.org/`, as the library demands, although the specification's appendix has `http`."""
_SPLIT_URLS = {"train": "cr:TrainingSplit", "validation": "cr:ValidationSplit", "test": "cr:TestSplit"}
_INLINE = ("data/", "items/", "splits/", "quality/")
"""Folders whose files are listed one by one; media are two file sets."""


def croissant(settings: Settings, folder: Path, shards: Mapping[str, Shard]) -> dict[str, Any]:
    """The description of the release that lies in `folder`, but for this file and the list of digests."""
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": _by_language(settings.title, settings.title_zh),
        "description": _by_language(settings.description, settings.description_zh),
        "conformsTo": list(CONFORMS),
        "license": [_license_url(name) for name in dict.fromkeys((settings.license, settings.license_of_media))],
        "url": settings.url,
        **({"sameAs": f"https://doi.org/{settings.doi}"} if settings.doi else {}),
        "version": settings.version,
        "datePublished": settings.date,
        "creator": [_creator(creator) for creator in settings.creators],
        "keywords": list(settings.keywords),
        "citeAs": cited(settings),
        "isLiveDataset": False,
        "prov:wasDerivedFrom": [_derived(source) for source in settings.sources],
        **_rai(settings),
        "distribution": distribution(folder),
        "recordSet": record_sets(folder, shards),
    }


def distribution(folder: Path) -> list[dict[str, Any]]:
    """The files of a release: one by one with their digests, and media by the set."""
    names = [name for name in files_in(folder) if name not in (CROISSANT, SUMS)]
    files = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "contentSize": f"{(folder / name).stat().st_size} B",
            "encodingFormat": type_of(name),
            "sha256": sha256_of(folder / name),
        }
        for name in names
        if name.startswith(_INLINE)
    ]
    sets = [_file_set(PARQUET, "data/*.parquet", [type_of("_.parquet")])]
    for kind in ("images", "audio"):
        types = sorted({type_of(name) for name in names if name.startswith(f"media/{kind}/")})
        sets += [_file_set(kind, f"media/{kind}/**", types)] if types else []
    return [*files, *sets]


def record_sets(folder: Path, shards: Mapping[str, Shard]) -> list[dict[str, Any]]:
    """The splits, and the items with their fields as the Parquet files have them."""
    from keju.formats.parquet_files import opened

    with opened(folder / shards[min(shards)].path) as table:
        fields = list(_fields(table.schema_arrow))
    return [
        _splits(shards),
        {"@type": "cr:RecordSet", "@id": "items", "name": "items", "key": _id("items/id"), "field": fields},
    ]


def _splits(shards: Mapping[str, Shard]) -> dict[str, Any]:
    data = [{"splits/name": name, "splits/url": _SPLIT_URLS.get(name, "cr:Split")} for name in sorted(shards)]
    plain = {"@type": "cr:Field", "dataType": "sc:Text"}
    return {
        "@type": "cr:RecordSet",
        "@id": "splits",
        "name": "splits",
        "dataType": "cr:Split",
        "key": _id("splits/name"),
        "field": [
            {**plain, "@id": "splits/name", "name": "name"},
            {**plain, "@id": "splits/url", "name": "url", "dataType": "sc:URL"},
        ],
        "data": data,
    }


def _fields(schema: Any) -> Iterator[dict[str, Any]]:
    """A field for each column that stands for one thing; labels one by one."""
    import pyarrow as pa

    for column in schema:
        if column.name == "split":
            continue  # `val` here, `validation` on a hub; the file's name says it
        if column.name == "labels":
            for label in column.type:
                yield _field(label.name, "sc:Text", "labels", {"transform": {"jsonPath": f'"{label.name}"'}})
        elif column.name in ("image", "audio"):
            yield _field(column.name, f"sc:{column.name.capitalize()}Object", column.name, _BYTES)
        elif column.name == "audios":
            yield _field("audios", "sc:AudioObject", "audios", _BYTES, isArray=True, arrayShape="-1")
        elif column.name == "answer":
            yield _field("answer", ["sc:Text", "cr:Label"], "answer")
        elif pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
            yield _field(column.name, "sc:Text", column.name, isArray=True, arrayShape="-1")
        elif pa.types.is_string(column.type):
            yield _field(column.name, "sc:Text", column.name)
    yield {
        "@type": "cr:Field",
        "@id": "items/split",
        "name": "split",
        "dataType": "sc:Text",
        "references": {"field": _id("splits/name")},
        "source": {
            "fileSet": _id(PARQUET),
            "extract": {"fileProperty": "filename"},
            "transform": {"regex": r"^(\w+?)(?:-00000-of-00001\.parquet)?$"},
        },
    }


_BYTES: Mapping[str, Any] = {"transform": {"jsonPath": "bytes"}}


def _field(
    name: str, kind: str | list[str], column: str, source: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    told = {"fileSet": _id(PARQUET), "extract": {"column": column}, **(source or {})}
    return {"@type": "cr:Field", "@id": f"items/{name}", "name": name, "dataType": kind, "source": told, **more}


def _rai(settings: Settings) -> dict[str, Any]:
    told: dict[str, Any] = {"rai:dataCollectionType": list(settings.collection_types)}
    # RAI 1.0 spells it `Timeframe`; mlcroissant 1.1 reads `TimeFrame` alone.
    for name in ("rai:dataCollectionTimeframe", "rai:dataCollectionTimeFrame"):
        told[name] = [settings.collection_start, settings.collection_end]
    for key, question in QUESTIONS.items():
        answer = settings.datasheet.get(key)
        if question.rai and answer:
            told[f"rai:{question.rai}"] = [answer] if question.several else answer
    return told


def _file_set(name: str, pattern: str, types: list[str]) -> dict[str, Any]:
    return {"@type": "cr:FileSet", "@id": name, "name": name, "encodingFormat": types, "includes": pattern}


def _creator(creator: Creator) -> dict[str, Any]:
    person: dict[str, Any] = {"@type": "sc:Person" if creator.family else "sc:Organization", "name": creator.name}
    if creator.affiliation:
        person["affiliation"] = {"@type": "sc:Organization", "name": creator.affiliation}
    return person | ({"sameAs": creator.orcid} if creator.orcid else {})


def _derived(source: Source) -> dict[str, Any]:
    told = {"@type": "prov:Entity", "name": source.what, "creditText": source.attribution, "url": source.url}
    licence = {} if source.license == OWN else {"license": _license_url(source.license)}
    return {name: value for name, value in told.items() if value} | licence


def _license_url(name: str) -> str:
    return LICENCES[name].url if name in LICENCES else name


def _by_language(english: str, chinese: str) -> str | dict[str, str]:
    return {"en": english, "zh": chinese} if chinese else english


def _id(name: str) -> dict[str, str]:
    return {"@id": name}
