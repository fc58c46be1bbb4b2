"""`keju run`: ask models a benchmark, or a whole study."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from keju.runs.run import Run
    from keju.runs.scale_out.cluster import Cluster
    from keju.runs.transport import Transport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, s3://…, a demo's name, or a study.toml"
    )
    parser.add_argument(
        "-m", "--model", action="append", default=[], metavar="MODEL", help="provider/name or a TOML file"
    )
    parser.add_argument(
        "--protocol",
        action="append",
        default=[],
        metavar="NAME",
        help="protocol (name or TOML file); default: the benchmark's own paper",
    )
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="put the items differently: language=en, script=hant, shuffle=7, rotate=1, media=none",
    )
    parser.add_argument(
        "--circular",
        action="store_true",
        help="ask the items as they are and with their options in every other order of rotation",
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="folder of run folders (default: runs, or what a study names)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be sent and what it may cost; ask nothing"
    )
    parser.add_argument("--prices", type=Path, metavar="FILE", help="TOML with money per million tokens, for cost")
    benchmark_options(parser)
    selection_options(parser)
    model_options(parser).add_argument(
        "--no-cache", action="store_true", help="transcribe and read anew, ignoring what is cached"
    )
    _session_options(parser)
    _cluster_options(parser)
    output_options(parser)


def _session_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("session")
    group.add_argument("--concurrency", type=int, metavar="N", help="calls in flight (with --ray: in each replica)")
    group.add_argument("--attempts", type=int, default=5, metavar="N", help="attempts per item (default: 5)")
    group.add_argument(
        "--max-wait",
        type=float,
        metavar="S",
        help="longest wait that a server may ask for (default: 300)",
    )
    group.add_argument("--no-check-media", action="store_true", help="do not test whether pictures and clips arrive")
    group.add_argument("--ask-changed", action="store_true", help="ask changed items again instead of refusing")


def _cluster_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cluster (needs the extra `ray`)")
    group.add_argument(
        "--ray",
        metavar="HOST:PORT|auto|local",
        help="ask in replicas of the model on a Ray cluster, or on one made here",
    )
    group.add_argument("--replicas", type=int, metavar="N", help="replicas of the model (default: 1)")
    group.add_argument("--cpus-per-replica", type=float, metavar="C", help="CPUs that each reserves (default: 1)")
    group.add_argument(
        "--gpus-per-replica",
        type=float,
        metavar="G",
        help="GPUs that each reserves (default: 1 for hf/… where the cluster has any, else none)",
    )


class Cell(NamedTuple):
    """One run that shall be."""

    benchmark: Benchmark
    model: str
    protocol: str | None
    """None: the default of benchmark and model."""
    variant: Sequence[str]
    out: Path


def run(args: argparse.Namespace) -> int:
    """Ask; print the leaderboard of what was asked; 3 where any item stayed without an answer."""
    from keju.cli.printing import print_runs
    from keju.cli.unused import refuse_unused
    from keju.runs.cost import load_prices

    args.prices = load_prices(args.prices) if args.prices else None
    args.cluster = _cluster(args)
    cells = _of_study(args) if _is_study(args.benchmark) else _of_options(args)
    refuse_unused(dict.fromkeys(cell.model for cell in cells), args)
    if args.dry_run:
        from keju.cli.dry_run import print_estimates

        print_estimates(cells, args)
        return 0
    opened = [_opened(cell, args) for cell in cells]
    runs = [_ask(cell, model, args) for cell, model in zip(cells, opened, strict=True)]
    print_runs(runs, args)
    return 0 if all(run.complete for run in runs) else 3


def _cluster(args: argparse.Namespace) -> Cluster | None:
    from keju.runs.scale_out.cluster import Cluster

    named = {"replicas": args.replicas, "cpus": args.cpus_per_replica, "gpus": args.gpus_per_replica}
    said = {name: value for name, value in named.items() if value is not None}
    if args.ray is None and said:
        raise Misuse(f"--{'replicas' if 'replicas' in said else 'cpus-per-replica and --gpus-per-replica'} needs --ray")
    return Cluster(args.ray, **said) if args.ray is not None else None


def _opened(cell: Cell, args: argparse.Namespace) -> Model | str:
    """The cell's model, its protocol looked at: a typo in the last cell shows before the first is asked and paid.

    On a cluster it is opened there when its turn comes; here its name and options are looked at.
    """
    from keju.models.registry import open_model
    from keju.protocols import load_protocol
    from keju.variants import apply, parse_variants

    if cell.protocol:
        load_protocol(cell.protocol)
    asked = apply(cell.benchmark, parse_variants(cell.variant))
    if args.cluster:
        from keju.runs.scale_out.replicas import order_of

        order_of(cell.model, asked, _options(args))
        return cell.model
    return open_model(cell.model, benchmark=asked, **_options(args))


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """What the user said of the models."""
    return model_arguments(args) | ({"use_cache": False} if args.no_cache else {})


def _is_study(path: str) -> bool:
    return path.endswith(".toml") and not Path(path).is_dir()


def _rotations(benchmark: Benchmark, variant: Sequence[str]) -> list[Sequence[str]]:
    """`variant`, and it again for each further place that an option can be moved on to."""
    places = max(len(item.options) for item in benchmark)
    return [variant, *([*variant, f"rotate={by}"] for by in range(1, places))]


def _of_options(args: argparse.Namespace) -> list[Cell]:
    if not args.model:
        raise Misuse("name at least one model: -m provider/name (`keju models` lists them)")
    benchmark = _benchmark(args.benchmark, args)
    models, protocols = (
        dict.fromkeys(args.model),
        dict.fromkeys(args.protocol or [None]),
    )  # a name given twice runs once
    variants = _rotations(benchmark, args.variant) if args.circular else [args.variant]
    return [
        Cell(benchmark, model, protocol, variant, args.out or Path("runs"))
        for model in models
        for protocol in protocols
        for variant in variants
    ]


def _of_study(args: argparse.Namespace) -> list[Cell]:
    from keju.runs.study import load_study

    study = load_study(Path(args.benchmark))
    if args.model or args.protocol or args.variant or args.circular:
        raise Misuse(
            f"{args.benchmark} names its models, protocols and variants: "
            "leave out -m, --protocol, --variant and --circular"
        )
    for name in ("out", "split", "limit", "concurrency"):  # what the user says now goes before what the file says
        if getattr(args, name) is None:
            setattr(args, name, getattr(study, name))
    loaded = {name: _benchmark(name, args) for name in study.benchmarks}
    return [Cell(loaded[c.benchmark], c.model, c.protocol, c.variants, args.out) for c in study]


def _benchmark(path: str, args: argparse.Namespace) -> Benchmark:
    from keju import api
    from keju.cli.printing import print_problems

    loaded = api.load(path, **benchmark_arguments(args))
    print_problems(loaded)
    return loaded.select(split=args.split, where=dict(args.where), limit=args.limit)


def _transport(args: argparse.Namespace) -> Transport:
    from keju.runs.transport import Transport

    patience = {} if args.max_wait is None else {"max_wait": args.max_wait}
    return Transport(attempts=args.attempts, **patience)


def _ask(cell: Cell, model: Model | str, args: argparse.Namespace) -> Run:
    from keju import api
    from keju.cli.progress import Terminal
    from keju.runs.asking import Session

    session = Session(
        concurrency=args.concurrency,
        transport=_transport(args),
        check_media=not args.no_check_media,
        ask_changed=args.ask_changed,
        cluster=args.cluster,
    )
    with Terminal(" ".join([cell.model, *cell.variant])) as progress:
        return api.run(
            cell.benchmark,
            model,
            protocol=cell.protocol,
            variant=cell.variant,
            out=cell.out,
            session=session,
            progress=progress,
            **(_options(args) if isinstance(model, str) else {}),
        )
