"""A table of results: typed columns, rows, notes. `keju.reports` draws it; `figures` formats its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from keju.phrase import Phrase, in_chinese

Kind = Literal["text", "share", "difference", "interval", "count", "seconds", "p", "number"]
"""How a cell is read and drawn.

`share` 0.73, drawn `73.0 %` · `difference` of two shares, drawn `+4.2` (percentage points) · `interval` a pair of
shares, drawn `[70.2, 75.7]` · `count` · `seconds` · `p` a p-value, drawn `< 0.001` where it is · `number` any other
figure · `text`, a `Phrase` where it is a word of ours. A cell of None is drawn as `–`: nothing was measured there.
Files for machines keep the raw value: 0.73 stays 0.73."""


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    """Name in JSON and CSV; `snake_case`, with its unit where it has one (`wall_s`)."""
    title: str
    """Heading for people, English."""
    kind: Kind = "text"
    title_zh: str | None = None
    """Heading for people, Chinese."""
    hidden: bool = False
    """For programs only: in this table the column would tell people nothing."""
    hide_zero: bool = False
    """Of a count: people are not shown the column where all its counts are 0, and a note says so. Files for machines
    keep it."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    """File stem and JSON key: `leaderboard`, `by_genre`, `pairs`."""
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    """Column key → value; a row may carry `_faint: True` (drawn grey: N < 10) or `_published: True` (not the user's
    own)."""
    notes: tuple[Phrase, ...] = ()
    """Sentences under the table: which interval, which family of tests, what was left out and why."""
    title_zh: str | None = None
    for_sheets: bool = False
    """Too long to be read on a page: a report keeps it to XLSX, CSV and JSON, where it is sorted and filtered."""

    @property
    def notes_zh(self) -> tuple[str, ...]:
        """The same sentences in Chinese, in the same order."""
        return tuple(in_chinese(note) for note in self.notes)
