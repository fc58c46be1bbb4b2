"""An item of an exam: one question with its media, its wordings by language, its key and its labels."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BufferedIOBase, BytesIO
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType
from typing import Any, Literal

from keju import digests
from keju.digests import Stamp
from keju.errors import CallFailed, Misuse
from keju.media_types import HEAD, mime_of
from keju.remote import Remote

MediaKind = Literal["image", "audio"]
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Medium:
    """A picture or a clip. Its bytes are read when they are needed and never kept here."""

    kind: MediaKind
    name: str
    """Path as the benchmark writes it, relative, with forward slashes."""
    path: Path | None = None
    """The file, or None where the bytes are held in `data` or are absent."""
    data: bytes | None = field(default=None, repr=False)
    """The bytes themselves, for media that came inside another file (a Parquet or TSV cell)."""
    remote: Remote | None = None
    """The object in a store that the bytes are fetched from when they are needed; `path` is then their place here."""

    @property
    def exists(self) -> bool:
        return self.data is not None or self.remote is not None or (self.path is not None and self.path.is_file())

    @property
    def is_here(self) -> bool:
        """False for what would have to be fetched from an object store now."""
        return self.remote is None or self.remote.place.is_file() or digests.known(_lasting(self.remote)) is not None

    def file(self) -> Path:
        """Its file on this machine; one of an object store is fetched first.

        Raises `CallFailed` (kind `medium`) where there is none, or it cannot be fetched.
        """
        with self._file() as path:
            path.stat()
            return path

    def at_home(self) -> Medium:
        """As it is on this machine, whose cache folder may be another than that of the one it came from."""
        return replace(self, path=self.remote.place) if self.remote else self

    def read(self) -> bytes:
        """The original bytes, never re-encoded.

        Raises `CallFailed` (kind `medium`) where the file is missing or cannot be read.
        """
        with self._opened() as file:
            return file.read()

    def portions(self, size: int) -> Iterator[bytes]:
        """The original bytes in portions of `size`; whoever takes them all makes `sha256` known on the way.

        Raises `CallFailed` as `read` does.
        """
        with self._opened() as file:
            stamp = self._stamp(os.fstat(file.fileno())) if self.data is None else None
            digest = hashlib.sha256() if stamp and not digests.known(stamp) else None
            settled = stamp is not None and stamp.settled
            while portion := file.read(size):
                if digest:
                    digest.update(portion)
                yield portion
            if stamp and digest:
                digests.remember(stamp, digest.hexdigest(), settled=settled)

    def head(self) -> bytes:
        """The first bytes, as many as `mime_of` needs. Raises `CallFailed` as `read` does."""
        with self._opened() as file:
            return file.read(HEAD)

    @property
    def size(self) -> int:
        """Length in bytes. Raises `CallFailed` as `read` does."""
        if self.remote:
            return self.remote.size
        return self._stat().st_size if self.data is None else len(self.data)

    @property
    def sha256(self) -> str:
        """Hex digest of the original bytes; of a file that did not change it is computed once (`keju.digests`).

        Raises `CallFailed` as `read` does.
        """
        if self.data is not None:
            return hashlib.sha256(self.data).hexdigest()
        if self.remote and (found := digests.known(_lasting(self.remote))):
            return found  # known without fetching it
        with self._file() as path:
            if found := digests.known(self._stamp(path.stat())):
                return found
            with path.open("rb") as file:
                stamp = self._stamp(os.fstat(file.fileno()))
                settled = stamp.settled
                taken = hashlib.file_digest(file, "sha256").hexdigest()
        digests.remember(stamp, taken, settled=settled)
        return taken

    @property
    def stamp(self) -> Stamp | None:
        """What is another once the file has changed; None where the bytes are held here or there are none."""
        if self.remote:
            return _lasting(self.remote)
        try:
            return Stamp.of(self.path, self.path.stat()) if self.path and self.data is None else None
        except OSError:
            return None

    @property
    def identity(self) -> str:
        """What a record keeps of the bytes: 16 hex digits of their digest, or `absent` where they cannot be read."""
        try:
            return self.sha256[:16]
        except CallFailed:
            return "absent"

    @property
    def mime(self) -> str:
        """MIME type by content; `application/octet-stream` where the bytes are not known."""
        try:
            return mime_of(self.head()) or "application/octet-stream"
        except CallFailed:
            return "application/octet-stream"

    @contextmanager
    def _opened(self) -> Iterator[BufferedIOBase]:
        if self.data is not None:
            yield BytesIO(self.data)
            return
        with self._file() as path, path.open("rb") as file:
            yield file

    def _stat(self) -> os.stat_result:
        with self._file() as path:
            return path.stat()

    def _stamp(self, status: os.stat_result) -> Stamp:
        """The stamp of its file, whose status is `status`."""
        return _lasting(self.remote) if self.remote else Stamp.of(self.path or Path(), status)

    @contextmanager
    def _file(self) -> Iterator[Path]:
        """Where the file is, with what can go wrong put into keju's error."""
        path = self.remote.fetched() if self.remote else self.path
        if path is None:
            raise CallFailed(f"medium {self.name} is not there", kind="medium", retryable=False)
        try:
            if not S_ISREG(path.stat().st_mode):  # a device never ends, a pipe waits for ever
                raise CallFailed(f"medium {path} is not a regular file", kind="medium", retryable=False)
            yield path
        except OSError as error:
            message = f"medium {path} cannot be read: {error.strerror or error}"
            raise CallFailed(message, kind="medium", retryable=False) from error


