"""What a file looks like from outside: its kind and the names in it, from which the readers tell whose it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from keju.errors import BadFile
from keju.formats.archives import unzipped
from keju.formats.outputs import texts

Kind = Literal["folder", "zip", "xlsx", "jsonl", "json", "table", "other"]


@dataclass(frozen=True, slots=True)
class Head:
    """The kind of a file and the names that it holds at the top."""

    path: Path
    kind: Kind
    names: frozenset[str]
    """Keys of the first JSON object, columns of a table, entries of a zip."""

    def has(self, *names: str) -> bool:
        return self.names.issuperset(names)

    def has_any(self, names: Iterable[str]) -> bool:
        return not self.names.isdisjoint(names)

    @classmethod
    def of(cls, path: Path) -> Head:
        """Look at `path`. Raises `BadFile` where it cannot be opened or is cut short."""
        if path.is_dir():
            return cls(path, "folder", frozenset())
        try:
            zipped = texts.is_zip(path)
        except OSError as error:
            raise BadFile(f"{path}: cannot be opened: {error.strerror or error}") from error
        return _of_zip(path) if zipped else _of_text(path)


def _of_zip(path: Path) -> Head:
    with unzipped(path) as archive:
        entries = frozenset(archive.namelist())
    if "xl/workbook.xml" not in entries:
        return Head(path, "zip", entries)
    _, columns = next(texts.table(path), (0, {}))
    return Head(path, "xlsx", frozenset(columns))


def _of_text(path: Path) -> Head:
    with path.open("rb") as file:
        start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] not in (b"{", b"["):
        columns = _columns(path)
        return Head(path, "table" if columns else "other", columns)
    if start[:1] == b"{" and path.suffix.lower() != ".json":
        _, row = next(texts.json_lines(path), (0, {}))
        return Head(path, "jsonl", frozenset(row))
    return Head(path, "json", frozenset(_keys(texts.json_whole(path))))


def _columns(path: Path) -> frozenset[str]:
    """Names in the first line, if a tab, comma or semicolon separates them."""
    with path.open("rb") as file:
        header = file.readline(1 << 16).decode("utf-8-sig", errors="replace").rstrip("\r\n")
    separator = max("\t;,", key=header.count)
    return frozenset(name.strip(' "') for name in header.split(separator)) if separator in header else frozenset()


def _keys(value: Any) -> Iterable[str]:
    """Keys of an object, or of the first object in a list or in an object of objects."""
    if isinstance(value, list):
        return value[0] if value and isinstance(value[0], dict) else ()
    if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
        return next(iter(value.values()))
    return value if isinstance(value, dict) else ()
