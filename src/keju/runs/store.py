"""The run folder: one writer, everything that a table or a reader needs, nothing that could be lost.

run.json        what was asked and how: model, settings, protocol, variant, versions, environment, sessions
items.jsonl     the items as they were asked
records.jsonl   one line per item: its reply or its failure, in order of arrival
run.lock        held while a process writes
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from io import FileIO
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from filelock import FileLock, Timeout

from keju.benchmark import Benchmark, Stream
from keju.errors import Misuse, Refused
from keju.formats.jsonl import read_items, snapshot, stream_items
from keju.formats.jsonl_rows import is_large
from keju.formats.whole_files import write_whole
from keju.items import Item
from keju.protocols import Protocol
from keju.records import WITH_REPLY, Record, Status
from keju.runs.environment import environment
from keju.runs.reading import SCHEMA, read_info
from keju.runs.recorded import each_record

Given: TypeAlias = tuple[str, ...]
"""What a reply was given to: the prompt's digest, then those of its media."""


@dataclass(frozen=True)
class Plan:
    """What shall be asked: everything that changes an answer."""

    benchmark: Benchmark
    """The items as they will be asked, after selection and variants."""
    model: str
    settings: Mapping[str, Any]
    protocol: Protocol
    variant: Mapping[str, str]

    @property
    def fingerprint(self) -> dict[str, Any]:
        """All but the items, whose digests stand in the records one by one."""
        return {
            "model": self.model,
            "settings": _plain(dict(self.settings)),
            "protocol": _plain(self.protocol.to_json()),
            "variant": dict(self.variant),
            "benchmark": self.benchmark.name,
        }


