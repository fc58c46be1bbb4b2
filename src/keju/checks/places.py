"""Where items stand: item id → file and line, for findings about an item as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.errors import KejuError
from keju.formats.encodings import decode
from keju.formats.names import names_in, safe_name, to_disk

Place = tuple[str, int | None]
"""File, relative to the benchmark's root, and line where the file holds many items."""


def placed(findings: Iterable[Finding], benchmark: Benchmark) -> list[Finding]:
    """The findings, those on an item as a whole with its file and line filled in."""
    found = list(findings)
    if not any(finding.item and finding.line is None for finding in found):
        return found
    known = places(benchmark)
    return [_placed(finding, known.get(finding.item or "")) for finding in found]


def _placed(finding: Finding, place: Place | None) -> Finding:
    if place is None or finding.line is not None or finding.file not in (None, place[0]):
        return finding
    return replace(finding, file=place[0], line=place[1])


def places(benchmark: Benchmark) -> dict[str, Place]:
    """Item id → where it stands in the files the benchmark was read from; empty where that is not known."""
    root = benchmark.root
    if root is None or not root.exists():
        return {}
    match benchmark.format:
        case "tco":
            return {item.id: (f"{safe_name(item.id)}.md", None) for item in benchmark if _is_file(root, item.id)}
        case "jsonl":
            return _first(_lines_of_rows(root / "items.jsonl" if root.is_dir() else root))
        case "multi-tw":
            layout = benchmark.card.get("multi_tw", {})
            return _first(_lines_of_ids(root / to_disk(str(layout.get("file"))) if root.is_dir() else root))
        case "sheet":
            return _first(_rows_of_sheet(root, {item.id for item in benchmark}))
    return {item.id: (root.name, None) for item in benchmark} if root.is_file() else {}


def _is_file(folder: Path, item_id: str) -> bool:
    return (folder / to_disk(f"{safe_name(item_id)}.md")).is_file()


def _first(found: Iterator[tuple[str, Place]]) -> dict[str, Place]:
    """The first place of each id; nothing where the file can no longer be read."""
    known: dict[str, Place] = {}
    try:
        for item_id, place in found:
            known.setdefault(item_id, place)
    except (OSError, KejuError):
        return {}
    return known


def _lines_of_rows(file: Path) -> Iterator[tuple[str, Place]]:
    """JSON Lines, a row an item."""
    for number, line in enumerate(decode(file.read_bytes(), file).text.split("\n"), 1):
        if line.strip():
            row = json.loads(line)
            yield str(row.get("id")), (file.name, number)


def _lines_of_ids(file: Path) -> Iterator[tuple[str, Place]]:
    """One JSON list, told by the lines on which an `id` stands."""
    text = decode(file.read_bytes(), file).text
    line, last = 1, 0
    for found in re.finditer(r'"id"\s*:\s*("(?:[^"\\]|\\.)*"|\d+)', text):
        line, last = line + text.count("\n", last, found.start()), found.start()
        yield str(json.loads(found[1])), (file.name, line)


def _rows_of_sheet(path: Path, ids: set[str]) -> Iterator[tuple[str, Place]]:
    from keju.formats.tables import read_table

    files = [path / to_disk(name) for name in names_in(path)] if path.is_dir() else [path]
    for file in files:
        if file.suffix.lower() in (".csv", ".tsv", ".xlsx"):
            for row in read_table(file).rows:
                for cell in row.cells.values():
                    if cell.strip() in ids:
                        yield cell.strip(), (file.name, row.line)
                        break
