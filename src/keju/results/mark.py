"""One item, marked: what came back, what the parser made of it, and whether it is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from keju.items import Item
from keju.protocols import Extraction
from keju.protocols.extraction import Reason
from keju.records import Record

Outcome = Literal["answered", "truncated", "blocked", "failed", "pending"]
"""A record's status; `pending` where the item was not asked yet."""

LATENCY_STAGES = ("preprocess", "transcribe", "read", "infer")
"""What paper 001 (§3.1) adds up to inference time: preprocessing and inference, with a cascade's perception."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One item, marked."""

    item: Item
    record: Record | None
    """None where the item was not asked yet."""
    extraction: Extraction | None
    """What the parser made of the reply; None where there is no reply to read."""
    verdict: bool | None = None
    """Right or wrong as another tool said, where its verdict stands in place of ours (parser `theirs`)."""

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def status(self) -> Outcome:
        return self.record.status if self.record else "pending"

    @property
    def label(self) -> str | None:
        """The option that counts as the answer, drawn ones included."""
        return self.extraction.label if self.extraction else None

    @property
    def reason(self) -> Reason | None:
        """Why a reply gave no label."""
        return self.extraction.reason if self.extraction else None

    @property
    def valid(self) -> bool:
        return self.verdict is not None or (self.extraction is not None and self.extraction.valid)

    @property
    def drawn(self) -> bool:
        return self.extraction is not None and self.extraction.drawn

    @property
    def answer(self) -> str | None:
        return self.item.answer

    @property
    def correct(self) -> bool:
        """Whether the label is the key. An item without a usable key is never right."""
        if self.verdict is not None:
            return self.verdict
        return self.label is not None and self.label == self.item.answer

    @property
    def chance(self) -> float:
        """Probability that a drawn option is right; 0 for an item without key or options."""
        return self.item.chance if self.item.answer is not None and self.item.options else 0.0

    @property
    def modality(self) -> str:
        return self.item.modality

    @property
    def labels(self) -> Mapping[str, str]:
        return self.item.labels

    @property
    def text(self) -> str | None:
        """The raw reply."""
        return self.record.text if self.record else None

    @property
    def latency(self) -> float | None:
        """Seconds of preprocessing, perception and inference (§3.1 of paper 001); None where no call was timed."""
        stages = self.record.stages if self.record else {}
        if "infer" not in stages:
            return None
        return sum(stages.get(stage, 0.0) for stage in LATENCY_STAGES)

    @property
    def media(self) -> tuple[str, ...]:
        """What the item shows or plays: hashes where they were recorded, else names. Items that share it are no
        independent evidence."""
        return (self.record.media if self.record else ()) or tuple(medium.name for medium in self.item.media)
