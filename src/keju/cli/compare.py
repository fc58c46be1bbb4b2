"""`keju compare`: is one run better than another? Paired by item."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from keju.cli.options import output_options, runs_arguments

if TYPE_CHECKING:
    from keju.results.scores import Scores
    from keju.results.tally import Tally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs_arguments(parser)
    tests = parser.add_argument_group("tests")
    tests.add_argument(
        "--against", choices=("all", "best"), default="all", help="every pair, or the best against the rest"
    )
    tests.add_argument(
        "--common", action="store_true", help="test over the items that both answered, where they differ"
    )
    tests.add_argument(
        "--language-effect",
        metavar="VARIANT",
        nargs="?",
        const="language",
        help="pair the runs of one model over variants (default: language)",
    )
    tests.add_argument(
        "--circular",
        action="store_true",
        help="count an item as right where it is in every rotation (keju run --circular)",
    )
    tests.add_argument(
        "--power", action="store_true", help="the difference that so many items can show, and items that one needs"
    )
    tests.add_argument(
        "--at-least",
        type=share,
        metavar="D",
        help="exit 1 unless the last run is better than the first by D (a share; -0.01 allows one point less)",
    )
    output_options(parser)


def share(text: str) -> float:
    """A difference of accuracies. Raises `ArgumentTypeError` for what none can be."""
    value = float(text)
    if not -1 <= value <= 1:  # nor NaN
        raise argparse.ArgumentTypeError(f"{text} is no difference of two shares, from -1 to 1; five points are 0.05")
    return value


def run(args: argparse.Namespace) -> int:
    """Print the paired tests; 1 where `--at-least` is not met, 3 where a pair could not be tested."""
    import sys

    from keju.cli.printing import print_tables, scored, tallied
    from keju.errors import Misuse
    from keju.results.bilingual import bilingual
    from keju.results.circular import circular_scores, circular_tables
    from keju.results.pairs import compare, pairs
    from keju.results.power import power

    marked: Sequence[Scores] = ()
    scores: Sequence[Tally]
    if args.language_effect or args.circular or args.power:
        _, marked = scored(args)
        scores = marked
    else:
        _, scores = tallied(args)
    if len(scores) < 2:
        raise Misuse("a comparison needs at least two runs")
    tables = [bilingual(marked, args.language_effect)] if args.language_effect else []
    if args.circular:
        tables += circular_tables(marked)
        scores = marked = circular_scores(marked)
    if len(scores) > 1:
        tables.append(pairs(scores, against=args.against, common=args.common))
    print_tables([*tables, *([power(marked)] if args.power else [])], args)
    untested = any(row.get("p") is None for table in tables if table.name == "pairs" for row in table.rows)
    if args.at_least is None:
        return 3 if untested else 0
    change = compare(scores[-1], scores[0], common=args.common).difference
    if change >= args.at_least:
        return 0
    print(f"{scores[-1].name} against {scores[0].name}: {change:+.4f}, below {args.at_least:+.4f}", file=sys.stderr)
    return 1
