"""Whether the fonts of this computer have the characters of a chart: a picture must not show boxes for Chinese."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape

from keju.reports.charts.style import FONTS

NO_CHARACTER = "\U0010fffd"
"""A private character that no font has: it is drawn as the box that stands for what is missing."""


def without_glyph(texts: Iterable[str]) -> str:
    """The characters in `texts` that would be drawn as boxes, in order; empty where all can be drawn."""
    used = dict.fromkeys(character for text in texts for character in text if not character.isascii())
    return "".join(one for one in used if not one.isspace() and _picture(one) == _picture(NO_CHARACTER))


@cache
def _picture(character: str) -> bytes:
    import vl_convert

    text = f'<text x="4" y="24" font-size="20" font-family="{escape(FONTS)}">{escape(character)}</text>'
    picture: bytes = vl_convert.svg_to_png(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">{text}</svg>'
    )
    return picture
