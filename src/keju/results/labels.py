"""Labels of items as headings and cells: in Chinese where `labels.toml` knows them, else as they are written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from keju.phrase import Phrase


def heading_of(label: str) -> Phrase:
    """The name of a label, as a heading."""
    return Phrase(label.replace("_", " ").capitalize(), _known().get(label, {}).get("zh", label))


def named(label: str, value: str) -> str:
    """A value of a label, as a cell: a `Phrase` where it is known."""
    zh = _known().get(label, {}).get("values", {}).get(folded(value))
    return Phrase(value, zh) if zh else value


def folded(name: str) -> str:
    """The name of a type, task or genre without what writers vary in: case, hyphens, underscores, spaces."""
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


@cache
def _known() -> Mapping[str, Any]:
    return tomllib.loads(files("keju.results").joinpath("labels.toml").read_text(encoding="utf-8"))
