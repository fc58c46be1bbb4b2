"""`keju human`: people sit the exam. Draw and freeze a sample, read what they filled in, set them beside models."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.options import benchmark_arguments, benchmark_options, output_options
from keju.errors import KejuError, Misuse

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.people import Sheet

ALIKE = ("genre", "question_type", "difficulty", "level", "language", "modality")
"""Labels that are kept alike unless others are asked for, as far as they vary: those of paper 000, and Multi-TW's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _sample_arguments(actions.add_parser("sample", help="draw and freeze a sample; write booklet and answer sheets"))
    _import_arguments(actions.add_parser("import", help="read the answer sheets that people filled in"))
    _score_arguments(actions.add_parser("score", help="accuracy by group and person, beside models on the same items"))


def run(args: argparse.Namespace) -> int:
    """Do what the action says; `import` gives 1 where something could not be read, `score` 3 where a run is open."""
    return {"sample": _sample, "import": _import, "score": _score}[args.action](args)


def _sample_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    parser.add_argument("-n", type=int, default=100, metavar="N", help="items to draw (default: 100)")
    parser.add_argument(
        "--stratify",
        type=_names,
        metavar="LABEL,…",
        help="labels whose shares the sample keeps (default: genre, question_type, difficulty, level, language and "
        "modality, those that vary)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="another seed gives another sample (default: 0)"
    )
    parser.add_argument("--language", metavar="TAG", help="put the items in this language (default: each item's own)")
    parser.add_argument("--split", metavar="NAME", help="only the items of this split (train, val, test)")
    parser.add_argument(
        "--people", type=_people, default={}, metavar="GROUP=N,…", help="a sheet for each: expert=3,non-expert=10"
    )
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder of the sitting, a new one")
    benchmark_options(parser)
    output_options(parser)


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sitting", type=Path, metavar="SITTING", help="folder that `keju human sample` made")
    parser.add_argument("sheets", type=Path, nargs="+", metavar="SHEET", help="XLSX, CSV, TSV or JSONL files")
    parser.add_argument("--group", metavar="NAME", help="group of the people whose sheets do not say one")
    parser.add_argument("--person", metavar="NAME", help="the one who filled in the sheet, where it does not say so")
    parser.add_argument("--replace", action="store_true", help="let new answers take the place of those that are in")
    parser.add_argument("--encoding", metavar="NAME", help="encoding of text files that are not UTF-8 (gb18030, big5)")
    parser.add_argument("--benchmark", metavar="PATH", help="the benchmark, where it is no longer where it was")
    output_options(parser)


def _score_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sitting", type=Path, metavar="SITTING", help="folder that `keju human sample` made")
    parser.add_argument(
        "--runs", type=Path, nargs="+", default=[], metavar="RUN", help="runs of models, marked on the same items"
    )
    parser.add_argument("--parser", metavar="NAME", help="mark the models under this parser, not the protocol's own")
    parser.add_argument("--items", action="store_true", help="every item with the share that was right")
    parser.add_argument("--benchmark", metavar="PATH", help="the benchmark, where it is no longer where it was")
    output_options(parser)


def _sample(args: argparse.Namespace) -> int:
    from keju import api
    from keju.cli.printing import language, print_problems, print_tables
    from keju.people.sitting import BOOKLET, Sitting, sittable
    from keju.reports.booklet import write_booklet
    from keju.results.counts import named_label
    from keju.results.sampled import sampled

    read = benchmark_arguments(args)
    loaded = api.load(args.benchmark, **read).select(split=args.split)
    print_problems(loaded)
    able = sittable(loaded, args.language)
    if out := len(loaded) - len(able):
        print(f"left out: {out} items without a key, a picture or clip, or the language", file=sys.stderr)
    labels = [named_label(able, name) for name in args.stratify] if args.stratify else _varying(able)
    sitting = Sitting.draw(
        args.out, able, args.n, source=args.benchmark, labels=labels, seed=args.seed, language=args.language, read=read
    )
    exam = sitting.exam(loaded)
    try:
        page = write_booklet(exam, args.out / BOOKLET, language=language(args))
        written = [page, *_write_sheets(exam, args.out / BOOKLET, args.people)]
        sitting.freeze()
    except (KejuError, OSError):
        shutil.rmtree(args.out / BOOKLET, ignore_errors=True)  # half a booklet would pass for a whole one
        raise
    print_tables([sampled(able, exam, labels)], args, files=[str(path) for path in written], **sitting.sample)
    if not args.json:
        print(*written, sep="\n")
    return 0


