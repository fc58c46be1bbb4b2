"""The seam of perception: a `Perceiver` turns one medium into text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from keju.items import MediaKind, Medium


@dataclass(frozen=True, slots=True)
class Perception:
    """What was heard in a clip or read in a picture."""

    text: str
    """Empty where nothing was found; never invented."""
    seconds: float
    """What it took when it was done, loading and waiting excluded."""
    cached: bool = False
    """Whether it was done before, or for another caller, so that it cost this one nothing."""
    waited: float = 0.0
    """Seconds until the work began, or until another caller's work was done."""
    warnings: tuple[str, ...] = ()
    """Doubts about the text, for people."""


class Perceiver(Protocol):
    """Anything that turns media of one kind into text: a library in this process, an endpoint."""

    name: str
    """As after `--transcriber` or `--reader`: `whisper/base`."""
    kind: MediaKind
    settings: Mapping[str, Any]
    """Everything that changes the text, apart from the medium; part of the run's fingerprint and of cache keys."""

    async def perceive(self, medium: Medium) -> Perception:
        """Raises `CallFailed` of kind `medium` where the medium is not there or cannot be decoded."""
        ...

    async def close(self) -> None: ...
