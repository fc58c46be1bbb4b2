"""The report as one HTML page: no network, no script but its own, both languages, and every text escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from keju.items import NOTHING
from keju.reports.bilingual import either, page, plain, styles
from keju.reports.charts import NO_CHARTS, Chart, Embedded, embed
from keju.reports.item_browser import NO_ITEMS, Browser
from keju.reports.numbers import cell, raw
from keju.reports.wording import (
    MARKS,
    WORDS,
    Language,
    about,
    for_people,
    heading,
    is_text,
    kinds,
    notes,
    title,
)
from keju.results.table import Column, Table

LONG = 12
"""Rows above which a table waits folded under its chart; on paper it is open."""
ITEM = "id"
"""Key of the column in which tables name items."""
LONGEST = 60
"""Rows above which one without a chart does."""


def to_html(
    tables: Sequence[Table],
    *,
    title: str = "Results",
    meta: Mapping[str, Any] = NOTHING,
    language: Language = "en",
    charts: Sequence[Chart] = (),
    items: Browser = NO_ITEMS,
    served: bool = False,
) -> str:
    """One self-contained page that opens in `language` and shows the other on request; charts stand over their tables,
    the items behind the figures at the end.

    Its security policy forbids any load but of clips beside it, and any script but the page's own (known by their
    digests): a hostile reply stays text even if an escape were missed. A page that is `served` may ask its own
    server for pictures, clips and news.
    """
    drawn = embed(charts) if charts else NO_CHARTS
    sections = "\n".join(
        _section(number, table, _figures(table, charts, drawn), linked=bool(items.section))
        for number, table in enumerate(tables, start=1)
    )
    contents = _contents(tables, items) if len(tables) > 1 or items.section else ""
    return page(
        title=title,
        policy=_policy(*drawn.digests, *items.digests, served=served),
        style=styles() + drawn.style + items.style,
        language=language,
        head=_about(meta),
        body=f"{contents}\n<main>\n{sections}{items.section}\n</main>\n{drawn.scripts}{items.scripts}",
    )


def _policy(*digests: str, served: bool = False) -> str:
    """What the page may run and load. `file:` is the clips beside a page that is opened from disk."""
    if not digests:
        return "script-src 'none'"
    scripts = " ".join(f"'{digest}'" for digest in digests)
    loads = (
        "img-src 'self'; media-src 'self'; connect-src 'self'"
        if served
        else "img-src data:; media-src data: file: 'self'"
    )
    return f"script-src {scripts}; {loads}"


def _figures(table: Table, charts: Sequence[Chart], drawn: Embedded) -> str:
    """The charts of a table; one that shows something else than the table's title says has its own."""
    told = [chart for chart in charts if chart.table.name == table.name]
    return "".join(
        (f"<h3>{either(plain(chart.title), plain(chart.title.zh))}</h3>\n" if chart.title != table.title else "")
        + drawn.figures[chart.name]
        for chart in told
    )


def _section(number: int, table: Table, figure: str, *, linked: bool) -> str:
    """A table under its chart; with `linked`, ids of items lead to the items in the page."""
    table = for_people(table)
    plot = _plotted(table)
    heads = "".join(_head(column, plot) for column in table.columns)
    rows = "\n".join(_row(table, row, plot, linked) for row in table.rows)
    under = either(_list(notes(table, "en")), _list(notes(table, "zh")), tag="div")
    figures = (
        f'<div class="scroll" role="group" aria-labelledby="h{number}" tabindex="0"><table>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n{under}"
    )
    if len(table.rows) > (LONG if figure else LONGEST):
        figures = f"<details><summary>{_words('figures')}</summary>\n{figures}</details>\n"
    return (
        f'<section id="t{number}" aria-labelledby="h{number}">\n<h2 id="h{number}">{_title(table)}</h2>\n{figure}'
        f"{figures}</section>"
    )


