"""The files of a TCO folder that concern all items: split lists, labels, and the papers that lie beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.errors import BadFile, Misuse
from keju.formats.encodings import EncodingUnclear, decode
from keju.formats.json_text import JsonStyle, parse_json
from keju.formats.names import folded
from keju.phrase import Phrase, listed

SPLITS = {"train": "train", "val": "val", "validation": "val", "dev": "val", "test": "test"}
"""Stem of a split list → split."""
CARD_FILES = "files"
"""Key of the card under which the texts of these files are kept."""
_PAPERS = {"readme", "license", "licence", "changelog", "citation", "notice", "copying", "contributing", "requirements"}


def is_paper(name: str) -> bool:
    """Whether a file describes the folder rather than an item: README.md, LICENSE.txt, split_metadata.json, …"""
    return re.split(r"[._-]", name.lower())[0] in _PAPERS or name.lower() == "split_metadata.json"


def split_of(name: str) -> str | None:
    """The split that a file lists (`val.json` → `val`), or None."""
    stem, _, suffix = name.lower().rpartition(".")
    return SPLITS.get(stem) if suffix == "json" else None


def read_text(path: Path, encoding: str | None, problems: list[Problem]) -> str | None:
    """The text of a file of the folder; None, and a problem, where it cannot be read."""
    try:
        decoded = decode(path.read_bytes(), path.name, encoding)
    except EncodingUnclear as error:
        problems.append(Problem(None, error.code, error.what, path.name))
        return None
    except OSError as error:
        what = Phrase(f"cannot be read: {error.strerror or error}", f"无法读取：{error.strerror or error}")
        problems.append(Problem(None, "file_unreadable", what, path.name))
        return None
    if decoded.code:
        problems.append(Problem(None, decoded.code, decoded.message, path.name))
    return decoded.text


def ids_in(text: str, file: str) -> list[str]:
    """The item ids of a split list: a list, or an object with the list under `ids` or `items`.

    Raises `BadFile` where it is neither.
    """
    listed = parse_json(text, file)
    if isinstance(listed, Mapping):
        listed = next((listed[key] for key in ("ids", "items") if key in listed), None)
    if not isinstance(listed, list):
        raise BadFile(f"{file}: expected a list of item ids")
    found = [entry.get("id") if isinstance(entry, Mapping) else entry for entry in listed]
    if wrong := [entry for entry in found if isinstance(entry, bool) or not isinstance(entry, str | int)]:
        raise BadFile(f"{file}: {wrong[0]!r} is no item id")
    return [str(entry) for entry in found]


def splits_of(files: Mapping[str, str], known: Iterable[str], problems: list[Problem]) -> dict[str, str]:
    """Item id → split, from the split lists in `files`. `known` are the ids of the folder, with those left out.

    An id listed in two splits gets none: a leak is not settled by the order of files.
    """
    ids = {folded(item_id): item_id for item_id in known}
    places: dict[str, list[str]] = {}
    for name, text in files.items():
        split = split_of(name)
        if split is None:
            continue
        try:
            told_ids = ids_in(text, name)
        except BadFile as error:
            lost = Phrase(f"{error}; its split is not used", f"{error}；该划分没有使用")
            problems.append(Problem(None, "split_unreadable", lost, name))
            continue
        for told in told_ids:
            item_id = ids.get(folded(told)) or ids.get(folded(told).rsplit(".", 1)[0])
            if item_id is None:
                unknown = Phrase(f"lists {told!r}, which no item has", f"列出了 {told!r}，但没有这道题")
                problems.append(Problem(None, "split_unknown_id", unknown, name))
            elif split not in places.setdefault(item_id, []):
                places[item_id].append(split)
    for item_id, splits in places.items():
        if len(splits) > 1:
            what = Phrase(
                f"is listed in {' and '.join(splits)}; it gets no split until it stands in one",
                f"同时列在 {' 和 '.join(splits)} 中；只留一处之前，不属于任何划分",
            )
            problems.append(Problem(item_id, "split_overlap", what))
    if places and (missed := [item_id for item_id in ids.values() if item_id not in places]):
        names = listed(missed[:8])
        absent = Phrase(
            f"no split lists {names} ({len(missed)} items)", f"没有列入任何划分：{names.zh}（共 {len(missed)} 题）"
        )
        problems.append(Problem(None, "split_misses", absent))
    return {item_id: splits[0] for item_id, splits in places.items() if len(splits) == 1}


def split_files(splits: Mapping[str, str | None], kept: Mapping[str, str]) -> dict[str, str]:
    """File name → text of the split lists for items with these splits; the kept ones, where they still say the same."""
    lists: dict[str, list[str]] = {}
    for item_id, split in splits.items():
        if split is not None and split not in SPLITS.values():
            raise Misuse(f"item {item_id} is in split {split!r}; a TCO folder has train, val and test")
        if split is not None:
            lists.setdefault(split, []).append(item_id)
    told = {name: text for name, text in kept.items() if split_of(name)}
    problems: list[Problem] = []
    same = splits_of(told, splits, problems) == {item_id: split for item_id, split in splits.items() if split}
    if told and same and not any(problem.code == "split_unknown_id" for problem in problems):
        return told | {name: text for name, text in kept.items() if name == "split_metadata.json"}
    return {f"{split}.json": JsonStyle().dumps(ids) for split, ids in lists.items()}


def kept_files(card: Mapping[str, Any]) -> dict[str, str]:
    """The texts that a card keeps, by safe file name."""
    files = card.get(CARD_FILES)
    if not isinstance(files, Mapping):
        return {}
    return {name: text for name, text in files.items() if isinstance(text, str) and (is_paper(name) or split_of(name))}
