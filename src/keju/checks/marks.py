"""Which items which models answered rightly: what rules on runs look at. Made of scores by the floors above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Marks:
    right: Mapping[str, Mapping[str, bool | None]]
    """Name of the run → item id → whether the answer was the key; None where it gave no label. An item that was not
    asked, or whose call failed, is left out."""
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name of the run → item id → the label it gave."""
    blind: frozenset[str] = frozenset()
    """Names of the runs that saw no media."""

    @property
    def seeing(self) -> dict[str, Mapping[str, bool | None]]:
        """The marks of the runs that saw the media."""
        return {name: marks for name, marks in self.right.items() if name not in self.blind}
