"""`keju latency`: the controlled measurement of latency."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from keju.cli.options import (
    benchmark_arguments,
    benchmark_options,
    model_arguments,
    model_options,
    output_options,
    selection_options,
)
from keju.errors import Misuse

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.models.model import Model
    from keju.protocols import Protocol
    from keju.runs.offering import Level
    from keju.runs.sweep import Design, Series

Number = TypeVar("Number", int, float)

LEVELS = (1, 4, 16)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    parser.add_argument(
        "-m", "--model", action="append", default=[], metavar="MODEL", help="provider/name or a TOML file"
    )
    parser.add_argument("--protocol", metavar="NAME", help="protocol (name or TOML file), cut to --new-tokens")
    parser.add_argument("--variant", action="append", default=[], metavar="NAME=VALUE", help="as in keju run")
    parser.add_argument(
        "-o", "--out", type=Path, default=Path("latency"), metavar="DIR", help="folder of results (default: latency)"
    )
    group = parser.add_argument_group("measurement")
    group.add_argument(
        "--levels",
        type=_numbers(int),
        metavar="N,N,…",
        help="calls in flight, closed loop (default: 1,4,16); a local model takes them as a batch",
    )
    group.add_argument(
        "--rate", type=_numbers(float), metavar="R,R,…", help="open loop instead: calls a second, at random times"
    )
    group.add_argument("--repeats", type=int, default=3, metavar="N", help="passes at each level (default: 3)")
    group.add_argument(
        "--warm-up", type=int, default=1, metavar="N", help="items of each modality that are not counted (default: 1)"
    )
    group.add_argument("--new-tokens", type=int, default=1, metavar="N", help="tokens a reply may have (default: 1)")
    group.add_argument("--seed", type=int, metavar="N", help="seed of the arrival times of --rate (default: 0)")
    benchmark_options(parser)
    selection_options(parser)
    model_options(parser)
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Measure every model; print the tables and the folder; 3 where a model could not be measured to the end."""
    import asyncio

    from keju.api import default_protocol
    from keju.cli.printing import print_tables
    from keju.cli.progress import Terminal
    from keju.cli.unused import refuse_unused
    from keju.protocols import load_protocol
    from keju.reports import to_json
    from keju.results.latency_levels import latency_levels
    from keju.runs.environment import environment
    from keju.runs.measurement import MeasurementFolder
    from keju.runs.sweep import design, sweep

    if not args.model:
        raise Misuse("name at least one model: -m provider/name (`keju models` lists them)")
    refuse_unused(args.model, args)
    benchmark = _benchmark(args)
    plan = design(
        benchmark,
        _levels(args),
        warm_up=args.warm_up,
        repeats=args.repeats,
        new_tokens=args.new_tokens,
        seed=args.seed or 0,
    )

    def protocol_for(model: Model) -> Protocol:
        return load_protocol(args.protocol or default_protocol(benchmark, model))

    openers = [_opener(spec, benchmark, args) for spec in args.model]
    asyncio.run(_try(openers, protocol_for))
    machine, lengths = environment(), _clip_seconds(plan)
    folder = MeasurementFolder(
        args.out, benchmark.name, plan, {"variant": args.variant, "environment": machine, "clip_seconds": lengths}
    )
    print(f"raw times: {folder.folder}", file=sys.stderr)
    found: list[Series] = []
    for opened in openers:
        found += asyncio.run(sweep(opened, plan, protocol_for, watch=Terminal, keep=folder.keep))
        folder.save(found)
    tables = latency_levels(found, plan, environment=machine, clip_seconds=lengths)
    folder.write("tables.json", to_json(tables, meta={"environment": machine}))
    print_tables([table for table in tables if table.rows], args, folder=str(folder.folder), environment=machine)
    if not args.json:
        print(folder.folder)
    return 3 if any(series.stopped for series in found) else 0


def _opener(spec: str, benchmark: Benchmark, args: argparse.Namespace) -> Callable[[bool], Model]:
    from keju.models.registry import open_model

    return lambda use_cache: open_model(spec, benchmark=benchmark, use_cache=use_cache, **model_arguments(args))


async def _try(openers: Sequence[Callable[[bool], Model]], protocol_for: Callable[[Model], Protocol]) -> None:
    """Open each model once, so that a wrong name is told before the first one was measured for an hour."""
    for opened in openers:
        model = opened(False)
        protocol_for(model)
        await model.close()


def _benchmark(args: argparse.Namespace) -> Benchmark:
    from keju import api, variants
    from keju.cli.printing import print_problems

    loaded = api.load(args.benchmark, **benchmark_arguments(args))
    varied = variants.apply(
        loaded.select(split=args.split, where=dict(args.where), limit=args.limit),
        variants.parse_variants(args.variant),
    )
    print_problems(varied)
    return varied


def _levels(args: argparse.Namespace) -> list[Level]:
    from keju.runs.offering import Level

    if args.rate and args.levels:
        raise Misuse("--levels is closed loop, --rate is open loop: give one of them")
    if args.seed is not None and not args.rate:
        raise Misuse("--seed draws the arrival times of --rate; in closed loop nothing is drawn: leave it out")
    if args.rate:
        return [Level(rate=rate) for rate in args.rate]
    return [Level(in_flight=n) for n in dict.fromkeys(args.levels or LEVELS)]


def _clip_seconds(plan: Design) -> dict[str, float]:
    """Item id → seconds of its clips together, where all of them can be told."""
    from keju.models.perception import clip_seconds

    lengths = {}
    for item in plan.items:
        each = [clip_seconds(medium) for medium in item.media if medium.kind == "audio"]
        if each and None not in each:
            lengths[item.id] = sum(seconds or 0.0 for seconds in each)
    return lengths


def _numbers(kind: Callable[[str], Number]) -> Callable[[str], Sequence[Number]]:
    """`1,4,16` as numbers, each once, in the order given."""

    def numbers(text: str) -> Sequence[Number]:
        try:
            return list(dict.fromkeys(kind(part) for part in text.split(",")))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers; write it like 1,4,16") from None

    return numbers
