"""What can be asked without writing a line: providers of models, and the models of the papers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Provider:
    """Somewhere models are served over an OpenAI-compatible interface."""

    name: str
    """First part of `-m PROVIDER/MODEL`."""
    title: str
    dialect: str
    """Name of a dialect of `keju.models.dialects`."""
    base_url: str | None = None
    """Address up to `/chat/completions`; None where the user must say."""
    key: str | None = None
    """Environment variable that holds the key."""
    key_optional: bool = False
    concurrency: int = 16
    """Requests in flight when the user does not say."""
    stream: tuple[str, ...] = ()
    """Patterns of models that answer only as a stream."""
    max_completion_tokens: tuple[str, ...] = ()
    """Patterns of models that refuse `max_tokens`."""
    no_temperature: tuple[str, ...] = ()
    """Patterns of models that refuse a temperature."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A model of one of the papers."""

    name: str
    """As the paper prints it."""
    paper: str
    """Paper and table."""
    run: str
    """What to pass to `-m`."""
    modalities: tuple[str, ...]
    """`image`, `audio`: what it takes besides text, as the paper used it."""
    license: str
    parameters: float | None = None
    """Billions of parameters; None where they are not published."""
    transcriber: str | None = None
    """What to pass to `--transcriber` for audio items, as in the paper."""


@cache
def providers() -> tuple[Provider, ...]:
    """All providers that keju knows, in the order of `providers.toml`."""
    return tuple(Provider(name=name, **_frozen(row)) for name, row in _table("providers.toml").items())


@cache
def presets() -> tuple[Preset, ...]:
    """The papers' models, in the order of the papers' tables."""
    return tuple(Preset(**_frozen(row)) for row in _table("presets.toml")["model"])


def matches(model: str, patterns: tuple[str, ...]) -> bool:
    """Whether the name of a model fits one of the shell-style patterns, in any case."""
    return any(fnmatchcase(model.lower(), pattern) for pattern in patterns)


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("keju.models") / name).read_text(encoding="utf-8"))


def _frozen(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
