"""A prompt: the parts that are sent to a model for one item, in order, and how it should answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from keju.items import Medium

Scoring = Literal["generate", "choice", "option-likelihood"]
"""`generate`: the model writes a reply that is read by a parser.
`choice`: of the options' labels, the one that the model finds most likely to come next is its answer.
`option-likelihood`: the option whose text the model finds most likely after the prompt is its answer."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text part, sent exactly as it stands."""

    text: str


Part = Text | Medium


@dataclass(frozen=True, slots=True)
class Generation:
    """Settings of generation that the protocol fixes for every model."""

    max_tokens: int
    temperature: float | None = 0.0
    """None: leave it to the server."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one model is asked for one item."""

    item_id: str
    parts: tuple[Part, ...]
    """Text and media in the order in which they are sent."""
    generation: Generation
    scoring: Scoring
    language: str
    """Language tag of the wording that is asked."""
    instruction: str
    question: str
    options: Mapping[str, str]
    """Option label → text; the labels are those that a reply may name."""

    @property
    def text(self) -> str:
        """All text parts, joined by newlines: what a person would read."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def media(self) -> tuple[Medium, ...]:
        return tuple(part for part in self.parts if isinstance(part, Medium))

    def text_digest(self) -> str:
        """16 hex digits that change with any character of the text parts, the options or the order of parts."""
        digest = hashlib.sha256(self.scoring.encode())
        for part in self.parts:
            digest.update(b"\0T" + part.text.encode() if isinstance(part, Text) else b"\0M")
        for label, option in self.options.items():
            digest.update(f"\0O{label}\0{option}".encode())
        return digest.hexdigest()[:16]

    def media_digests(self) -> tuple[str, ...]:
        """sha256 of each medium's bytes, in order. Reads files that were not read before."""
        return tuple(medium.sha256 for medium in self.media)
