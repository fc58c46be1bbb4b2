"""Rules F on the folder: files that nobody meant to publish."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.formats.media import kind_of
from keju.formats.names import folded, from_disk, is_system_file, stem_and_suffix
from keju.phrase import Phrase

GROUP = Group()
_LEFT_BY_SYSTEMS = re.compile(r"\.DS_Store|\._.*|~\$.*|[^.].*", re.DOTALL)
"""System files that people do not want; other names with a dot (`.gitattributes`) are somebody's choice."""


@GROUP.rule(
    "F106",
    "system-file",
    "note",
    "benchmark",
    title=Phrase("the system left a file", "系统遗留的文件"),
    why=Phrase(
        "Thumbs.db and its like are published with the rest, and hold pictures or folder names of their own.",
        "Thumbs.db 之类的文件会随题库一起发布，里面可能有缩略图和文件夹名。",
    ),
    good="a folder without Thumbs.db, .DS_Store and desktop.ini",
    bad="Thumbs.db",
)
def _system_files(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    for file in _files_below(benchmark):
        if is_system_file(file.name) and _LEFT_BY_SYSTEMS.fullmatch(file.name):
            name = file.as_posix()
            yield rule.finding(
                Phrase(f"{name} was left by the system, not by an author", f"{name} 是系统生成的文件，不是作者的文件"),
                Phrase("remove it", "请将其删除"),
                file=name,
            )


@GROUP.rule(
    "F107",
    "medium-unused",
    "note",
    "benchmark",
    title=Phrase("no item uses a picture or sound", "图片或音频没有被任何题目使用"),
    why=Phrase(
        "It may belong to an item that lacks it, and it would be published without a question.",
        "它可能属于某道缺少媒体的题，发布时也会一并带出。",
    ),
    good="each file in images/ is named by an item",
    bad="images/0007-copy.png",
    paper='000 "Quality Assurance and Validation"',
)
def _unused_media(benchmark: Benchmark, rule: Rule) -> Iterator[Finding]:
    if benchmark.format == "tco":
        return  # there each picture makes an item of its own, which lacks its question
    used = {medium.path.absolute() for item in benchmark for medium in item.media if medium.path}
    lost = {folded(problem.item) for problem in benchmark.problems if problem.item and problem.left_out}
    for file in _files_below(benchmark):
        if is_system_file(file.name) or not kind_of(file.name) or folded(stem_and_suffix(file.name)[0]) in lost:
            continue
        if (_root(benchmark) / file).absolute() not in used:
            name = file.as_posix()
            yield rule.finding(
                Phrase(f"no item uses {name}", f"没有题目使用 {name}"),
                Phrase("name it in its item, or move it out of the folder", "请在所属题目中写上它，或移出该文件夹"),
                file=name,
            )


def _root(benchmark: Benchmark) -> Path:
    return benchmark.root or Path()


def _files_below(benchmark: Benchmark) -> Iterator[Path]:
    """The files of a benchmark's folder, relative to it, in order; none where it was read from one file."""
    root = benchmark.root
    if root is None or not root.is_dir():
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            yield Path(from_disk(str((Path(folder) / name).relative_to(root))))
