"""A table as CSV: raw values for machines, safe to open in a spreadsheet.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` (or their full-width forms, a tab or a line end) as a
formula. Such a text gets one apostrophe in front, and so does a text that begins with an apostrophe; `unguarded` takes
exactly that apostrophe away again. Figures are never touched: -0.042 stays -0.042.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from keju.reports.numbers import fields
from keju.results.table import Column, Table

GUARDED = tuple("=+-@＝＋－＠\t\r\n'")
"""First characters before which an apostrophe is put."""

BOM = "\ufeff"
"""Without it Excel reads UTF-8 as the computer's own encoding and shows Chinese as rubbish."""


def to_csv(table: Table) -> str:
    """The table as CSV (RFC 4180), beginning with `BOM`; write it as UTF-8, without newline translation.

    The header holds the columns' keys; an interval takes two columns, `…_low` and `…_high`. A share of 73 % is 0.73; a
    cell without a value is empty. Where a row is published or faint, a column `_published` or `_faint` says which are.
    """
    flags = [flag for flag in ("_published", "_faint") if any(row.get(flag) for row in table.rows)]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([guarded(name) for column in table.columns for name in _names(column)] + flags)
    for row in table.rows:
        values = [value for column in table.columns for value in fields(column, row)]
        writer.writerow([_plain(value) for value in values] + [_plain(bool(row.get(flag))) for flag in flags])
    return BOM + out.getvalue()


def guarded(text: str) -> str:
    """`text` in a form that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(GUARDED) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(GUARDED) else text


def _names(column: Column) -> tuple[str, ...]:
    return (f"{column.key}_low", f"{column.key}_high") if column.kind == "interval" else (column.key,)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return guarded(value) if isinstance(value, str) else value
