"""`keju report`: the tables of runs, in every form a paper, a sheet, a program or a browser takes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.chart_files import FORMS, forms, save_charts
from keju.cli.options import output_options, runs_arguments, tables_options

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.reports.charts import Chart
    from keju.results.scores import Scores
    from keju.results.table import Table
    from keju.runs.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("report"), metavar="DIR", help="folder to write (default: report)"
    )
    page_options(parser)
    parser.add_argument(
        "--charts", type=forms, default=(), metavar="FORM,…", help=f"charts as files too: {', '.join(FORMS)}"
    )
    parser.add_argument("--fonts", type=Path, metavar="DIR", help="folder of further fonts for charts in files")
    output_options(parser)


def page_options(parser: argparse.ArgumentParser) -> None:
    """What stands on the page."""
    parser.add_argument("--title", default="keju report", help="title of the report")
    parser.add_argument("--no-items", action="store_true", help="a page without questions, keys and replies")
    parser.add_argument(
        "--humans", type=Path, metavar="SITTING", help="people's answers to the same items (`keju human`)"
    )
    tables_options(parser, by="break down by these labels only")


def run(args: argparse.Namespace) -> int:
    """Write the report and print the path of its page; 3 where a run is incomplete."""
    from keju.cli.printing import language, scored
    from keju.reports import write_report
    from keju.reports.item_browser import NO_ITEMS, embed_items

    runs, scores = scored(args)
    tables, sat = drawn_tables(runs, scores, args)
    charts = drawn_charts(tables, needed=bool(args.charts))
    items = NO_ITEMS if args.no_items else embed_items(scores, people=sat, folder=args.out, sources=sources(runs))
    meta = {"runs": [str(one.folder or one.model) for one in runs]}
    paths = write_report(
        tables, args.out, title=args.title, meta=meta, language=language(args), charts=charts, items=items
    )
    save_charts(charts, args.out / "charts", args.charts, language(args), args.fonts)
    if args.json:
        print(json.dumps({"files": [str(path) for path in paths]}, ensure_ascii=False))
    else:
        print(args.out / "report.html")
    return 0 if all(s.settled for s in scores) else 3


def drawn_tables(
    runs: Sequence[Run], scores: Sequence[Scores], args: argparse.Namespace
) -> tuple[list[Table], list[Scores]]:
    """The tables of the report, and what people answered to the same items, marked."""
    from keju.results.humans import with_people
    from keju.results.overview import overview
    from keju.results.scores import score

    tables = overview(runs, scores, labels=args.by, published=args.published)
    people = _people(args)
    return with_people(tables, people, scores) if people else tables, list(map(score, people))


def _people(args: argparse.Namespace) -> list[Run]:
    """The answers of people in the sitting that the user names."""
    from keju import api
    from keju.people import Sitting

    if args.humans is None:
        return []
    return Sitting.open(args.humans).runs(api.load(args.benchmark) if args.benchmark else None)


def drawn_charts(tables: Sequence[Table], *, needed: bool = False) -> list[Chart]:
    """The charts; none, and a word to the user, where they cannot be drawn here and are not `needed`."""
    from keju.errors import MissingExtra
    from keju.reports.result_charts import result_charts

    try:
        return result_charts(tables)
    except MissingExtra as missing:
        if needed:
            raise
        print(f"the page has no charts: {missing}", file=sys.stderr)
        return []


def sources(runs: Sequence[Run]) -> list[Benchmark]:
    """The benchmarks that the runs were asked from, as far as they are still where they were: runs hold no media."""
    from keju import api
    from keju.errors import KejuError
    from keju.formats.places import is_there

    found: dict[str, Benchmark] = {}
    for run in runs:
        root = run.info.get("benchmark", {}).get("root")
        if root and root not in found:
            try:
                if is_there(Path(root)):
                    found[root] = api.load(root)
            except KejuError as error:
                print(f"pictures and clips of {root} are left out: {error}", file=sys.stderr)
    return list(found.values())
