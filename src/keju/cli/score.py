"""`keju score`: mark runs, ours and other tools'."""

from __future__ import annotations

import argparse

from keju.cli.options import output_options, runs_arguments, tables_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    tables = parser.add_argument_group("tables")
    tables_options(tables, by="break down by a label; also modality, options, split")
    tables.add_argument(
        "--dimensions", action="store_true", help="Image Comprehension and Knowledge Reasoning (TCO, Table 5)"
    )
    tables.add_argument("--parsers", action="store_true", help="the same replies under every parser")
    tables.add_argument("--quality", action="store_true", help="precision, recall and F1: micro, macro and weighted")
    tables.add_argument("--items", action="store_true", help="every item with its reply, label and reason")
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the leaderboard and the tables asked for; 3 where a run is incomplete."""
    from keju.cli.printing import print_tables, say_incomplete, scored
    from keju.results.breakdowns import breakdown, dimensions
    from keju.results.leaderboard import leaderboard
    from keju.results.marked import marked_items
    from keju.results.parsers import parser_sensitivity
    from keju.results.published import beside
    from keju.results.quality import quality

    runs, scores = scored(args)
    rows, alone = beside(args.published)
    tables = [leaderboard(scores, published=rows), *(breakdown(scores, label) for label in args.by)]
    if args.dimensions:
        tables.append(dimensions(scores))
    if args.parsers:
        tables.append(parser_sensitivity(runs))
    if args.quality:
        tables.append(quality(scores))
    if args.items:
        tables += [marked_items(s) for s in scores]
    print_tables(tables + alone, args)
    for one in runs:
        say_incomplete(one)
    return 0 if all(s.settled for s in scores) else 3
