"""SHA256SUMS: every file of a release and its digest, as `sha256sum --check` reads it."""

from __future__ import annotations

import re
from pathlib import Path

from keju.errors import BadFile
from keju.release.paths import SUMS, files_in, sha256_of

_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<path>.+)")


def write_sums(folder: Path) -> None:
    """Write the digests of all files of the folder."""
    lines = [f"{sha256_of(folder / name)}  {name}\n" for name in files_in(folder) if name != SUMS]
    (folder / SUMS).write_bytes("".join(lines).encode("utf-8"))


def read_sums(folder: Path) -> dict[str, str]:
    """Path → digest. Raises `BadFile` where the list is missing, damaged or leads out of the folder."""
    file = folder / SUMS
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{file}: no list of digests; this is no release, or not a whole one") from error
    sums: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        found = _LINE.fullmatch(line)
        if not found or found["path"].startswith("/") or ".." in found["path"].split("/") or found["path"] in sums:
            raise BadFile(f"{file}:{number}: expected `DIGEST  PATH`, each path once; fetch the release again")
        sums[found["path"]] = found["digest"]
    return sums
