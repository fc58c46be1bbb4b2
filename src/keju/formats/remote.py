"""Benchmarks in an object store: `s3://bucket/exam` → a folder in the user's cache that reads like the real one.

The folder holds the texts of keju's own form, or its Parquet files. Media stay where they are: the folder holds a list
of them, `.store`, with which `MediaFolder` finds them, and whoever needs the bytes of one fetches it (`keju.remote`).
A benchmark that has changed, be it in one picture, gets a folder of its own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from keju import remote
from keju.caches import cache_folder
from keju.errors import BadFile, CallFailed, Misuse
from keju.formats.names import folded
from keju.remote import Remote

LIST = ".store"
_ITEMS, _CARD = "items.jsonl", "benchmark.json"


@dataclass(frozen=True, slots=True)
class Store:
    """The objects below an address, by their names from there."""

    objects: Mapping[str, Remote]
    _folded: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> tuple[str, Remote] | None:
        """The object called `name`, Unicode forms and widths read as one, with its name as the store has it."""
        if name in self.objects:
            return name, self.objects[name]
        if not self._folded:
            self._folded.update({folded(each): each for each in sorted(self.objects)})
        found = self._folded.get(folded(name))
        return (found, self.objects[found]) if found else None


def listed(folder: Path) -> Store | None:
    """The store that a folder stands for; None where it is a folder like others."""
    if not (folder / LIST).is_file():
        return None
    with (folder / LIST).open(encoding="utf-8") as lines:
        return Store({name: Remote(url, size, version) for name, url, size, version in map(json.loads, lines)})


def mirrored(url: str) -> tuple[Path, dict[str, str]]:
    """The folder or file to read in place of `url`, and where it comes from.

    Raises `BadFile` where there is no such place, or no benchmark that keju reads there; `Misuse` where what opens the
    store is not installed.
    """
    try:
        store, path = remote.open_store(url)
        single = not store.isdir(path) and store.isfile(path)
        root = path.rpartition("/")[0] if single else path.rstrip("/")
        found = store.find(root, detail=True)
    except Misuse:
        raise
    except Exception as error:  # each store has errors of its own
        raise BadFile(remote.told(error, url)) from error
    above = url.rstrip("/").rpartition("/")[0] if single else url.rstrip("/")
    objects = dict(_named(found, root, above))
    if not objects:
        raise BadFile(remote.told(FileNotFoundError(), url))
    texts = _texts(objects, PurePosixPath(path).name if single else None, url)
    place, version = _place(objects, above)
    if not place.is_dir():
        _make(place, texts, objects)
    return (place / PurePosixPath(path).name if single else place), {"url": url, "version": version}


def _named(found: Mapping[str, dict[str, object]], root: str, url: str) -> Iterator[tuple[str, Remote]]:
    """Name below the address → object. Names that would lead out of a folder are no part of a benchmark."""
    for key, info in sorted(found.items()):
        name = key.removeprefix(root).lstrip("/")
        if info.get("type") == "file" and name and not {"", ".", ".."} & set(name.split("/")):
            yield name, remote.of(f"{url}/{name}", info)


def _texts(objects: Mapping[str, Remote], single: str | None, url: str) -> list[str]:
    """Names of what is read when a benchmark is opened."""
    if single:
        return [name for name in (single, _CARD) if name in objects]
    if _ITEMS in objects:
        return [name for name in (_ITEMS, _CARD) if name in objects]
    if parquet := [name for name in objects if name.lower().endswith(".parquet")]:
        return parquet
    raise BadFile(
        f"{url}: no items.jsonl and no Parquet file there. In a store keju reads its own form and its Parquet: "
        "convert the benchmark (keju convert … --to jsonl) and upload that"
    )


def _place(objects: Mapping[str, Remote], url: str) -> tuple[Path, str]:
    """The folder for these objects in these versions, and 16 hex digits over them."""
    digest = blake2b(url.encode(), digest_size=16)
    for name, each in objects.items():
        digest.update(f"\0{name}\0{each.size}\0{each.version}".encode())
    key = digest.hexdigest()
    return cache_folder() / "stores" / key / (PurePosixPath(url).name or "exam"), key[:16]


def _make(place: Path, texts: list[str], objects: Mapping[str, Remote]) -> None:
    part = place.parent.with_name(f"{place.parent.name}.{os.getpid()}.part")
    try:
        (part / place.name).mkdir(parents=True)
        for name in texts:
            target = part / place.name / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(_fetched(objects[name]), target)
        with (part / place.name / LIST).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(
                json.dumps([name, each.url, each.size, each.version], ensure_ascii=False) + "\n"
                for name, each in objects.items()
                if name not in texts
            )
        if not place.is_dir():
            part.rename(place.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _fetched(text: Remote) -> Path:
    try:
        return text.fetched()
    except CallFailed as error:
        raise BadFile(str(error)) from error
