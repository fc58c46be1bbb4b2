"""What commands print: problems of a benchmark on stderr, tables of runs on stdout."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.reports import Language
    from keju.results.scores import Scores
    from keju.results.table import Table
    from keju.results.tally import Tally
    from keju.runs.run import Run

SHOWN = 20
"""Problems printed one by one; the number of the others follows."""

ITEM_BYTES = 3_300
"""Memory that an item, its record and its mark take as objects, of a text item of 350 bytes."""


def language(args: argparse.Namespace) -> Language:
    """`--lang`, else Chinese where the user's locale is Chinese."""
    if args.lang:
        return "zh" if args.lang == "zh" else "en"
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return "zh" if locale.startswith("zh") else "en"


def print_problems(benchmark: Benchmark, *, of: str | None = None) -> None:
    """List what could not be read, most grave first, and say how many items can be used. `of`: the run they concern."""
    prefix = f"{of}: " if of else ""
    problems = sorted(benchmark.problems, key=lambda problem: not problem.left_out)
    for problem in problems[:SHOWN]:
        print(f"{prefix}{'left out: ' if problem.left_out else ''}{problem}", file=sys.stderr)
    if more := Counter(problem.code for problem in problems[SHOWN:]):
        print(f"{prefix}… and {', '.join(f'{n} × {code}' for code, n in more.items())}", file=sys.stderr)
    if left_out := {problem.item for problem in problems if problem.left_out}:
        print(f"{prefix}{len(benchmark)} of {len(benchmark) + len(left_out)} items usable", file=sys.stderr)


def print_tables(tables: Sequence[Table], args: argparse.Namespace, **meta: Any) -> None:
    """Tables for people, or one JSON document for programs."""
    from keju.reports import show, to_json

    if args.json:
        print(to_json(tables, meta=meta))
    else:
        show(tables, language=language(args))


def print_runs(runs: Sequence[Run], args: argparse.Namespace) -> None:
    """The leaderboard of runs that were just asked, their folders, and what is still without an answer."""
    from keju.cli.unanswered import say_incomplete
    from keju.results.leaderboard import leaderboard
    from keju.results.naming import told_apart
    from keju.results.scan import tally

    tallies = told_apart(tally(run) for run in runs)
    print_tables([leaderboard(tallies)], args, runs=[str(run.folder) for run in runs])
    for run, marked in zip(runs, tallies, strict=True):
        if not args.json:
            print(run.folder)
        say_incomplete(run, marked)
    if getattr(args, "prices", None):
        _print_costs(runs, args)


def _print_costs(runs: Sequence[Run], args: argparse.Namespace) -> None:
    from keju.runs.cost import cost_of

    for run in runs:
        if run.model not in args.prices:
            print(f'{run.model}: no cost: the price file has no table ["{run.model}"]', file=sys.stderr)
            continue
        money, uncounted = cost_of(run.records.values(), args.prices[run.model])
        doubt = f" ({uncounted} replies came without a token count)" if uncounted else ""
        print(f"{run.model}: {money:.4f} {args.prices[run.model].currency}{doubt}", file=sys.stderr)


def scored(args: argparse.Namespace, *, quietly: bool = False) -> tuple[list[Run], list[Scores]]:
    """The runs that a command names, opened and marked as its options say; their problems are told unless `quietly`."""
    from keju import api
    from keju.results.naming import told_apart

    runs = _opened(args, quietly)
    for run in runs:
        if run.large:
            _say_large(run)
    wrong = args.count_failures_as_wrong
    return runs, told_apart(api.score(run, parser=args.parser, count_failures_as_wrong=wrong) for run in runs)


def tallied(args: argparse.Namespace) -> tuple[list[Run], list[Tally]]:
    """The same for tables that need no item, only counts: a large run is then not held."""
    from keju.results.naming import told_apart
    from keju.results.scan import tally

    runs, wrong = _opened(args, quietly=False), args.count_failures_as_wrong
    return runs, told_apart(tally(run, parser=args.parser, count_failures_as_wrong=wrong) for run in runs)


def _opened(args: argparse.Namespace, quietly: bool) -> list[Run]:
    from keju import api
    from keju.results.naming import run_names

    benchmark = api.load(args.benchmark) if args.benchmark else None
    runs = api.open_runs(args.runs, benchmark=benchmark, format=args.format, protocol=args.protocol)
    for name, run in () if quietly else zip(run_names(runs), runs, strict=True):
        print_problems(run.benchmark, of=name)
    return runs


def _say_large(run: Run) -> None:
    n = run.info.get("items", 0)
    print(
        f"{run.model}: all {n:,} items are held to show them, about {n * ITEM_BYTES / 1e9:.1f} GB; tables of accuracy "
        f"and pairs alone (keju score --by, keju compare) need a fraction of that",
        file=sys.stderr,
    )
