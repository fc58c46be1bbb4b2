"""TOML as people write it: settings of every kind, read with the place of an error."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from keju.errors import BadFile
from keju.formats.json_text import deeper_than

_DEEPEST = 100
"""Levels of brackets that are read, as in JSON."""


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file in UTF-8, with a mark at its begin or without. Raises `BadFile` naming file and place."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    return parse_toml(text, path)


def parse_toml(text: str, place: object) -> dict[str, Any]:
    """The tables in `text`. Raises `BadFile` naming `place`: no TOML, or nested too deeply."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets of thousands of levels
        raise BadFile(f"{place}: not TOML: {error}") from error
    if deeper_than(tables, _DEEPEST):
        raise BadFile(f"{place}: TOML nested more than {_DEEPEST} levels deep")
    return tables
