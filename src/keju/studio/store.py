"""The store of media: files named by the digest of their bytes, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings


def place(sha256: str) -> Path:
    """Where the file of a digest lies: `ab/cd/<sha256>` in the store."""
    return Path(settings.MEDIA_STORE) / sha256[:2] / sha256[2:4] / sha256


def keep(chunks: Iterable[bytes]) -> tuple[str, int]:
    """Write chunks into the store and return (digest, size in bytes). Bytes that are there already are kept once.

    Raises `OSError` where the disk refuses.
    """
    root = Path(settings.MEDIA_STORE)
    root.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=root, prefix="incoming-", delete=False) as file:
        try:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
            target = place(digest.hexdigest())
            target.parent.mkdir(parents=True, exist_ok=True)
            Path(file.name).replace(target)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    return digest.hexdigest(), size
