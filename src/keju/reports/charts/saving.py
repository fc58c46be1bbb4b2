"""A chart as a file for a paper: SVG, PNG or PDF; or as Vega-Lite, to be changed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from keju.errors import MissingExtra, Misuse
from keju.formats.whole_files import write_whole
from keju.reports.charts.chart import Chart
from keju.reports.charts.fonts import without_glyph
from keju.reports.charts.style import config
from keju.reports.wording import Language, in_language

FORMS = ("svg", "png", "pdf", "json")
"""What a chart can be saved as; the suffix of the file says which. `json` is Vega-Lite."""

SCALE = 3
"""Pixels of a PNG for each of the chart's: about 220 dots per inch in the width of a page."""


def save(chart: Chart, path: str | Path, *, language: Language = "en", fonts: Path | None = None) -> Path:
    """Writes the chart, with its title, into a file of one of `FORMS`; `fonts` is a folder of further font files.

    An SVG keeps its text as text and is drawn with the reader's fonts. Raises `Misuse` where the form is unknown or no
    font has the characters that a PNG or PDF needs, `MissingExtra` without the extra `charts`.
    """
    target = Path(path)
    form = target.suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise Misuse(f"{target}: a chart is saved as {', '.join(FORMS)}")
    convert = converter()
    if fonts:
        _register(convert, str(fonts.resolve()))
    spec = {**chart.specs[language], "title": in_language(chart.title, language)}
    if form in ("png", "pdf"):
        _refuse_boxes(spec, target)
    content = _content(convert, spec, form)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, content)
    return target


def converter() -> ModuleType:
    """vl-convert. Raises `MissingExtra`."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("charts", "saving charts") from None
    return vl_convert


def _content(convert: ModuleType, spec: Mapping[str, Any], form: str) -> bytes:
    if form == "json":
        return json.dumps({**spec, "config": config()}, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    drawing = _svg(convert, json.dumps(spec))
    if form == "svg":
        return drawing.encode("utf-8")
    return bytes(convert.svg_to_png(drawing, scale=SCALE) if form == "png" else convert.svg_to_pdf(drawing))


@cache
def _register(convert: ModuleType, fonts: str) -> None:
    convert.register_font_directory(fonts)
    _svg.cache_clear()  # with other fonts, texts are of another width


@lru_cache(maxsize=1)  # the forms of a chart are saved one after the other, and drawing it is most of the work
def _svg(convert: ModuleType, spec: str) -> str:
    """The drawing of a chart, given as JSON, of which every picture is made. Nothing is loaded from anywhere."""
    whole = json.loads(spec)  # vl-convert itself reads some numbers of a text one bit off
    return str(convert.vegalite_to_svg(whole, config=config(), allowed_base_urls=[]))


def _refuse_boxes(spec: Mapping[str, Any], target: Path) -> None:
    if missing := without_glyph(_texts(spec)):
        shown = missing[:12] + ("…" if len(missing) > 12 else "")
        raise Misuse(
            f"{target}: no font here has {shown}, so the picture would show boxes. Install Noto Sans CJK "
            "(Debian, Ubuntu: apt install fonts-noto-cjk), name a folder of fonts, or save as SVG"
        )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
