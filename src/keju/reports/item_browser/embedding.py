"""The item browser as parts of a page that needs no network."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from keju.benchmark import Benchmark
from keju.items import Medium
from keju.reports.charts.embedding import digest, inert
from keju.reports.item_browser.contents import contents, phrases
from keju.reports.item_browser.entries import entries
from keju.reports.item_browser.media import known, media, served
from keju.reports.item_browser.words import WHY, WORDS
from keju.results.marked import OUTCOMES
from keju.results.naming import told_apart
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
    scores: Sequence[Scores],
    *,
    people: Sequence[Scores] = (),
    folder: Path | None = None,
    sources: Sequence[Benchmark] = (),
    address: Callable[[Medium], str] | None = None,
) -> Browser:
    """The browser over marked runs, best first, with what `people` answered to the same items.

    For `folder` and `sources` see `keju.reports.item_browser.media`. With `address` the page holds no media, only where
    its server has each, and the runs stay in the order given: theirs by accuracy changes while they go on.

    Items that share an id and nothing else are two: their benchmarks differ.
    """
    ranked = list(scores) if address else sorted(scores, key=_rank)
    runs = told_apart([*ranked, *people])
    found = entries(runs)
    places = {key: place for place, key in enumerate(known(found))}
    data = contents(runs, found, places)
    data |= {"models": len(ranked), "words": phrases(WORDS), "why": phrases(WHY), "outcomes": phrases(OUTCOMES)}
    packed, written = _packed(data.pop("texts")), inert(data)
    left = max(0, PAGE - len(packed) - len(written.encode("utf-8", "replace")))
    shown = served(found, sources, address) if address else media(found, left, folder, sources)
    script = _script()
    scripts = (
        f'<script type="application/json" id="items-data">{written}</script>\n'
        f'<script type="application/json" id="items-media">{inert(shown)}</script>\n'
        f'<script type="application/gzip" id="items-texts">{packed}</script>\n'
        f"<script>{script}</script>"
    )
    return Browser(_read("section.html"), _read("browser.css"), scripts, (digest(script),))


def _rank(s: Scores) -> tuple[bool, bool, float]:
    return not s.settled, s.accuracy is None, -(s.accuracy or 0.0)


def _packed(texts: Sequence[str]) -> str:
    """JSON, compressed, as Base64: chains of thought shrink to a third, and nothing of them can be markup."""
    written = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return b64encode(gzip.compress(written, mtime=0)).decode("ascii")


def _script() -> str:
    return '(async () => {\n"use strict";\n' + "".join(map(_read, SCRIPTS)) + "})();\n"


def _read(name: str) -> str:
    return (files("keju.reports.item_browser") / name).read_text(encoding="utf-8")
