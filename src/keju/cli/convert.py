"""`keju convert`: write a benchmark in another format, or runs as logs of Inspect AI."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from keju.cli.options import benchmark_arguments, benchmark_options, selection_options
from keju.errors import Misuse

INSPECT_LOG = "inspect-log"
"""What runs, not benchmarks, are written as."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="SRC", help=f"benchmark to read; with --to {INSPECT_LOG}, run or folder of runs"
    )
    parser.add_argument("destination", type=Path, metavar="DST", help="folder to write")
    parser.add_argument("--to", required=True, metavar="FORMAT", help=f"format to write, or {INSPECT_LOG}")
    benchmark_options(parser)
    selection_options(parser)
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="write the items put differently: language=en",
    )
    group = parser.add_argument_group(f"--to {INSPECT_LOG}")
    group.add_argument("--benchmark", metavar="PATH", help="where the pictures and clips are, and the present keys")
    group.add_argument("--media", default="none", metavar="none|thumb|full", help="what the log shows of them")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Convert; 1 where items of the source had to be left out (they are listed)."""
    return _write_logs(args) if args.to == INSPECT_LOG else _write_benchmark(args)


def _write_benchmark(args: argparse.Namespace) -> int:
    from keju import api, formats, variants
    from keju.cli.printing import print_problems

    if args.benchmark or args.media != "none":
        raise Misuse(f"--benchmark and --media go with --to {INSPECT_LOG}")
    loaded = api.load(args.source, **benchmark_arguments(args))
    chosen = formats.of_split(loaded, args.to, args.split).select(where=dict(args.where), limit=args.limit)
    varied = variants.apply(chosen, variants.parse_variants(args.variant))
    print_problems(varied)
    lost = api.convert(varied, args.to, args.destination, split=formats.ALL)
    print_problems(replace(varied, problems=lost))
    left_out = sorted({p.item or "" for p in varied.problems if p.left_out})
    told = {"items": len(varied), "left_out": left_out, "lost": [str(problem) for problem in lost]}
    if args.json:
        print(json.dumps(told | {"path": str(args.destination)}, ensure_ascii=False))
    else:
        print(f"{len(varied)} items written to {args.destination} as {args.to}")
    return 1 if left_out else 0


def _write_logs(args: argparse.Namespace) -> int:
    from keju import api
    from keju.reports.inspect_log import write_inspect_log

    if args.variant or args.split or args.where or args.limit or args.labels:
        raise Misuse(f"--to {INSPECT_LOG} writes runs whole; leave out --variant, --split, --where, --limit, --labels")
    benchmark = api.load(args.benchmark, encoding=args.encoding) if args.benchmark else None
    runs = api.open_runs([args.source], benchmark=benchmark, format=args.format)
    paths = [write_inspect_log(each, args.destination, media=args.media) for each in runs]
    if args.json:
        print(json.dumps({"files": [str(path) for path in paths]}, ensure_ascii=False))
    else:
        print(*paths, sep="\n")
    return 0
