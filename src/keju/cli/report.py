"""`keju report`: the tables of runs, in every form a paper, a sheet, a program or a browser takes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from keju.cli.options import output_options, runs_arguments, tables_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("report"), metavar="DIR", help="folder to write (default: report)"
    )
    parser.add_argument("--title", default="keju report", help="title of the report")
    tables_options(parser, by="break down by these labels only")
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the report and print the path of its page; 3 where a run is incomplete."""
    from keju.cli.printing import language, scored
    from keju.reports import write_report
    from keju.results.overview import overview

    runs, scores = scored(args)
    tables = overview(runs, scores, labels=args.by, published=args.published)
    meta = {"runs": [str(one.folder or one.model) for one in runs]}
    paths = write_report(tables, args.out, title=args.title, meta=meta, language=language(args))
    if args.json:
        print(json.dumps({"files": [str(path) for path in paths]}, ensure_ascii=False))
    else:
        print(args.out / "report.html")
    return 0 if all(s.settled for s in scores) else 3
