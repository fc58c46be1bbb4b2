"""The report's page while runs go on: made anew when their files have changed, and not more often than is good."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from threading import Lock
from typing import Any

from keju.errors import KejuError
from keju.items import Medium
from keju.phrase import Phrase
from keju.reports.bilingual import both
from keju.reports.charts.embedding import digest, inert
from keju.reports.item_browser import Browser
from keju.runs.watching import Sight, Watch

PAUSE = 2.0
"""Seconds between two questions of a page, and the least between two pages."""
SHARE = 3
"""A page that took a second is not made anew for three: whoever looks on costs the run a quarter of a core at most."""

WORDS: Mapping[str, Phrase] = {
    "asked": Phrase("{n} of {all} items asked; runs: {runs}", "已问 {n} / {all} 题；运行：{runs}"),
    "watching": Phrase("Files of other tools; this page follows them", "其他工具的文件；本页随之更新"),
    "show": Phrase("Show new results", "显示新结果"),
    "by itself": Phrase("update by itself", "自动更新"),
    "trouble": Phrase("This page is older than the runs: {error}", "本页未能更新到最新结果：{error}"),
    "gone": Phrase("`keju view` has stopped; what you see stays.", "`keju view` 已停止，所见内容保留。"),
}
"""What the bar of a live page says."""

Build = Callable[[str], str]
"""Version of the runs → their page."""


class Gallery:
    """The media that a page shows, by addresses that tell nothing of where they lie."""

    def __init__(self) -> None:
        self._media: dict[str, Medium] = {}

    def address(self, medium: Medium) -> str:
        """Where the server of the page has it; from then on it can be had there."""
        inside = medium.identity if medium.path is None else str(medium.path)
        key = sha256(f"{medium.kind} {medium.name} {inside}".encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self._media[key] = medium
        return f"media/{key}"

    def get(self, key: str) -> Medium | None:
        return self._media.get(key)


@dataclass
class Live:
    """The newest page that may be had, for any number of readers at once."""

    watch: Watch
    build: Build
    _page: str = ""
    _version: str = ""
    _failed: str = ""
    _error: str | None = None
    _due: float = 0.0
    _seen: tuple[float, Sight] | None = None
    _looking: Lock = field(default_factory=Lock)
    _building: Lock = field(default_factory=Lock)

    def state(self) -> dict[str, Any]:
        """How far the runs are; `page` is the version that `page()` would return now."""
        sight = self._look()
        old = time.monotonic() < self._due or sight.version == self._failed
        return {
            "page": self._version if old else sight.version,
            "runs": sight.runs,
            "records": sight.records,
            "items": sight.items,
            "error": self._error,
        }

    def page(self) -> str:
        """The page; the last one where it is too early for another, or where the runs cannot be read just now."""
        with self._building:
            if (version := self.state()["page"]) != self._version:
                self._make(version)
            return self._page

    def make(self) -> None:
        """Make the first page. Raises what `build` raises."""
        sight = self._look()
        self._page, self._version = self.build(sight.version), sight.version
        self._due = time.monotonic() + PAUSE  # what it took was spent on loading libraries

    def _make(self, version: str) -> None:
        began = time.monotonic()
        try:
            self._page, self._version, self._failed, self._error = self.build(version), version, "", None
        except (KejuError, OSError) as error:
            self._failed, self._error = version, str(error)
        ended = time.monotonic()
        self._due = ended + max(PAUSE, SHARE * (ended - began))

    def _look(self) -> Sight:
        """A look at the runs, shared by all who ask within a second."""
        with self._looking:
            now = time.monotonic()
            if self._seen is None or now - self._seen[0] > 1:
                self._seen = now, self.watch.look()
            return self._seen[1]


def live(items: Browser, version: str) -> Browser:
    """The parts of a page with a bar that tells how far the runs are, and a script that follows them."""
    data = {"page": version, "pause": PAUSE * 1000, "words": {key: [text, text.zh] for key, text in WORDS.items()}}
    script = _read("live.js")
    bar = (
        '<aside class="live" id="live" aria-label="Live · 实时">\n'
        f'{_told()}<progress aria-label="{escape("Asked · 已问")}" hidden></progress>\n'
        f'<label><input type="checkbox" checked> {both(WORDS["by itself"])}</label>\n'
        f'<button type="button" hidden>{both(WORDS["show"])}</button>\n{_told("trouble")}</aside>\n'
        f'<script type="application/json" id="live-data">{inert(data)}</script>\n<script>{script}</script>'
    )
    return replace(
        items,
        style=items.style + _read("live.css"),
        scripts=f"{items.scripts}\n{bar}",
        digests=(*items.digests, digest(script)),
    )


def _told(kind: str = "") -> str:
    """A place for a phrase that the script fills in."""
    spans = '<span class="en" lang="en"></span><span class="zh" lang="zh-Hans"></span>'
    return f'<p class="{kind}" hidden>{spans}</p>'


def _read(name: str) -> str:
    return (files("keju.reports") / name).read_text(encoding="utf-8")
