"""Media that came inside another file (a Parquet cell, base64 in a table) → files of their own, for as long as we run.

They lie in one temporary folder, named by their content, so that a benchmark of a hundred gigabytes needs no memory,
and the same picture in a thousand rows lies there once.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from functools import cache
from pathlib import Path

from keju.formats.media import SUFFIXES
from keju.items import MediaKind, Medium
from keju.media_types import mime_of, suffix_of

_PREFIX = "keju-media-"


def unpack(kind: MediaKind, name: str, data: bytes) -> Medium:
    """The medium of these bytes, byte for byte, as a file."""
    path = _folder() / (hashlib.sha256(data).hexdigest() + _suffix(data))
    if not path.exists():
        partial = path.with_suffix(".partial")
        partial.write_bytes(data)
        partial.replace(path)
    return Medium(kind, name, path)


def is_unpacked(path: Path) -> bool:
    """Whether `unpack` made this file: nobody else sees it, and it goes when the process ends."""
    return path.parent.name.startswith(_PREFIX)


def named(kind: MediaKind, stem: str, data: bytes) -> str:
    """A name for bytes that came without one: `stem` and the suffix that their content asks for."""
    suffix = _suffix(data)
    fits = SUFFIXES.get(suffix) == kind
    return stem + (suffix if fits else "")


def _suffix(data: bytes) -> str:
    mime = mime_of(data[:64])
    return suffix_of(mime) if mime else ".bin"


@cache
def _folder() -> Path:
    """One folder a process; it is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