def _row(table: Table, row: Mapping[str, Any], plot: tuple[Column, Column] | None, linked: bool) -> str:
    cells = []
    for position, column in enumerate(table.columns):
        text = either(_cell(column, row), _cell(column, row, zh=True))
        if linked and column.key == ITEM:
            text = f'<a href="#item={quote(str(row[ITEM]))}">{text}</a>'
        if position == 0:
            cells.append(f'<th scope="row"{_class(column)}>{text}{_marks(row)}</th>')
        else:
            cells.append(f"<td{_class(column)}>{text}</td>")
        if plot and column is plot[1]:
            cells.append(f'<td class="plot">{_bar(plot, row)}</td>')
    return f"<tr{' class=faint' if row.get('_faint') else ''}>{''.join(cells)}</tr>"


def _cell(column: Column, row: Mapping[str, Any], *, zh: bool = False) -> str:
    drawn = cell(column, row, zh=zh)
    return plain(drawn if is_text(column) else drawn.replace("-", "\N{MINUS SIGN}"))


def _plotted(table: Table) -> tuple[Column, Column] | None:
    """The first share that its interval follows, with that interval; an interval after a difference is another's."""
    for share, interval in pairwise(table.columns):
        if share.kind == "share" and interval.kind == "interval":
            return share, interval
    return None


def _bar(plot: tuple[Column, Column], row: Mapping[str, Any]) -> str:
    """A tick on a line from 0 to 100 %, its interval, and a dotted tick at chance where the row has one.

    Screen readers pass over it: the figures stand in the row.
    """
    share, interval = (raw(column, row) for column in plot)
    if share is None:
        return ""
    marks = ['<line class="axis" x1="0%" x2="100%" y1="50%" y2="50%"/>']
    chance = row.get("chance")
    if isinstance(chance, int | float) and 0 <= chance <= 1:
        marks.append(f'<line class="chance" x1="{chance:.2%}" x2="{chance:.2%}" y1="10%" y2="90%"/>')
    if interval is not None:
        low, high = (f"{min(1, max(0, end)):.2%}" for end in interval)
        marks.append(f'<line class="interval" x1="{low}" x2="{high}" y1="50%" y2="50%"/>')
    marks.append(f'<line class="point" x1="{share:.2%}" x2="{share:.2%}" y1="20%" y2="80%"/>')
    return f'<svg aria-hidden="true" focusable="false">{"".join(marks)}</svg>'


def _head(column: Column, plot: tuple[Column, Column] | None) -> str:
    words = either(plain(heading(column, "en")), plain(heading(column, "zh")))
    head = f'<th scope="col"{_class(column)}>{words}</th>'
    return f'{head}<th scope="col" class="plot">{_words("plot")}</th>' if plot and column is plot[1] else head


def _class(column: Column) -> str:
    return "" if is_text(column) else ' class="figure"'


def _marks(row: Mapping[str, Any]) -> str:
    shown = (f'<abbr title="{plain(" · ".join(WORDS[kind]))}">{MARKS[kind]}</abbr>' for kind in kinds(row))
    return "".join(shown)


def _contents(tables: Sequence[Table], items: Browser) -> str:
    links = "".join(f'<li><a href="#t{n}">{_title(table)}</a></li>' for n, table in enumerate(tables, start=1))
    if items.section:
        links += f'<li><a href="#items">{_words("items")}</a></li>'
    head = _words("contents" if items.section else "tables")
    return f'<nav aria-labelledby="contents"><h2 id="contents">{head}</h2><ol>{links}</ol></nav>'


def _about(meta: Mapping[str, Any]) -> str:
    named = ((_words(key) if key in WORDS else plain(key), plain(value)) for key, value in about(meta))
    pairs = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in named)
    return f"<dl>{pairs}</dl>" if pairs else ""


def _list(texts: Sequence[str]) -> str:
    if not texts:
        return ""
    items = (plain(text).replace(" %", "\N{NO-BREAK SPACE}%") for text in texts)  # no line begins with the sign
    return f'<ul class="notes">{"".join(f"<li>{item}</li>" for item in items)}</ul>'


def _title(table: Table) -> str:
    return either(plain(title(table, "en")), plain(title(table, "zh")))


def _words(key: str) -> str:
    return either(*(plain(text) for text in WORDS[key]))