class RunFolder:
    """A run folder open for writing, in a `with` statement. Opening takes the lock and brings the folder in order.

    Raises `Refused` where another process writes or the folder holds answers to something else, `Misuse` where it
    cannot be written.
    """

    def __init__(self, folder: Path, plan: Plan, *, ask_changed: bool = False) -> None:
        self.folder = folder
        self.plan = plan
        self.notes: list[str] = []
        """What was repaired or dropped while opening, for the user."""
        self.statuses: dict[str, Status] = {}
        """Item id → status of the records that stand: those with a reply, and what this session adds."""
        self._ask_changed = ask_changed
        self._lock = FileLock(folder / "run.lock", timeout=0)
        self._file: FileIO | None = None
        self._session: dict[str, Any] = {}
        self._records = folder / "records.jsonl"
        self._torn = False
        self._others: Sequence[str] = ()
        """Ids of the items of earlier sessions that are not selected now."""
        self._environment = environment()

    def __enter__(self) -> RunFolder:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._open()
        except Timeout:
            raise Refused(
                f"another process is writing {self.folder}; wait for it, or choose another folder with -o"
            ) from None
        except OSError as error:
            self._lock.release()
            reason = error.strerror or error
            raise Misuse(f"{self.folder} cannot be written: {reason}. Choose another folder with -o") from error
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()
        self._lock.release()

    def _open(self) -> None:
        before = read_info(self.folder)
        others: Sequence[Item] = ()
        if before:
            _refuse_difference(before["fingerprint"], self.plan.fingerprint, self.folder)
            others = self._items_of_earlier_sessions()
            self._others = [item.id for item in others] if not isinstance(others, Stream) else list(others.ids)
        given, recorded = self._given()
        if not before and recorded:
            raise Refused(f"{self.folder} holds records but no run.json; move it away or choose another folder with -o")
        for item_id in self._stale(given):
            del self.statuses[item_id]
        items = chain(self.plan.benchmark, others)
        write_whole(self.folder / "items.jsonl", (f"{snapshot(item)}\n".encode() for item in items))
        self._sessions = before.get("sessions", []) if before else []
        self._created = before["created"] if before else _now()
        self.save(state="running")
        if len(self.statuses) != recorded or self._torn:
            write_whole(self._records, self._standing_lines())
        # Unbuffered: what a full disk refused must not be tried again on closing.
        self._file = self._records.open("ab", buffering=0)

    def _items_of_earlier_sessions(self) -> Sequence[Item]:
        """The items that are not selected now: a run may grow, and they stay part of it."""
        path, asked = self.folder / "items.jsonl", self.plan.benchmark
        if is_large(path):
            stream = stream_items(path)
            return stream.at(number for item_id, number in stream.ids.items() if item_id not in asked)
        return tuple(item for item in read_items(path, None) if item.id not in asked) if path.is_file() else ()

    def _given(self) -> tuple[dict[str, Given], int]:
        """What each reply that is recorded was given to, and the number of items with a record."""
        given: dict[str, Given] = {}
        ids: set[str] = set()
        notes: list[str] = []
        for _, record in each_record(self._records, notes):
            ids.add(record.id)
            given.pop(record.id, None)  # an item's last line counts
            self.statuses.pop(record.id, None)
            if record.has_reply:
                given[record.id] = (record.prompt, *record.media)
                self.statuses[record.id] = record.status
        self.notes += notes
        self._torn = bool(notes)
        return given, len(ids)

    def _standing_lines(self) -> Iterator[bytes]:
        for line, record in each_record(self._records, []):
            if record.has_reply and record.id in self.statuses:
                yield line

    def _stale(self, given: Mapping[str, Given]) -> set[str]:
        """Ids whose recorded answer was given to another question or picture than the item has now."""
        changed: dict[str, str] = {}
        for item in self.plan.benchmark if given else ():
            if (to := given.get(item.id)) and (what := self._changed(item, to)):
                changed[item.id] = what
        if changed and not self._ask_changed:
            first = "; ".join(f"item {i}: {what}" for i, what in list(changed.items())[:5])
            raise Refused(
                f"{len(changed)} of the items answered in {self.folder} have changed since ({first}"
                f"{'; …' if len(changed) > 5 else ''}). Ask them again with --ask-changed, or choose another folder "
                f"with -o"
            )
        if changed:
            self.notes.append(f"{len(changed)} changed items are asked again: {', '.join(list(changed)[:10])}")
        return set(changed)

    def _changed(self, item: Item, given: Given) -> str | None:
        prompt = self.plan.protocol.prompt(item)
        if given[0] != prompt.text_digest():
            return "its wording, options or instruction differ"
        if given[1:] != tuple(medium.identity for medium in prompt.media):
            return "the bytes of its picture or clip differ"
        return None

    def todo(self, items: Sequence[Item]) -> Sequence[Item]:
        """Those of `items` that have no standing record."""
        if isinstance(items, Stream):
            return items.at(number for item_id, number in items.ids.items() if item_id not in self.statuses)
        return [item for item in items if item.id not in self.statuses]

    def append(self, record: Record) -> None:
        """Keep a record: one line, flushed. Raises `OSError` where it cannot be kept."""
        if self._file is None:
            raise RuntimeError("the run folder is not open")
        line = _line(record)
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            error.filename = str(self._records)
            raise
        self.statuses[record.id] = record.status

    def begin(self, **facts: Any) -> None:
        """Open a session: what this process is about to do."""
        self._session = {"started": _now(), **facts}
        self._clock = time.monotonic()
        self.save(state="running")

    def end(self, **facts: Any) -> None:
        """Close the session with its wall seconds and what came of it."""
        self._session |= {"ended": _now(), "wall_s": round(time.monotonic() - self._clock, 3), **facts}
        if any(self.statuses.get(i) not in WITH_REPLY for i in chain(self.plan.benchmark.ids, self._others)):
            self.save(state="incomplete")
        else:
            self.save(state="complete", fingerprint=self.plan.benchmark.fingerprint)

    def save(self, *, state: str, fingerprint: str | None = None) -> None:
        """Write `run.json` in one step. `fingerprint` of the items costs nothing once all media have been read."""
        info = {
            "schema": SCHEMA,
            "state": state,
            "created": self._created,
            "items": len(self.plan.benchmark) + len(self._others),
            "benchmark": {
                "name": self.plan.benchmark.name,
                "fingerprint": fingerprint,
                "root": str(self.plan.benchmark.root) if self.plan.benchmark.root else None,
                "format": self.plan.benchmark.format,
                "left_out": [asdict(p) for p in self.plan.benchmark.problems if p.left_out],
            },
            "fingerprint": self.plan.fingerprint,
            "environment": self._environment,
            "sessions": [*self._sessions, self._session] if self._session else self._sessions,
        }
        write_whole(self.folder / "run.json", json.dumps(info, ensure_ascii=False, indent=1) + "\n")


def _refuse_difference(before: Mapping[str, Any], now: Mapping[str, Any], folder: Path) -> None:
    if differences := list(_differences(before, now)):
        raise Refused(
            f"{folder} holds answers to something else: {'; '.join(differences[:5])}"
            f"{'; …' if len(differences) > 5 else ''}. Choose another folder with -o, or move this one away"
        )


def _differences(before: Any, now: Any, at: str = "") -> list[str]:
    """`path: old → new` for every leaf that differs."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        keys = sorted(before.keys() | now.keys())
        return [d for k in keys for d in _differences(before.get(k), now.get(k), f"{at}.{k}" if at else k)]
    return [] if before == now else [f"{at}: {_short(before)} → {_short(now)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"


def _line(record: Record) -> bytes:
    return json.dumps(record.to_json(), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    """`value` as JSON would give it back, so that what is compared is what was written."""
    return json.loads(json.dumps(value, ensure_ascii=False, default=str))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
