"""`keju release`: a benchmark as a folder that can be published, checked and cited."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.options import benchmark_arguments, benchmark_options, output_options
from keju.errors import Misuse

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.checks import Finding
    from keju.release import ReleaseReport

CONFIG = Path("release.toml")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", nargs="?", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-o", "--out", type=Path, metavar="DIR", help="new folder to write the release into")
    what.add_argument("--init", action="store_true", help="write a release.toml to fill in")
    what.add_argument("--verify", type=Path, metavar="DIR", help="check a release folder; change nothing")
    group = parser.add_argument_group("release")
    group.add_argument(
        "--config", type=Path, default=CONFIG, metavar="FILE", help="what the release says of itself (release.toml)"
    )
    group.add_argument(
        "--withhold-keys", action="append", default=[], metavar="SPLIT", help="publish this split without its keys"
    )
    group.add_argument(
        "--keys", type=Path, metavar="FILE", help="where withheld keys and salt are kept (default: beside DIR)"
    )
    group.add_argument("--training", metavar="FORMAT", help="add the train split in a format for training: chat")
    group.add_argument("--jobs", type=int, metavar="N", help="processes that decode media (default: every core)")
    benchmark_options(parser)
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Build, begin or verify; 1 where something blocks the release or is wrong with it."""
    if args.verify:
        return _verify(args)
    if not args.benchmark or not (args.out or args.init):
        raise Misuse("say what to do: keju release BENCHMARK --init, BENCHMARK -o DIR, or --verify DIR")
    from keju import api
    from keju.cli.printing import print_problems

    benchmark = api.load(args.benchmark, **benchmark_arguments(args))
    print_problems(benchmark)
    return _init(benchmark, args) if args.init else _build(benchmark, args)


def _init(benchmark: Benchmark, args: argparse.Namespace) -> int:
    from keju.cli.printing import language
    from keju.release import write_template

    write_template(benchmark, args.config)
    if args.json:
        print(json.dumps({"config": str(args.config)}, ensure_ascii=False))
    elif language(args) == "zh":
        print(f"已写入 {args.config}：请用文本编辑器打开，填好带 * 的各项")
    else:
        print(f"{args.config} is written: open it in a text editor and fill in the fields marked *")
    return 0


def _build(benchmark: Benchmark, args: argparse.Namespace) -> int:
    from keju.cli.progress import counting
    from keju.release import build, read_settings

    settings = read_settings(args.config)
    with counting(f"check {benchmark.name}", "media") as progress:
        report = build(
            benchmark,
            settings,
            args.out,
            withhold=args.withhold_keys,
            keys=args.keys,
            training=args.training,
            jobs=args.jobs,
            progress=progress,
        )
    _print(report.findings, benchmark.name, args, report)
    return 0 if report.folder else 1


def _verify(args: argparse.Namespace) -> int:
    from keju.release import verify

    if args.benchmark:
        raise Misuse("--verify DIR checks a release alone; leave BENCHMARK out")
    findings = verify(args.verify)
    _print(findings, args.verify.name, args, None)
    return 1 if findings else 0


def _print(findings: Sequence[Finding], name: str, args: argparse.Namespace, report: ReleaseReport | None) -> None:
    from keju.cli.printing import language
    from keju.reports.findings import finding_lines

    tongue = language(args)
    if args.json:
        print(json.dumps(_for_programs(findings, report), ensure_ascii=False))
        return
    for finding in findings:
        head, remedy = finding_lines(finding, name, tongue)
        print(f"{head}\n  {remedy}")
    print(_sum(findings, args, report, zh=tongue == "zh"))
    if report and report.keys:
        kept = (
            f"答案与盐保存在 {report.keys}：请勿公开"
            if tongue == "zh"
            else f"keys and salt: {report.keys} (keep it secret)"
        )
        print(kept)


def _sum(findings: Sequence[Finding], args: argparse.Namespace, report: ReleaseReport | None, *, zh: bool) -> str:
    n = len(findings)
    if report is None:
        whole = "完好" if zh else "nothing is wrong with it"
        return f"{args.verify}: {(f'{n} 处问题' if zh else f'{n} wrong') if n else whole}"
    if n:
        return f"\n没有发布：还有 {n} 处需要处理" if zh else f"\nnot released: {n} to settle first"
    files = len(report.files)
    return f"已发布到 {report.folder}，共 {files} 个文件" if zh else f"released in {report.folder}: {files} files"


def _for_programs(findings: Sequence[Finding], report: ReleaseReport | None) -> dict[str, object]:
    told = [
        {
            "code": finding.code,
            "file": finding.file,
            "item": finding.item,
            "message": {"en": str(finding.message), "zh": finding.message.zh},
            "remedy": {"en": str(finding.remedy), "zh": finding.remedy.zh},
        }
        for finding in findings
    ]
    made = {"folder": report.folder and str(report.folder), "files": list(report.files)} if report else {}
    return {"findings": told, **made}
