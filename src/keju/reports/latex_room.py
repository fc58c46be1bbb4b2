"""How much room a table takes where LaTeX sets it, estimated from its letters: on the page of the report's document.

In a paper's narrower column a float is shrunk to it; of a table over several pages only the wide columns are narrower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len

WIDTH, HEIGHT = 742.0, 470.0
"""Points of text on A4, landscape, with margins of 18 mm; of the height, 25 are left to what is not foreseen."""
WIDE_CELL = 40
"""Letters beyond which a text column is set as a paragraph."""
LETTER = 0.52
"""Width of a letter in sizes of the font, a little more than a digit has; a Chinese one takes two."""
LINE = 1.2
"""Height of a line in sizes of the font."""
SIZES = ((r"\small", 9.0), (r"\footnotesize", 8.0), (r"\scriptsize", 7.0), (r"\tiny", 5.0))
"""Sizes in points of a table over several pages, the first that leaves room for its wide columns."""
FLOAT, GAP, LONG_GAP = 10.0, 12.0, 8.0
"""Size of a float's letters, and what a column adds beside them: twice `\\tabcolsep`."""
NOTE = 8.0
NARROWEST = 100.0
"""Points that a wide column should have."""


@dataclass(frozen=True)
class Room:
    """A table as people are shown it: `cells` are its heads and rows, `wide` says which columns are paragraphs."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    wide: Sequence[bool]
    notes: Sequence[str]

    @cached_property
    def _letters(self) -> list[int]:
        """Of each column, those of its longest cell."""
        return [max(map(cell_len, column)) for column in zip(self.heads, *self.rows, strict=True)]

    @property
    def float_widths(self) -> list[float]:
        """Share of the line that each wide column has in a float."""
        return [0.6 / max(1, sum(self.wide))] * sum(self.wide)

    @property
    def is_long(self) -> bool:
        """Whether it is higher than a page, as a float."""
        paragraph = self.float_widths[0] * WIDTH if any(self.wide) else WIDTH
        natural = sum(paragraph if is_wide else width for is_wide, width in self._columns(FLOAT, GAP))
        lines = sum(self._lines(row, paragraph, FLOAT) for row in self.rows)
        under = sum(math.ceil(cell_len(note) * LETTER * NOTE / WIDTH) for note in self.notes)
        shrunk = min(1.0, WIDTH / natural)
        return (lines + 4) * LINE * FLOAT * shrunk + (under + 1) * LINE * NOTE > HEIGHT

    @property
    def size(self) -> tuple[str, list[float]]:
        """Of a table over several pages: the command of its size, and the share of the line of each wide column."""
        fits = (one for one in SIZES if self._left(one[1]) >= NARROWEST * sum(self.wide))
        command, size = next(fits, SIZES[-1])
        most = max(self._left(size), NARROWEST) / max(1, sum(self.wide))
        wanted = [min(width, most) - LONG_GAP for is_wide, width in self._columns(size, LONG_GAP) if is_wide]
        return command, [math.floor(100 * width / WIDTH) / 100 for width in wanted]

    def _left(self, size: float) -> float:
        """Points that the other columns leave to the wide ones."""
        return WIDTH - sum(width for is_wide, width in self._columns(size, LONG_GAP) if not is_wide)

    def _columns(self, size: float, gap: float) -> list[tuple[bool, float]]:
        """Of each column whether it is a paragraph, and the points that it takes in one line."""
        return [(w, letters * LETTER * size + gap) for w, letters in zip(self.wide, self._letters, strict=True)]

    def _lines(self, row: Sequence[str], paragraph: float, size: float) -> int:
        wide = (text for text, is_wide in zip(row, self.wide, strict=True) if is_wide)
        return max((math.ceil(cell_len(text) * LETTER * size / paragraph) for text in wide), default=1) or 1
