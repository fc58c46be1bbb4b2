"""`keju describe`: what a benchmark consists of, as tables, JSON, and a page of charts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.chart_files import FORMS, save_charts
from keju.cli.options import benchmark_arguments, benchmark_options, output_options, selection_options

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.results.media import Measured
    from keju.results.table import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    tables = parser.add_argument_group("tables")
    tables.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="LABEL",
        help="count by these labels only; also modality, language, options, split",
    )
    tables.add_argument(
        "--cross", action="append", default=[], metavar="LABEL,LABEL", type=two_labels, help="set two labels in a table"
    )
    tables.add_argument("--no-media", action="store_true", help="do not open pictures and clips")
    benchmark_options(parser)
    selection_options(parser)
    output_options(parser)
    parser.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="write a page of charts, every table, and each chart as a file"
    )
    parser.add_argument("--fonts", type=Path, metavar="DIR", help="folder of further fonts for charts in files")


def run(args: argparse.Namespace) -> int:
    """Describe; 0."""
    from keju import api
    from keju.cli.printing import print_problems, print_tables
    from keju.results.description import description
    from keju.results.lengths import length_histograms

    loaded = api.load(args.benchmark, **benchmark_arguments(args))
    print_problems(loaded)
    benchmark = loaded.select(split=args.split, where=dict(args.where), limit=args.limit)
    tables = description(benchmark, _measured(benchmark, args), labels=args.by, pairs=args.cross)
    if args.out or args.json:
        tables += length_histograms(benchmark)
    if args.out:
        _write(benchmark, tables, args)
    if args.json or not args.out:
        print_tables(tables, args, benchmark=benchmark.name, items=len(benchmark))
    return 0


def two_labels(text: str) -> tuple[str, str]:
    """`LABEL,LABEL` as two strings."""
    one, comma, other = (part.strip() for part in text.partition(","))
    if not (one and comma and other) or "," in other:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form LABEL,LABEL")
    return one, other


def _measured(benchmark: Benchmark, args: argparse.Namespace) -> Measured | None:
    """The facts of the media; None, and a word to the user, where they cannot be opened here."""
    from keju.checks.measuring import measure
    from keju.cli.progress import counting
    from keju.errors import MissingExtra

    if args.no_media:
        return None
    try:
        with counting(f"describe {benchmark.name}", "media") as progress:
            return list(measure(benchmark, progress=progress))
    except MissingExtra as missing:
        print(f"sizes and durations are left out: {missing}", file=sys.stderr)
        return None


def _write(benchmark: Benchmark, tables: Sequence[Table], args: argparse.Namespace) -> None:
    """The report's files with charts, and each chart as SVG, PNG and PDF."""
    from keju.cli.printing import language
    from keju.reports import write_report
    from keju.reports.distributions import distribution_charts

    charts = distribution_charts(tables)
    meta = {"benchmark": str(args.benchmark), "items": len(benchmark), "fingerprint": benchmark.fingerprint}
    write_report(tables, args.out, title=benchmark.name, meta=meta, language=language(args), charts=charts)
    save_charts(charts, args.out / "charts", FORMS, language(args), args.fonts)
    if not args.json:
        print(args.out / "report.html")
