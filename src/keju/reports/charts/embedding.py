"""Charts in an HTML page that needs no network: the parts that the page puts where it likes."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files

from keju.printable import printable
from keju.reports.charts.bundle import vega
from keju.reports.charts.chart import Chart
from keju.reports.charts.style import LETTER, config


@dataclass(frozen=True, slots=True)
class Embedded:
    figures: Mapping[str, str]
    """Chart's name → the element in which it appears."""
    style: str
    """CSS: the page's variables `--ink` and `--figures` give colour and font, in light, in dark and on paper."""
    scripts: str
    """Vega and the charts, to stand at the end of the body; about 0.9 MB."""
    digests: tuple[str, ...]
    """Of these very scripts: the page's security policy allows them, and no other."""


NO_CHARTS = Embedded({}, "", "", ())
"""The parts of a page without charts."""


def embed(charts: Sequence[Chart]) -> Embedded:
    """The parts of a page, which shows one language: the one of `input[name=language]`, else of `<html lang>`.

    Data is no script: a hostile text in a chart stays text. Raises `MissingExtra` without the extra `charts`.
    """
    start = (files("keju.reports.charts") / "charts.js").read_text(encoding="utf-8")
    content = {"config": config(ink=None), "letter": LETTER, "specs": {chart.name: chart.specs for chart in charts}}
    scripts = [f'<script type="application/json" id="chart-specs">{inert(content)}</script>']
    scripts += [f"<script>{script}</script>" for script in (vega(), start)]
    style = (files("keju.reports.charts") / "charts.css").read_text(encoding="utf-8")
    figures = {chart.name: _figure(chart) for chart in charts}
    return Embedded(figures, style, "\n".join(scripts), (digest(vega()), digest(start)))


def _figure(chart: Chart) -> str:
    name, title = escape(chart.name), escape(printable(f"{chart.title} · {chart.title.zh}"))
    return f'<div class="chart" role="img" aria-label="{title}" data-chart="{name}"></div>'


def inert(value: object) -> str:
    """JSON that no HTML parser takes for markup."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def digest(script: str) -> str:
    """Of a script's text, as a security policy writes it."""
    return f"sha256-{b64encode(sha256(script.encode('utf-8')).digest()).decode('ascii')}"
