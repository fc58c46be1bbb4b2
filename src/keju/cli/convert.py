"""`keju convert`: write a benchmark in another format."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from keju.cli.options import benchmark_options, selection_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="benchmark to read")
    parser.add_argument("destination", type=Path, metavar="DST", help="folder or file to write")
    parser.add_argument("--to", required=True, metavar="FORMAT", help="format to write")
    benchmark_options(parser)
    selection_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Convert; 1 where items of the source had to be left out (they are listed)."""
    from keju import api
    from keju.cli.printing import print_problems

    loaded = api.load(args.source, format=args.format, labels=args.labels, encoding=args.encoding)
    print_problems(loaded)
    chosen = loaded.select(split=args.split, where=dict(args.where), limit=args.limit)
    api.convert(chosen, args.to, args.destination)
    left_out = sorted({p.item or "" for p in loaded.problems if p.left_out})
    if args.json:
        print(
            json.dumps({"items": len(chosen), "left_out": left_out, "path": str(args.destination)}, ensure_ascii=False)
        )
    else:
        print(f"{len(chosen)} items written to {args.destination} as {args.to}")
    return 1 if left_out else 0
