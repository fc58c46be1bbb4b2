"""Zip archives of others: what is damaged, and what unpacks to far more than it holds, is refused before it is read."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from keju.errors import BadFile

DAMAGE = (BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""What zipfile raises on a damaged, locked or strangely packed archive, according to the part that is (by fuzzing)."""

MOST_BYTES = 2 << 30  # unpacked, in all; logs of a large run with their pictures stay below
MOST_RATIO, _PLAIN = 200, 100 << 20
"""Times that an archive may grow beyond the plain bytes that are never a bomb; XML and JSON pack to a thirtieth."""


@contextmanager
def unzipped(path: Path) -> Iterator[ZipFile]:
    """The opened archive. Raises `BadFile` where it is damaged, or a bomb by what its directory says.

    What an entry holds beyond the size that its directory names is never unpacked: `zipfile` stops there.
    """
    try:
        archive = ZipFile(path)
    except DAMAGE as error:
        raise BadFile(f"{path}: is cut short or damaged ({error})") from error
    with archive:
        refuse_bomb(archive, path)
        yield archive


def refuse_bomb(archive: ZipFile, path: Path) -> None:
    """Raise `BadFile` where the archive at `path` unpacks to far more than it holds, by what its directory says."""
    entries = archive.infolist()
    whole, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    if whole > MOST_BYTES or whole > max(_PLAIN, MOST_RATIO * packed):
        raise BadFile(f"{path}: would unpack to {whole >> 20} MiB, far more than such a file holds; it is not read")
