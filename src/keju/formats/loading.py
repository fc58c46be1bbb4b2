"""Reading and writing a benchmark of any format: the format is told by looking."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial as partial_of
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, CallFailed, Misuse
from keju.formats import (
    chat,
    evalscope,
    hub,
    inspect_ai,
    jsonl,
    lm_eval,
    lmms_eval,
    mapped,
    multi_tw,
    parquet,
    sheets,
    tco,
    vlmevalkit,
)
from keju.formats.encodings import known_encoding
from keju.formats.format import Format, partial
from keju.formats.labels import UNFIT, join_labels
from keju.formats.mapping import load_mapping
from keju.formats.places import is_there
from keju.formats.remote import mirrored
from keju.remote import is_url

_READ = (tco, multi_tw, jsonl, parquet, sheets, vlmevalkit, mapped)
_WRITTEN = (inspect_ai, lmms_eval, lm_eval, evalscope, chat)
FORMATS: dict[str, Format] = {each.FORMAT.name: each.FORMAT for each in (*_READ, *_WRITTEN)}
"""Every format by name."""
ALL = "all"
"""The split that means every item, for formats that write one split unless asked otherwise."""


def load(
    path: str | Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    labels: Path | None = None,
    mapping: str | Path | None = None,
    faulty: bool = False,
) -> Benchmark:
    """The benchmark at `path`: a folder or file of any format, `hf:OWNER/NAME[@REVISION]`, an address in an object
    store (`s3://BUCKET/EXAM`), or a shipped demo's name.

    `format` settles what looking cannot; `encoding` is that of files that are not UTF-8; `labels` is a side table to
    join; `mapping`, the name of a shipped one or a TOML file, says which columns of another table are what. What was
    repaired or left out is in `.problems`. Raises `BadFile` where nothing can be read, no item used, or a side table
    does not fit; with `faulty`, for checks, the last two come back with their problems.
    """
    if encoding is not None:
        known_encoding(encoding)
    place, origin = _locate(path)
    chosen = _mapped_by(mapping, format) if mapping else _named(format) if format else _sniffed(place)
    if chosen.read is None:
        raise Misuse(f"{chosen.name} can only be written; keju reads {_those(lambda each: each.read)}")
    try:
        benchmark = chosen.read(place, encoding=encoding)
    except OSError as error:
        raise _unreadable(place, error) from error
    if origin:
        name = origin["repository"].split("/")[-1] if "repository" in origin else benchmark.name
        benchmark = replace(benchmark, name=name, card={**benchmark.card, "source": origin})
    if labels is not None:
        benchmark = join_labels(benchmark, Path(labels), encoding)
    if not (faulty and benchmark.problems):
        _refuse_faulty(benchmark, path, chosen)
    return benchmark


def write(benchmark: Benchmark, path: str | Path, format: str, *, split: str | None = None) -> tuple[Problem, ...]:
    """Write a benchmark into the new or empty folder `path`; the folder appears when all is written.

    `split` names the one to write, or `all`; without it formats for training write `train` and the others every item.
    What the format cannot hold is returned. Raises `Misuse` where the format cannot be written or cannot hold an item,
    `BadFile` where the folder is not free.
    """
    chosen, target = _named(format), Path(path)
    if chosen.write is None:
        raise Misuse(f"{format} can only be read; write one of {_those(lambda each: each.write)}")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BadFile(f"{target}: is there already and not empty; name a new folder")
    asked = of_split(benchmark, format, split)
    unfinished = partial(target)
    try:
        lost = tuple(chosen.losses(asked)) if chosen.losses else ()
        unfinished.mkdir(parents=True)
        chosen.write(asked, unfinished)
        if target.exists():
            target.rmdir()
        unfinished.rename(target)
    except OSError as error:
        raise BadFile(f"{target}: cannot be written: {error.strerror or error}") from error
    except CallFailed as error:
        raise BadFile(f"{target}: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return lost


def of_split(benchmark: Benchmark, format: str, split: str | None) -> Benchmark:
    """The items that are written as `format`: those of `split`, all with `all`; without it those of its own split.

    Raises `Misuse` where there are none.
    """
    wanted = split or _named(format).split
    if wanted in (None, ALL):
        return benchmark
    try:
        return benchmark.select(split=wanted)
    except Misuse as error:
        raise Misuse(f"{error}; name the split to write (--split NAME, or --split {ALL})") from error


def demos() -> dict[str, Path]:
    """Name → folder of the benchmarks that are shipped with keju."""
    folder = Path(str(files("keju"))) / "demo"
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {entry.name: entry for entry in found if entry.is_dir() and not entry.name.startswith(("_", "."))}


def _locate(path: str | Path) -> tuple[Path, dict[str, str] | None]:
    """The folder or file to read, and where it comes from if from a hub or an object store."""
    if str(path).startswith("file://"):
        path = url2pathname(urlsplit(str(path)).path)
    elif is_url(path):
        return mirrored(str(path))
    if str(path).startswith(hub.PREFIX):
        folder, repository, commit = hub.snapshot(str(path))
        return folder, {"repository": repository, "revision": commit}
    place, shipped = Path(path), demos()
    if str(path) and is_there(place):
        return place, None
    if str(path) in shipped:
        return shipped[str(path)], None
    if str(path) == "demo" and len(shipped) == 1:
        return next(iter(shipped.values())), None
    raise BadFile(f"{path}: no such file or folder, and no shipped demo ({', '.join(shipped) or 'there is none'})")


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise Misuse(f"unknown format {format!r}; there are {', '.join(FORMATS)}")
    return FORMATS[format]


def _mapped_by(mapping: str | Path, format: str | None) -> Format:
    """The format of tables whose columns `mapping` names."""
    if format not in (None, mapped.FORMAT.name):
        raise Misuse(f"a mapping says how to read; leave the format {format!r} away")
    return replace(mapped.FORMAT, read=partial_of(mapped.read_mapped, spec=load_mapping(mapping)))


def _those(can: Callable[[Format], object]) -> str:
    return ", ".join(name for name, format in FORMATS.items() if can(format))


def _sniffed(place: Path) -> Format:
    try:
        # A format knows more of its files than a mapping of their columns does: mappings are asked last.
        formats = [format for format in FORMATS.values() if format.sniff and format is not mapped.FORMAT]
        fitting = [f for f in formats if f.sniff and f.sniff(place)] or [mapped.FORMAT] * mapped.sniff(place)
    except OSError as error:
        raise _unreadable(place, error) from error
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = [format.name for format in fitting]
        raise BadFile(f"{place}: could be {' or '.join(names)}; say which with --format {names[0]}")
    looked_for = "\n".join(f"  {format.name}: {format.title}" for format in FORMATS.values() if format.read)
    remedy = "A table of another make is read with --mapping FILE, which names its columns"
    raise BadFile(f"{place}: no benchmark that keju knows. It looked for\n{looked_for}\n{remedy}")


def _unreadable(place: Path, error: OSError) -> BadFile:
    """The error with the file that it is of, and what to do about it."""
    remedies = {
        errno.ELOOP: "; the link leads to itself: remove it, or put the file in its place",
        errno.EACCES: "; allow yourself to read it (chmod u+r)",
    }
    return BadFile(
        f"{error.filename or place}: cannot be read: {error.strerror or error}{remedies.get(error.errno or 0, '')}"
    )


def _refuse_faulty(benchmark: Benchmark, path: str | Path, format: Format) -> None:
    if unfit := [problem for problem in benchmark.problems if problem.code == UNFIT]:
        raise BadFile(f"{path}: {unfit[0]}")
    if not benchmark.items:
        raise BadFile(f"{path}: no usable item as {format.name}{_first_reasons(benchmark)}")


def _first_reasons(benchmark: Benchmark, most: int = 3) -> str:
    reasons = [str(problem) for problem in benchmark.problems if problem.left_out]
    more = f"\n  and {len(reasons) - most} more" if len(reasons) > most else ""
    return ":\n  " + "\n  ".join(reasons[:most]) + more if reasons else ": it holds none"
