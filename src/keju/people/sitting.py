"""A sitting: the folder of one exam for people. It never holds a key, so that no part of it can give one away.

sitting.json    the sample: which items in which order, how it was drawn, and where the benchmark lies
booklet/        what people are given: questions, pictures, clips, answer sheets
people/         what each person wrote, a file a person
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import NoneType
from typing import Any

from keju import formats
from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, Misuse, Refused
from keju.formats.json_text import Shape, lacking, read_object
from keju.formats.names import in_order, safe_name
from keju.formats.places import is_there
from keju.formats.whole_files import write_whole
from keju.items import Item
from keju.people.sample import METHOD, draw_sample
from keju.people.sheets import Sheet
from keju.protocols import Protocol, load_protocol
from keju.records import Record
from keju.runs.run import Run
from keju.variants import apply, parse_variants

SCHEMA = 1
"""Version of the folder's layout, in `sitting.json`."""
FILE = "sitting.json"
BOOKLET = "booklet"
PEOPLE = "people"
_SHAPE: Shape = {
    **dict.fromkeys(("benchmark.name", "benchmark.source"), (str,)),
    **dict.fromkeys(("benchmark.read", "sample"), (dict,)),
    **{"items": (list,), "language": (str, NoneType)},
}
_ITEM: Shape = dict.fromkeys(("id", "digest"), (str,))
_PERSON: Shape = {"person": (str,), "group": (str, NoneType), "written": (dict,), "file": (str,)}
_RESTORE = "Restore it from a copy"
_AGAIN = "Import the sheet again"
READ = ("format", "mapping", "labels", "encoding")
"""What can be said of how a benchmark is read."""
FILES = ("mapping", "labels")
"""Which of the ways to read a benchmark are files."""


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    """A code, as a rule: nobody needs to know who it is."""
    group: str | None
    written: Mapping[str, str]
    """Item id → what was written; an item that is not there was left blank."""
    file: str = ""
    """The sheet that it was read from."""


