"""What a parser sees of a reply, and what it makes of it: a label, or the reason why there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from keju.items import NOTHING

Reason = Literal["empty", "truncated", "refusal", "several", "not-an-option", "no-label"]
"""Why a reply gives no label.

`empty` nothing is there, or nothing but reasoning · `truncated` the output cap cut the reply before it declared ·
`refusal` it declines to answer · `several` it names more than one · `not-an-option` it names a label or an answer
that the item does not offer · `no-label` none of these."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a parser made of one reply."""

    label: str | None
    """One of the item's labels, or None."""
    reason: Reason | None = None
    """Why the reply gives no label; None where it gives one."""
    drawn: bool = False
    """The label was drawn at random by the protocol, not given by the reply."""

    @property
    def valid(self) -> bool:
        """Whether the reply itself gave a label: what the valid response rate counts."""
        return self.label is not None and not self.drawn


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a parser sees."""

    text: str
    """The raw reply, whole."""
    options: Mapping[str, str]
    """The item's labels, with the options' texts."""
    truncated: bool = False
    """Whether the output cap cut the reply."""
    scores: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Log-probability by label, where the scoring was by likelihood."""


def draw(seed: int, item_id: str, labels: Iterable[str]) -> str:
    """One of `labels`, uniform over items, the same in every run and in any order of items.

    `labels` holds at least one. The draw hashes (seed, item id); it never reads the key.
    """
    drawn_from = sorted(labels)
    digest = hashlib.sha256(f"{seed}\0{item_id}".encode(errors="surrogatepass")).digest()
    return drawn_from[int.from_bytes(digest) % len(drawn_from)]
