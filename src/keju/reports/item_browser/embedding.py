"""The item browser as parts of a page that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from keju.benchmark import Benchmark
from keju.reports.charts.embedding import digest, inert
from keju.reports.item_browser.contents import contents, phrases
from keju.reports.item_browser.entries import entries
from keju.reports.item_browser.media import known, media
from keju.reports.item_browser.words import WORDS, WHY
from keju.results.marked import OUTCOMES
from keju.results.scores import Scores

PAGE = 13_500_000
"""Characters of everything that the browser embeds; with Vega and the tables a page stays under 15 MB."""
SCRIPTS = ("words.js", "choosing.js", "list.js", "panel.js", "browser.js")
"""In the order in which they are run, as one script."""


@dataclass(frozen=True, slots=True)
class Browser:
    section: str
    """The element in which it appears."""
    style: str
    scripts: str
    """Its data and its script, to stand at the end of the body."""
    digests: tuple[str, ...]
    """Of its script, for the page's security policy."""


NO_ITEMS = Browser("", "", "", ())
"""The parts of a page without items."""


def embed_items(
    scores: Sequence[Scores], *, folder: Path | None = None, sources: Sequence[Benchmark] = ()
) -> Browser:
    """The browser over marked runs, best first; for `folder` and `sources` see `keju.reports.item_browser.media`.

    Items that share an id and nothing else are two: their benchmarks differ.
    """
    ranked = sorted(scores, key=lambda s: (not s.settled, s.accuracy is None, -(s.accuracy or 0.0)))
    found = entries(ranked)
    places = {key: place for place, key in enumerate(known(found))}
    data = contents(ranked, found, places) | {
        "words": phrases(WORDS),
        "why": phrases(WHY),
        "outcomes": phrases(OUTCOMES),
    }
    words = inert(data)
    data["media"] = media(found, max(0, PAGE - len(words.encode("utf-8", "replace"))), folder, sources)
    script = _script()
    scripts = f'<script type="application/json" id="items-data">{inert(data)}</script>\n<script>{script}</script>'
    return Browser(_read("section.html"), _read("browser.css"), scripts, (digest(script),))


def _script() -> str:
    return '(() => {\n"use strict";\n' + "".join(map(_read, SCRIPTS)) + "})();\n"


def _read(name: str) -> str:
    return (files("keju.reports.item_browser") / name).read_text(encoding="utf-8")
