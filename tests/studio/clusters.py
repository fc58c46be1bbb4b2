"""A PostgreSQL of one's own for as long as it is needed: its own folder, its own port, no password, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNERS = ("postgres", "nobody")
"""Accounts that may run it where we are root: PostgreSQL refuses to be root."""


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, of the newest version that is installed; None where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("pg_ctl")
    if found:
        return found[-1].parent
    return Path(on_path).resolve().parent if on_path else None


@contextmanager
def cluster(name: str = "keju") -> Iterator[str]:
    """A running server with one empty database; gives its URL."""
    where = programs()
    assert where is not None
    home = Path(tempfile.mkdtemp(prefix="keju-postgres-"))
    owner = _owner()
    if owner:
        os.chown(home, owner.pw_uid, owner.pw_gid)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(program: str, *arguments: str) -> None:
        who = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": ()} if owner else {}
        subprocess.run(
            [where / program, *arguments], check=True, capture_output=True, cwd=home, env={"LC_ALL": "C.UTF-8"}, **who
        )

    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c fsync=off"
    call("initdb", "-D", "data", "-U", name, "-A", "trust", "-E", "UTF8", "--no-sync")
    call("pg_ctl", "-D", "data", "-o", options, "-l", "log", "-w", "-t", "60", "start")
    try:
        call("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", name, name)
        yield f"postgresql://{name}@127.0.0.1:{port}/{name}"
    finally:
        call("pg_ctl", "-D", "data", "-m", "immediate", "stop")
        shutil.rmtree(home, ignore_errors=True)


def _owner() -> pwd.struct_passwd | None:
    """Who runs it; None where that is ourselves."""
    if os.geteuid() != 0:
        return None
    there = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(there[name] for name in OWNERS if name in there)
