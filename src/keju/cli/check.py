"""`keju check`: what is wrong or doubtful in a benchmark, and with `--fix` what has one right repair."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.options import benchmark_arguments, benchmark_options, output_options
from keju.errors import Misuse

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.checks import Finding, Marks
    from keju.checks.mending import Mended
    from keju.checks.settings import Settings
    from keju.reports import Language

COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", nargs="?", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    rules = parser.add_argument_group("rules")
    rules.add_argument(
        "--select", type=codes, action="extend", default=[], metavar="CODES", help="only these: Q,F1,L203"
    )
    rules.add_argument("--ignore", type=codes, action="extend", default=[], metavar="CODES", help="not these")
    rules.add_argument("--settings", type=Path, metavar="FILE", help="TOML with select, ignore and thresholds")
    rules.add_argument("--explain", metavar="CODE", help="explain a rule, a group (Q) or `all`; check nothing")
    rules.add_argument(
        "--runs", nargs="+", type=Path, default=[], metavar="RUN", help="runs whose marks the rules on items look at"
    )
    repairs = parser.add_argument_group("repairs")
    repairs.add_argument("--fix", action="store_true", help="repair what has one right repair, with a backup beside it")
    repairs.add_argument(
        "--into", type=Path, metavar="DIR", help="with --fix: leave the original, repair a copy in DIR"
    )
    benchmark_options(parser)
    output_options(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with the pictures and sounds as well")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes that decode media (default: every core)")


def run(args: argparse.Namespace) -> int:
    """Print what was found; 1 where an error stands."""
    from keju.checks.settings import settings_of
    from keju.cli.printing import language

    if args.explain:
        return _explain(args.explain, language(args))
    if not args.benchmark:
        raise Misuse("name a benchmark: keju check FOLDER (`--explain all` lists the rules)")
    if args.jobs is not None and args.jobs < 1:
        raise Misuse(f"--jobs must be at least 1, not {args.jobs}")
    if args.into and not args.fix:
        raise Misuse("--into says where --fix puts its copy; add --fix")
    settings = settings_of(args.select, args.ignore, args.settings)
    benchmark, mended = _mended(args) if args.fix else (_load(args.benchmark, args), None)
    findings = _checked(benchmark, settings, args)
    _print(benchmark, findings, mended, args)
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def codes(text: str) -> list[str]:
    """`Q,F1` as a list."""
    return [code.strip() for code in text.split(",") if code.strip()]


def _explain(name: str, language: Language) -> int:
    from keju.checks import RULES
    from keju.checks.settings import rules_named
    from keju.reports.findings import all_explained, explained

    rules = list(RULES.values()) if name == "all" else rules_named(name)
    told = [explained(rules[0], language)] if len(rules) == 1 else all_explained(rules, language)
    print("\n".join(told).rstrip())
    return 0


def _load(path: str | Path, args: argparse.Namespace) -> Benchmark:
    from keju.formats import load

    return load(path, faulty=True, **benchmark_arguments(args))


def _mended(args: argparse.Namespace) -> tuple[Benchmark, Mended]:
    """The benchmark as it reads after its repairs, and what they were."""
    from keju.checks.mending import mend

    dirty = _load(args.benchmark, args)
    mended = mend(dirty, into=args.into, **benchmark_arguments(args))
    return _load(mended.place, args), mended


def _checked(benchmark: Benchmark, settings: Settings, args: argparse.Namespace) -> list[Finding]:
    from keju import api
    from keju.cli.progress import counting

    marks = _marks(args.runs, benchmark) if args.runs else None
    with counting(f"check {benchmark.name}", "media") as progress:
        return api.check(benchmark, rules=settings.rules(benchmark), marks=marks, jobs=args.jobs, progress=progress)


def _marks(paths: Sequence[Path], benchmark: Benchmark) -> Marks:
    from keju import api

    return api.marks([api.score(run) for run in api.open_runs(paths, benchmark=benchmark)])


def _print(benchmark: Benchmark, findings: Sequence[Finding], mended: Mended | None, args: argparse.Namespace) -> None:
    from keju.cli.printing import language
    from keju.reports.findings import findings_json

    if args.html:
        from keju.reports.findings_page import write_page

        write_page(benchmark, findings, args.html, language=language(args))
    if args.json:
        print(findings_json(findings, benchmark=benchmark.name, items=len(benchmark), **_repairs_for_programs(mended)))
    else:
        _print_for_people(benchmark, findings, mended, args)
    if args.html:
        print(f"report: {args.html}", file=sys.stderr if args.json else sys.stdout)


def _repairs_for_programs(mended: Mended | None) -> dict[str, object]:
    if mended is None:
        return {}
    repairs = [{"file": r.file, "renamed": r.to, "what": {"en": str(r.what), "zh": r.what.zh}} for r in mended.repairs]
    return {"place": str(mended.place), "backup": mended.backup and str(mended.backup), "repairs": repairs}


def _print_for_people(
    benchmark: Benchmark, findings: Sequence[Finding], mended: Mended | None, args: argparse.Namespace
) -> None:
    """Each finding with its remedy, the sums, and how many repairs `--fix` would make."""
    from rich.console import Console
    from rich.text import Text

    from keju.checks.repairs import planned
    from keju.cli.printing import language
    from keju.reports.findings import can_be_repaired, finding_lines, repair_lines, summary

    tongue = language(args)
    console = Console(highlight=False, soft_wrap=True)
    for line in repair_lines(mended, tongue) if mended else ():
        print(line)
    for finding in findings:
        head, remedy = finding_lines(finding, benchmark.name, tongue)
        text = Text(head)
        text.highlight_regex(rf"\b{finding.code}\b", COLOURS[finding.severity])
        console.print(text)
        console.print(Text(f"  {remedy}", style="dim"))
    print(("\n" if findings else "") + summary(findings, len(benchmark), tongue))
    if benchmark.root and not args.fix and (repairs := planned(benchmark, args.encoding)):
        print(can_be_repaired(len(repairs), args.benchmark, tongue))
