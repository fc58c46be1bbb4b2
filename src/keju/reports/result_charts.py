"""Charts of results: the papers' figures of who is right, on what, in which language, how surely and how fast."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keju.phrase import Phrase
from keju.reports.charts import Chart, crossed, dumbbells, intervals, scatter, significance, stacked
from keju.results.mark import LATENCY_STAGES
from keju.results.table import Column, Table


def result_charts(tables: Sequence[Table]) -> list[Chart]:
    """A chart, of the leaderboard two, for each table that people would rather see than read.

    Raises `MissingExtra` without the extra `charts`.
    """
    return [chart for table in tables if table.rows for chart in _charts(table)]


def _charts(table: Table) -> Iterator[Chart]:
    if draw := _BY_NAME.get(table.name):
        yield from draw(table)
    elif {"model", "value", "accuracy", "interval"} <= {column.key for column in table.columns}:
        yield from _breakdown(table)
    elif table.name.startswith("paired_"):
        yield dumbbells(
            table,
            ["model", *_telling(table, "benchmark", "protocol")],
            ("first", "first_recall"),
            ("second", "second_recall"),
        )


def _leaderboard(table: Table) -> Iterator[Chart]:
    names = ["model", *_telling(table, "variant", "benchmark", "protocol", "run")]
    yield intervals(table, names, "accuracy", "interval", chance="chance")
    if parts := _what_became(table, names):
        columns = (*(c for c in table.columns if c.key in names), _OUTCOME, _SHARE)
        chart = stacked(replace(table, columns=columns, rows=tuple(parts)), names, "outcome", "share")
        yield replace(chart, name="validity", title=Phrase("What became of the items", "各题的结果"), table=table)


def _telling(table: Table, *keys: str) -> list[str]:
    """Those of the columns that tell rows apart."""
    return [key for key in keys if len({row.get(key) for row in table.rows}) > 1]


_OUTCOME = Column("outcome", "Outcome", "text", "结果")
_SHARE = Column("share", "Share of all items", "share", "占全部题目")


def _what_became(table: Table, names: Sequence[str]) -> list[dict[str, Any]]:
    """Valid replies and the others, as shares of all items; of published rows too, as far as they were reported."""
    there = {column.key: Phrase(column.title, column.title_zh or column.title) for column in table.columns}
    parts = []
    for row in table.rows:
        valid = 0.0 if row.get("answered") == 0 else row.get("valid_response_rate")
        if valid is None:
            continue
        shares = {Phrase("Valid", "有效"): valid}
        shares |= {there[key]: row[key] / row["n"] for key in _NOT_VALID if key in there and row.get(key)}
        words = {key: row.get(key) for key in names}
        parts += [words | {"outcome": outcome, "share": share} for outcome, share in shares.items()]
    return parts


_NOT_VALID = ("invalid", "blocked", "failed", "pending")


def _breakdown(table: Table) -> Iterator[Chart]:
    """One model as points with intervals, several as shades."""
    if len({row["model"] for row in table.rows}) == 1:
        yield intervals(table, ["value"], "accuracy", "interval")
    else:
        yield crossed(table, "model", "value", "accuracy")


def _dimensions(table: Table) -> Iterator[Chart]:
    yield intervals(table, ["model"], "accuracy", "interval", group="value")


def _pairs(table: Table) -> Iterator[Chart]:
    if any(row.get("difference") is not None for row in table.rows):
        yield significance(table)


def _parsers(table: Table) -> Iterator[Chart]:
    yield crossed(table, "model", "parser", "accuracy")


def _latency(table: Table) -> Iterator[Chart]:
    """The stages that make up inference time; queueing and loading are no part of it, the first token is in `infer`."""
    rows = tuple(row for row in table.rows if str(row["stage"]) in LATENCY_STAGES)
    if rows:
        names = ["model", *_telling(table, "perception")]
        yield replace(stacked(replace(table, rows=rows), names, "stage", "sum_s"), table=table)


def _invalid(table: Table) -> Iterator[Chart]:
    yield stacked(table, ["model"], "reason", "share")


def _letters(table: Table) -> Iterator[Chart]:
    """What was chosen how often, where all items have the same letters."""
    if len({row["options"] for row in table.rows}) == 1:
        yield crossed(table, "model", "letter", "chosen_share")


def _size(table: Table) -> Iterator[Chart]:
    yield scatter(table, "model", "parameters_b", "accuracy", "interval")


_BY_NAME: Mapping[str, Callable[[Table], Iterator[Chart]]] = {
    "leaderboard": _leaderboard,
    "pairs": _pairs,
    "by_dimension": _dimensions,
    "parsers": _parsers,
    "latency": _latency,
    "invalid": _invalid,
    "letters": _letters,
    "size": _size,
}
