"""The files below a folder, by their suffixes and in order of their names; those that systems leave are none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from keju.errors import BadFile
from keju.formats.names import is_system_file, stem_and_suffix

MOST_FOLDERS = 10_000
"""Folders that are looked into to tell what a folder is: a second's walk, and more than any data set has."""


class TooWide(BadFile):
    """A look that has no end: the folder is a disk or a home, and no benchmark's."""


def files_below(path: Path, suffixes: tuple[str, ...], most: int | None = None) -> Iterator[Path]:
    """The files below the folder whose suffix, in lower case, is one of `suffixes`. Links to folders are not followed.

    Raises `TooWide` beyond `most` folders.
    """
    found: list[str] = []
    for number, (folder, folders, names) in enumerate(os.walk(path)):
        if number == most:
            raise TooWide(_too_wide(path, number, found))
        folders[:] = sorted(name for name in folders if not is_system_file(name))
        for name in sorted(names):
            if not is_system_file(name) and stem_and_suffix(name)[1].lower() in suffixes:
                file = Path(folder, name)
                if most and len(found) < _SHOWN:
                    found.append(str(file))
                yield file


_SHOWN = 3
"""Files that the message names."""


def _too_wide(path: Path, looked: int, found: list[str]) -> str:
    seen = f"the first tables there are {', '.join(found)}" if found else "there was no table among them"
    return (
        f"{path}: holds more than the {looked:,} folders that keju looks into; {seen}. Name the benchmark's own "
        "folder: one with items.jsonl, with 0001.md, 0001.txt and 0001.png for each item, with a question sheet, or "
        "with Parquet files. --format or --mapping reads a folder of any width"
    )
