"""Charts of a benchmark's description: the papers' figures of how items, texts and media are distributed."""

from __future__ import annotations

from collections.abc import Sequence

from keju.phrase import Phrase
from keju.reports.charts import Chart, bars, heat, histogram
from keju.results.labels import heading_of
from keju.results.table import Table


def distribution_charts(tables: Sequence[Table]) -> list[Chart]:
    """A chart for each table that shows a distribution: counts as bars, two labels as shades, ranges as a histogram.

    Raises `MissingExtra` without the extra `charts`.
    """
    return [chart for table in tables if table.rows and (chart := _chart(table))]


def _chart(table: Table) -> Chart | None:
    keys = [column.key for column in table.columns]
    match keys:
        case ["answer", "n", "share", "expected"]:
            return bars(table, "answer", "n", expected="expected")
        case [name, *_] if "share" in keys and "n" in keys and name != "rule":
            return bars(table, name, "n")
        case ["from", "to", value]:
            return histogram(table, "from", "to", value, Phrase(table.title, table.title_zh or table.title))
        case ["value", *across, "total"]:
            return heat(table, "value", across, heading_of(across[0].partition(":")[0]))
    return None
