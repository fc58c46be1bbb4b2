"""What is published of a benchmark: items and card, keys withheld where asked, and where each medium lies."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.formats.jsonl import item_row
from keju.formats.media import MEDIA, place
from keju.formats.multi_tw import LAYOUT
from keju.formats.names import safe_name, to_disk
from keju.formats.split_lists import RECORD
from keju.formats.tco_sets import CARD_FILES
from keju.formats.whole_files import write_whole
from keju.items import NOTHING, Item, Medium
from keju.release.settings import Settings

ANSWER_DIGEST = "answer_sha256"
"""Field of `extra` that holds the salted digest of a withheld key."""
CANARY = "canary"
_FOLDERS = {"image": "images", "audio": "audio"}
_SOURCE_FOLDERS = {"media", "image", "images", "audio", "audios"}
"""Folders of a source that say no more than ours."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a release publishes."""

    benchmark: Benchmark
    """Media keep the names they had in the source."""
    settings: Settings
    withheld: frozenset[str] = frozenset()
    """Splits whose keys are not published."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The Parquet file of one split."""

    path: str
    rows: int
    size: int
    """Bytes."""


def content(benchmark: Benchmark, settings: Settings, withheld: Collection[str] = (), salt: str = "") -> Content:
    """The benchmark as it is published. Raises `Misuse` for a split that there is not."""
    if unknown := sorted(set(withheld) - {item.split for item in benchmark}):
        there = ", ".join(sorted({item.split or "(none)" for item in benchmark}))
        raise Misuse(f"no item is in split {unknown[0]!r}, whose keys should be withheld; there is {there}")
    items = tuple(_without_key(item, salt) if item.split in withheld else item for item in benchmark)
    return Content(replace(benchmark, items=items, card=_card(benchmark, settings)), settings, frozenset(withheld))


def kept_salt(benchmark: Benchmark, withheld: Collection[str], path: Path) -> str:
    """The salt in `path`, beside the withheld keys; a new one where there is no such file. Raises `BadFile`."""
    keys = {item.id: item.answer for item in benchmark if item.split in withheld}
    salt = secrets.token_hex(32)
    if path.exists():
        try:
            salt = str(json.loads(path.read_bytes())["salt"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadFile(f"{path}: should hold the salt and keys of an earlier release; move it away") from error
    text = json.dumps({"salt": salt, "keys": keys}, ensure_ascii=False, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{text}\n", mode=0o600)
    except OSError as error:
        raise BadFile(f"{path}: cannot be written: {error.strerror or error}") from error
    return salt


def answer_digest(salt: str, item_id: str, answer: str) -> str:
    """What stands for a withheld key: whoever gets salt and keys later can see that they are the old ones."""
    return hashlib.sha256(f"{salt}\n{item_id}\n{answer}".encode()).hexdigest()


def released_name(medium: Medium) -> str:
    """Where a medium lies in a release: `media/images/0001.png`, named as in the source."""
    parts = [part for part in medium.name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    while len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        parts = parts[1:]
    return "/".join([MEDIA, _FOLDERS[medium.kind], *map(safe_name, parts)])


def place_media(items: Iterable[Item], folder: Path) -> None:
    """Write the media of `items` below `folder`. Raises `Misuse` where two would have one name."""
    for item in items:
        for medium in item.media:
            place(medium, folder / to_disk(released_name(medium)))


def item_rows(benchmark: Benchmark) -> list[dict[str, Any]]:
    """The rows of items.jsonl: media by their paths in the release, labels by name, the canary in each row."""
    mark = {CANARY: benchmark.card[CANARY]} if benchmark.card.get(CANARY) else {}
    rows = []
    for item in benchmark:
        media = tuple(replace(medium, name=released_name(medium)) for medium in item.media)
        labels = dict(sorted(item.labels.items()))  # Parquet keeps no order of them
        rows.append(item_row(replace(item, media=media, labels=labels, extra={**item.extra, **mark})))
    return rows


def items_text(benchmark: Benchmark) -> str:
    """The whole of items.jsonl."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in item_rows(benchmark))


def _without_key(item: Item, salt: str) -> Item:
    """Fields of the source go too: they may hold the key, as a TCO item's JSON does."""
    extra = {ANSWER_DIGEST: answer_digest(salt, item.id, item.answer)} if item.answer else NOTHING
    return replace(item, answer=None, extra=extra)


def _card(benchmark: Benchmark, settings: Settings) -> Mapping[str, Any]:
    kept = {name: value for name, value in benchmark.card.items() if name not in (CARD_FILES, LAYOUT)}
    own = {
        "title": settings.title,
        "title_zh-Hans": settings.title_zh,
        "version": settings.version,
        "date": settings.date,
        "license": settings.license,
        "description": settings.description,
        "description_zh-Hans": settings.description_zh,
        "url": settings.url,
        CANARY: settings.canary,
    }
    split_record = {RECORD: record} if (record := split_record_of(benchmark)) else {}
    return kept | {name: value for name, value in own.items() if value} | split_record


def split_record_of(benchmark: Benchmark) -> Mapping[str, Any]:
    """What is known of how the splits were made, as `keju split` wrote it; empty where nobody said."""
    told = benchmark.card.get(RECORD)
    if isinstance(told, Mapping):
        return told
    files = benchmark.card.get(CARD_FILES)
    text = files.get("split_metadata.json") if isinstance(files, Mapping) else None
    try:
        record = json.loads(text) if text else {}
    except ValueError:
        return {}
    return record if isinstance(record, Mapping) else {}
