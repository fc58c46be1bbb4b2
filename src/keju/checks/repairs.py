"""What of a benchmark has one right repair: planned here, before anything is touched. `mending` carries it out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks import mended_text as mend
from keju.errors import Misuse
from keju.formats.encodings import EncodingUnclear, decode
from keju.formats.labels import is_side_table
from keju.formats.media import kind_of
from keju.formats.names import folded, from_disk, names_in, safe_name, stem_and_suffix, to_disk
from keju.formats.tco_sets import is_paper, split_of
from keju.items import Medium
from keju.media_types import suffix_of
from keju.phrase import Phrase, listed

_ALSO = {".jpeg": ".jpg", ".tiff": ".tif", ".oga": ".ogg", ".opus": ".ogg", ".aac": ".m4a"}
"""Suffix → the usual one of the same content."""
_OURS = ("tco", "multi-tw", "jsonl", "sheet")
"""Formats in which it is known what each text means; others are for the tools that wrote them."""
_LEFTOVERS = {".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini"}
"""What systems leave in folders; `.git` and the like belong to someone."""
_WORDS: Mapping[Any, Phrase] = {
    mend.line_ends: Phrase("line ends made LF", "换行统一为 LF"),
    mend.visible: Phrase("invisible characters removed", "去掉不可见字符"),
    mend.visible_in_json: Phrase("invisible characters removed", "去掉不可见字符"),
    mend.blanks: Phrase("blanks at line ends removed", "去掉行尾空白"),
    mend.slashes_in_json: Phrase("paths written with /", "路径改用 /"),
    mend.letters_in_json: Phrase("answer written as a capital letter alone", "答案改为单个大写字母"),
}


Step = Callable[[str], str]
"""Text → mended text."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One file made right: rewritten where there is `content`, renamed where there is `to`, removed without either."""

    file: str
    """Relative to the folder, with forward slashes."""
    what: Phrase
    content: bytes | None = field(default=None, repr=False)
    to: str | None = None


def planned(benchmark: Benchmark, encoding: str | None = None) -> list[Repair]:
    """What can be repaired without asking anyone; nothing is written. `encoding` as in `load`.

    Media whose suffix lies (with what refers to them), texts that are not plain UTF-8, line ends, invisible characters,
    blanks at line ends, answers like `b`, and what operating systems leave behind.
    """
    root = folder_of(benchmark)
    if benchmark.format not in _OURS:
        return []
    renamings = list(_renamings(benchmark, root))
    names = {name: to for _, name, to in renamings}
    removed = list(_leftovers(root)) if root_of(benchmark).is_dir() else []
    repairs = [*dict.fromkeys(rename for rename, _, _ in renamings), *_rewritten(benchmark, root, names, encoding)]
    gone = {repair.file for repair in repairs if repair.content is None}
    return [*_respelt(repairs, _right_names(benchmark, root)), *_second_copies(benchmark, root, gone), *removed]


def root_of(benchmark: Benchmark) -> Path:
    """The folder or file that the benchmark was read from. Raises `Misuse` where it was made in Python."""
    if benchmark.root is None:
        raise Misuse(f"{benchmark.name} lies in no folder; there is nothing to repair")
    return benchmark.root.resolve()


def folder_of(benchmark: Benchmark) -> Path:
    """The folder in which the benchmark's files lie."""
    root = root_of(benchmark)
    return root if root.is_dir() else root.parent


def _renamings(benchmark: Benchmark, root: Path) -> Iterator[tuple[Repair, str, str]]:
    """For each medium whose suffix is not that of its bytes: the repair, the name in the benchmark, its new name."""
    for medium in {medium.name: medium for item in benchmark for medium in item.media}.values():
        suffix = _right_suffix(medium)
        if suffix is None or medium.path is None or medium.path.is_symlink():
            continue
        if benchmark.format == "tco" and medium.kind == "image":
            continue  # the layout has PNG: to rename breaks it, to export changes the bytes; the author decides
        path = medium.path.resolve()
        new = path.with_suffix(suffix)
        if path.is_relative_to(root) and (repair := _renamed(path, new, root, medium.mime)):
            yield repair, medium.name, medium.name.removesuffix(stem_and_suffix(medium.name)[1]) + suffix


