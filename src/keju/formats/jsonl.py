"""The neutral form: `items.jsonl`, one item a line with everything that keju knows of it, `media/`, and a card.

A row: `{"id", "wordings": {language: {"question", "options": {label: text}, "instruction"?, "as_written"?}}, "answer",
"media": [{"kind", "name", "sha256"?}], "labels"?, "split"?, "extra"?}`. Empty fields are left out; media names are
relative to the file. `benchmark.json` beside it is the card: `name`, `title`, `license`, …
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem, Stream
from keju.errors import BadFile, CallFailed
from keju.formats.encodings import decode
from keju.formats.format import Format
from keju.formats.json_text import JsonStyle, parse_json
from keju.formats.jsonl_rows import Rows, is_large, twice
from keju.formats.media import MEDIA, Found, MediaFolder, copied
from keju.formats.names import original_name
from keju.items import LABELS, NOTHING, Item, MediaKind, Medium, Wording

ITEMS = "items.jsonl"
CARD = "benchmark.json"
_ROW = frozenset(("id", "wordings", "answer", "media", "labels", "split", "extra"))
_HEAD = 1 << 16
"""Bytes of a file's first line that are looked at to know it."""


def sniff(path: Path) -> bool:
    file = path / ITEMS if path.is_dir() else path
    if file.suffix.lower() != ".jsonl" or not file.is_file():
        return False
    with file.open("rb") as opened:
        head = opened.readline(_HEAD)
    return b'"wordings"' in head and b'"id"' in head


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read the folder `path`, or one file of rows. Text is taken exactly as it stands.

    Raises `BadFile` naming the line that is not a whole row: programs write this form, and a lost line is an item.
    """
    file = path / ITEMS if path.is_dir() else path
    problems: list[Problem] = []
    items = _items(file, MediaFolder(file.parent, within=(MEDIA,)), problems, encoding)
    card = _card(file.parent / CARD)
    name = str(card.pop("name", "") or (path.resolve().name if path.is_dir() else path.resolve().stem))
    return Benchmark(name, items, card, tuple(problems), "jsonl", path)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write items, media (byte for byte) and card into the folder `path`."""
    path.mkdir(parents=True, exist_ok=True)
    _write((item_row(copied(item, path)) for item in benchmark), path / ITEMS)
    card = {"name": benchmark.name, **benchmark.card}
    (path / CARD).write_bytes(JsonStyle().dumps(card).encode("utf-8"))


def read_items(path: Path, media_root: Path | None) -> tuple[Item, ...]:
    """The items of one file of rows, their media looked for below `media_root`; without one, no medium exists.

    Raises `BadFile` as `read` does.
    """
    return tuple(_read(path, MediaFolder(media_root, within=(MEDIA,)) if media_root else None, [], None))


def stream_items(path: Path) -> Stream:
    """The items that `read_items` reads of a large file, without media; the first look at them reads every row once."""
    return Stream(Rows(path, lambda line, number: item_of(line, path, number, None)))


def _items(file: Path, media: MediaFolder, problems: list[Problem], encoding: str | None) -> Sequence[Item]:
    """The items of a file; of a large one a stream, each row of which was read once to see that it is whole."""
    if is_large(file):
        rows = Rows(file, lambda line, number: item_of(line, file, number, media))
        if rows.is_utf8:
            problems += rows.problems
            return Stream(rows)
    return tuple(_read(file, media, problems, encoding))


def snapshot(item: Item) -> str:
    """The item as one line without its end, for a record of what was asked: media by name only, nothing of `extra`.

    `read_items` reads a file of such lines; no medium is opened to write one.
    """
    bare = tuple(Medium(medium.kind, medium.name) for medium in item.media)
    return json.dumps(item_row(replace(item, media=bare, extra=NOTHING)), ensure_ascii=False, separators=(",", ":"))


def item_row(item: Item) -> dict[str, Any]:
    """The item as a plain dict without empty fields."""
    row: dict[str, Any] = {"id": item.id, "wordings": wordings_row(item.wordings), "answer": item.answer}
    media = [{"kind": medium.kind, "name": medium.name, **_digest(medium)} for medium in item.media]
    optional = {"media": media, "labels": dict(item.labels), "split": item.split, "extra": dict(item.extra)}
    return row | {name: value for name, value in optional.items() if value}


def wordings_row(wordings: Mapping[str, Wording]) -> dict[str, Any]:
    """Wordings as a plain dict; `wordings_in` reads it."""
    return {tag: _wording_row(wording) for tag, wording in wordings.items()}


def wordings_in(value: Any, place: str) -> dict[str, Wording]:
    """The wordings of a plain dict. Raises `BadFile` naming `place` where it is not one."""
    if not isinstance(value, Mapping) or not value:
        raise BadFile(f"{place}: `wordings` must be an object with at least one language")
    return {str(tag): _wording(str(tag), part, f"{place}: wording {tag!r}") for tag, part in value.items()}


