"""What all charts look like: colours that colour-blind people tell apart, fonts that hold Chinese, quiet axes."""

from __future__ import annotations

from typing import Any

BLUE = "#0072b2"
"""The colour of a chart that has one."""

COLOURS = (BLUE, "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c8c8c")
"""Okabe and Ito's palette (2008) in an order for few groups. Its yellow and black are left out, and a grey is put in:
each must be seen on white and on black paper."""

SHADES = ("#e3edf6", "#a6c8e4", "#5b9bcf", "#1f6fb0", "#08488a")
"""Light to dark, one hue, for heat maps; lightness alone tells the order."""

DARK_SHADE = 0.5
"""Share of a heat map's range from which its shades carry white text: there white and black are equally legible."""

INK = "#1d1c1a"
"""Text and axes on white paper; a page sets its own through CSS."""

FONTS = (
    "Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, PingFang SC, Hiragino Sans GB, Microsoft YaHei, "
    "WenQuanYi Micro Hei, Noto Sans CJK TC, Noto Sans, sans-serif"
)
"""Sans-serif fonts with Chinese glyphs, by what Linux, macOS and Windows have."""

WIDTH = 480
"""Pixels of the plot in a file: with labels it fits a column of text. In a page it takes the width there is."""

COLUMN = 40
"""Least pixels of a column of a heat map: a number of four digits fits in."""

STEP = 22
"""Pixels of one row."""
NAMES = 220
"""Pixels that the name of a row may take in a file before it is cut; the table has it whole."""

LETTER = 7.5
"""Pixels of a letter of the widest fonts of `FONTS`, about; a Chinese one has twice as many."""

WHOLE = (0, 0.2, 0.4, 0.6, 0.8, 1)
"""Ticks of an axis from 0 to 100 %."""

ABOVE_FIGURES = {"titleAlign": "left", "titleX": -30}
"""Of a vertical axis of figures: its title begins above them, as it may be longer than they are."""


def config(ink: str | None = INK, font: str = FONTS) -> dict[str, Any]:
    """Vega's configuration. Without `ink` the colours of texts and lines are left to the page's CSS."""
    colour = {} if ink is None else {"color": ink}
    label = {} if ink is None else {"labelColor": ink, "titleColor": ink}
    return {
        "font": font,
        "background": None if ink is None else "white",
        "aria": False,  # the table beside it is what screen readers read
        "view": {"stroke": None},
        "axis": {
            "domainOpacity": 0.4,
            "gridOpacity": 0.15,
            "gridColor": ink or "currentColor",
            "domainColor": ink or "currentColor",
            "ticks": False,
            "labelPadding": 6,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": NAMES,
            **label,
        },
        "axisY": {"titleAngle": 0, "titleAnchor": "end", "titleAlign": "right", "titleX": -6, "titleY": -8},
        "title": {"anchor": "start", "fontSize": 14, "offset": 12, **colour},
        "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", **label},
        "text": {"fontSize": 12, **colour},
    }
