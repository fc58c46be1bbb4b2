"""Repairs carried out, in a copy or in place beside a backup, so that a crash at any moment loses nothing.

In place: every original goes into the backup first; then each file is replaced whole; old names and leftovers go last.
Afterwards the benchmark is read again: an item that does not say what it said before puts everything back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from stat import S_IMODE
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.repairs import Repair, folder_of, planned, root_of
from keju.errors import BadFile, Misuse, Refused
from keju.formats import demos, load
from keju.formats.encodings import without_invisible
from keju.formats.media import MediaFolder
from keju.formats.names import to_disk
from keju.formats.whole_files import write_whole
from keju.items import Item


@dataclass(frozen=True, slots=True)
class Mended:
    repairs: tuple[Repair, ...]
    place: Path
    """The benchmark with the repairs made."""
    backup: Path | None = None
    """Folder with the originals of all files that changed; None where nothing changed, or a copy was made."""


def mend(benchmark: Benchmark, *, into: Path | None = None, encoding: str | None = None, **reading: Any) -> Mended:
    """Make the repairs that `planned` names, in place or in the new folder `into`.

    `encoding` and `reading` are what `load` was told besides the path.

    Raises `Misuse` where the benchmark lies in no folder of the user's, `BadFile` where something cannot be written,
    `Refused` where an item would read differently; then nothing has changed.
    """
    if into is None and _is_not_the_users(benchmark):
        raise Misuse(f"{benchmark.name} is not yours to change; repair a copy: --into FOLDER")
    repairs = planned(benchmark, encoding)
    reread = partial(load, encoding=encoding, faulty=True, **reading)
    try:
        return _in_place(benchmark, repairs, reread) if into is None else _in_copy(benchmark, repairs, into, reread)
    except OSError as error:
        place = error.filename2 or error.filename or root_of(benchmark)
        raise BadFile(f"{place}: cannot be repaired: {error.strerror or error}") from error


Reread = Callable[[Path], Benchmark]


def _in_place(benchmark: Benchmark, repairs: Sequence[Repair], reread: Reread) -> Mended:
    root, folder, before = root_of(benchmark), folder_of(benchmark), _all_said(benchmark)
    place = benchmark.root or root
    if not repairs:
        return Mended((), place)
    backup = _new_folder(root)
    try:
        for repair in repairs:
            _copy(folder / to_disk(repair.file), backup / to_disk(repair.file))
    except OSError:
        shutil.rmtree(backup, ignore_errors=True)  # half a backup would pass for a whole one
        raise
    try:
        _carry_out(repairs, folder)
    except OSError as error:
        raise _half_way(repairs, folder, backup, error) from error
    if changed := _changed(before, reread(root)):
        _put_back(repairs, folder, backup)
        raise Refused(f"after the repairs item {changed} would read differently; everything was put back as it was")
    return Mended(tuple(repairs), place, _as_given(backup, place))


def _in_copy(benchmark: Benchmark, repairs: Sequence[Repair], into: Path, reread: Reread) -> Mended:
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise BadFile(f"{into}: is there already and not empty; name a new folder")
    folder = folder_of(benchmark)
    if into.resolve().is_relative_to(folder):
        raise Misuse(f"{into}: lies in the benchmark itself; name a folder beside it")
    unfinished = into.with_name(f"{into.name}.partial-{os.getpid()}")
    try:
        for file in _files_of(benchmark, folder):
            _copy(folder / file, unfinished / file)
        _carry_out(repairs, unfinished)
        if changed := _changed(_all_said(benchmark), reread(_place_of(benchmark, unfinished))):
            raise Refused(f"after the repairs item {changed} would read differently; no copy was made")
        if into.exists():
            into.rmdir()
        unfinished.rename(into)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Mended(tuple(repairs), _place_of(benchmark, into))


def _carry_out(repairs: Iterable[Repair], folder: Path) -> None:
    """New names and new contents first, each whole; what they replace goes when all of them are on the disk."""
    repairs = list(repairs)
    for repair in repairs:
        content, name = repair.content, repair.to or repair.file
        if content is None and repair.to is not None:
            content = (folder / to_disk(repair.file)).read_bytes()
        if content is not None:
            _write(folder / to_disk(name), content)
    _settle()
    for repair in repairs:
        if repair.content is None or repair.to is not None:
            (folder / to_disk(repair.file)).unlink()


def _half_way(repairs: Sequence[Repair], folder: Path, backup: Path, error: OSError) -> BadFile:
    """What to say after repairs that could not all be written; everything is put back if that can be written."""
    why = f"{error.filename2 or error.filename or folder}: cannot be repaired: {error.strerror or error}"
    try:
        _put_back(repairs, folder, backup)
    except OSError:
        return BadFile(f"{why}. Some files are repaired, some are not; the originals are in {backup}")
    return BadFile(f"{why}. Everything was put back as it was")


def _put_back(repairs: Iterable[Repair], folder: Path, backup: Path) -> None:
    for repair in repairs:
        _write(folder / to_disk(repair.file), (backup / to_disk(repair.file)).read_bytes())
        if repair.to is not None:
            (folder / to_disk(repair.to)).unlink(missing_ok=True)
    shutil.rmtree(backup)


def _write(path: Path, content: bytes) -> None:
    """Replace the file whole, with the permissions it had."""
    write_whole(path, content, mode=S_IMODE(path.stat().st_mode) if path.exists() else None)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=True)


def _settle() -> None:
    """Wait until what was written is on the disk, where the system has such a call."""
    if hasattr(os, "sync"):
        os.sync()


def _new_folder(root: Path) -> Path:
    """A new folder beside the benchmark for the originals."""
    number = 1
    while True:
        backup = root.with_name(f"{root.name}.before-fix{'' if number == 1 else f'-{number}'}")
        try:
            backup.mkdir()
        except FileExistsError:
            number += 1
        else:
            return backup


def _as_given(backup: Path, place: Path) -> Path:
    """The backup's path in the form in which the user named the benchmark: relative where that was."""
    return backup if place.name in ("", "..") else place.with_name(backup.name)


