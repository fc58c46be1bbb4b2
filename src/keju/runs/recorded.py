"""The records of a large run, read where they lie: what is held of each is its id, its status and its place."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import get_args

from keju.benchmark import Stream
from keju.errors import BadFile
from keju.records import Record, Status


class Recorded(Mapping[str, Record]):
    """Item id → record, in the order of the items. The first look at it reads every line once.

    Raises `BadFile` then, as `keju.runs.reading.read_records` does.
    """

    def __init__(self, path: Path, items: Stream) -> None:
        self._path = path
        self._items = items

    @property
    def statuses(self) -> Mapping[str, Status]:
        """Item id → status, in the order of the file."""
        return self._index[0]

    def __getitem__(self, item_id: str) -> Record:
        offset = self._index[1][item_id]
        with self._path.open("rb") as file:
            file.seek(offset)
            return read_record(file.readline())

    def __iter__(self) -> Iterator[str]:
        return (item_id for item_id in self._items.ids if item_id in self._index[1])

    def __len__(self) -> int:
        return len(self._index[1])

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._index[1]

    @cached_property
    def _index(self) -> tuple[dict[str, Status], dict[str, int]]:
        statuses: dict[str, Status] = {}
        offsets: dict[str, int] = {}
        at = 0
        for line, record in each_record(self._path, []):
            statuses[record.id], offsets[record.id] = record.status, at
            at += len(line)
        refuse_strange(statuses, self._items.ids, self._path.with_name("items.jsonl"))
        return statuses, offsets


def refuse_strange(recorded: Iterable[str], asked: Container[str], items: Path) -> None:
    """Raises `BadFile` naming the first id of a record that none of the `items` has."""
    if (strange := next((item_id for item_id in recorded if item_id not in asked), None)) is not None:
        raise BadFile(f"{items}: holds no item {strange!r}, which has a record. Restore the file")


def each_record(path: Path, notes: list[str]) -> Iterator[tuple[bytes, Record]]:
    """Each line of a file of records with the record that it is, one held at a time; `read_records` says what of."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        number, line = 0, file.readline()
        while line:
            number, following = number + 1, file.readline()
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("the line has no end")
                record = read_record(line)
            except ValueError as error:
                if following:
                    raise not_a_record(path, number, error) from error
                notes.append(f"{path.name}: a torn last line was dropped; its item is asked again")
                return
            yield line, record
            line = following


def read_record(line: bytes) -> Record:
    """The record of one line. Raises `ValueError` where it is none."""
    try:
        record = Record.from_json(json.loads(line))
        if b"\\ud" in line.lower():  # half a surrogate pair, which no file can hold
            json.dumps(record.to_json(), ensure_ascii=False).encode()
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if record.status not in get_args(Status):
        raise ValueError(f"no status {record.status!r}")
    return record


def not_a_record(path: Path, number: int, error: ValueError) -> BadFile:
    return BadFile(f"{path}:{number}: not a record ({error}). Remove the line; its item is then asked again")
