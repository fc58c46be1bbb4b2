"""Charts as inline SVG, drawn here: no script, no style attribute, no request. Figures always stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from keju.studio.wording import in_a_row

HEIGHT = 120  # of a chart of columns, in its own units
STEP = 34  # from one column to the next: two bars, a gap, and room for a date of five characters


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of column: what it counts, and one count a place on the axis."""

    name: str
    style: str
    """`begun` or `done`: the class that the style sheet colours."""
    counts: tuple[int, ...]


def bar(
    value: float, interval: tuple[float, float] | None = None, expected: float | None = None, *, most: float = 1.0
) -> SafeString:
    """A bar from 0 to `value` on an axis to `most`, its interval as a line, what was expected as a tick.

    Screen readers pass over it: the figures stand in its row.
    """
    marks = [format_html('<rect class="value" x="0" y="4" width="{}" height="10"/>', _percent(value, most))]
    if interval is not None:
        low, high = (_percent(end, most) for end in interval)
        marks.append(format_html('<line class="interval" x1="{}" x2="{}" y1="9" y2="9"/>', low, high))
        marks += [format_html('<line class="interval" x1="{0}" x2="{0}" y1="5" y2="13"/>', end) for end in (low, high)]
    if expected is not None:
        marks.append(format_html('<line class="expected" x1="{0}" x2="{0}" y1="1" y2="17"/>', _percent(expected, most)))
    return format_html(
        '<svg class="bar-chart" width="100%" height="18" aria-hidden="true">{}</svg>',
        format_html_join("", "{}", ((mark,) for mark in marks)),
    )


def columns(places: Sequence[str], series: Sequence[Series]) -> SafeString:
    """Counts side by side at each place, such as a week. Drawn to scale; the figures stand in the table beneath."""
    most = max((count for one in series for count in one.counts), default=0) or 1
    width = (STEP - 8) / max(1, len(series))
    marks = [
        format_html(
            '<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{} {}: {}</title></rect>',
            one.style,
            round(at * STEP + 4 + which * width, 1),
            round(HEIGHT * (1 - one.counts[at] / most), 1),
            round(width - 1, 1),
            round(HEIGHT * one.counts[at] / most, 1),
            place,
            one.name,
            one.counts[at],
        )
        for at, place in enumerate(places)
        for which, one in enumerate(series)
    ]
    marks += [
        format_html('<text x="{}" y="{}">{}</text>', at * STEP + STEP // 2, HEIGHT + 14, place)
        for at, place in enumerate(places)
    ]
    across = len(places) * STEP
    return format_html(
        '<svg class="column-chart" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">'
        '<line class="axis" x1="0" x2="{0}" y1="{3}" y2="{3}"/>{4}</svg>',
        across,
        HEIGHT + 20,
        in_a_row(one.name for one in series),
        HEIGHT,
        format_html_join("", "{}", ((mark,) for mark in marks)),
    )


def _percent(value: float, most: float) -> str:
    return f"{100 * min(1.0, max(0.0, value / most)):.2f}%"
