"""`keju studio`: build a benchmark in the browser."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=Path("keju-studio"), help="data folder (default: keju-studio)")
    parser.add_argument(
        "--database",
        default=os.environ.get("KEJU_STUDIO_DATABASE"),
        metavar="URL",
        help="postgresql://USER:PASSWORD@HOST/NAME for a team (default: SQLite in the data folder)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8470, help="port, 0 for any that is free (default: 8470)")
    parser.add_argument("--hosts", metavar="NAMES", help="host names it is reached by, comma-separated")
    parser.add_argument("--https", action="store_true", help="a proxy in front of it speaks HTTPS")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from importlib.util import find_spec

    from keju.errors import MissingExtra

    if not find_spec("django"):
        raise MissingExtra("studio", "the studio")
    from keju.studio import serving

    serving.set_up(args.data, args.database, args.hosts, args.https)
    token = serving.first_link()

    def ready(port: int) -> None:
        print(f"keju studio is on http://{args.host}:{port}/", flush=True)
        print(f"sign in once with   http://{args.host}:{port}/enter/{token}", flush=True)

    serving.serve(args.host, args.port, ready)
    return 0
