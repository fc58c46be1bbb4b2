"""What a check says of an item, a file or the whole benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from keju.items import NOTHING
from keju.phrase import Phrase

Severity = Literal["error", "warning", "note"]
"""`error` makes answers or scores wrong, or hides an item · `warning` a reviewer would ask about it · `note` good to
know. Only errors make `keju check` exit with 1."""


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    """Code of the rule: `Q103`."""
    severity: Severity
    message: Phrase
    """What is wrong, here: it names the value found and the value wanted."""
    remedy: Phrase
    """What the benchmark's author does about it, in words of someone who does not program."""
    item: str | None = None
    """Id of the item, or None where it concerns a file that no item has, or the whole benchmark."""
    file: str | None = None
    """The file, relative to the benchmark's root with forward slashes."""
    line: int | None = None
    measured: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What the rule measured, for programs: `{"width": 800, "height": 600}`."""

    @property
    def place(self) -> str:
        """`items.jsonl:12`, `0001.png`, or empty where the whole benchmark is meant."""
        return ":".join(str(part) for part in (self.file, self.line) if part is not None)
