"""What the two papers report, as data: to stand beside one's own figures, marked as not measured here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase
from keju.results.labels import named
from keju.results.table import Column, Kind, Table


@dataclass(frozen=True, slots=True)
class Published:
    """One table of a paper."""

    name: str
    """`tco-2` is Table 2 of the TCO paper."""
    paper: str
    table: Table
    """Its rows carry `_published` and, in `source`, paper and table number."""

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        return self.table.rows


def published(name: str) -> Published:
    """A published table: `tco-2`, `tco-3`, `tco-4`, `tco-6`, `multi-tw-3` or `multi-tw-4`.

    The figures stand as printed, to the printed decimals. Raises `Misuse` for another name.
    """
    tables = _all()
    if name not in tables:
        raise Misuse(f"there is no published table {name!r}; there is {', '.join(tables)}")
    return tables[name]


def beside(names: Sequence[str]) -> tuple[list[Mapping[str, Any]], list[Table]]:
    """Of the published tables `names`: the rows that can stand in a leaderboard, and the tables that stand alone."""
    rows: list[Mapping[str, Any]] = []
    alone: list[Table] = []
    for name in names:
        table = published(name).table
        if {"model", "accuracy"} <= {column.key for column in table.columns}:
            rows += table.rows
        else:
            alone.append(table)
    return rows, alone


def published_names() -> tuple[str, ...]:
    return tuple(_all())


@cache
def _all() -> dict[str, Published]:
    folder = files("keju.results").joinpath("published")
    found: dict[str, Published] = {}
    for file in sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name):
        paper = tomllib.loads(file.read_text(encoding="utf-8"))
        for data in paper["table"]:
            name = f"{paper['name']}-{data['number']}"
            found[name] = Published(name, paper["title"], _table(name, paper, data))
    return found


def _table(name: str, paper: Mapping[str, Any], data: Mapping[str, Any]) -> Table:
    columns = tuple(_column(*described) for described in data["columns"])
    short, number = paper["short"], data["number"]
    source = Phrase(f"{short} paper, Table {number}", f"{short} 论文表 {number}")
    rows = tuple(
        {column.key: _value(column.key, cell) for column, cell in zip(columns, cells, strict=True)}
        | {"source": source, "_published": True}
        for cells in data["rows"]
    )
    printed = Phrase(
        f"As printed in {source}: {paper['title']} ({paper['year']}).",
        f"照录自 {source.zh}：{paper['title']}（{paper['year']}）。",
    )
    notes = (printed, *(Phrase(**note) for note in data.get("notes", ())))
    return Table(name.replace("-", "_"), data["title"], columns, rows, notes, data["title_zh"])


def _column(key: str, title: str, kind: Kind, title_zh: str) -> Column:
    return Column(key, title, kind, title_zh)


def _value(key: str, cell: Any) -> Any:
    """TOML has no null: an empty string stands for the papers' dash. A table is a word in both languages."""
    match cell:
        case list():
            return tuple(cell)
        case dict():
            return Phrase(**cell)
        case str():
            return named(key, cell) if cell else None
    return cell
