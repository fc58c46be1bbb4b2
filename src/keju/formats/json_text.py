"""JSON as people write it: read with the place of an error, written back in the style it came in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keju.errors import BadFile

_DEEPEST = 100
"""Levels of brackets that are read: far more than an item needs, far fewer than Python can write back."""


Shape = Mapping[str, tuple[type, ...]]
"""What a reader relies on: name → the kinds of value it takes, `NoneType` among them where it may be absent."""


def parse_json(text: str, place: object, line: int | None = None) -> Any:
    """The value in `text`. `line` is its line where it is one line of a file.

    Raises `BadFile` naming `place` and line: broken JSON, nested too deeply, or half a surrogate pair.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{place}:{line or error.lineno}"
        raise BadFile(f"{where}: not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets of thousands of levels
        raise BadFile(f"{place}{f':{line}' if line else ''}: JSON that keju does not read: {error}") from error
    if text.count("[") + text.count("{") > _DEEPEST and deeper_than(value, _DEEPEST):
        raise BadFile(f"{place}{f':{line}' if line else ''}: JSON nested more than {_DEEPEST} levels deep")
    if re.search(r"\\u[dD][89a-fA-F]", text):
        _refuse_surrogates(value, f"{place}{f':{line}' if line else ''}")
    return value


def read_object(path: Path, remedy: str) -> dict[str, Any]:
    """The object in a JSON file that a program wrote. Raises `BadFile` with the `remedy` where there is none."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}. {remedy}") from error
    except BadFile as error:
        raise BadFile(f"{error}. {remedy}") from error
    if not isinstance(value, dict):
        raise BadFile(f"{path} is damaged: it holds no object. {remedy}")
    return value


def lacking(value: Any, shape: Shape) -> list[str]:
    """The names in `shape`, as `person.name`, under which `value` holds nothing of their kind."""
    wanted = shape.items() if isinstance(value, Mapping) else ((name, ()) for name in shape)
    return [name for name, kinds in wanted if not isinstance(_at(value, name), kinds)]


def deeper_than(value: Any, most: int) -> bool:
    """Whether lists and objects of `value` stand inside each other on more than `most` levels."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer if isinstance(outer, list) else outer.values())
        ]
        if not level:
            return False
    return True


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """How a JSON file was laid out."""

    indent: int | str | None = 2
    ascii: bool = False
    end: str = "\n"

    @classmethod
    def of(cls, text: str) -> JsonStyle:
        """The style of a file that `json.dump` wrote, from its first indent, its escapes and its end."""
        first = re.match(r"[\[{]\n([ \t]+)", text)
        indent = None if first is None else "\t" if "\t" in first[1] else len(first[1])
        return cls(indent, text.isascii() and "\\u" in text, text[len(text.rstrip()) :])

    def dumps(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=self.ascii, indent=self.indent) + self.end


def _at(value: Any, name: str) -> Any:
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _refuse_surrogates(value: Any, where: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadFile(f"{where}: holds half of a surrogate pair (\\ud800-\\udfff), which is no character") from error
