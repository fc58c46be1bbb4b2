"""The command line. Each command is a module that is imported only when it is called: parse, call, print.

Exit codes: 0 complete · 1 findings or a failed comparison · 2 misuse · 3 incomplete · 4 refused · 130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TextIO, cast

from keju import __version__
from keju.cli.shown import Shown
from keju.errors import KejuError, Misuse, Refused, RunStopped

COMMANDS = {
    "run": "ask models a benchmark (resumes by itself), and print the leaderboard",
    "score": "mark runs: accuracy, intervals, breakdowns; also files that other tools wrote",
    "compare": "paired tests between runs, with Holm's correction",
    "report": "write the tables of runs as Markdown, LaTeX, CSV, XLSX, JSON and one HTML page",
    "view": "show the report of runs in the browser, and follow them while they go on",
    "latency": "measure latency under control: warm-up, fixed items, one new token, a sweep of concurrency",
    "transcribe": "transcribe clips, export the transcripts, and count their errors",
    "check": "check a benchmark: files, questions, pictures, sounds, language, balance; repair what can be",
    "describe": "count and chart what a benchmark consists of: labels, lengths, keys, pictures, clips",
    "split": "deal the items out into train, val and test: seeded, stratified, no picture in two splits",
    "convert": "write a benchmark in another format",
    "release": "publish a benchmark: card, licence, Croissant, checksums, all checked before and after",
    "human": "people sit the exam: a frozen sample, booklet and answer sheets, their accuracy beside models'",
    "agreement": "do raters agree? kappa, alpha, AC1, ICC with intervals, and which of them suits",
    "models": "list providers and the papers' models",
    "protocols": "list protocols, or show one",
    "studio": "build a benchmark in the browser, alone or as a team",
    "demo": "run the main job on the shipped demo benchmark with the embedded models",
}
"""Command → one line of help; the module `keju.cli.NAME` holds `add_arguments` and `run`."""
_KEEPING = ("run", "latency", "demo", "transcribe")
"""Commands that record each reply as it comes."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake is a message, never a traceback."""
    _speak_utf8()
    out, told = Shown(sys.stdout), Shown(sys.stderr)
    sys.stdout, sys.stderr = cast("tuple[TextIO, TextIO]", (out, told))
    try:
        return _executed(argv, out)
    finally:
        sys.stdout, sys.stderr = out.rich_proxied_file, told.rich_proxied_file


def _executed(argv: Sequence[str] | None, out: Shown) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    called = " ".join(["keju", *arguments[:1]])
    try:
        parser = _parser(arguments[0] if arguments else None)
        try:
            args, unknown = parser.parse_known_args(arguments)
            if unknown:  # argparse itself would show the usage of `keju` alone
                getattr(args, "refuse", parser.error)(f"unrecognized arguments: {' '.join(unknown)}")
        finally:
            sys.stdout.flush()  # `--help` and `--version` leave here
        out.exact = getattr(args, "json", False) and not out.isatty()
        if "execute" in args:
            code = int(args.execute(args))
        else:
            print(parser.format_help(), end="")  # argparse's own `print_help` hides that it could not write
            code = 2 if arguments else 0
        sys.stdout.flush()  # so that a reader that left or a full disk shows here and not at exit
        return code
    except KejuError as error:
        print(f"{called}: {error}", file=sys.stderr)
        return _exit_code(error)
    except KeyboardInterrupt:
        kept = "; what came back so far is kept" if called.endswith(_KEEPING) else ""
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output left, `| head` for one
        _silence()
        return 0
    except OSError as error:
        print(f"{called}: {error.filename2 or error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        _silence()
        return 3


def entry() -> None:
    """Entry point of the `keju` script."""
    gc.set_threshold(50_000)  # Python's 700 costs a run up to a tenth of its time, looking through items that stay
    sys.exit(main())


def _exit_code(error: KejuError) -> int:
    if isinstance(error, Refused):
        return 4
    if isinstance(error, RunStopped):
        return 3
    return 2 if isinstance(error, Misuse) else 3


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser, with the arguments of the `wanted` command only: the others are not imported."""
    parser = argparse.ArgumentParser(
        prog="keju",
        description="Set, check, sit and mark multimodal multiple-choice exams for AI models.",
        epilog="`keju COMMAND --help` tells more of each.",
    )
    parser.add_argument("--version", action="version", version=f"keju {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, line in COMMANDS.items():
        command = commands.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if name == wanted:
            module = import_module(f"keju.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(execute=module.run, refuse=command.error)
    return parser


def _silence() -> None:
    """Let nothing more be written to standard output, so that Python does not stumble over it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _speak_utf8() -> None:
    """Chinese comes out whole whatever the locale says."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 (`>&-` leaves none; open to the end)
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
