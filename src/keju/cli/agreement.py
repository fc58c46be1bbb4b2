"""`keju agreement`: do raters agree on labels, or on scores?"""

from __future__ import annotations

import argparse
from pathlib import Path

from keju.cli.options import output_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="CSV, TSV, XLSX or JSONL: a row a rating, or a row an item"
    )
    columns = parser.add_argument_group("columns, where their names do not say what they hold")
    columns.add_argument("--item", metavar="NAME", help="the column that says which item is rated")
    columns.add_argument("--rater", metavar="NAME", help="the column that says who rated, where a row is one rating")
    columns.add_argument(
        "--ratings", type=_names, default=(), metavar="NAME,…", help="columns of ratings, or a column for each rater"
    )
    columns.add_argument("--encoding", metavar="NAME", help="encoding of text that is not UTF-8 (gb18030, big5)")
    reading = parser.add_argument_group("what the ratings are")
    reading.add_argument(
        "--scale",
        choices=("nominal", "ordinal", "interval", "ratio"),
        help="names, an order, equal steps, or a true zero (default: ordinal for numbers, else nominal)",
    )
    reading.add_argument(
        "--categories", type=_names, metavar="LABEL,…", help="all labels there are, in order: low,medium,high"
    )
    reading.add_argument("--options", type=int, metavar="N", help="how many labels could be given, if not all were")
    tables = parser.add_argument_group("tables")
    tables.add_argument("--by", action="append", default=[], metavar="COLUMN", help="also for each value of a column")
    tables.add_argument("--items", action="store_true", help="the items on which raters differ")
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the coefficients; 0."""
    from keju.cli.printing import print_tables
    from keju.formats.ratings import Columns, read_ratings
    from keju.results.agreement import agreement_tables
    from keju.results.judged import judged

    columns = Columns(args.item, args.rater, tuple(args.ratings))
    found = read_ratings(args.file, columns, args.encoding)
    data = [judged(one, args.scale, args.categories) for one in found]
    tables = [
        table for one in data for table in agreement_tables(one, options=args.options, by=args.by, items=args.items)
    ]
    print_tables(tables, args, file=str(args.file))
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
