"""Rules F on the folder and the layout of its files, as they stand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.finding import Finding
from keju.checks.rule import Group, Rule
from keju.errors import Misuse
from keju.formats.media import kind_of
from keju.formats.names import folded, from_disk, is_system_file, safe_name, stem_and_suffix
from keju.formats.question_text import mark_of
from keju.formats.tco_item import KEPT, texts_of
from keju.items import Item
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


@GROUP.rule(
    "F205",
    "line-ends",
    "note",
    "item",
    title=Phrase("a file has Windows line ends", "文件使用 Windows 换行"),
    why=Phrase(
        "A program that compares the answer file with a letter finds C and a carriage return, which is not C.",
        "有的程序逐字比较答案，读到的是“C”加一个回车符，于是判为不同。",
    ),
    good="C\\n",
    bad="C\\r\\n",
    paper='000 "Quality Assurance and Validation"',
)
def _line_ends(item: Item, rule: Rule) -> Iterator[Finding]:
    for suffix, text in _kept(item).items():
        if isinstance(text, str) and "\r" in text:
            yield rule.finding(
                Phrase("lines end with CR LF (Windows)", "换行符是 CR LF（Windows）"),
                Phrase("save the file with Unix line ends (LF)", "请以 Unix 换行（LF）保存该文件"),
                item=item.id,
                file=f"{safe_name(item.id)}.{suffix}",
            )


@GROUP.rule(
    "F206",
    "trailing-blanks",
    "note",
    "item",
    title=Phrase("lines end with blanks", "行末有空格"),
    why=Phrase(
        "The blanks are invisible, and a reader that does not strip them sends them to the model.",
        "行末空格看不见，有的程序会把它原样发给模型。",
    ),
    good="(A) 生",
    bad="(A) 生 and two blanks",
)
def _trailing_blanks(item: Item, rule: Rule) -> Iterator[Finding]:
    text = _kept(item).get("md")
    lines = text.replace("\r\n", "\n").split("\n") if isinstance(text, str) else []
    for number, line in enumerate(lines, 1):
        if line != line.rstrip(" \t\u3000"):
            yield rule.finding(
                Phrase("the line ends with blanks", "该行末尾有空格"),
                Phrase("remove them", "请删去行末的空格"),
                item=item.id,
                file=f"{safe_name(item.id)}.md",
                line=number,
            )
            return


@GROUP.rule(
    "F207",
    "not-five-lines",
    "note",
    "item",
    profile="tco",
    title=Phrase("the question file is not a question and four options, a line each", "题干文件不是一行题干加四行选项"),
    why=Phrase(
        "The paper's script reads lines by position: line 1 is the question, lines 2-5 the options. It would ask "
        "something else than what is meant, or pass the item over.",
        "论文的脚本按行号读取：第 1 行是题干，第 2–5 行是选项。它会问错内容，或跳过该题。",
    ),
    good="图中角色属于哪个行当？ / (A) 生 / (B) 旦 / (C) 净 / (D) 丑",
    bad="a blank line after the question, or a question of two lines",
    paper='000 "Evaluation Setup"',
)
def _five_lines(item: Item, rule: Rule) -> Iterator[Finding]:
    try:
        lines = texts_of(item).md.replace("\r\n", "\n").split("\n")
    except Misuse:
        return  # the layout cannot hold the item: other rules say why
    marks = [mark_of(line) for line in lines[1:5]]
    read = [mark[1] if mark else line.strip() for mark, line in zip(marks, lines[1:5], strict=True)]
    wording = item.wording
    if lines[0].strip() == wording.question and read == [
        " ".join(text.split("\n")) for text in wording.options.values()
    ]:
        return
    if len(wording.options) != 4:
        return  # another rule says so
    why = ("the question has a line break", "题干中有换行") if "\n" in wording.question else None
    why = why or ("the options are not lines 2-5, A to D", "选项不是按 A 到 D 写在第 2–5 行")
    yield rule.finding(
        Phrase(f"read by line position it is another question: {why[0]}", f"按行号读取会得到另一道题：{why[1]}"),
        Phrase(
            "write the question on line 1 and the options A to D on lines 2-5, without blank lines",
            "请把题干写在第 1 行，选项 A 到 D 写在第 2–5 行，中间不留空行",
        ),
        item=item.id,
    )


def _kept(item: Item) -> Mapping[str, Any]:
    """The texts of a TCO item's files as they stand, where they are not plain."""
    kept = item.extra.get(KEPT)
    return kept if isinstance(kept, Mapping) else {}


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
