"""A page of results that one script writes: what was measured, the table, and where."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from keju.runs.environment import cpu_name


def write_page(script: str, introduction: str, table: Sequence[str], packages: Sequence[str]) -> str:
    """Write `RESULTS-SCRIPT.md` beside the script and return its text."""
    path = Path(script)
    head = path.read_text(encoding="utf-8").partition('"""')[2].partition("\n")[0]
    where = f"{datetime.now(UTC):%Y-%m-%d}, {cpu_name()}, {os.cpu_count()} processors, {platform.system()}"
    used = ", ".join(f"{name} {version(name)}" for name in ("keju", *packages))
    lines = [f"# {head}", "", f"Written by `python benchmarks/{path.name}`. {introduction}", "", *table, ""]
    text = "\n".join([*lines, f"- {where}, Python {platform.python_version()}.", f"- {used}.", ""])
    (path.parent / f"RESULTS-{path.stem}.md").write_text(text, encoding="utf-8")
    return text
