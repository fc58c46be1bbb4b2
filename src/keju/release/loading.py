"""The record sets of a croissant.json, loaded by the reference library. Needs the extra `release`."""

from __future__ import annotations

import warnings
from pathlib import Path

from keju.errors import BadFile, MissingExtra


def need_library() -> None:
    """Raises `MissingExtra` where the library is not installed: before minutes of work, not after."""
    try:
        import mlcroissant  # noqa: F401
    except ImportError as error:
        raise MissingExtra("release", "a release") from error


def loaded_counts(croissant: Path) -> dict[str, int]:
    """Id of each record set → the records that load. Raises `BadFile` where the file or a record does not."""
    need_library()
    import mlcroissant

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's of its own classes, which mlcroissant uses
            dataset = mlcroissant.Dataset(jsonld=croissant)
            return {each.id: sum(1 for _ in dataset.records(each.id)) for each in dataset.metadata.record_sets}
    except (mlcroissant.ValidationError, mlcroissant.GenerationError, ValueError, OSError) as error:
        reason = " ".join(f"{error} {error.__cause__ or ''}".split())
        raise BadFile(f"{croissant.name}: mlcroissant cannot load it: {reason}") from error
