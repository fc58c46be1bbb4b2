"""`keju protocols`: list protocols, or show one whole."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="show this protocol (a name or a TOML file)")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Print every protocol on a line, or one with its templates."""
    from keju.protocols import builtin_protocols, load_protocol

    if args.name:
        print(json.dumps(load_protocol(args.name).to_json(), ensure_ascii=False, indent=1))
        return 0
    protocols = [load_protocol(name) for name in builtin_protocols()]
    if args.json:
        print(json.dumps([protocol.to_json() for protocol in protocols], ensure_ascii=False, indent=1))
        return 0
    for protocol in protocols:
        print(f"{protocol.name:18} {protocol.title}\n{'':18} parser {protocol.parser} · {protocol.source}")
    return 0
