"""Run the documentation: fill the console blocks of Markdown files with real output, or check that they still hold.

    python tools/docs.py README.md docs/*.md docs/*/*.md           # rewrite
    python tools/docs.py --check README.md docs/*.md docs/*/*.md   # exit 1 where an output differs

Each document has an empty folder of its own, in which its blocks act in order:

    ```csv questions.csv    a block whose fence names a file is written there
    ```console              each line `$ command` is run by the shell; its standard output is put below it

A console block with a command that is not one of `COMMANDS` (`pip`, `export`, …) is left alone. A command may go on in
the next line after a backslash. One that fails stops the tool, unless it says so itself: `…; echo "exit code $?"`.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COMMANDS = {"keju", "python", "cat", "cp", "cut", "echo", "head", "ls", "mkdir", "printf", "rm"}
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<file>[^\s`]+))?\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?", re.MULTILINE)
SECONDS = 120  # a command that takes longer is no example


class BrokenExample(Exception):
    """A command of a document failed without the document saying so."""


def rendered(text: str) -> str:
    """`text` with what its commands print now. Raises `BrokenExample`."""
    with tempfile.TemporaryDirectory() as folder:
        return BLOCK.sub(lambda block: _acted(block, Path(folder)), text)


def _acted(block: re.Match[str], folder: Path) -> str:
    if block["file"]:
        path = folder / block["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["body"], encoding="utf-8")
    commands = COMMAND.findall(block["body"]) if block["kind"] == "console" else []
    if not commands or any(command.split()[0] not in COMMANDS for command in commands):
        return block[0]
    return "".join(["```console\n", *(f"$ {command}\n{_output(command, folder)}" for command in commands), "```"])


def _output(command: str, folder: Path) -> str:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    if done.returncode or "Traceback" in done.stdout + done.stderr:
        raise BrokenExample(f"$ {command}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def _environment() -> dict[str, str]:
    """The caller's, with this Python's commands first, a fixed width and language, and nobody's keys."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return kept | {"PATH": path, "COLUMNS": "120", "LC_ALL": "C.UTF-8"}


def differences(path: Path) -> Iterator[str]:
    """Lines of a diff between a document and what its commands print now. Raises `BrokenExample`."""
    before = path.read_text(encoding="utf-8")
    now = rendered(before)
    return difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(path), "real output")


def main(arguments: list[str]) -> int:
    """Rewrite or check the documents that the command line names; the exit code."""
    check, stale = "--check" in arguments, False
    for path in (Path(argument) for argument in arguments if argument != "--check"):
        try:
            changed = "".join(differences(path)) if check else _rewrite(path)
        except BrokenExample as broken:
            print(f"{path}: an example fails\n{broken}", file=sys.stderr)
            return 1
        if changed:
            stale = True
            print(changed)
    return 1 if check and stale else 0


def _rewrite(path: Path) -> str:
    before = path.read_text(encoding="utf-8")
    now = rendered(before)
    if now == before:
        return ""
    path.write_text(now, encoding="utf-8")
    return f"{path}: written"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
