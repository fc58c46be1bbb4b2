"""`keju split`: which items train, which validate, which test."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keju.cli.options import benchmark_arguments, benchmark_options, output_options
from keju.errors import Misuse

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.checks.measuring import MeasuredClip, MeasuredImage
    from keju.splits import Splits

KEEPING = ("tco", "multi-tw", "jsonl")
"""Formats that a benchmark keeps when it is written with splits; others become `jsonl`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    how = parser.add_argument_group("splitting")
    how.add_argument("--profile", choices=("tco",), help="tco: a plain seeded shuffle, as in the paper")
    how.add_argument(
        "--sizes", type=sizes, metavar="NAME=SIZE,…", help="relative sizes (default: train=700,val=100,test=200)"
    )
    how.add_argument("--seed", type=int, default=0, metavar="N", help="another seed gives another split (default: 0)")
    how.add_argument(
        "--stratify",
        type=names,
        metavar="LABEL,…",
        help="labels whose shares are alike in all splits (default: genre, question_type, difficulty, level, task and "
        "modality, where the items have them)",
    )
    how.add_argument("--near", action="store_true", help="keep pictures that look alike in one split, too")
    how.add_argument("--allow-straddle", action="store_true", help="let items of one picture or clip go separate ways")
    there = how.add_mutually_exclusive_group()
    there.add_argument("--keep", action="store_true", help="items that are in a split stay there; deal out the others")
    there.add_argument("--replace", action="store_true", help="drop the splits that the benchmark has")
    benchmark_options(parser)
    output_options(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="write the benchmark, with its splits, as a new folder"
    )
    where.add_argument("--in-place", action="store_true", help="write the splits into the benchmark's own folder")


def run(args: argparse.Namespace) -> int:
    """Split, print the balance, and write where asked; 0."""
    from keju import api
    from keju.cli.printing import print_problems, print_tables
    from keju.results.split_balance import split_balance
    from keju.splits import record_of, varying

    benchmark = api.load(args.benchmark, **benchmark_arguments(args))
    print_problems(benchmark)
    there = {item.id: item.split for item in benchmark if item.split}
    if there and not (args.replace or args.keep):
        have = ", ".join(sorted(set(there.values())))
        raise Misuse(
            f"{benchmark.name} is split already ({have}), and others may rely on it; --keep leaves items where they "
            "are and deals out the others, --replace splits it anew"
        )
    splits = _split(benchmark, there if args.keep else {}, args)
    labels = splits.labels or varying(benchmark)
    record = record_of(splits)
    written = _write(benchmark, splits, record, args)  # before a reader of the table may leave
    print_tables([split_balance(benchmark, splits.of, list(splits.sizes), labels)], args, **record)
    if not args.json:
        print(f"written: {written}" if written else "nothing is written: add -o DIR or --in-place")
    return 0


def sizes(text: str) -> dict[str, Fraction]:
    """`train=700,val=100,test=200` as weights."""
    weights: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, size = (piece.strip() for piece in part.partition("="))
        try:
            weights[name] = Fraction(size)
        except (ValueError, ZeroDivisionError):
            equals = ""
        if not name or not equals:
            raise argparse.ArgumentTypeError(f"{part!r} is not of the form NAME=SIZE; write train=700,val=100,test=200")
    return weights


def names(text: str) -> list[str]:
    """`genre,difficulty` as a list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _split(benchmark: Benchmark, kept: Mapping[str, str], args: argparse.Namespace) -> Splits:
    from keju.results.counts import named_label
    from keju.splits import WEIGHTS, balanced, media_groups, near_groups, plain, straddling

    weights: Mapping[str, Fraction] = args.sizes or WEIGHTS
    if args.profile and (args.stratify or args.near):
        raise Misuse(f"--profile {args.profile} is a plain shuffle; leave --stratify and --near out")
    if args.allow_straddle and args.near:
        raise Misuse("--allow-straddle lets go what --near holds together; leave one of them out")
    groups = [] if args.allow_straddle else media_groups(benchmark)
    if args.profile:
        splits = plain(benchmark, weights, args.seed, kept=kept)
        if torn := straddling(splits, groups):
            shown = "; ".join(", ".join(sorted(ids)) for ids in torn[:3])
            raise Misuse(
                f"the plain shuffle puts items of one picture or clip into different splits ({len(torn)}: {shown}); "
                "leave --profile out, or allow it with --allow-straddle"
            )
        return splits
    grouped = None if args.allow_straddle else "medium"
    if args.near:
        groups, grouped = [*groups, *near_groups(_measured(benchmark))], "medium, look-alikes too"
    labels: Sequence[str] | None = args.stratify and [named_label(benchmark, name) for name in args.stratify]
    return balanced(benchmark, weights, args.seed, labels=labels, groups=groups, grouped=grouped, kept=kept)


def _measured(benchmark: Benchmark) -> list[MeasuredImage | MeasuredClip]:
    from keju.checks.measuring import measure
    from keju.cli.progress import counting

    with counting(f"split {benchmark.name}", "media") as progress:
        return list(measure(benchmark, progress=progress))


def _write(benchmark: Benchmark, splits: Splits, record: Mapping[str, Any], args: argparse.Namespace) -> str:
    """Where the splits were written; empty where nowhere."""
    from keju import formats
    from keju.formats.split_lists import with_record, write_splits
    from keju.splits import with_splits

    done = with_splits(benchmark, splits)
    if args.in_place:
        return ", ".join(path.name for path in write_splits(done, record))
    if args.out:
        kept = done.format if done.format in KEEPING else "jsonl"
        formats.write(with_record(replace(done, format=kept), record), args.out, kept)
        return f"{args.out} ({kept})"
    return ""