def _lasting(remote: Remote) -> Stamp:
    """The stamp of an object: its place tells its version, so nothing can change under it."""
    return Stamp(os.fspath(remote.place), remote.size, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of an item in one language."""

    language: str
    """BCP-47 tag: `zh-Hans`, `zh-Hant` or `en`; other tags are kept as they come."""
    question: str
    """The stem; may be empty where the question is heard, not read (Multi-TW's audio items)."""
    options: Mapping[str, str]
    """Option label (`A`, `B`, …) → text without its label, in label order. Empty text: the option is in the item's
    picture. `<image 2>` at its end: the option is, or shows, the second of the item's pictures."""
    instruction: str = ""
    """The exam's own instruction to the candidate, where there is one (Multi-TW)."""
    as_written: tuple[str, ...] = ()
    """The options' original lines, with their marks (`（A）在車站`), one per option; empty where there were none."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question. Never changed: variants make new items with the same id."""

    id: str
    wordings: Mapping[str, Wording]
    """Language tag → wording; the first is the language in which the item was authored."""
    answer: str | None
    """The key: one of the option labels; None where the source has no usable key (then no reply is ever right)."""
    media: tuple[Medium, ...] = ()
    labels: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """What the item is about, for breakdowns: `genre`, `question_type`, `difficulty`, `level`, `task`, …"""
    split: str | None = None
    """`train`, `val`, `test`, or None."""
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """Fields of the source that keju does not know, kept verbatim and written back."""

    @property
    def wording(self) -> Wording:
        """The original wording."""
        return next(iter(self.wordings.values()))

    @property
    def options(self) -> Mapping[str, str]:
        """Options of the original wording."""
        return self.wording.options

    @property
    def modality(self) -> str:
        """`image`, `audio`, `image+audio` or `text`."""
        return "+".join(kind for kind in ("image", "audio") if any(m.kind == kind for m in self.media)) or "text"

    @property
    def chance(self) -> float:
        """Probability of a right answer by drawing one of the options: 1 / number of options."""
        return 1 / len(self.options)

    def in_language(self, language: str) -> Wording:
        """The wording in `language`; `zh` finds `zh-Hans` or `zh-Hant`, `en-US` finds `en`.

        Raises `Misuse` where the item has none.
        """
        if language in self.wordings:
            return self.wordings[language]
        for tag, wording in self.wordings.items():
            if same_language(tag, language):
                return wording
        have = ", ".join(self.wordings)
        raise Misuse(f"item {self.id} has no wording in {language!r} (it has {have})")


def same_language(one: str, other: str) -> bool:
    """Whether one of two language tags is a more exact form of the other (`zh` and `zh-Hant`)."""
    a, b = one.lower().split("-"), other.lower().split("-")
    return all(x == y for x, y in zip(a, b, strict=False))


LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Option labels in order, for formats that give options as a list."""