def _files_of(benchmark: Benchmark, folder: Path) -> list[Path]:
    """What a copy holds: the whole folder but for links out of it, or the one file with its media."""
    inside = MediaFolder(folder)
    root = root_of(benchmark)
    if root.is_dir():
        found = [Path(place) / name for place, _, names in os.walk(folder) for name in names]
    else:
        media = [medium.path for item in benchmark for medium in item.media if medium.exists and medium.path]
        found = [root, *media]
    return [path.absolute().relative_to(folder) for path in found if path.is_file() and inside.contains(path)]


def _place_of(benchmark: Benchmark, folder: Path) -> Path:
    """The path of the benchmark in `folder`."""
    root = root_of(benchmark)
    return folder if root.is_dir() else folder / root.name


def _is_not_the_users(benchmark: Benchmark) -> bool:
    """Whether it was fetched from a hub or came with keju: neither is changed in place."""
    return isinstance(benchmark.card.get("source"), dict) or root_of(benchmark) in demos().values()


def _changed(before: Mapping[str, object], after: Benchmark) -> str | None:
    """The first item that does not say the same any more; None where all do. Items may have become readable."""
    now = _all_said(after)
    return next((item_id for item_id, said in before.items() if now.get(item_id) != said), None)


def _all_said(benchmark: Benchmark) -> dict[str, object]:
    return {item.id: _said(item) for item in benchmark}


def _said(item: Item) -> list[object]:
    """What an item says to whoever reads it, without invisible characters and blanks at line ends."""

    def seen(text: str) -> list[str]:
        return [line.rstrip() for line in without_invisible(text)[0].strip().splitlines()]

    wordings = [
        (seen(wording.question), [(label, seen(text)) for label, text in wording.options.items()])
        for wording in item.wordings.values()
    ]
    return [wordings, item.answer, [medium.size if medium.exists else None for medium in item.media], item.split]
