"""Texts with columns in braces: `{question}`, `{hint}\n{question}`, `{meta.source}`, `{images[0].path}`.

`{a|b}` is the first of the two that is filled, `{a?}` may be missing from the table. A text that is one pair of braces
and nothing else stands for the value itself: a list, bytes, a number.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_BRACES = re.compile(r"\{([^{}]*)\}")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\*)\]")
_LONGEST = 1 << 20
"""Characters of a cell that is read as a list or an object; Python's own reader is not made for more."""


@dataclass(frozen=True, slots=True)
class Place:
    """What stands between two braces."""

    columns: tuple[str, ...]
    """One, or several of which the first that is filled counts."""
    optional: bool

    def value(self, row: Mapping[str, Any]) -> Any:
        """The value in `row`; None where it is empty or missing."""
        for column in self.columns:
            if not is_empty(value := _look(row, column)):
                return value
        return None

    def is_in(self, columns: Mapping[str, Any]) -> bool:
        """Whether a table with these columns has it, in whole or for its first step."""
        return any(True for _ in self.read(columns))

    def read(self, columns: Mapping[str, Any]) -> Iterator[str]:
        """Those of a table's columns in which it looks."""
        return (first for column in self.columns if (first := _first_step(columns, column)) is not None)


@dataclass(frozen=True, slots=True)
class Template:
    """A text with columns in braces."""

    text: str
    places: tuple[Place, ...]
    is_one_column: bool

    @classmethod
    def of(cls, text: str) -> Template:
        places = tuple(_place(found[1]) for found in _BRACES.finditer(text))
        return cls(text, places, len(places) == 1 and _BRACES.fullmatch(text) is not None)

    def value(self, row: Mapping[str, Any]) -> Any:
        """The value itself where the text is one column, else the text with its columns filled in."""
        return self.places[0].value(row) if self.is_one_column else self.filled(row)

    def filled(self, row: Mapping[str, Any]) -> str:
        """The text with its columns filled in. A line whose columns are all empty is left out.

        Raises `ValueError` for a value that is no text.
        """
        lines = []
        places = iter(self.places)
        for line in self.text.split("\n"):
            pieces = _BRACES.split(line)
            values = [as_text(next(places).value(row)) for _ in pieces[1::2]]
            if any(values) or not values:
                pieces[1::2] = values
                lines.append("".join(pieces))
        return "\n".join(lines).strip()


def as_text(value: Any) -> str:
    """A cell as text: whole numbers without a point, lists a line each. Raises `ValueError` for bytes."""
    if isinstance(value, str):
        return value
    if is_empty(value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, list):
        return "\n".join(filter(None, map(as_text, value)))
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        raise ValueError("holds bytes, where a text is expected")
    return str(value)


def is_empty(value: Any) -> bool:
    """Whether nothing stands in a cell: null, not a number, or an empty text or list."""
    if isinstance(value, str):
        return not value
    return value is None or value in ([], {}) or (isinstance(value, float) and math.isnan(value))


def structured(value: Any) -> Any:
    """A list or an object that was written as text, in JSON or as Python prints it; anything else as it is."""
    if not isinstance(value, str) or len(value) > _LONGEST or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        read = ast.literal_eval(value.strip())  # literals only: nothing of the text is run
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return list(read) if isinstance(read, tuple) else read


def _place(inside: str) -> Place:
    optional = inside.endswith("?")
    return Place(tuple(part.strip() for part in inside.removesuffix("?").split("|")), optional)


def _look(row: Mapping[str, Any], column: str) -> Any:
    if column in row:
        return row[column]
    first = _first_step(row, column)
    if first is None:
        return None
    return _walk(row[first], list(_steps(column[len(first) :])))


def _first_step(row: Mapping[str, Any], column: str) -> str | None:
    """The column of the table that a path begins with: the longest, as names may hold points themselves."""
    if column in row:
        return column
    ends = [found.start() for found in re.finditer(r"[.\[]", column)]
    return next((column[:end] for end in reversed(ends) if column[:end] in row), None)


def _steps(path: str) -> Iterator[str | int | None]:
    """Name, position, or None for every element."""
    for found in _STEP.finditer(path):
        yield found[1] if found[1] is not None else None if found[2] == "*" else int(found[2])


def _walk(value: Any, steps: list[str | int | None]) -> Any:
    for number, step in enumerate(steps):
        value = structured(value)
        if step is None:
            return [_walk(each, steps[number + 1 :]) for each in value] if isinstance(value, list) else None
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value
