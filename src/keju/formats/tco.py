"""The TCO layout: one flat folder, four files an item (`0001.md`, `.txt`, `.png`, `.json`), lists and labels beside.

Source: TCO-Dataset paper, "Data Organization", "Data Records", "Evaluation Setup". Question, answer and picture files
are the truth; the JSON is metadata.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, Misuse
from keju.formats.encodings import Decoded, EncodingUnclear, decode
from keju.formats.format import Format
from keju.formats.json_text import parse_json
from keju.formats.labels import is_side_table, labels_text, read_labels, unlabelled, with_labels
from keju.formats.media import MediaFolder, kind_of, place
from keju.formats.names import (
    folded,
    from_disk,
    in_order,
    is_system_file,
    names_in,
    original_name,
    safe_name,
    stem_and_suffix,
    to_disk,
)
from keju.formats.tco_item import Texts, item_of, texts_of
from keju.formats.tco_sets import CARD_FILES, is_paper, kept_files, read_text, split_files, split_of, splits_of
from keju.items import Item, Medium
from keju.phrase import Phrase

_MEMBERS = {".md": "md", ".markdown": "md", ".txt": "txt", ".json": "json"}


@dataclass
class _Folder:
    """What lies in the folder: item files by stem, and the files that concern all items."""

    root: Path
    members: dict[str, dict[str, str]] = field(default_factory=dict)
    """Folded stem → member (`md`, `txt`, `json`, `image`, `audio`) → file name."""
    files: dict[str, str] = field(default_factory=dict)
    """Name → text of split lists and papers."""
    side_table: str | None = None
    problems: list[Problem] = field(default_factory=list)


def sniff(path: Path) -> bool:
    if not path.is_dir():
        return False
    parts = [stem_and_suffix(folded(name)) for name in names_in(path) if not is_paper(name)]
    questions, answers = ({stem for stem, suffix in parts if suffix.lower() == kind} for kind in (".md", ".txt"))
    return bool(questions & answers)


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read a TCO folder in one pass. An item without a usable question or answer is left out, with the reason."""
    folder = _look(path, encoding)
    media = MediaFolder(path)
    items: list[Item] = []
    ids: list[str] = []
    for members in (folder.members[stem] for stem in sorted(folder.members, key=in_order)):
        item_id = _id_of(members)
        ids.append(item_id)
        item, problems = _read_item(item_id, members, media, encoding)
        items += [item] if item else []
        folder.problems += problems
    splits = splits_of(folder.files, ids, folder.problems)
    items = [replace(item, split=splits[item.id]) if item.id in splits else item for item in items]
    if folder.side_table:
        labels = read_labels(path / folder.side_table, ids, folder.problems, encoding)
        folder.problems += unlabelled(items, labels, folder.side_table)
        items = [with_labels(item, labels) for item in items]
    card = {CARD_FILES: folder.files} if folder.files else {}
    return Benchmark(path.resolve().name, tuple(items), card, tuple(folder.problems), "tco", path)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write a TCO folder; items, lists and papers that did not change since they were read come out byte for byte.

    Raises `Misuse` for an item that the layout cannot hold: no key, or two pictures.
    """
    for item in benchmark:
        _write_item(item, path)
    kept = kept_files(benchmark.card)
    files = {name: text for name, text in kept.items() if is_paper(name) and name != "split_metadata.json"}
    files |= split_files({item.id: item.split for item in benchmark}, kept)
    if labels := labels_text(benchmark):
        files["labels.csv"] = labels
    for name, text in files.items():
        (path / name).write_bytes(text.encode("utf-8"))


def _look(root: Path, encoding: str | None) -> _Folder:
    folder, seen = _Folder(root), MediaFolder(root)
    with os.scandir(root) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        name = from_disk(entry.name)
        if is_system_file(name):
            continue
        try:
            is_folder, is_file = entry.is_dir(), entry.is_file()
        except OSError as error:
            what = Phrase(
                f"leads nowhere and is not read ({error.strerror}); put the file itself here",
                f"无法到达，没有读取（{error.strerror}）；请放入文件本身",
            )
            folder.problems.append(Problem(None, "stray_file", what, name))
            continue
        if is_folder:
            continue
        if not is_file and not entry.is_symlink():
            what = Phrase("is no regular file and is not read", "不是普通文件，没有读取")
            folder.problems.append(Problem(None, "stray_file", what, name))
        elif entry.is_symlink() and not seen.contains(root / entry.name):
            what = Phrase(
                "is a link out of the folder and is not read; put the file itself here",
                "是指向文件夹之外的链接，没有读取；请放入文件本身",
            )
            folder.problems.append(Problem(None, "path_escape", what, name))
        elif is_side_table(name):
            folder.side_table = entry.name
        elif is_paper(name) or split_of(name):
            text = read_text(root / entry.name, encoding, folder.problems)
            folder.files |= {name: text} if text is not None else {}
        else:
            _file_away(folder, name)
    return folder


def _file_away(folder: _Folder, name: str) -> None:
    stem, suffix = stem_and_suffix(name)
    member = _MEMBERS.get(suffix.lower()) or kind_of(name)
    if member is None or (member == "json" and not stem.isdecimal() and not _has_siblings(folder.root, stem)):
        stray = Phrase("belongs to no item and is not read", "不属于任何题目，没有读取")
        folder.problems.append(Problem(None, "stray_file", stray, name))
        return
    members = folder.members.setdefault(folded(stem), {})
    if member not in members:
        members[member] = name
        return
    # Two files of one kind: the one written like the item's others, and of pictures the PNG, comes first.
    first, second = sorted((members[member], name), key=lambda n: (not n.isascii(), not n.lower().endswith(".png"), n))
    members[member] = first
    what = Phrase(
        f"is not used: {first} is the item's {member} file; remove one of them",
        f"没有使用：该题用的是 {first}；请删去其中一个",
    )
    folder.problems.append(Problem(original_name(stem), "member_twice", what, second))


def _has_siblings(root: Path, stem: str) -> bool:
    """Whether a JSON file stands beside files of its stem; one alone, and no number, is no item's."""
    return any((root / to_disk(stem + suffix)).exists() for suffix in (".md", ".txt", ".png", ".jpg", ".mp3"))


