"""Where things stand in a release, and what a program may do with each file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

CARD = "README.md"
LICENSE = "LICENSE"
MEDIA_LICENSE = "LICENSE-MEDIA"
CITATION = "CITATION.cff"
CHANGELOG = "CHANGELOG.md"
CROISSANT = "croissant.json"
DATAPACKAGE = "datapackage.json"
DATASHEET = "DATASHEET.md"
SUMS = "SHA256SUMS"
ITEMS = "items/items.jsonl"
ITEM_SCHEMA = "items/items.schema.json"
SPLIT_RECORD = "splits/split_metadata.json"
TRAINING = "training"
QUALITY = {
    "agreement": "quality/agreement.json",
    "ratings": "quality/ratings.csv",
    "disputes": "quality/disputes.csv",
    "human_baseline": "quality/human_baseline.csv",
}
"""Quality file → where it stands."""
REQUIRED = (CARD, LICENSE, CITATION, CHANGELOG, CROISSANT, DATAPACKAGE, DATASHEET, ITEMS, ITEM_SCHEMA)
"""Files that every release has."""

_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".csv": "text/csv",
    ".parquet": "application/x-parquet",
    ".md": "text/markdown",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
}


def type_of(path: str) -> str:
    """MIME type of a file of a release, by its name; plain text where it has none of the known suffixes."""
    return _TYPES.get(Path(path).suffix.lower(), "text/plain")


def files_in(folder: Path) -> Iterator[str]:
    """Every file below `folder`, by its path there with forward slashes, in order."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    yield from sorted(path.relative_to(folder).as_posix() for path in found)


def sha256_of(file: Path) -> str:
    """Hex digest of the bytes that stand there now, never of a remembered file: a release is checked by them."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
