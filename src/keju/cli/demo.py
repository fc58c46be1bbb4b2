"""`keju demo`: the main job on the shipped benchmark, with models that come as packages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from keju.cli.options import output_options

BENCHMARK = "teahouse"
PROTOCOL = "option-likelihood"
"""Small language models cannot answer with a letter; all rows are marked under one protocol, so that they pair."""
BASELINES = ("baseline/random", "baseline/always-a")
EMBEDDED = ("embedded/cascade", "embedded/blind", "embedded/overlap")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baselines", action="store_true", help="only baselines: no extra needed, done in seconds")
    parser.add_argument(
        "--llm",
        choices=("gemma3-270m", "smollm2"),
        default="gemma3-270m",
        help="language model: Gemma 3 (reads Chinese; Gemma's terms) or SmolLM2 (English wordings; Apache-2.0)",
    )
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("keju-demo"), metavar="DIR", help="folder for runs and report"
    )
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Ask every demo model, print the leaderboard, write the report and print its path."""
    from keju import api
    from keju.cli.printing import language, print_tables
    from keju.cli.progress import Terminal
    from keju.cli.report import drawn_charts
    from keju.cli.unanswered import say_incomplete
    from keju.reports import write_report
    from keju.reports.item_browser import embed_items
    from keju.results.breakdowns import breakdown
    from keju.results.leaderboard import leaderboard
    from keju.results.overview import overview

    benchmark = api.load(BENCHMARK)
    variant = ["language=en"] if args.llm == "smollm2" else []
    if not args.baselines:
        _show_ingredients(args.llm)
    runs = []
    for model in BASELINES if args.baselines else (*EMBEDDED, *BASELINES):
        options: dict[str, Any] = {"extra": {"llm": args.llm, "language": "zh"}} if model in EMBEDDED else {}
        with Terminal(model) as progress:
            runs.append(
                api.run(
                    benchmark,
                    model,
                    protocol=PROTOCOL,
                    variant=variant,
                    out=args.out / "runs",
                    progress=progress,
                    **options,
                )
            )
    scores = [api.score(one) for one in runs]
    print_tables([leaderboard(scores), breakdown(scores, "modality")], args)
    tables = overview(runs, scores)
    paths = write_report(
        tables,
        args.out / "report",
        title=f"keju demo: {BENCHMARK}",
        language=language(args),
        charts=drawn_charts(tables),
        items=embed_items(scores, folder=args.out / "report", sources=[benchmark]),
    )
    for one, marked in zip(runs, scores, strict=True):
        say_incomplete(one, marked)
    page = next(path for path in paths if path.suffix == ".html")
    print(f"report: {page}", file=sys.stderr if args.json else sys.stdout)
    return 0 if all(one.complete for one in runs) else 3


def _show_ingredients(llm: str) -> None:
    """Name, licence and source of everything that is about to run, before it runs."""
    from keju.models.embedded import licences

    print("What runs here, in this process, on this machine's processor:", file=sys.stderr)
    for part in licences("embedded/cascade", llm=llm):
        size = f" · {part.size / 1e6:.0f} MB" if part.size else ""
        print(f"  {part.name} · {part.licence} · {part.source}{size}", file=sys.stderr)