@dataclass(frozen=True)
class Sitting:
    folder: Path
    benchmark: str
    """Name of the benchmark."""
    source: str
    """Where it is read from: a path, relative to the folder where it can be, or a name."""
    items: Mapping[str, str]
    """Item id → digest of what people see of it, in the booklet's order."""
    language: str | None = None
    """The language that the items are put in; None for each item's own."""
    read: Mapping[str, Any] = field(default_factory=dict)
    """How the benchmark is read: `format`, `mapping`, `labels`, `encoding`."""
    sample: Mapping[str, Any] = field(default_factory=dict)
    """`size`, `of`, `seed`, `stratified_by`, `method`."""

    @classmethod
    def draw(
        cls,
        folder: Path,
        benchmark: Benchmark,
        n: int,
        *,
        source: str,
        labels: Sequence[str] = (),
        seed: int = 0,
        language: str | None = None,
        read: Mapping[str, Any] | None = None,
    ) -> Sitting:
        """Draw a sample for `folder`, which `freeze` writes. `benchmark` are the items that people can sit, see
        `sittable`, in their own languages: shares of these are kept whatever language the items are put in.

        Raises `Refused` where the folder holds a sample, `Misuse` where it holds something else.
        """
        if (folder / FILE).exists():
            raise Refused(f"{folder} holds a sample already, and a sample is never drawn anew; choose another folder")
        if folder.is_dir() and any(folder.iterdir()):
            raise Misuse(f"{folder} is not empty; choose a new folder with -o")
        chosen = draw_sample(benchmark, n, labels, seed)
        sample = {
            "size": n,
            "of": len(benchmark),
            "random_seed": seed,
            "stratified_by": list(labels),
            "generation_method": METHOD,
        }
        there = _relative(source, folder)
        given = {name: str(value) for name, value in (read or {}).items() if value is not None}
        options = given | {name: _relative(given[name], folder) for name in FILES if name in given}
        put = _put(benchmark, language)
        digests = {item_id: seen(put[item_id]) for item_id in chosen}
        return cls(folder, benchmark.name, there, digests, language, options, sample)

    def freeze(self) -> None:
        """Write `sitting.json`, last of all: from then on the sample stands. Raises `Misuse` where it cannot."""
        self._write(FILE, self._to_json())

    @classmethod
    def open(cls, folder: str | Path) -> Sitting:
        """The sitting in a folder. Raises `BadFile` where there is none or it is damaged."""
        path = Path(folder) / FILE
        if not path.is_file():
            raise BadFile(f"{folder} is no sitting: it has no {FILE}. `keju human sample` makes one")
        row = read_object(path, _RESTORE)
        if row.get("schema") != SCHEMA:
            raise BadFile(f"{path} is not of the layout that this keju reads ({row.get('schema')}, not {SCHEMA})")
        if missing := lacking(row, _SHAPE) or [item for item in row["items"] if lacking(item, _ITEM)]:
            raise BadFile(f"{path} is damaged: it lacks {missing[0]}. {_RESTORE}")
        told = row["benchmark"]
        if strange := [name for name, value in told["read"].items() if name not in READ or not isinstance(value, str)]:
            raise BadFile(f"{path} is damaged: {strange[0]!r} says nothing of how a benchmark is read. {_RESTORE}")
        digests = {item["id"]: item["digest"] for item in row["items"]}
        return cls(
            Path(folder), told["name"], told["source"], digests, row.get("language"), told["read"], row["sample"]
        )

    @property
    def people(self) -> list[Person]:
        """Those whose answers are in, by group and name. Raises `BadFile` for a file that cannot be read."""
        found = []
        for path in sorted((self.folder / PEOPLE).glob("*.json")):
            row = read_object(path, _AGAIN)
            if missing := lacking(row, _PERSON) or [
                i for i, text in row["written"].items() if not isinstance(text, str)
            ]:
                raise BadFile(f"{path} is damaged: it lacks {missing[0]}. {_AGAIN}")
            found.append(Person(row["person"], row.get("group"), row["written"], row["file"]))
        return sorted(found, key=lambda person: (person.group or "\uffff", in_order(person.name)))

    def add(self, sheet: Sheet, *, group: str | None = None, replacing: bool = False) -> Person:
        """Keep what a person wrote. `group` holds where the sheet does not say one.

        Raises `Refused` where other answers of a person of this name are in, unless `replacing`.
        """
        person = Person(sheet.person, sheet.group or group, sheet.written, sheet.file)
        before = next((one for one in self.people if one.name == person.name), None)
        if before and (before.written, before.group) != (person.written, person.group) and not replacing:
            raise Refused(
                f"{sheet.file}: other answers of {person.name} are in, from {before.file}; name the person otherwise "
                "(--person), or replace them with --replace"
            )
        row = {"person": person.name, "group": person.group, "file": person.file, "written": dict(person.written)}
        self._write(f"{PEOPLE}/{safe_name(person.name)}.json", row)
        return person

    def exam(self, benchmark: Benchmark | None = None) -> Benchmark:
        """The items of the booklet, in its order, with the keys and labels that `benchmark` has now; else that of
        `source`. Items that are gone or no longer what people saw are left out, and listed in `.problems`.
        """
        full = _put(benchmark or self._load(), self.language)
        kept, problems = [], []
        for item_id, digest in self.items.items():
            if item_id not in full:
                problems.append(Problem(item_id, "gone", "is no longer in the benchmark; left out", left_out=True))
            elif seen(full[item_id]) != digest:
                message = "is no longer what people saw (wording, options or medium); left out"
                problems.append(Problem(item_id, "stale", message, left_out=True))
            else:
                kept.append(full[item_id])
        if not kept:
            raise Misuse(f"{full.name} has no item of the sitting {self.folder}, which was drawn from {self.benchmark}")
        return replace(full, items=tuple(kept), problems=tuple(problems))

    def runs(self, benchmark: Benchmark | None = None) -> list[Run]:
        """The answers of each person as a run; `run.info["group"]` is the person's group.

        Raises `Misuse` where nobody's answers are in.
        """
        exam, people = self.exam(benchmark), self.people
        if not people:
            raise Misuse(f"nobody's answers are in: `keju human import {self.folder} SHEETS` reads them")
        return [self.run_of(person, exam) for person in people]

    def run_of(self, person: Person, exam: Benchmark) -> Run:
        """The answers of a person to `exam` as a run: a blank is an empty reply, which counts in N and is not right."""
        records = {item.id: Record(item.id, "answered", person.written.get(item.id, "")) for item in exam}
        variant = {"language": self.language} if self.language else {}
        info = {"imported": FILE, "group": person.group}
        return Run(person.name, exam, _protocol(), records, variant, info, self.folder)

    def _load(self) -> Benchmark:
        options = {**self.read, **{name: self._absolute(self.read[name]) for name in FILES if name in self.read}}
        try:
            return formats.load(self._absolute(self.source), **options)
        except Misuse as error:
            raise Misuse(f"the benchmark of {self.folder} is not found: {error}. Give it with --benchmark") from error

    def _absolute(self, there: str) -> Path | str:
        path = self.folder / there
        return path if is_there(path) else there

    def _to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "benchmark": {"name": self.benchmark, "source": self.source, "read": dict(self.read)},
            "language": self.language,
            "sample": dict(self.sample),
            "items": [{"id": item_id, "digest": digest} for item_id, digest in self.items.items()],
        }

    def _write(self, name: str, row: Mapping[str, Any]) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(row, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise Misuse(f"{path} cannot be written: {error.strerror or error}. Choose another folder") from error


def sittable(benchmark: Benchmark, language: str | None = None) -> Benchmark:
    """The items that people can sit and be marked on: with a key, with all their media there, and in the language."""
    able = {item.id for item in _put(benchmark, language) if all(medium.exists for medium in item.media)}
    return replace(benchmark, items=tuple(item for item in benchmark if item.id in able and item.answer is not None))


def _put(benchmark: Benchmark, language: str | None) -> Benchmark:
    """The items in the language that people are given them in."""
    return apply(benchmark, parse_variants([f"language={language}"])) if language else benchmark


def seen(item: Item) -> str:
    """16 hex digits of what people see of an item: its wording, options and media, and nothing of its key."""
    shown = item.wording
    media = [medium.sha256 if medium.exists else f"absent:{medium.name}" for medium in item.media]
    content = [shown.instruction, shown.question, list(shown.options.items()), media]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _protocol() -> Protocol:
    """How what people write is read: as tolerantly as replies of models can be, full-width and lower case included."""
    return replace(load_protocol("robust"), name="people", title="People, by booklet and answer sheet")


def _relative(there: str, folder: Path) -> str:
    """A path from the folder, so that both can move together; a name or a path on another drive as it is."""
    if not is_there(Path(there)):
        return there
    try:
        return Path(os.path.relpath(there, folder)).as_posix()
    except ValueError:
        return str(Path(there).resolve())
