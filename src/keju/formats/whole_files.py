"""Files written whole or not at all: after a full disk or a crash there is the old content or the new, never a part."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, content: str | bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Write the file; text as UTF-8, its line ends as they are. `mode` are its permissions, the usual ones without.

    `content` may be given in parts, of which one is held at a time.

    Raises `OSError` where it cannot be written; what was there is then as it was.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if mode is not None:
            part.touch(mode=0o600)  # readable by no other while it is written
        with part.open("wb") as file:
            parts = content.encode("utf-8") if isinstance(content, str) else content
            file.writelines([parts] if isinstance(parts, bytes) else parts)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
