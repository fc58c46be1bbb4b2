"""`keju score`: mark runs, ours and other tools'."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.options import output_options, runs_arguments, tables_options

if TYPE_CHECKING:
    from keju.results.scores import Scores
    from keju.results.table import Table
    from keju.results.tally import Tally
    from keju.runs.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    tables = parser.add_argument_group("tables")
    tables_options(tables, by="break down by a label; also modality, split, options, language")
    tables.add_argument(
        "--dimensions", action="store_true", help="Image Comprehension and Knowledge Reasoning (TCO, Table 5)"
    )
    tables.add_argument(
        "--dimensions-file", type=Path, metavar="FILE", help="the same by dimensions of your own, a TOML file"
    )
    tables.add_argument("--parsers", action="store_true", help="the same replies under every parser")
    tables.add_argument("--quality", action="store_true", help="precision, recall and F1: micro, macro and weighted")
    tables.add_argument("--items", action="store_true", help="every item with its reply, label and reason")
    tables.add_argument(
        "--invalid", action="store_true", help="replies without a label, by reason; refusals, by the labels of --by"
    )
    tables.add_argument(
        "--bias", action="store_true", help="letters given against keys; replies that repeat the question or options"
    )
    tables.add_argument(
        "--item-analysis", action="store_true", help="difficulty, discrimination, options, keys to look at (2+ models)"
    )
    tables.add_argument(
        "--other-marks",
        action="store_true",
        help="marks of the tool that wrote the file beside ours, and why they differ",
    )
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Print the leaderboard and the tables asked for; 3 where a run is incomplete."""
    from keju.cli.printing import print_tables, scored, tallied
    from keju.cli.unanswered import say_incomplete
    from keju.results.breakdowns import breakdown, dimensions
    from keju.results.leaderboard import leaderboard
    from keju.results.parsers import parser_sensitivity
    from keju.results.published import beside
    from keju.results.quality import quality

    marked: Sequence[Scores] = ()
    tallies: Sequence[Tally]
    if args.items or args.invalid or args.bias or args.item_analysis or args.other_marks:
        runs, marked = scored(args)
        tallies = marked
    else:
        runs, tallies = tallied(args)
    rows, alone = beside(args.published)
    tables = [leaderboard(tallies, published=rows), *(breakdown(tallies, label) for label in args.by)]
    if args.dimensions or args.dimensions_file:
        tables.append(dimensions(tallies, args.dimensions_file))
    if args.parsers:
        tables.append(parser_sensitivity(runs))
    if args.quality:
        tables.append(quality(tallies))
    tables += _item_tables(runs, marked, args)
    print_tables(tables + alone, args)
    for one, tally in zip(runs, tallies, strict=True):
        say_incomplete(one, tally)
    return 0 if all(tally.settled for tally in tallies) else 3


def _item_tables(runs: Sequence[Run], scores: Sequence[Scores], args: argparse.Namespace) -> list[Table]:
    """Why the figures are what they are, and the items themselves."""
    from keju.results.bias import bias_tables
    from keju.results.invalid import invalid_tables
    from keju.results.item_analysis import item_analysis
    from keju.results.marked import marked_items
    from keju.results.other_marks import other_marks

    tables: list[Table] = []
    if args.invalid:
        tables += invalid_tables(scores, args.by)
    if args.bias:
        tables += bias_tables(scores)
    if args.item_analysis:
        tables += item_analysis(scores)
    if args.other_marks:
        tables += other_marks(runs, scores)
    if not args.json:
        tables = [table for table in tables if not table.for_sheets]
    return [*tables, *(map(marked_items, scores) if args.items else ())]
