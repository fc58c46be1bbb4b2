"""`keju view`: the report of runs in the browser, and what they bring while they go on."""

from __future__ import annotations

import argparse
import json
import os
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from keju.cli.options import output_options, runs_arguments
from keju.cli.report import drawn_charts, drawn_tables, page_options, sources

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.reports.item_browser import Browser
    from keju.reports.live import Gallery
    from keju.results.scores import Scores
    from keju.runs.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    page_options(parser)
    group = parser.add_argument_group("server")
    group.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this computer)")
    group.add_argument("--port", type=int, default=8471, help="port, 0 for any that is free (default: 8471)")
    group.add_argument("--no-browser", action="store_true", help="only print the address")
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the address and serve until interrupted."""
    from keju.reports.live import Gallery, Live
    from keju.reports.serving import Server
    from keju.runs.watching import Watch

    gallery = Gallery()
    live = Live(Watch(args.runs), _Pages(args, gallery))
    with Server(args.host, args.port, live, gallery) as server, suppress(KeyboardInterrupt):
        live.make()
        _announce(server.url, args)
        if not server.local:
            print("keju view: whoever reaches this address reads questions, keys and replies", file=sys.stderr)
        server.serve_forever()
    return 0


def _announce(url: str, args: argparse.Namespace) -> None:
    print(json.dumps({"url": url}) if args.json else url, flush=True)
    screen = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if screen and not args.no_browser:  # without a screen a browser would take the terminal
        webbrowser.open(url)


@dataclass
class _Pages:
    """Makes the page of the runs as they are now; remembers what is costly and stays."""

    args: argparse.Namespace
    gallery: Gallery
    _sources: dict[str, list[Benchmark]] = field(default_factory=dict)
    _told: bool = False

    def __call__(self, version: str) -> str:
        from keju.cli.printing import language, scored
        from keju.reports import to_html
        from keju.reports.live import live

        runs, scores = scored(self.args, quietly=self._told)
        self._told = True
        tables, people = drawn_tables(runs, scores, self.args)
        return to_html(
            [table for table in tables if not table.for_sheets],
            title=self.args.title,
            meta={"runs": [str(one.folder or one.model) for one in runs]},
            language=language(self.args),
            charts=drawn_charts(tables),
            items=live(self._items(runs, scores, people), version),
            served=True,
        )

    def _items(self, runs: Sequence[Run], scores: Sequence[Scores], people: Sequence[Scores]) -> Browser:
        """The items, with runs in the order in which they began: a link to a model's items stays what it is."""
        from keju.reports.item_browser import NO_ITEMS, embed_items

        if self.args.no_items:
            return NO_ITEMS
        began = sorted(zip(runs, scores, strict=True), key=lambda pair: str(pair[0].info.get("created", "")))
        return embed_items(
            [marked for _, marked in began],
            people=people,
            sources=[one for run in runs for one in self._source(run)],
            address=self.gallery.address,
        )

    def _source(self, run: Run) -> list[Benchmark]:
        """The benchmark that a run was asked from, read once."""
        root = str(run.info.get("benchmark", {}).get("root"))
        if root not in self._sources:
            self._sources[root] = sources([run])
        return self._sources[root]
