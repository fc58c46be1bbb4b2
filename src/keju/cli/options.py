"""Options that several commands share, each defined once."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def benchmark_options(parser: argparse.ArgumentParser) -> None:
    """How a benchmark is read and which of its items are meant."""
    group = parser.add_argument_group("benchmark")
    group.add_argument("--format", metavar="NAME", help="format of the benchmark; sniffed where not given")
    group.add_argument(
        "--mapping", metavar="NAME|FILE", help="how to read another table: a shipped mapping, or a TOML file"
    )
    group.add_argument("--labels", type=Path, metavar="FILE", help="CSV or JSONL with an id column and labels to join")
    group.add_argument("--encoding", metavar="NAME", help="encoding of text files that are not UTF-8 (gb18030, big5)")


def benchmark_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """What the user said of the benchmark, as `keju.load` takes it."""
    return {name: getattr(args, name) for name in ("format", "mapping", "labels", "encoding")}


def selection_options(parser: argparse.ArgumentParser) -> None:
    """Which items of a benchmark are meant."""
    group = parser.add_argument_group("selection")
    group.add_argument("--split", metavar="NAME", help="only the items of this split (train, val, test)")
    group.add_argument(
        "--where", action="append", default=[], metavar="LABEL=VALUE", type=pair, help="only items with this label"
    )
    group.add_argument("--limit", type=int, metavar="N", help="only the first N items")


def model_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How models are opened; the group, for what a command adds to it."""
    group = parser.add_argument_group("model")
    group.add_argument("--base-url", metavar="URL", help="address of an OpenAI-compatible server")
    group.add_argument("--key-env", metavar="NAME", help="environment variable that holds the API key")
    group.add_argument("--key-file", type=Path, metavar="FILE", help="file that holds the API key")
    group.add_argument("--stream", action=argparse.BooleanOptionalAction, default=None, help="ask for a streamed reply")
    group.add_argument("--timeout", type=float, metavar="S", help="seconds that one attempt may take")
    group.add_argument("--extra", type=json_object, metavar="JSON", help="further fields of the request body")
    group.add_argument("--transcriber", metavar="NAME", help="turn audio into text first: whisper/base, …")
    group.add_argument(
        "--batch-size", type=batch_size, metavar="N|auto", help="prompts that a local model (hf/…) answers together"
    )
    group.add_argument("--reader", metavar="NAME", help="turn pictures into text first: ppocr/v4")
    return group


def model_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """What the user said of the models, as `keju.models.registry.open_model` takes it."""
    names = ("base_url", "key_env", "key_file", "stream", "timeout", "extra", "transcriber", "reader", "batch_size")
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def batch_size(text: str) -> int | str:
    """A whole number, or `auto`."""
    return int(text) if text.isdecimal() else text


def output_options(parser: argparse.ArgumentParser) -> None:
    """How results are printed."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print JSON for programs instead of tables")
    group.add_argument("--lang", choices=("en", "zh"), default=None, help="language of tables (default: that of $LANG)")


def runs_arguments(parser: argparse.ArgumentParser) -> None:
    """The runs that a command reads."""
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="run folders, folders of them, or other tools' files"
    )
    group = parser.add_argument_group("reading")
    group.add_argument("--benchmark", metavar="PATH", help="mark with the keys and labels of this benchmark")
    group.add_argument("--format", metavar="NAME", help="format of other tools' files; sniffed where not given")
    group.add_argument("--protocol", metavar="NAME", help="protocol that other tools' files are marked under")
    group.add_argument(
        "--parser",
        metavar="NAME",
        help="mark under this parser, not the protocol's own; `theirs`: the verdicts of the tool that wrote the file",
    )
    group.add_argument(
        "--count-failures-as-wrong",
        action="store_true",
        help="count unanswered items as wrong answers; every table then says so",
    )


def tables_options(parser: argparse._ActionsContainer, *, by: str) -> None:
    """Which tables stand beside the leaderboard; `by` says what `--by` does."""
    parser.add_argument("--by", action="append", default=[], metavar="LABEL", help=by)
    parser.add_argument(
        "--published",
        action="append",
        default=[],
        metavar="NAME",
        help="set a paper's table beside it: tco-2, multi-tw-3, …",
    )


def json_object(text: str) -> dict[str, Any]:
    """A JSON object as a dict."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f'{text!r} is not JSON ({error}); write it like {{"top_p": 0.9}}') from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f'{text!r} is not an object; write it like {{"top_p": 0.9}}')
    return value


def pair(text: str) -> tuple[str, str]:
    """`LABEL=VALUE` as two strings."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form LABEL=VALUE")
    return name, value
