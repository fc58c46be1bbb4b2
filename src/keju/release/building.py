"""Building a release: everything is written beside its place, checked there as a stranger would, and then moved."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from keju import formats
from keju.benchmark import Benchmark
from keju.checks import Finding
from keju.errors import BadFile, CallFailed, Misuse
from keju.formats.encodings import decode
from keju.formats.format import partial
from keju.formats.json_text import JsonStyle
from keju.formats.names import in_order
from keju.formats.parquet import write_splits
from keju.items import Medium
from keju.release import paths
from keju.release.card import card
from keju.release.checksums import write_sums
from keju.release.citation import changelog, citation
from keju.release.content import (
    Content,
    Shard,
    content,
    items_text,
    kept_salt,
    place_media,
    released_name,
    split_record_of,
)
from keju.release.croissant import croissant
from keju.release.datapackage import datapackage, item_schema
from keju.release.datasheet import datasheet
from keju.release.gate import obstacles
from keju.release.legacy import write_legacy
from keju.release.licences import spelled, text_of
from keju.release.loading import need_library
from keju.release.quality import quality_files, with_analysis
from keju.release.settings import Settings
from keju.release.verifying import shards_in, verify
from keju.splits import USES


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """What became of a release."""

    folder: Path | None
    """Where it stands; None where something blocks it."""
    findings: tuple[Finding, ...] = ()
    """What blocks it."""
    files: tuple[str, ...] = ()
    """Its files."""
    keys: Path | None = None
    """Where salt and withheld keys are kept, beside the release."""


def build(
    benchmark: Benchmark,
    settings: Settings,
    out: Path,
    *,
    quality: Mapping[str, bytes | Path] | None = None,
    withhold: Collection[str] = (),
    keys: Path | None = None,
    training: str | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReleaseReport:
    """Write the release of `benchmark` into the new or empty folder `out`, or say what blocks it and write nothing.

    `quality`: name of `paths.QUALITY` → its bytes or file, besides those of the settings. `withhold` names the splits
    whose keys are kept back; they and their salt go into `keys` (default: beside `out`). `training` names a format for
    training in which the split `train` is added. The same input gives the same bytes. Raises `Misuse`, `BadFile`.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadFile(f"{out}: is there already and not empty; name a new folder")
    for_training = [name for name, each in formats.FORMATS.items() if each.split == "train"]
    if training and training not in for_training:
        raise Misuse(f"{training!r} is no format for training; there is {', '.join(for_training)}")
    kept = (keys or out.with_name(f"{out.name}.keys.json")) if withhold else None
    if kept and kept.resolve().is_relative_to(out.resolve()):
        raise Misuse(f"{kept} would lie in the release, and must stay secret; name a place outside")
    need_library()
    settings = _spelled(settings)
    given = quality_files(settings, quality or {})
    if blocked := obstacles(benchmark, settings, given, jobs=jobs, progress=progress):
        return ReleaseReport(None, tuple(blocked))
    salt = kept_salt(benchmark, withhold, kept) if kept else ""
    published = content(benchmark, with_analysis(settings, given), withhold, salt)
    unfinished = partial(out)
    try:
        unfinished.mkdir(parents=True)
        _write(published, benchmark.card, given, unfinished, training)
        if blocked := verify(unfinished):
            return ReleaseReport(None, tuple(blocked))
        files = tuple(paths.files_in(unfinished))
        if out.exists():
            out.rmdir()
        unfinished.rename(out)
    except OSError as error:
        raise BadFile(f"{out}: cannot be written: {error.strerror or error}") from error
    except CallFailed as error:
        raise BadFile(f"{out}: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return ReleaseReport(out, files=files, keys=kept)


def _write(
    published: Content, source_card: Mapping[str, Any], quality: Mapping[str, bytes], folder: Path, training: str | None
) -> None:
    """Everything, those files last that describe the others."""
    benchmark, settings = published.benchmark, published.settings
    order = write_splits(benchmark, folder)
    there = shards_in(folder)
    shards = {name: there[name] for name in order}
    place_media(benchmark, folder)
    _text(folder / paths.ITEMS, items_text(benchmark))
    _json(folder / paths.ITEM_SCHEMA, item_schema(benchmark))
    _write_splits(benchmark, folder)
    for name, data in quality.items():
        _bytes(folder / paths.QUALITY[name], data)
    write_legacy(replace(benchmark, card=source_card), folder)
    if training:
        _write_training(benchmark, folder / paths.TRAINING, training)
    _write_papers(published, shards, folder)
    _json(folder / paths.DATAPACKAGE, datapackage(benchmark, settings, folder))
    _json(folder / paths.CROISSANT, croissant(settings, folder, shards))
    write_sums(folder)


def _write_splits(benchmark: Benchmark, folder: Path) -> None:
    """The lists of ids, each in order, and how they were made; nothing where the items are in no split."""
    lists: dict[str, list[str]] = {}
    for item in benchmark:
        if item.split:
            lists.setdefault(item.split, []).append(item.id)
    for split, ids in lists.items():
        _json(folder / f"splits/{split}.json", sorted(ids, key=in_order))
    if lists:
        sizes = {split: len(lists[split]) for split in sorted(lists, key=_usual)}
        told = {"generation_method": "not told", **split_record_of(benchmark), "sizes": sizes, "total": len(benchmark)}
        _json(folder / paths.SPLIT_RECORD, told)


def _usual(split: str) -> tuple[int, str]:
    """Sort key: train, val, test, then the others by name."""
    return (list(USES).index(split) if split in USES else len(USES), split)


def _write_papers(published: Content, shards: Mapping[str, Shard], folder: Path) -> None:
    settings = published.settings
    _text(folder / paths.LICENSE, _licence_text(settings.license, settings.license_file, settings))
    if settings.media_license:
        text = _licence_text(settings.media_license, settings.media_license_file, settings)
        _text(folder / paths.MEDIA_LICENSE, text)
    _text(folder / paths.CARD, card(published, shards))
    _text(folder / paths.DATASHEET, datasheet(published))
    _text(folder / paths.CITATION, citation(settings))
    _text(folder / paths.CHANGELOG, changelog(settings))


def _write_training(benchmark: Benchmark, folder: Path, format: str) -> None:
    """The train split in a format for training; its media are named as in the release."""
    items = tuple(replace(item, media=tuple(map(_renamed, item.media))) for item in benchmark)
    formats.write(replace(benchmark, items=items), folder, format)


def _renamed(medium: Medium) -> Medium:
    return replace(medium, name=released_name(medium).removeprefix("media/"))


def _licence_text(name: str, file: str, settings: Settings) -> str:
    return decode((settings.folder / file).read_bytes(), settings.folder / file).text if file else text_of(name) or ""


def _spelled(settings: Settings) -> Settings:
    sources = tuple(replace(source, license=spelled(source.license)) for source in settings.sources)
    media = spelled(settings.media_license)
    license = spelled(settings.license)
    return replace(settings, license=license, media_license="" if media == license else media, sources=sources)


def _json(path: Path, value: Any) -> None:
    _text(path, JsonStyle().dumps(value))


def _text(path: Path, text: str) -> None:
    _bytes(path, text.encode("utf-8"))


def _bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
