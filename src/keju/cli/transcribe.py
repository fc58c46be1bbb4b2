"""`keju transcribe`: what a transcriber makes of the clips of a benchmark, and how far that is from what was said."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from keju.cli.options import benchmark_arguments, benchmark_options, output_options, selection_options

if TYPE_CHECKING:
    from keju.benchmark import Benchmark
    from keju.runs.transcribing import Transcript

ITEMS_OWN = ""
"""`--reference` without a file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("benchmark", metavar="BENCHMARK", help="path, hf:OWNER/NAME, or a demo's name")
    parser.add_argument(
        "--transcriber",
        default="whisper/base",
        metavar="NAME",
        help="whisper/base, whisper/large-v3:zh,batch=8, openai/whisper-1, a model file, or transcripts.jsonl "
        "(default: whisper/base)",
    )
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="write one JSON line a clip")
    parser.add_argument(
        "--reference",
        nargs="?",
        const=ITEMS_OWN,
        metavar="FILE",
        help="character error rate against the items' own `transcript`, or against a JSONL file",
    )
    parser.add_argument("--script", choices=("hans", "hant"), help="put Chinese into Simplified or Traditional script")
    parser.add_argument("--no-cache", action="store_true", help="transcribe anew, whatever is cached")
    parser.add_argument("--concurrency", type=int, metavar="N", help="clips in work at a time")
    parser.add_argument("--attempts", type=int, default=5, metavar="N", help="attempts per clip (default: 5)")
    benchmark_options(parser)
    selection_options(parser)
    output_options(parser)


def run(args: argparse.Namespace) -> int:
    """Transcribe, write, print; 3 where a clip failed."""
    from keju import api
    from keju.cli.printing import print_problems, print_tables
    from keju.models.perception import clip_seconds
    from keju.results.transcripts import transcript_tables
    from keju.runs.transcribing import clips

    benchmark = api.load(args.benchmark, **benchmark_arguments(args))
    print_problems(benchmark)
    benchmark = benchmark.select(split=args.split, where=dict(args.where), limit=args.limit)
    todo = clips(benchmark)
    references = _references(args, benchmark, todo)
    done = [_in_script(clip, args.script) for clip in _heard(todo, args)]
    if args.out:
        _write(done, args.out)
    tables = transcript_tables(done, [clip_seconds(clip.medium) for clip in done], references)
    print_tables(tables, args, transcriber=args.transcriber, file=str(args.out) if args.out else None)
    return 3 if any(clip.error for clip in done) else 0


def _references(
    args: argparse.Namespace, benchmark: Benchmark, todo: Sequence[Transcript]
) -> Sequence[str | None] | None:
    from keju.results.transcripts import given_references, own_references

    if args.reference is None:
        return None
    if args.reference == ITEMS_OWN:
        return own_references(benchmark, todo)
    return given_references(Path(args.reference), todo)


def _heard(todo: Sequence[Transcript], args: argparse.Namespace) -> list[Transcript]:
    import asyncio

    from keju.errors import Misuse
    from keju.models.perception import Given, Remembered, open_perceiver
    from keju.runs.transcribing import transcribe
    from keju.runs.transport import Transport

    perceiver = open_perceiver(args.transcriber)
    wanted = getattr(perceiver, "concurrency", 2) if args.concurrency is None else args.concurrency
    if wanted < 1:
        raise Misuse(f"concurrency must be at least 1, not {wanted}")
    transport = Transport(attempts=args.attempts)

    async def work() -> list[Transcript]:
        chosen = perceiver if args.no_cache or isinstance(perceiver, Given) else Remembered(perceiver)
        with _Count(len(todo), perceiver.name) as count:
            try:
                return await transcribe(todo, chosen, transport=transport, in_flight=wanted, heard=count)
            finally:
                await chosen.close()

    return asyncio.run(work())


class _Count:
    """Clips done, on one line of a terminal; silent where stderr is none."""

    def __init__(self, total: int, who: str) -> None:
        self._total, self._who, self._done = total, who, 0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> _Count:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._done:
            print(file=sys.stderr)

    def __call__(self, clip: Transcript) -> None:
        self._done += 1
        if clip.error:
            print(f"{clip.medium.name}: {clip.error['message']}", file=sys.stderr)
        elif self._shown:
            print(f"\r{self._who}: {self._done}/{self._total}", end="", file=sys.stderr, flush=True)


def _in_script(clip: Transcript, script: str | None) -> Transcript:
    from keju.script import to_simplified, to_traditional

    if script is None or clip.text is None:
        return clip
    return replace(clip, text=to_traditional(clip.text) if script == "hant" else to_simplified(clip.text))


def _write(done: Sequence[Transcript], path: Path) -> None:
    """One line a clip, in the benchmark's order. A file that was there is replaced as a whole."""
    from keju.errors import Misuse
    from keju.formats.whole_files import write_whole

    lines = (json.dumps(clip.to_json(), ensure_ascii=False) + "\n" for clip in done)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, "".join(lines))
    except OSError as error:
        raise Misuse(f"{path} cannot be written: {error.strerror or error}. Name another file with -o") from error
