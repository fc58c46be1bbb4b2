"""Media beside a benchmark: found by the names that people wrote, never outside its folder, copied byte for byte."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath
from unicodedata import normalize

from keju.benchmark import Problem
from keju.errors import Misuse
from keju.formats.names import folded, is_system_file, safe_name, stem_and_suffix, to_disk
from keju.formats.remote import listed
from keju.items import Item, MediaKind, Medium
from keju.phrase import Phrase

MEDIA = "media"
"""Folder in which the forms that keep media as files put them."""

SUFFIXES: dict[str, MediaKind] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif"), "image"),
    **dict.fromkeys((".mp3", ".wav", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".aac"), "audio"),
}

_KINDS: dict[MediaKind, str] = {"image": "图片", "audio": "音频"}


def kind_of(name: str) -> MediaKind | None:
    """`image` or `audio` by the name's suffix, else None."""
    return SUFFIXES.get(stem_and_suffix(name.lower())[1])


@dataclass(frozen=True, slots=True)
class Found:
    """A medium as far as it is there."""

    medium: Medium
    code: str | None = None
    """`media_missing`, `path_escape`, `unicode_form`, `name_width`, or None where all is well."""
    message: Phrase = field(default_factory=lambda: Phrase("", ""))

    def problem(self, item: str, file: str | None = None, line: int | None = None) -> list[Problem]:
        """The problem to report for `item`, as a list of none or one."""
        return [Problem(item, self.code, self.message, file, line)] if self.code else []


class MediaFolder:
    """Finds media below `root`. `within` names subfolders to look into as well, in order, before the root itself."""

    def __init__(self, root: Path, within: tuple[str, ...] = ()) -> None:
        self.root = root
        self._within = (*within, "")
        self._boundary = os.path.realpath(_boundary(root))
        self._listings: dict[Path, dict[str, str]] = {}
        self._store = listed(root)

    def find(self, kind: MediaKind, written: str) -> Found:
        """The medium that a benchmark calls `written`; backslashes read as slashes, Unicode forms and widths as one."""
        name = written.strip().replace("\\", "/").removeprefix("./")
        if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/") or "\0" in name:
            return self._outside(kind, name)
        if self._store and (stored := self._stored(kind, name)):
            return stored
        for folder in self._within:
            if path := self._existing(f"{folder}/{name}" if folder else name):
                break
        else:
            missing = Medium(kind, name, self._possible(name))
            what = Phrase(
                f"{kind} {name} is not there; add the file or correct its name",
                f"找不到{_KINDS[kind]} {name}；请补上文件，或改正文件名",
            )
            return Found(missing, "media_missing", what)
        if not self.contains(path):
            return self._outside(kind, name)
        return Found(Medium(kind, name, path), *_difference(name, path))

    def contains(self, path: Path) -> bool:
        """Whether the file itself, links followed, lies in the folder."""
        real = os.path.realpath(path)
        return real == self._boundary or real.startswith(self._boundary.rstrip(os.sep) + os.sep)

    def _outside(self, kind: MediaKind, name: str) -> Found:
        message = Phrase(
            f"{kind} {name!r} leads out of the benchmark's folder and is not read; put the file inside",
            f"{_KINDS[kind]} {name!r} 指向文件夹之外，没有读取；请把文件放进文件夹",
        )
        return Found(Medium(kind, name), "path_escape", message)

    def _stored(self, kind: MediaKind, name: str) -> Found | None:
        """The medium where it lies in the store that this folder stands for."""
        for folder in self._within:
            if self._store and (there := self._store.find(f"{folder}/{name}" if folder else name)):
                stored, remote = there
                medium = Medium(kind, name, remote.place, remote=remote)
                return Found(medium, *_difference(name, PurePosixPath(stored)))
        return None

    def _possible(self, name: str) -> Path | None:
        """Where a file of this name would lie; None where the system has no such names."""
        try:
            path = self.root / to_disk(name)
            path.is_file()
        except (OSError, ValueError):  # longer than the system takes, or with a lone surrogate
            return None
        return path

    def _existing(self, name: str) -> Path | None:
        path = self._possible(name)
        if path is None or path.is_file():
            return path
        path = self.root
        for part in name.split("/"):
            there = self._listing(path).get(folded(part))
            if there is None:
                return None
            path = path / there
        return path if path.is_file() else None

    def _listing(self, folder: Path) -> dict[str, str]:
        if folder not in self._listings:
            try:
                names = sorted(entry.name for entry in folder.iterdir() if not is_system_file(entry.name))
            except OSError:
                names = []
            self._listings[folder] = {folded(name): name for name in names}
        return self._listings[folder]


def place(medium: Medium, target: Path) -> None:
    """Write the medium's original bytes to `target`; a medium that is not there is left out of the copy as well.

    Raises `Misuse` where other bytes stand there already: two media of one name.
    """
    if not medium.exists:
        return
    if target.exists():
        if Medium(medium.kind, medium.name, target).sha256 != medium.sha256:
            raise Misuse(f"two different media are called {medium.name}; rename one")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if medium.data is None:
        shutil.copyfile(medium.file(), target)
    else:
        target.write_bytes(medium.read())


def copied(item: Item, folder: Path) -> Item:
    """The item with its media written below `folder` and named from there: `media/0001.png`, safe for every system.

    Raises `Misuse` as `place` does.
    """
    for medium in item.media:
        place(medium, folder / to_disk(_name_in_folder(medium)))
    return replace(item, media=tuple(replace(medium, name=_name_in_folder(medium)) for medium in item.media))


def _name_in_folder(medium: Medium) -> str:
    if not medium.exists:
        return f"{MEDIA}/{medium.name}"
    parts = [part for part in medium.name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join([MEDIA, *map(safe_name, parts)])


def _boundary(root: Path) -> Path:
    """The folder that media may not leave. A hub snapshot links into the `blobs` folder of its own repository."""
    for folder in (root, *root.parents):
        if folder.parent.name == "snapshots" and (folder.parent.parent / "blobs").is_dir():
            return folder.parent.parent
    return root


def _difference(name: str, path: PurePath) -> tuple[str | None, Phrase]:
    if path.name == PurePosixPath(name).name:
        return None, Phrase("", "")
    same = normalize("NFC", path.name) == normalize("NFC", PurePosixPath(name).name)
    how = (
        Phrase("in another Unicode form", "Unicode 形式不同")
        if same
        else Phrase("in full-width characters", "用了全角字符")
    )
    what = Phrase(
        f"{name} is on disk as {path.name!a}, {how}; it was found, rename one of them",
        f"{name} 在磁盘上是 {path.name!a}，{how.zh}；已找到，请统一文件名",
    )
    return "unicode_form" if same else "name_width", what