def item_in(row: Any, place: str, find: Callable[[str, str], Medium]) -> Item:
    """The item of one row; `find` gives the medium of a kind and name. Raises `BadFile` naming `place` and field."""
    if not isinstance(row, Mapping):
        raise BadFile(f"{place}: expected a JSON object with {', '.join(sorted(_ROW))}")
    if unknown := sorted(set(row) - _ROW):
        raise BadFile(f"{place}: unknown field {unknown[0]!r}; fields of your own go under `extra`")
    item_id, answer, split = row.get("id"), row.get("answer"), row.get("split")
    if not isinstance(item_id, str) or not item_id:
        raise BadFile(f"{place}: `id` must be a text that is not empty, not {item_id!r}")
    wordings = wordings_in(row.get("wordings"), place)
    options = next(iter(wordings.values())).options
    if answer is not None and (not isinstance(answer, str) or answer not in options):
        raise BadFile(
            f"{place}: answer {answer!r} is none of the options {', '.join(options)}; correct it or write null"
        )
    if split is not None and not isinstance(split, str):
        raise BadFile(f"{place}: `split` must be a text")
    media = _listed(row, "media", list, place)
    if not all(
        isinstance(m, Mapping) and m.get("kind") in ("image", "audio") and _text(m, "name", place) for m in media
    ):
        raise BadFile(f"{place}: each of `media` needs `kind` (image or audio) and `name`")
    found = tuple(find(str(medium["kind"]), str(medium["name"])) for medium in media)
    labels, extra = _texts(_listed(row, "labels", dict, place), "labels", place), _listed(row, "extra", dict, place)
    return Item(item_id, wordings, answer, found, labels, split, extra)


def in_label_order(options: dict[str, str]) -> dict[str, str]:
    """Options as an item holds them: those of letters in their order, for the label is the key, whatever the order."""
    return dict(sorted(options.items())) if all(label in LABELS for label in options) else options


def _read(file: Path, media: MediaFolder | None, problems: list[Problem], encoding: str | None) -> Iterable[Item]:
    try:
        decoded = decode(file.read_bytes(), file, encoding)
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror or error}") from error
    if decoded.code:
        problems.append(Problem(None, decoded.code, decoded.message, file.name))
    lines: dict[str, int] = {}
    for number, line in enumerate(decoded.text.split("\n"), 1):
        if not line.strip():
            continue
        item, found = item_of(line, file, number, media)
        if item.id in lines:
            raise twice(item.id, file, number, lines[item.id])
        lines[item.id] = number
        problems += [problem for there in found for problem in there.problem(item.id, file.name, number)]
        yield item


def item_of(line: str, file: Path, number: int, media: MediaFolder | None) -> tuple[Item, list[Found]]:
    """The item of a line, and its media as far as they are there. Raises `BadFile` naming the line."""
    found: list[Found] = []

    def find(kind: str, name: str) -> Medium:
        medium_kind: MediaKind = "audio" if kind == "audio" else "image"
        if media is None:
            return Medium(medium_kind, name)
        there = media.find(medium_kind, name.removeprefix(f"{MEDIA}/"))
        found.append(there)
        return replace(there.medium, name="/".join(map(original_name, there.medium.name.split("/"))))

    return item_in(parse_json(line, file, number), f"{file}:{number}", find), found


def _write(rows: Iterable[dict[str, Any]], path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n" for row in rows)


def _card(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    card = parse_json(decode(path.read_bytes(), path).text, path)
    if not isinstance(card, dict):
        raise BadFile(f"{path}: expected a JSON object: name, title, license, …")
    return card


def _digest(medium: Medium) -> dict[str, str]:
    try:
        return {"sha256": medium.sha256} if medium.exists else {}
    except CallFailed:  # it is there and cannot be read: asking it will say so
        return {}


def _wording_row(wording: Wording) -> dict[str, Any]:
    row: dict[str, Any] = {"question": wording.question, "options": dict(wording.options)}
    if wording.instruction:
        row["instruction"] = wording.instruction
    if wording.as_written:
        row["as_written"] = list(wording.as_written)
    return row


def _wording(tag: str, part: Any, place: str) -> Wording:
    if not isinstance(part, Mapping):
        raise BadFile(f"{place} must be an object with question and options")
    options = _texts(_listed(part, "options", dict, place), "options", place)
    if not options:
        raise BadFile(f"{place} has no options")
    options = in_label_order(options)
    as_written = _listed(part, "as_written", list, place)
    if not all(isinstance(line, str) for line in as_written):
        raise BadFile(f"{place}: `as_written` must be a list of texts")
    question, instruction = _text(part, "question", place), _text(part, "instruction", place)
    return Wording(tag, question, options, instruction, tuple(as_written))


def _text(row: Mapping[str, Any], name: str, place: str) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise BadFile(f"{place}: `{name}` must be a text, not {value!r}")
    return value


def _texts(value: Mapping[str, Any], name: str, place: str) -> dict[str, str]:
    if not all(isinstance(text, str) for text in value.values()):
        raise BadFile(f"{place}: every value of `{name}` must be a text")
    return dict(value)


def _listed(row: Mapping[str, Any], name: str, kind: type, place: str) -> Any:
    value = row.get(name)
    if value is not None and not isinstance(value, kind):
        raise BadFile(f"{place}: `{name}` must be {'a list' if kind is list else 'an object'}")
    return value if value is not None else kind()


FORMAT = Format(
    "jsonl", "keju's own form: a folder with items.jsonl and media/, or such a .jsonl file", sniff, read, write
)
