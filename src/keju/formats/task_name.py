"""What a benchmark is called as a task: a name that command lines, YAML and file systems take as it stands."""

from __future__ import annotations

import re


def task_name(name: str) -> str:
    """`name` in letters, digits and underscores, beginning with a letter."""
    plain = re.sub(r"\W+", "_", name).strip("_")
    return plain if plain[:1].isalpha() else f"exam_{plain}".rstrip("_")
