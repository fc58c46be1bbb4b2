"""`keju studio`: build a benchmark in the browser."""

from __future__ import annotations

import argparse
import json
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
    parser.add_argument("--json", action="store_true", help="print the addresses as JSON for programs")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--backup", type=Path, metavar="FILE", help="write everything into a new ZIP, also while it runs"
    )
    instead.add_argument("--restore", type=Path, metavar="FILE", help="fill an empty studio from such a ZIP")
    instead.add_argument("--verify", action="store_true", help="look whether all that is stored is as it was written")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted, or do what is asked instead; `--verify` gives 1 where something is not whole."""
    from importlib.util import find_spec

    from keju.errors import BadFile, MissingExtra

    if not find_spec("django"):
        raise MissingExtra("studio", "the studio")
    from keju.studio import serving

    if (args.backup or args.verify) and not args.database and not (args.data / serving.DATABASE).is_file():
        raise BadFile(f"{args.data} holds no studio; give its folder with --data")
    serving.set_up(args.data, args.database, args.hosts, args.https)
    if args.backup or args.restore or args.verify:
        return _operate(args)
    token = serving.first_link()

    def ready(port: int) -> None:
        address = f"http://{args.host}:{port}/"
        if args.json:
            print(json.dumps({"address": address, "sign_in": f"{address}enter/{token}"}), flush=True)
        else:
            print(f"keju studio is on {address}\nsign in once with   {address}enter/{token}", flush=True)

    serving.serve(args.host, args.port, ready)
    return 0


def _operate(args: argparse.Namespace) -> int:
    from keju.studio import operations

    if args.verify:
        found = operations.verify()
        print("\n".join(found) or "everything is as it was written")
        return 1 if found else 0
    file = args.backup or args.restore
    kept = operations.backup(file) if args.backup else operations.restore(file)
    print(f"{file}: {kept.rows:,} rows, {kept.files:,} files, {kept.size / 2**20:,.1f} MiB")
    if args.restore:
        print("restored and verified; start the studio, and send people new links")
    return 0
