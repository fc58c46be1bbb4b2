"""The pictures of VLMEvalKit's rows: in base64, one or a list, by the index of another row, or as paths."""

from __future__ import annotations

import ast
import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.errors import BadFile
from keju.formats.media import MediaFolder
from keju.formats.names import safe_name
from keju.items import Medium
from keju.media_types import mime_of, suffix_of

ADDRESS = 64
"""A cell of `image` that is no longer than this is the `index` of the row whose picture it shares."""


class Pictures:
    """The pictures of a table's rows, which share them by index."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._beside = MediaFolder(file.parent, within=(f"images/{file.stem}",))
        self._by_index: dict[str, tuple[bytes, ...]] = {}

    def of(self, row: Mapping[str, str], item_id: str, line: int, problems: list[Problem]) -> tuple[Medium, ...]:
        if "image" not in row:
            found = [self._beside.find("image", name) for name in _several(row.get("image_path", ""))]
            problems += [problem for each in found for problem in each.problem(item_id, self._file.name, line)]
            return tuple(each.medium for each in found)
        cell = row["image"]
        if len(cell) <= ADDRESS:
            if cell not in self._by_index:
                raise BadFile(f"{self._file}:{line}: item {item_id} shares the picture of row {cell!r}, which is none")
            data = self._by_index[cell]
        else:
            data = tuple(self._decoded(text, item_id, line) for text in _several(cell))
        self._by_index[row["index"]] = data
        name = safe_name(item_id)
        names = [name] if len(data) == 1 else [f"{name}-{number}" for number in range(1, len(data) + 1)]
        suffixes = (suffix_of(mime_of(each) or "") for each in data)
        return tuple(
            Medium("image", stem + suffix, data=each) for stem, suffix, each in zip(names, suffixes, data, strict=True)
        )

    def _decoded(self, text: str, item_id: str, line: int) -> bytes:
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise BadFile(f"{self._file}:{line}: the picture of item {item_id} is not base64 ({error})") from error


def _several(cell: str) -> list[str]:
    """The texts of a cell that holds one, or a list of them as Python writes it."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return [cell] if cell else []
    try:
        value: Any = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [cell]
    return [str(part) for part in value]
