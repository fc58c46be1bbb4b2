"""Charts of tables: one function a chart, each gives a `Chart` in both languages. They compute nothing.

`bars` one bar a row          `histogram` bars over ranges      `heat` two labels and a figure, as shades
`embed` in an HTML page       `save` as SVG, PNG, PDF, or Vega-Lite JSON

To add one: a module with a function that takes a `Table` and the keys of the columns that it draws, and calls `drawn`.
The extra `charts` (Vega-Altair and vl-convert) is imported when a chart is drawn; nothing is fetched from a network.
"""

from __future__ import annotations

from keju.reports.charts.bars import bars
from keju.reports.charts.chart import Chart, drawn
from keju.reports.charts.embedding import NO_CHARTS, Embedded, embed
from keju.reports.charts.heat import heat
from keju.reports.charts.histogram import histogram
from keju.reports.charts.saving import FORMS, save

__all__ = ["FORMS", "NO_CHARTS", "Chart", "Embedded", "bars", "drawn", "embed", "heat", "histogram", "save"]
