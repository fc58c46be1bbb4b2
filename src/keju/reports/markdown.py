"""Tables as GitHub Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from keju.printable import printable
from keju.reports.wording import Language, about, cells, for_people, heading, is_text, notes, title
from keju.results.table import Table

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~$&#]")


def to_markdown(table: Table, *, language: Language = "en", level: int = 2) -> str:
    """The table with its title as a heading of `level` above it and its notes below."""
    table = for_people(table)
    head = [escaped(heading(column, language)) for column in table.columns]
    rule = ["---" if is_text(column) else "--:" for column in table.columns]
    body = [_row(table, row, language) for row in table.rows]
    lines = [f"{'#' * level} {_one_line(title(table, language))}", "", _line(head), _line(rule), *body, ""]
    if under := notes(table, language):
        lines += [*(f"- {_one_line(note)}" for note in under), ""]
    return "\n".join(lines)


def markdown_document(
    tables: Sequence[Table], *, title: str, meta: Mapping[str, Any], language: Language = "en"
) -> str:
    """One page: the title, what `meta` says of the report, then every table."""
    said = [f"- {_one_line(key)}: {_one_line(value)}" for key, value in about(meta)]
    parts = [f"# {_one_line(title)}\n", *(["\n".join(said) + "\n"] if said else [])]
    return "\n".join(parts + [to_markdown(table, language=language) for table in tables])


def escaped(text: str) -> str:
    """`text` as a cell that GitHub shows as it is: no markup, no link, no formula; a newline becomes `<br>`."""
    return _SPECIAL.sub(r"\\\g<0>", printable(text)).replace("\n", "<br>")


def _one_line(text: str) -> str:
    return escaped(" ".join(text.split()))


def _row(table: Table, row: Mapping[str, Any], language: Language) -> str:
    drawn = zip(table.columns, cells(table, row, language), strict=True)
    # Figures are drawn here and hold no markup: `[70.2, 75.7]` stays readable in the source.
    return _line([escaped(text) if is_text(column) else text for column, text in drawn])


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