def _id_of(members: Mapping[str, str]) -> str:
    """The stem of the question file, else of the answer, else of what there is."""
    name = next(members[kind] for kind in ("md", "txt", "json", "image", "audio") if kind in members)
    return original_name(stem_and_suffix(name)[0])


def _read_item(
    item_id: str, members: Mapping[str, str], media: MediaFolder, encoding: str | None
) -> tuple[Item | None, list[Problem]]:
    problems: list[Problem] = []
    texts: dict[str, Decoded] = {}
    for kind in ("md", "txt", "json"):
        if kind in members:
            decoded, met = _read_member(item_id, media.root, members[kind], encoding, vital=kind != "json")
            texts |= {kind: decoded} if decoded else {}
            problems += met
    item_media, names, met = _media(item_id, members, media, texts)
    problems += met
    for kind, code, what in (
        ("md", "question_missing", Phrase("question", "题干")),
        ("txt", "answer_missing", Phrase("answer", "答案")),
    ):
        if kind not in members:
            message = Phrase(
                f"no {what} file {item_id}.{kind}; add it, the item is left out",
                f"缺少{what.zh}文件 {item_id}.{kind}，该题被略去；请补上",
            )
            beside = members.get("txt" if kind == "md" else "md") or next(iter(members.values()))
            problems.append(Problem(item_id, code, message, beside, left_out=True))
    if "md" not in texts or "txt" not in texts:
        return None, problems
    told = Texts(texts["md"].text, texts["txt"].text, texts["json"].text if "json" in texts else None)
    item, met = item_of(item_id, told, item_media, names, traditional=texts["md"].encoding == "big5")
    return item, problems + met


