"""The clients that are measured: how each is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rig.measured import MODEL, MockServer

IN_FLIGHT = 64
LIMIT = "bare client, pybase64 (the limit)"
FIRST, AGAIN = "keju run, pictures new to it", "keju run, digests known"

Command = Callable[[Path, int, MockServer, Path], list[str]]
"""Folder of the exam, number of items, server, folder for what is written → command line."""


@dataclass(frozen=True)
class Client:
    """One way of asking, and the two sizes at which it is measured."""

    name: str
    command: Command
    sizes: tuple[int, int]


def bare(*options: str) -> Command:
    """The least a client can do."""

    def command(folder: Path, items: int, server: MockServer, log: Path) -> list[str]:  # noqa: ARG001
        asked = ["--exam", str(folder), "--port", str(server.port), "--items", str(items)]
        return [sys.executable, "-m", "rig.bare_client", *asked, "--in-flight", str(IN_FLIGHT), *options]

    return command


def keju(cache: Path | None) -> Command:
    """`cache` is the user's cache folder; without one each run has its own, new and counted among what it leaves."""

    def command(folder: Path, items: int, server: MockServer, log: Path) -> list[str]:  # noqa: ARG001
        asked = ["run", str(folder), "-m", f"openai-compatible/{MODEL}", "--base-url", server.base_url]
        options = ["--concurrency", str(IN_FLIGHT), "-o", str(log), "--json"]
        return ["env", f"KEJU_CACHE={cache or log / 'cache'}", sys.executable, "-m", "keju", *asked, *options]

    return command


def openai_script(folder: Path, items: int, server: MockServer, log: Path) -> list[str]:
    """The script that everybody writes first."""
    options = ["--port", str(server.port), "--items", str(items), "--log", str(log / "replies.jsonl")]
    return [sys.executable, "-m", "rig.openai_script", "--exam", str(folder), *options]
