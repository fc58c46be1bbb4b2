"""Markdown that holds whatever stands in code and data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

PAPERS = {"paper 000": "the TCO-Dataset paper", "paper 001": "the Multi-TW paper"}
"""The papers as docstrings call them, by number → as a reader knows them."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells may hold inline Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def code(text: str) -> str:
    """`text` as inline code, whatever backticks it holds; empty for nothing."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def block(text: str, kind: str = "text") -> str:
    """`text` as a block of code."""
    return f"```{kind}\n{text.rstrip()}\n```\n"


def plain(text: str) -> str:
    """`text` where nothing in it is Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|" else letter for letter in text)


def told(docstring: str) -> str:
    """A docstring as it stands, but for the papers' numbers."""
    for number, name in PAPERS.items():
        docstring = docstring.replace(number, name)
    return docstring.strip()


def _cell(text: str) -> str:
    """One line; a bar parts cells but within inline code, where it stands as it is."""
    parts = re.split(r"(``.*?``|`[^`]*`)", text.replace("\n", " "))
    return "".join(part if part.startswith("`") else re.sub(r"(?<!\\)\|", r"\|", part) for part in parts)
