"""Charts of tables: one function a chart, each gives a `Chart` in both languages. They compute nothing.

`bars` one bar a row          `histogram` bars over ranges      `heat` two labels and a figure, as shades
`intervals` points on a line  `dumbbells` two points, joined    `crossed` the same of a long table
`stacked` bars of parts       `scatter` figure against figure   `significance` paired tests as a square
`embed` in an HTML page       `save` as SVG, PNG, PDF, or Vega-Lite JSON

To add one: a module with a function that takes a `Table` and the keys of the columns that it draws, and calls `drawn`.
The extra `charts` (Vega-Altair and vl-convert) is imported when a chart is drawn; nothing is fetched from a network.
"""

from __future__ import annotations

from keju.reports.charts.bars import bars
from keju.reports.charts.chart import Chart, drawn
from keju.reports.charts.crossed import crossed
from keju.reports.charts.dumbbells import dumbbells
from keju.reports.charts.embedding import NO_CHARTS, Embedded, embed
from keju.reports.charts.heat import heat
from keju.reports.charts.histogram import histogram
from keju.reports.charts.intervals import intervals
from keju.reports.charts.saving import FORMS, save
from keju.reports.charts.scatter import scatter
from keju.reports.charts.significance import significance
from keju.reports.charts.stacked import stacked

__all__ = [
    "FORMS",
    "NO_CHARTS",
    "Chart",
    "Embedded",
    "bars",
    "crossed",
    "drawn",
    "dumbbells",
    "embed",
    "heat",
    "histogram",
    "intervals",
    "save",
    "scatter",
    "significance",
    "stacked",
]
