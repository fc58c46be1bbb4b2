"""Tables as JSON: raw values, one unit a field, texts uncut."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from keju.errors import Misuse
from keju.items import NOTHING
from keju.reports.numbers import UNITS, raw
from keju.results.table import Table


def to_json(tables: Sequence[Table], *, title: str = "", meta: Mapping[str, Any] = NOTHING) -> str:
    """`{title, meta, tables: [{name, title, columns: [{key, kind, unit, …}], rows: [{key: value}], notes, …}]}`.

    A share of 73 % is 0.73, an interval `[low, high]`, an absent value null. Raises `Misuse` where `meta` holds what
    JSON cannot.
    """
    document = {"title": title, "meta": dict(meta), "tables": [_table(table) for table in tables]}
    try:
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False, default=str)
    except (TypeError, ValueError) as error:
        raise Misuse(f"the report's meta cannot be written as JSON: {error}") from error
    # Half of a surrogate pair (an emoji that a server cut in two) becomes its own JSON escape, \ud83d.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _table(table: Table) -> dict[str, Any]:
    columns = [
        {"key": c.key, "title": c.title, "title_zh": c.title_zh, "kind": c.kind, "unit": UNITS.get(c.kind)}
        for c in table.columns
    ]
    return {
        "name": table.name,
        "title": table.title,
        "title_zh": table.title_zh,
        "columns": columns,
        "rows": [_row(table, row) for row in table.rows],
        "notes": list(table.notes),
        "notes_zh": list(table.notes_zh),
    }


def _row(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    values = {column.key: raw(column, row) for column in table.columns}
    return values | {flag: True for flag in ("_published", "_faint") if row.get(flag)}
