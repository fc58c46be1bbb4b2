"""A study: benchmarks × models × variants × protocols, as one TOML file that is asked until it is done.

[study]
out = "runs"                                  # below the study's folder; default `runs`
benchmarks = ["opera/", "multi-tw/items.json"]
models = ["openai/gpt-4o", "my-model.toml"]
protocols = ["tco", "robust"]                 # default: that of each benchmark's own paper
variants = [[], ["language=en"]]              # default: the items as they are
split = "test"                                # optional; also limit, concurrency
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.places import is_there
from keju.formats.toml_text import read_toml


@dataclass(frozen=True)
class Cell:
    """One run of a study."""

    benchmark: str
    model: str
    protocol: str | None
    """None: that of the benchmark's own paper, as `keju run` takes it."""
    variants: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """A matrix of runs."""

    path: Path
    out: Path
    benchmarks: tuple[str, ...]
    models: tuple[str, ...]
    protocols: tuple[str | None, ...] = (None,)
    variants: tuple[tuple[str, ...], ...] = ((),)
    split: str | None = None
    limit: int | None = None
    concurrency: int | None = None

    def __iter__(self) -> Iterator[Cell]:
        """Every run, benchmark by benchmark and model by model."""
        for benchmark in self.benchmarks:
            for model in self.models:
                for protocol in self.protocols:
                    for variants in self.variants:
                        yield Cell(benchmark, model, protocol, variants)


_LISTS = ("benchmarks", "models", "protocols")
_SCALARS = {"out": str, "split": str, "limit": int, "concurrency": int}

_CALLED = {str: "a text", int: "a whole number"}


def load_study(path: Path) -> Study:
    """Read a study file; paths in it are relative to its folder. Raises `BadFile` naming the key that is wrong."""
    table = _table(path)
    given: dict[str, Any] = {}
    for key in _LISTS:
        if key in table:
            given[key] = tuple(_strings(table[key], f"{path}: {key}"))
    for key in ("benchmarks", "models", "protocols"):
        if not given.get(key, key == "protocols"):
            raise BadFile(f"{path}: `{key}` must list at least one")
    for key, kind in _SCALARS.items():
        if key in table:
            if not isinstance(table[key], kind) or isinstance(table[key], bool):
                raise BadFile(f"{path}: `{key}` must be {_CALLED[kind]}, not {table[key]!r}")
            if kind is int and table[key] < 1:
                raise BadFile(f"{path}: `{key}` must be at least 1, not {table[key]}")
            given[key] = table[key]
    if "variants" in table:
        if not isinstance(table["variants"], list):
            raise BadFile(f"{path}: `variants` must be a list of lists of strings, not {table['variants']!r}")
        rows = [row if isinstance(row, list) else [row] for row in table["variants"]]
        given["variants"] = tuple(tuple(_strings(row, f"{path}: variants")) for row in rows) or ((),)
    given["benchmarks"] = tuple(_near(path, name) for name in given["benchmarks"])
    given["models"] = tuple(_near(path, name) if name.endswith(".toml") else name for name in given["models"])
    if "protocols" in given:
        given["protocols"] = tuple(_near(path, n) if n.endswith(".toml") else n for n in given["protocols"])
    return Study(path=path, **given | {"out": path.parent / given.get("out", "runs")})


def _table(path: Path) -> dict[str, Any]:
    table = read_toml(path).get("study")
    if not isinstance(table, dict):
        raise BadFile(f"{path}: a study needs a [study] table with `benchmarks` and `models`")
    unknown = table.keys() - {*_LISTS, *_SCALARS, "variants"}
    if unknown:
        known = ", ".join((*_LISTS, "variants", *_SCALARS))
        raise BadFile(f"{path}: unknown key {', '.join(sorted(unknown))}; known: {known}")
    return table


def _strings(value: Any, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise BadFile(f"{place}: must be a list of strings, not {value!r}")
    return value


def _near(study: Path, name: str) -> str:
    """A path beside the study file, where there is one; else the name as it stands (a demo, `hf:…`)."""
    beside = study.parent / name
    return str(beside) if is_there(beside) else name