def _renamed(path: Path, new: Path, root: Path, mime: str) -> Repair | None:
    """The repair that gives a file its new name; None where other bytes bear that: the author knows which are meant."""
    kind = mime.rpartition("/")[2].upper()
    old, to = from_disk(path.relative_to(root).as_posix()), from_disk(new.relative_to(root).as_posix())
    why = Phrase(f"because its content is {kind}", f"因为内容是 {kind}")
    if not new.exists():
        return Repair(old, Phrase(f"renamed to {new.name}, {why}", f"改名为 {new.name}，{why.zh}"), to=to)
    if new.read_bytes() == path.read_bytes():
        same = Phrase(f"removed: {new.name} holds the same, {why}", f"已删除：{new.name} 与它相同，{why.zh}")
        return Repair(old, same)
    return None


def _right_suffix(medium: Medium) -> str | None:
    """The suffix that the bytes ask for, where the medium bears that of another picture or sound."""
    suffix = stem_and_suffix(medium.name.lower())[1]
    right = suffix_of(medium.mime) if medium.exists else ".bin"
    if right == ".bin" or _ALSO.get(suffix, suffix) == right or kind_of(f"x{right}") != medium.kind:
        return None
    return right


def _right_names(benchmark: Benchmark, root: Path) -> dict[str, str]:
    """Files of a TCO folder that are spelt otherwise than their item (`０００１.png`) → right name.

    An item that is itself spelt in full width stays: its id is in use.
    """
    right: dict[str, str] = {}
    for problem in benchmark.problems if benchmark.format == "tco" else ():
        if (
            problem.code in ("name_width", "unicode_form")
            and problem.item == folded(problem.item or "")
            and problem.file
        ):
            name = safe_name(problem.item) + stem_and_suffix(problem.file)[1]
            if not (root / to_disk(name)).exists():
                right[problem.file] = name
    return right


def _second_copies(benchmark: Benchmark, root: Path, gone: Container[str]) -> Iterator[Repair]:
    """Files that no item uses since it has one of that kind, and that hold the very same as one that is not `gone`."""
    for problem in benchmark.problems:
        if problem.code == "member_twice" and problem.file:
            data = (root / to_disk(problem.file)).read_bytes()
            stem = folded(stem_and_suffix(problem.file)[0])
            alike = [n for n in names_in(root) if folded(stem_and_suffix(n)[0]) == stem and n not in gone]
            same = [name for name in alike if name != problem.file and (root / to_disk(name)).read_bytes() == data]
            if same:
                what = Phrase(f"removed: {same[0]} holds the same", f"已删除：{same[0]} 与它相同")
                yield Repair(problem.file, what)


def _respelt(repairs: list[Repair], right: Mapping[str, str]) -> Iterator[Repair]:
    """The repairs with right names, and repairs for those files that need no other."""
    for file, name in right.items():
        if file not in {repair.file for repair in repairs}:
            yield Repair(file, _renamed_to(name), to=name)
    for repair in repairs:
        if repair.file in right:
            name = right[repair.file]
            name = stem_and_suffix(name)[0] + stem_and_suffix(repair.to or name)[1]
            yield replace(repair, to=name, what=listed([repair.what, _renamed_to(name)]))
        else:
            yield repair


def _renamed_to(name: str) -> Phrase:
    return Phrase(f"renamed to {name}, as its item is called", f"改名为 {name}，与题号一致")


def _rewritten(benchmark: Benchmark, root: Path, names: Mapping[str, str], encoding: str | None) -> Iterator[Repair]:
    keys = _letters(benchmark)
    met = {problem.file for problem in benchmark.problems if problem.code in ("encoding_bom", "encoding_not_utf8")}
    for file, steps in _texts(benchmark, root, names):
        try:
            data = (root / to_disk(file)).read_bytes()
            decoded = decode(data, file, encoding)
        except (OSError, EncodingUnclear):
            continue  # a finding says so
        text, effective = mend.mended(decoded.text, *steps)
        said = [_WORDS.get(step, _NAMES) for step in effective]
        if file in keys and text != keys[file]:
            text, said = keys[file], [*said, _WORDS[mend.letters_in_json]]
        if file in met:
            said = [_saved_as_utf8(decoded.encoding), *said]
        if said and (content := text.encode("utf-8")) != data:
            yield Repair(file, listed(said), content)


