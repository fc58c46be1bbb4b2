"""Splits put into a benchmark where it lies: nothing but its lists of ids, or the field of each row, is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.formats import jsonl
from keju.formats.encodings import decode
from keju.formats.json_text import JsonStyle, parse_json
from keju.formats.tco_sets import CARD_FILES, SPLITS, split_of
from keju.formats.whole_files import write_whole

METADATA = "split_metadata.json"
RECORD = "splits"
"""Key of the card under which formats without a `split_metadata.json` keep what it would say."""


def with_record(benchmark: Benchmark, record: Mapping[str, Any]) -> Benchmark:
    """The benchmark, already split, with what is known of its splits where its format keeps that."""
    if benchmark.format != "tco":
        return replace(benchmark, card={**benchmark.card, RECORD: dict(record)})
    kept = benchmark.card.get(CARD_FILES, {})
    files = {name: text for name, text in kept.items() if not split_of(name)} | _lists(benchmark, record)
    return replace(benchmark, card={**benchmark.card, CARD_FILES: files})


def write_splits(benchmark: Benchmark, record: Mapping[str, Any]) -> list[Path]:
    """Write the splits of a benchmark into the folder it was read from; the files that were written.

    Raises `Misuse` for a format that has no place for them.
    """
    root = benchmark.root
    if root is not None and benchmark.format == "tco":
        lists = _lists(benchmark, record)
        stale = [path for path in root.iterdir() if split_of(path.name) and path.name not in lists]
        written = [_replace(root / name, text) for name, text in lists.items()]
        for path in stale:
            path.unlink()
        return written
    if root is not None and benchmark.format == "jsonl":
        return _into_rows(root, benchmark, record)
    raise Misuse(f"{benchmark.name}: splits cannot be written into {benchmark.format or 'it'} in place; use -o DIR")


def _lists(benchmark: Benchmark, record: Mapping[str, Any]) -> dict[str, str]:
    """TCO's files: a list of ids a split, and the record."""
    lists: dict[str, list[str]] = {}
    for item in benchmark:
        if item.split not in set(SPLITS.values()):
            raise Misuse(f"item {item.id} is in split {item.split!r}; a TCO folder has train, val and test")
        lists.setdefault(item.split, []).append(item.id)
    files: dict[str, Any] = {f"{split}.json": ids for split, ids in lists.items()}
    return {name: JsonStyle().dumps(value) for name, value in {**files, METADATA: dict(record)}.items()}


def _into_rows(root: Path, benchmark: Benchmark, record: Mapping[str, Any]) -> list[Path]:
    file = root / jsonl.ITEMS if root.is_dir() else root
    lines = decode(file.read_bytes(), file).text.split("\n")
    for number, line in enumerate(lines):
        row = parse_json(line, file) if line.strip() else None
        if row is not None and row.get("split") != (split := benchmark[row["id"]].split):
            lines[number] = json.dumps({**row, "split": split}, ensure_ascii=False)
    card = file.parent / jsonl.CARD
    told = parse_json(decode(card.read_bytes(), card).text, card) if card.is_file() else {"name": benchmark.name}
    return [_replace(file, "\n".join(lines)), _replace(card, JsonStyle().dumps({**told, RECORD: dict(record)}))]


def _replace(path: Path, text: str) -> Path:
    try:
        write_whole(path, text)
    except OSError as error:
        raise BadFile(f"{path}: cannot be written: {error.strerror or error}") from error
    return path
