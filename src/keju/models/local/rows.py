"""From a prompt to the rows of a batch: what one sequence holds and what is wanted of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from keju.items import MediaKind
from keju.models.likelihood import continuation
from keju.prompts import Prompt, Text

Task = Literal["write", "choose", "score"]
"""`write` a reply · `choose` among labels by the next token's logits · `score` a continuation's likelihood."""

PATCH = 28 * 28  # pixels that Qwen's vision encoder makes one token of; others are of that order
FRAME = 0.04  # seconds of sound that Qwen's audio encoder makes one token of


@dataclass(frozen=True, slots=True)
class Picture:
    pixels: Any
    """A `PIL.Image` in RGB, at its own size."""


@dataclass(frozen=True, slots=True)
class Sound:
    samples: Any
    """Mono, float32 in [-1, 1], shape (n,)."""
    seconds: float


Content = Text | Picture | Sound


@dataclass(frozen=True, slots=True)
class Row:
    """One sequence of a batch."""

    item_id: str
    content: tuple[Content, ...]
    """Texts and decoded media in the order of the prompt."""
    task: Task
    max_tokens: int = 1
    labels: tuple[str, ...] = ()
    """The labels to `choose` among."""
    continuation: str = ""
    """The text to `score` after the content."""

    @property
    def pictures(self) -> list[Any]:
        return [part.pixels for part in self.content if isinstance(part, Picture)]

    @property
    def sounds(self) -> list[Any]:
        return [part.samples for part in self.content if isinstance(part, Sound)]

    @property
    def text(self) -> str:
        """All texts, joined by newlines."""
        return "\n".join(part.text for part in self.content if isinstance(part, Text))

    @property
    def media(self) -> tuple[MediaKind, ...]:
        """Kinds of its media, in order."""
        kinds: dict[type, MediaKind] = {Picture: "image", Sound: "audio"}
        return tuple(kinds[type(part)] for part in self.content if not isinstance(part, Text))

    @property
    def key(self) -> Hashable:
        """Rows share a batch when they are answered alike and hold as many pictures and clips: processors take no
        ragged batches."""
        return self.task, self.max_tokens, tuple(sorted(self.media))

    @property
    def length(self) -> int:
        """About how many tokens it will have: for sorting only."""
        pixels: int = sum(picture.width * picture.height for picture in self.pictures)
        seconds = sum(part.seconds for part in self.content if isinstance(part, Sound))
        return len(self.text) + len(self.continuation) + pixels // PATCH + int(seconds / FRAME)


def rows_of(prompt: Prompt, content: Sequence[Content], *, end_of_turn: str | None) -> list[Row]:
    """The sequences that `prompt` needs, its parts being decoded as `content`: one, or one an option where the options'
    texts are scored. `end_of_turn` is what ends a reply under the model's chat template, None for a base model."""
    made, item = tuple(content), prompt.item_id
    if prompt.scoring == "generate":
        return [Row(item, made, "write", prompt.generation.max_tokens)]
    if prompt.scoring == "choice":
        return [Row(item, made, "choose", labels=tuple(prompt.options))]
    written = [
        f"{text.strip()}{end_of_turn}" if end_of_turn else continuation(prompt, text)
        for text in prompt.options.values()
    ]
    return [Row(item, made, "score", continuation=text) for text in written]
