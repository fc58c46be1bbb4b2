"""Weights that come as packages: found without importing them, assembled in the user's cache folder, checked by sha256.

The publishers of these packages are not the models' authors, so a file is used only if its bytes are the known ones.
What there is stands in `weights.toml`.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from keju.caches import cache_folder
from keju.errors import BadFile, Misuse, RunStopped

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file of a model, and the pieces of it that packages hold."""

    name: str
    sha256: str
    pieces: tuple[tuple[str, str], ...]
    """(package, path inside it), to be joined in this order."""


@dataclass(frozen=True, slots=True)
class Source:
    """One set of packages that holds all the files of a model."""

    distributions: tuple[str, ...]
    files: tuple[WeightFile, ...]

    @property
    def installed(self) -> bool:
        return all(_piece(*piece) for file in self.files for piece in file.pieces)

    @property
    def in_one_piece(self) -> bool:
        return len(self.files) == 1 and len(self.files[0].pieces) == 1


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's weights: where they may come from, in order of preference, and what they are licensed under."""

    name: str
    licence: str
    origin: str
    """Whose model it is."""
    install: str
    """The command that installs it."""
    sources: tuple[Source, ...]

    @property
    def source(self) -> Source:
        """The first source that is installed. Raises `Misuse` with the install command where there is none."""
        for source in self.sources:
            if source.installed:
                return source
        raise Misuse(f"the weights of {self.name} are not installed. Install them: {self.install}")

    @property
    def main(self) -> WeightFile:
        """The file that names the weights. Raises `Misuse` where they are not installed."""
        return self.source.files[0]

    @property
    def digest(self) -> str:
        """16 hex digits that name the weights, for fingerprints. Raises `Misuse` where they are not installed."""
        return self.main.sha256[:16]


@dataclass(frozen=True, slots=True)
class Ingredient:
    """Something that an embedded model is made of, for people who must know what they run."""

    name: str
    licence: str
    source: str
    """Whose it is, and the packages it came in."""
    size: int | None
    """Bytes of those packages on this disk; None where they are not installed."""


@cache
def _catalogue() -> Mapping[str, Any]:
    return tomllib.loads((resources("keju.models") / "weights.toml").read_text(encoding="utf-8"))


def weights(name: str) -> Weights:
    """The weights that `weights.toml` calls `name`."""
    row = _catalogue()[name]
    return Weights(name, row["licence"], row["origin"], row["install"], tuple(map(_source, row["sources"])))


def _source(row: Mapping[str, Any]) -> Source:
    listed = (WeightFile(f["name"], f["sha256"], tuple((p, inner) for p, inner in f["pieces"])) for f in row["files"])
    return Source(tuple(row["distributions"]), tuple(listed))


def ingredients(libraries: tuple[str, ...], weight_names: tuple[str, ...]) -> tuple[Ingredient, ...]:
    """Name, licence, source and size of libraries and weights, by their names in `weights.toml`."""
    rows = [(name, _catalogue()["libraries"][name]) for name in libraries]
    found = [_ingredient(name, row["licence"], row["origin"], tuple(row["distributions"])) for name, row in rows]
    for known in map(weights, weight_names):
        source = next((s for s in known.sources if s.installed), known.sources[0])
        found.append(_ingredient(known.name, known.licence, known.origin, source.distributions))
    return tuple(found)


def _ingredient(name: str, licence: str, origin: str, distributions: tuple[str, ...]) -> Ingredient:
    sizes = [_installed_size(distribution) for distribution in distributions]
    size = None if None in sizes else sum(size or 0 for size in sizes)
    return Ingredient(name, licence, f"{origin} (packages: {', '.join(distributions)})", size)


def _installed_size(distribution: str) -> int | None:
    try:
        listed = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in listed)
    return sum(path.stat().st_size for path in paths if path.is_file())


def assembled(model: Weights) -> Path:
    """Folder that holds the files of `model`, each checked by sha256 on every call.

    Raises `Misuse` where no source is installed, `BadFile` where a package holds other bytes, `RunStopped` where the
    cache folder cannot be written.
    """
    source = model.source
    if source.in_one_piece:
        return _checked_in_place(model.main)
    folder = cache_folder() / "weights" / f"{model.name}-{model.digest}"
    try:
        return _assemble(source, folder)
    except OSError as error:
        raise RunStopped(
            f"the weights of {model.name} cannot be written to {folder}: {error.strerror or error}. "
            "Make room there, or set KEJU_CACHE to another folder"
        ) from error


def _assemble(source: Source, folder: Path) -> Path:
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # two runs may start at once
        for file in source.files:
            target = folder / file.name
            if not (target.is_file() and sha256_of(target) == file.sha256):
                _join(file, target)
    return folder


def _join(file: WeightFile, target: Path) -> None:
    unfinished = target.with_name(f"{target.name}.part")
    digest = hashlib.sha256()
    with unfinished.open("wb") as out:
        for block in _blocks(file):
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != file.sha256:
        unfinished.unlink()
        raise _altered(file)
    unfinished.replace(target)


def _blocks(file: WeightFile) -> Iterator[bytes]:
    for package, inner in file.pieces:
        path = _piece(package, inner)
        if path is None:
            raise BadFile(f"package {package} no longer holds {inner}: reinstall it")
        with path.open("rb") as piece:
            while block := piece.read(BLOCK):
                yield block


def _checked_in_place(file: WeightFile) -> Path:
    path = _piece(*file.pieces[0])
    if path is None or sha256_of(path) != file.sha256:
        raise _altered(file)
    return path.parent


def _altered(file: WeightFile) -> BadFile:
    packages = ", ".join(sorted({package for package, _ in file.pieces}))
    return BadFile(
        f"{file.name} from {packages} is not the file that keju knows (sha256 {file.sha256[:16]}…): "
        "it is damaged or was replaced. Reinstall the package; if that does not help, do not use it"
    )


def _piece(package: str, inner: str) -> Path | None:
    spec = find_spec(package)  # finds the package without running its code
    for place in (spec and spec.submodule_search_locations) or ():
        if (path := Path(place) / inner).is_file():
            return path
    return None


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