def _import(args: argparse.Namespace) -> int:
    from keju.cli.printing import print_problems, print_tables
    from keju.people import Sitting, read_sheets
    from keju.results.handed_in import handed_in, unread

    sitting = Sitting.open(args.sitting)
    exam = sitting.exam(_benchmark(args))
    print_problems(exam, of=str(args.sitting))
    found = [sheet for path in args.sheets for sheet in read_sheets(path, list(sitting.items), args.encoding)]
    sheets = [_named(sheet, args.person) for sheet in found]
    if args.person and len(sheets) > 1:
        raise Misuse(f"--person names one person, and the sheets hold {len(sheets)}")
    if twice := [sheet.person for sheet in sheets if sum(sheet.person == other.person for other in sheets) > 1]:
        raise Misuse(f"two sheets are of {twice[0]}; name one of them otherwise, with --person or in the sheet")
    people = [sitting.add(sheet, group=args.group, replacing=args.replace) for sheet in sheets]
    runs = [sitting.run_of(person, exam) for person in people]
    odd = unread(runs, sheets, list(sitting.items))
    print_tables([handed_in(runs, sheets), *([odd] if odd.rows else [])], args)
    return 1 if odd.rows else 0


def _score(args: argparse.Namespace) -> int:
    from keju import api
    from keju.cli.printing import print_problems, print_tables
    from keju.people import Sitting
    from keju.results.humans import groups_of, human_items, human_tables, on_their_items

    sitting = Sitting.open(args.sitting)
    benchmark = _benchmark(args)
    people = sitting.runs(benchmark)
    print_problems(people[0].benchmark, of=str(args.sitting))
    models = api.open_runs(args.runs, benchmark=benchmark) if args.runs else []
    scores = [api.score(one, parser=args.parser) for one in models]
    tables = human_tables(people, scores)
    if args.items:
        groups = groups_of(people)
        tables.append(human_items(groups, on_their_items(groups, scores)))
    print_tables(tables, args, sitting=str(args.sitting), **sitting.sample)
    return 0 if all(one.settled for one in scores) else 3


def _benchmark(args: argparse.Namespace) -> Benchmark | None:
    from keju import api

    return api.load(args.benchmark) if args.benchmark else None


def _varying(benchmark: Benchmark) -> list[str]:
    from keju.benchmark import label_of

    return [name for name in ALIKE if len({label_of(item, name) for item in benchmark}) > 1]


def _write_sheets(exam: Benchmark, folder: Path, people: dict[str, int]) -> list[Path]:
    from keju.formats.names import safe_name
    from keju.formats.whole_files import write_whole
    from keju.reports.answer_sheets import answer_sheet

    named = [(f"{group}-{number}", group) for group, n in people.items() for number in range(1, n + 1)]
    paths = []
    for person, group in named or [("", "")]:
        path = folder / f"{safe_name(person) or 'answers'}.xlsx"
        write_whole(path, answer_sheet(exam, person, group))
        paths.append(path)
    return paths


def _named(sheet: Sheet, person: str | None) -> Sheet:
    from dataclasses import replace

    return replace(sheet, person=person) if person else sheet


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _people(text: str) -> dict[str, int]:
    """`expert=3,non-expert=10` as numbers by group."""
    groups: dict[str, int] = {}
    for part in text.split(","):
        found = re.fullmatch(r"\s*([^=]+?)\s*=\s*(\d+)\s*", part)
        if not found:
            raise argparse.ArgumentTypeError(f"{part!r} is not of the form GROUP=N; write expert=3,non-expert=10")
        groups[found[1]] = int(found[2])
    return groups
