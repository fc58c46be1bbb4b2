"""Fill the console blocks of Markdown files with the real output of their commands, or check that they still hold.

    python tools/docs.py README.md docs/*.md           # rewrite
    python tools/docs.py --check README.md docs/*.md   # exit 1 where an output differs

A block that begins with ```console runs each line `$ keju …` in an empty folder that the document's blocks share, and
holds its standard output. Blocks with any other command are left alone.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def rendered(text: str, folder: Path) -> str:
    """`text` with every console block's output as the commands print it now."""
    return BLOCK.sub(lambda block: _block(block[1], folder), text)


def _block(body: str, folder: Path) -> str:
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    if not commands or not all(command.startswith("$ keju ") for command in commands):
        return f"```console\n{body}```"
    out = "".join(f"{command}\n{_output(command[2:], folder)}" for command in commands)
    return f"```console\n{out}```"


def _output(command: str, folder: Path) -> str:
    env = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "120",
        "LANG": "en_US.UTF-8",
    }
    done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode == 2 or "Traceback" in done.stderr:
        raise SystemExit(f"{command}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    stale = 0
    for path in (Path(a) for a in arguments if a != "--check"):
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            now = rendered(before, Path(folder))
        if now == before:
            continue
        stale += 1
        if check:
            print(
                "".join(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(path), "real output"))
            )
        else:
            path.write_text(now, encoding="utf-8")
            print(f"{path}: written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
