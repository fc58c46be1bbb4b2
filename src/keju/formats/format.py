"""What a format is to the rest of keju: a name, a look at a path, a reader and perhaps a writer."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from keju.benchmark import Benchmark, Problem


class Reader(Protocol):
    def __call__(self, path: Path, *, encoding: str | None = None) -> Benchmark:
        """The benchmark at `path`, with everything met on the way in `.problems`.

        `encoding` is that of files that are not UTF-8. Raises `BadFile` where nothing can be read at all.
        """
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """One way of keeping a benchmark on disk. To add one: a module that makes a `Format`, and its line in `FORMATS`."""

    name: str
    """As in `--format` and `--to`."""
    title: str
    """What it looks like, for people: also what `load` says it looked for."""
    sniff: Callable[[Path], bool] | None
    """Whether an existing path looks like it; cheap, and False rather than an error. None: it is never read."""
    read: Reader | None
    write: Callable[[Benchmark, Path], None] | None = None
    """Write into an empty folder; None where the format is read only."""
    losses: Callable[[Benchmark], Iterable[Problem]] | None = None
    """What is not written of a benchmark, told before anything is. Raises `Misuse` for items that cannot be held."""
    split: str | None = None
    """The split that is written unless another is asked for; None: every item."""


_PARTIAL = re.compile(r"\.partial-\d+$")


def partial(target: Path) -> Path:
    """The folder beside `target` in which it is put together before it gets its name."""
    return target.with_name(f"{target.name}.partial-{os.getpid()}")


def final(folder: Path) -> Path:
    """Where a folder that is being written will stand, absolute: for formats that write such paths into their files."""
    return folder.absolute().with_name(_PARTIAL.sub("", folder.name))