_NAMES = Phrase("renamed media called by their new names", "引用改为媒体的新文件名")


def _saved_as_utf8(encoding: str) -> Phrase:
    if encoding == "utf-8-sig":
        return Phrase("byte order mark removed", "去掉字节序标记（BOM）")
    return Phrase(f"saved as UTF-8 (it was {encoding})", f"由 {encoding} 转存为 UTF-8")


def _letters(benchmark: Benchmark) -> dict[str, str]:
    """Answer file → what it shall say, where it names its letter in another way."""
    answers = {item.id: item.answer for item in benchmark}
    return {
        problem.file: f"{answers[problem.item]}\n"
        for problem in benchmark.problems
        if problem.code == "answer_form"
        and problem.file
        and problem.file.lower().endswith(".txt")
        and problem.item in answers
    }


def _texts(benchmark: Benchmark, root: Path, names: Mapping[str, str]) -> Iterator[tuple[str, list[Step]]]:
    """The benchmark's text files and the steps that mend each. Only what its format reads is touched."""
    flat = benchmark.format == "tco"
    in_json: list[Step] = [mend.line_ends, mend.visible_in_json, mend.slashes_in_json, mend.letters_in_json]
    in_json.append(partial(mend.names_in_json, renamed=names, flat=flat))
    if flat:
        yield from _tco_texts(root, in_json)
    elif file := _file_of_items(benchmark, root):
        bare = _bare_names(benchmark, names)
        in_table: list[Step] = [mend.visible, partial(mend.names_in_table, renamed={**bare, **names})]
        yield file, in_json if file.lower().endswith((".json", ".jsonl")) else in_table


def _bare_names(benchmark: Benchmark, names: Mapping[str, str]) -> dict[str, str]:
    """The same without folders, where only one medium bears the name: sheets name media that lie in `images/`."""
    everyone = Counter(name.rpartition("/")[2] for name in {m.name for item in benchmark for m in item.media})
    bare = {old.rpartition("/")[2]: new.rpartition("/")[2] for old, new in names.items()}
    return {old: new for old, new in bare.items() if everyone[old] == 1}


def _file_of_items(benchmark: Benchmark, folder: Path) -> str | None:
    """The one text file that holds all items; None where it is a workbook, which only its own program can mend."""
    if root_of(benchmark).is_file():
        names = [root_of(benchmark).name]
    elif benchmark.format == "multi-tw":
        stem = Path(str(benchmark.card.get("multi_tw", {}).get("file", "items.json"))).stem
        names = [f"{stem}.json", f"{stem}.jsonl"]
    else:
        names = ["items.jsonl"] if benchmark.format == "jsonl" else [f"{benchmark.name}.csv", f"{benchmark.name}.tsv"]
    there = [name for name in names if (folder / to_disk(name)).is_file() and not name.lower().endswith(".xlsx")]
    return there[0] if there else None


def _tco_texts(root: Path, in_json: list[Step]) -> Iterator[tuple[str, list[Step]]]:
    names = names_in(root)
    stems = {folded(stem_and_suffix(name)[0]) for name in names if name.lower().endswith((".md", ".markdown"))}
    for name in names:
        stem, suffix = stem_and_suffix(name)
        if is_paper(name) or split_of(name) or is_side_table(name):
            yield name, []  # the author's; only its encoding is mended
        elif folded(stem) in stems and suffix.lower() in (".md", ".markdown", ".txt"):
            yield name, [mend.line_ends, mend.visible, mend.blanks]
        elif folded(stem) in stems and suffix.lower() == ".json":
            yield name, in_json


def _leftovers(root: Path) -> Iterator[Repair]:
    what = Phrase("removed: an operating system left it", "已删除：这是操作系统留下的文件")
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        place = Path(folder).relative_to(root)
        for name in sorted(files):
            if name.lower() in _LEFTOVERS or name.startswith(("._", "~$")) or "__MACOSX" in place.parts:
                yield Repair((place / name).as_posix(), what)