def _read_member(
    item_id: str, root: Path, name: str, encoding: str | None, *, vital: bool
) -> tuple[Decoded | None, list[Problem]]:
    try:
        decoded = decode((root / to_disk(name)).read_bytes(), name, encoding)
    except EncodingUnclear as error:
        return None, [Problem(item_id, error.code, error.what, name, left_out=vital)]
    except OSError as error:
        what = Phrase(f"cannot be read: {error.strerror or error}", f"无法读取：{error.strerror or error}")
        return None, [Problem(item_id, "file_unreadable", what, name, left_out=vital)]
    return decoded, [Problem(item_id, decoded.code, decoded.message, name)] if decoded.code else []


def _media(
    item_id: str, members: Mapping[str, str], media: MediaFolder, texts: Mapping[str, Decoded]
) -> tuple[tuple[Medium, ...], dict[str, str], list[Problem]]:
    """The item's media by its stem, or else where its JSON says; the members' names; and problems."""
    found: list[Medium] = []
    names = {kind: members[kind] for kind in ("md", "txt", "json", "image", "audio") if kind in members}
    problems = _spelling(item_id, names)
    for kind in ("image", "audio"):
        if kind in members:
            found.append(Medium(kind, members[kind], media.root / to_disk(members[kind])))
        elif told := _told_path(texts.get("json"), kind):
            there = media.find(kind, told)
            found.append(there.medium)
            names[kind] = there.medium.name
            problems += there.problem(item_id, members.get("json"))
    if not found and not _says_no_image(texts.get("json")):
        there = media.find("image", f"{safe_name(item_id)}.png")
        found.append(there.medium)
        problems += there.problem(item_id)
    return tuple(found), names, problems


def _told_path(document: Decoded | None, kind: str) -> str | None:
    told = _metadata(document).get(kind)
    return told if isinstance(told, str) and told.strip() else None


def _says_no_image(document: Decoded | None) -> bool:
    """Whether the JSON says `"image": null`: a question of words alone, as keju writes one."""
    metadata = _metadata(document)
    return "image" in metadata and metadata["image"] is None


def _metadata(document: Decoded | None) -> Mapping[str, Any]:
    try:
        told = parse_json(document.text, "") if document else {}
    except BadFile:
        return {}  # reported where the item is read
    return told if isinstance(told, Mapping) else {}


def _spelling(item_id: str, names: Mapping[str, str]) -> list[Problem]:
    """Members whose stems look the same to people and differ to a computer."""
    problems = []
    for name in names.values():
        stem = original_name(stem_and_suffix(name)[0])
        if stem != item_id:
            code = "name_width" if folded(stem).isascii() else "unicode_form"
            what = Phrase(
                f"belongs to {item_id!a} but is spelt {stem!a}; it was matched, rename it",
                f"属于 {item_id!a}，却写作 {stem!a}；已对应上，请改名",
            )
            problems.append(Problem(item_id, code, what, name))
    return problems


def _write_item(item: Item, folder: Path) -> None:
    kinds = [medium.kind for medium in item.media]
    if len(set(kinds)) < len(kinds):
        raise Misuse(f"item {item.id} has {len(kinds)} media; a TCO folder holds one picture and one sound an item")
    media = tuple(replace(medium, name=_name_in_folder(item, medium)) for medium in item.media)
    stem = safe_name(item.id)
    texts = texts_of(replace(item, media=media))
    for suffix, text in (("md", texts.md), ("txt", texts.txt), ("json", texts.json)):
        if text is not None:
            (folder / to_disk(f"{stem}.{suffix}")).write_bytes(text.encode("utf-8"))
    for medium in media:
        place(medium, folder / to_disk(medium.name))


def _name_in_folder(item: Item, medium: Medium) -> str:
    """The medium's own name where it bears the item's stem, else the stem with the medium's suffix."""
    from keju.media_types import suffix_of

    own = PurePosixPath(medium.name)
    inside = not own.is_absolute() and ".." not in own.parts
    if inside and kind_of(own.name) and folded(original_name(own.stem)) == folded(item.id):
        return medium.name
    suffix = own.suffix if kind_of(own.name) == medium.kind else suffix_of(medium.mime)
    return safe_name(item.id) + suffix


FORMAT = Format("tco", "a TCO folder: 0001.md, 0001.txt, 0001.png (and 0001.json) for each item", sniff, read, write)
