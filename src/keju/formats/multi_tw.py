"""The Multi-TW layout: one JSON list of items beside folders of pictures and sounds.

Source: Multi-TW paper, section 2. Real files differ from its table (full-width brackets, whole sentences as
instructions, empty questions, bare labels as options): all that is read, reported where irregular, and written back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, Misuse
from keju.formats.encodings import decode
from keju.formats.format import Format
from keju.formats.json_text import JsonStyle, parse_json
from keju.formats.media import MediaFolder, place
from keju.formats.multi_tw_item import Source, item_of, row_of
from keju.formats.multi_tw_tasks import tasks_for
from keju.formats.names import names_in, safe_name, stem_and_suffix, to_disk
from keju.items import Item, Medium
from keju.media_types import suffix_of
from keju.phrase import Phrase

LAYOUT = "multi_tw"
"""Key of the card: the file's name and how its JSON is laid out."""
_HEAD = 1 << 16
"""Bytes of a file that are looked at to know it: more than the first item."""


def sniff(path: Path) -> bool:
    if path.is_dir():
        return bool(_lists_in(path))
    return path.suffix.lower() in (".json", ".jsonl") and _begins_with_item(path)


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read the JSON file at `path`, or the one in the folder `path`; JSON Lines of the same rows are read too."""
    file = _the_list(path)
    try:
        decoded = decode(file.read_bytes(), file, encoding)
    except OSError as error:
        raise BadFile(f"{file}: cannot be read: {error.strerror or error}") from error
    problems = [Problem(None, decoded.code, decoded.message, file.name)] if decoded.code else []
    source = Source(file.name, MediaFolder(file.parent), tasks_for(file.parent))
    items: dict[str, Item] = {}
    for number, row in enumerate(_rows(decoded.text, file), 1):
        item, met = item_of(row, number, source)
        if item and item.id in items:
            what = Phrase(
                f"item {number} of the list has an id that came before; the first is kept, give each its own",
                f"列表中第 {number} 题的编号前面已有；只保留第一个，请改用不同的编号",
            )
            met = [Problem(item.id, "duplicate_id", what, file.name, left_out=True)]
        elif item:
            items[item.id] = item
        problems += met
    style = JsonStyle.of(decoded.text)
    layout = {"file": file.with_suffix(".json").name, "indent": style.indent, "ascii": style.ascii, "end": style.end}
    name = path.resolve().name if path.is_dir() else path.resolve().stem
    return Benchmark(name, tuple(items.values()), {LAYOUT: layout}, tuple(problems), "multi-tw", path)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write the JSON list and its media; rows that did not change since they were read come out as they were.

    Raises `Misuse` for an item that the layout cannot hold: no key, or two pictures.
    """
    source = Source("", MediaFolder(path), tasks_for(path))
    rows = [_write_item(item, path, source, keep_names=LAYOUT in benchmark.card) for item in benchmark]
    layout = benchmark.card.get(LAYOUT)
    layout = layout if isinstance(layout, Mapping) else {}
    style = JsonStyle(layout.get("indent", 2), bool(layout.get("ascii")), str(layout.get("end", "\n")))
    name = safe_name(str(layout.get("file", "items.json")).removesuffix(".json")) + ".json"
    (path / to_disk(name)).write_bytes(style.dumps(rows).encode("utf-8"))


def _write_item(item: Item, folder: Path, source: Source, *, keep_names: bool) -> dict[str, Any]:
    kinds = [medium.kind for medium in item.media]
    if item.answer is None or len(set(kinds)) < len(kinds):
        raise Misuse(f"item {item.id} has no key, or several media of a kind, which Multi-TW cannot hold; leave it out")
    media = (replace(medium, name=_name_in_folder(item, medium, keep_names)) for medium in item.media)
    item = replace(item, media=tuple(media))
    for medium in item.media:
        if medium.exists:
            place(medium, folder / to_disk(medium.name))
    return row_of(item, source)


def _name_in_folder(item: Item, medium: Medium, keep: bool) -> str:
    """The medium's own name where it lies in a subfolder or is to be kept, else `images/ID.png` or `audios/ID.mp3`."""
    parts = medium.name.split("/")
    if not medium.exists and keep:
        return medium.name
    if (keep or len(parts) > 1) and all(part not in ("", ".", "..") for part in parts):
        return medium.name
    suffix = stem_and_suffix(medium.name)[1] or suffix_of(medium.mime)
    return f"{medium.kind}s/{safe_name(item.id)}{suffix}"


def _lists_in(folder: Path) -> list[Path]:
    """The item lists in a folder; a JSON beside a question file of its name is a TCO item."""
    parts = {name: stem_and_suffix(name) for name in names_in(folder)}
    questions = {stem for stem, suffix in parts.values() if suffix == ".md"}
    lists = [name for name, (stem, suffix) in parts.items() if suffix.lower() == ".json" and stem not in questions]
    return [folder / to_disk(name) for name in lists if _begins_with_item(folder / to_disk(name))]


def _begins_with_item(path: Path) -> bool:
    """Whether the first object of a list (or of JSON Lines) has `id`, `options` and `answer`."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    text = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "ignore").lstrip(
        "\ufeff \r\n\t"
    )
    if not all(f'"{key}"' in text for key in ("id", "options", "answer")):
        return False
    if path.suffix.lower() == ".jsonl":
        return text.startswith("{") and '"wordings"' not in text  # those are the rows of keju's own form
    return re.match(r"\[\s*\{", text) is not None


def _the_list(path: Path) -> Path:
    if path.is_file():
        return path
    lists = _lists_in(path) if path.is_dir() else []
    if len(lists) == 1:
        return lists[0]
    if lists:
        raise BadFile(f"{path}: several item lists ({', '.join(file.name for file in lists)}); name the one to read")
    raise BadFile(f"{path}: no JSON list of items with id, options and answer")


def _rows(text: str, file: Path) -> list[Any]:
    if file.suffix.lower() == ".jsonl":
        lines = enumerate(text.split("\n"), 1)
        return [parse_json(line, file, number) for number, line in lines if line.strip()]
    rows = parse_json(text, file)
    if not isinstance(rows, list):
        raise BadFile(f"{file}: expected a JSON list of items")
    return rows


FORMAT = Format(
    "multi-tw", "Multi-TW: a JSON list of items with id, options and answer, media beside", sniff, read, write
)
