"""A process that decodes files which nobody vouches for: one request a line on its input, one answer a line.

If it dies, its parent starts another and the file becomes a finding.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

from keju.checks.clips import Clip, read_clip
from keju.checks.pictures import BYTES, Picture, read_picture
from keju.phrase import Phrase

MEMORY = 4 * 2**30
"""Bytes of address space that a decoder may ask for, several times what the largest picture takes."""


def facts_of(kind: str, data: bytes) -> Picture | Clip:
    """Measure the bytes of a medium of `kind`."""
    return read_picture(data) if kind == "image" else read_clip(data)


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    _bound_memory()
    for library in ("numpy", "PIL.Image", "av"):  # now, so that no file's time is spent on it
        importlib.import_module(library)
    answers.write(b"ready\n")
    answers.flush()
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    while line := sys.stdin.buffer.readline():
        facts = _answer(json.loads(line), sys.stdin.buffer)
        answers.write(json.dumps(asdict(facts) | {"reason": [facts.reason, facts.reason.zh]}).encode() + b"\n")
        answers.flush()


def _answer(request: dict[str, Any], source: BinaryIO) -> Picture | Clip:
    kind = request["kind"]
    if "bytes" in request:
        return facts_of(kind, source.read(request["bytes"]))
    try:
        path = Path(request["path"])
        if (size := path.stat().st_size) > BYTES:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            mib, most = size // 2**20, BYTES // 2**20
            reason = Phrase(f"it has {mib} MiB; at most {most} are read", f"文件有 {mib} MiB；最多读取 {most} MiB")
            return replace(facts_of(kind, b""), bytes=size, sha256=digest, trouble="too-large", reason=reason)
        return facts_of(kind, path.read_bytes())
    except OSError as error:
        reason = Phrase(f"it cannot be read ({error.strerror})", f"无法读取（{error.strerror}）")
        return replace(facts_of(kind, b""), trouble="damaged", reason=reason)


def _bound_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
