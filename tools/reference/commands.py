"""Every command with its arguments, options and defaults, as its parser has them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module

from keju import cli
from reference.markdown import block, code, plain, table

WIDTH = 100


def pages() -> dict[str, str]:
    parts = [
        "# Commands\n",
        "What `keju COMMAND --help` says, of all commands at once.\n",
        table(("command", "does"), ((f"[`keju {name}`](#keju-{name})", plain(does)) for name, does in _commands())),
        _exit_codes(),
        *(_told(_parser(name), does) for name, does in _commands()),
    ]
    return {"reference/commands.md": "\n".join(parts)}


def _commands() -> Iterator[tuple[str, str]]:
    yield from cli.COMMANDS.items()


def _exit_codes() -> str:
    line = re.search(r"Exit codes: (.*)\.$", cli.__doc__ or "", re.MULTILINE)
    if line is None:
        raise SystemExit("keju.cli no longer says its exit codes")
    rows = [each.strip().split(" ", 1) for each in line[1].split("·")]
    return "## Exit codes\n\n" + table(("code", "means"), ((code(number), plain(means)) for number, means in rows))


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(f"keju {name}", formatter_class=partial(argparse.HelpFormatter, width=WIDTH))
    import_module(f"keju.cli.{name}").add_arguments(parser)
    return parser


def _told(parser: argparse.ArgumentParser, does: str, level: int = 2) -> str:
    parts = [f"{'#' * level} {parser.prog}\n", plain(does[:1].upper() + does[1:] + ".") + "\n", _usage(parser)]
    nested = []
    for group in parser._action_groups:
        rows = []
        for action in group._group_actions:
            if isinstance(action, argparse._SubParsersAction):
                helps = {each.dest: each.help or "" for each in action._choices_actions}
                nested += [_told(each, helps[name], level + 1) for name, each in action.choices.items()]
            elif not isinstance(action, argparse._HelpAction):
                rows.append((_names(action), _meaning(action)))
        if rows:
            parts.append(f"*{group.title}*\n\n" + table(("", ""), rows))
    return "\n".join(parts + nested)


def _usage(parser: argparse.ArgumentParser) -> str:
    parser.formatter_class = partial(argparse.HelpFormatter, width=WIDTH)
    return block(parser.format_usage().removeprefix("usage: ").replace("\n       ", "\n"))


def _names(action: argparse.Action) -> str:
    """`-o`, `--out DIR`"""
    takes = "" if action.nargs == 0 else _value(action)
    if not action.option_strings:
        return code(takes)
    *short, last = action.option_strings
    return ", ".join(map(code, [*short, f"{last} {takes}".strip()]))


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest


def _meaning(action: argparse.Action) -> str:
    """The help text, with the default where the text does not tell it."""
    text = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    several = isinstance(action, argparse._AppendAction)
    shown = action.default not in (None, False, True, [], {}, argparse.SUPPRESS) and "default" not in text
    added = ["may be given several times"] if several else []
    added += [f"default: {action.default}"] if shown and action.option_strings else []
    return plain("; ".join([text, *added]))
