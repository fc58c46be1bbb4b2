"""What a format is to the rest of keju: a name, a look at a path, a reader and perhaps a writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from keju.benchmark import Benchmark


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
    sniff: Callable[[Path], bool]
    """Whether an existing path looks like it; cheap, and False rather than an error."""
    read: Reader
    write: Callable[[Benchmark, Path], None] | None = None
    """Write into an empty folder; None where the format is read only."""
