"""From a benchmark's media to their facts: every file once, on every core, none of them trusted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.clips import Clip
from keju.checks.pictures import Picture
from keju.cores import cores
from keju.errors import MissingExtra
from keju.items import Item, Medium


@dataclass(frozen=True, slots=True)
class MeasuredImage:
    medium: Medium
    file: str
    """Relative to the benchmark's root, with forward slashes; the written name where it lies elsewhere."""
    picture: Picture
    items: tuple[str, ...]
    """Ids of the items that show it, in order."""
    splits: tuple[str, ...]
    """Splits of those items, each once."""

    @property
    def where(self) -> dict[str, Any]:
        """Item and file, as a finding takes them."""
        return _where(self.items, self.file)


@dataclass(frozen=True, slots=True)
class MeasuredClip:
    medium: Medium
    file: str
    clip: Clip
    items: tuple[str, ...]
    splits: tuple[str, ...]

    @property
    def where(self) -> dict[str, Any]:
        """Item and file, as a finding takes them."""
        return _where(self.items, self.file)


def measure(
    benchmark: Benchmark, jobs: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Iterator[MeasuredImage | MeasuredClip]:
    """Each medium of the benchmark that is there, once, in the order of the items.

    `jobs`: processes, as many as cores unless given. `progress` is called with media done and media in all.
    Raises `MissingExtra` where a decoder is not installed.
    """
    used = _used(benchmark)
    if any(find_spec(library) is None for library in ("numpy", "PIL", "av")):
        raise MissingExtra("checks", "looking at pictures and sounds")
    from keju.checks.workers import facts

    media = [medium for medium, _ in used]
    for done, (found, (medium, items)) in enumerate(zip(facts(media, jobs or cores()), used, strict=True), 1):
        ids = tuple(item.id for item in items)
        splits = tuple(dict.fromkeys(item.split for item in items if item.split))
        file = _relative(medium, benchmark.root)
        if progress:
            progress(done, len(used))
        if isinstance(found, Picture):
            yield MeasuredImage(medium, file, found, ids, splits)
        else:
            yield MeasuredClip(medium, file, found, ids, splits)


def _used(benchmark: Benchmark) -> list[tuple[Medium, list[Item]]]:
    """Each medium that is there, with the items that have it. One file is one medium, whatever it is called."""
    used: dict[tuple[str, str], tuple[Medium, list[Item]]] = {}
    for item in benchmark:
        for medium in item.media:
            if not medium.exists:
                continue
            key = medium.sha256 if medium.data is not None else os.path.realpath(medium.path or "")
            used.setdefault((medium.kind, key), (medium, []))[1].append(item)
    return list(used.values())


def _where(items: tuple[str, ...], file: str) -> dict[str, Any]:
    return {"item": items[0] if items else None, "file": file}


def _relative(medium: Medium, root: Path | None) -> str:
    if medium.path is None or root is None:
        return medium.name
    folder = root if root.is_dir() else root.parent
    try:
        return Path(os.path.abspath(medium.path)).relative_to(os.path.abspath(folder)).as_posix()  # noqa: PTH100 - links stay
    except ValueError:
        return medium.name
