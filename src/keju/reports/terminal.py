"""Tables in a terminal; plain text, without colour or cuts, where the output goes into a file or a pipe."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from keju.reports.wording import Language, cells, for_people, heading, is_text, notes, title
from keju.results.table import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

NARROWEST_TEXT = 16
"""Places that a column of words keeps before the table is broken into parts."""

GAP = 2
"""Places between columns."""


def show(tables: Sequence[Table], *, file: TextIO | None = None, language: Language = "en") -> None:
    """Draws the tables on `file` (standard output); obeys `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` and the width.

    Columns that the width does not hold follow in a second part, beside the columns that name the row.
    """
    from rich.console import Console

    target = file or sys.stdout
    console = Console(file=target, highlight=False)
    if console.is_terminal and console.encoding.startswith("utf"):
        for table in tables:
            _draw(console, table, language)
        return
    text = "\n".join(to_text(table, language=language) for table in tables)
    encoding = getattr(target, "encoding", None) or "utf-8"
    target.write(text.encode(encoding, "replace").decode(encoding))


def to_text(table: Table, *, language: Language = "en") -> str:
    """The table as plain text with columns in line, Chinese characters counted as two places; never wrapped."""
    table = for_people(table)
    widths = {position: widest for position, (_, widest) in enumerate(_widths(table, language))}
    head = [heading(column, language) for column in table.columns]
    body = [[_one_line(text) for text in cells(table, row, language)] for row in table.rows]
    first, *rest = (_padded(table, texts, widths) for texts in [head, *body])
    lines = [title(table, language), "", first, "-" * _whole(widths), *rest]
    if under := notes(table, language):
        lines += ["", *under]
    return "\n".join(lines) + "\n"


def _padded(table: Table, texts: Sequence[str], widths: Mapping[int, int]) -> str:
    padded = []
    for position, (column, text) in enumerate(zip(table.columns, texts, strict=True)):
        if position == len(texts) - 1 and is_text(column):  # nothing follows that must stand in line
            padded.append(text)
            break
        space = " " * (widths[position] - _places(text))
        padded.append(text + space if is_text(column) else space + text)
    return (" " * GAP).join(padded).rstrip()


def _places(text: str) -> int:
    """Places that `text` takes. Each character is looked up once: a reply may have a million."""
    from rich.cells import cell_len

    if text.isascii() and text.isprintable():
        return len(text)
    if "\u200d" in text or "\ufe0f" in text:  # characters that are drawn as one
        return cell_len(text)
    return sum(n * cell_len(char) for char, n in Counter(text).items())


def _draw(console: Console, table: Table, language: Language) -> None:
    from rich.text import Text

    table = for_people(table)
    console.print(Text(title(table, language), style="bold"))
    names = max(1, next((i for i, column in enumerate(table.columns) if not is_text(column)), 0))
    for number, part in enumerate(_parts(_widths(table, language), names, console.width)):
        if number:
            console.print()
        console.print(_grid(table, language, part))
    for note in notes(table, language):
        console.print(Text(note, style="dim"))
    console.print()


def _grid(table: Table, language: Language, widths: Mapping[int, int]) -> Grid:
    """The columns at the positions that `widths` names, each as wide as it says."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    gap = (0, GAP - 1, 0, 0)  # the box adds one place
    grid = Grid(box=box.SIMPLE_HEAD, padding=gap, pad_edge=False, show_edge=False)
    for position, width in widths.items():
        column = table.columns[position]
        head = Text(heading(column, language))
        grid.add_column(head, justify="left" if is_text(column) else "right", width=width, overflow="fold")
    for row in table.rows:
        texts = cells(table, row, language)
        grid.add_row(*(Text(texts[position]) for position in widths), style="dim" if row.get("_faint") else None)
    return grid


def _widths(table: Table, language: Language) -> list[tuple[int, int]]:
    """(least, most) places of each column: a figure never breaks, a heading between words, a text anywhere."""
    drawn = [cells(table, row, language) for row in table.rows]
    widths = []
    for position, column in enumerate(table.columns):
        head = heading(column, language)
        longest = max((_places(_one_line(row[position])) for row in drawn), default=1)
        longest_word = max((_places(word) for word in head.split()), default=1)
        least = min(longest, NARROWEST_TEXT) if is_text(column) else longest
        widths.append((max(least, longest_word), max(longest, _places(head))))
    return widths


def _parts(widths: Sequence[tuple[int, int]], names: int, room: int) -> list[dict[int, int]]:
    """The table in parts that fit into `room`, position → places; each has the first `names` columns, or the first."""
    first = {position: least for position, (least, _) in enumerate(widths[:names])}
    if _whole(first) > room / 2:
        first = {0: widths[0][0]}
    parts = [first.copy()]
    for position, (least, _) in list(enumerate(widths))[len(first) :]:
        if _whole(parts[-1]) + GAP + least > room and len(parts[-1]) > len(first):
            parts.append(first.copy())
        parts[-1][position] = least
    for part in parts:
        for position in part:  # what is left goes to the first column, then to the next
            part[position] += max(0, min(room - _whole(part), widths[position][1] - part[position]))
    return parts


def _whole(part: Mapping[int, int]) -> int:
    return sum(part.values()) + GAP * (len(part) - 1)


def _one_line(text: str) -> str:
    """A cell for a pipe, where `grep` and `cut` take a line for a row."""
    return " ".join(text.split())
