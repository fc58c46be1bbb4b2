"""What checks found, as lines of text and as JSON: the place first, so that an editor can go there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from keju.checks import RULES, Finding, Rule, Severity
from keju.checks.mending import Mended
from keju.formats.names import stem_and_suffix
from keju.phrase import Phrase
from keju.printable import printable
from keju.reports.wording import Language, in_language

SEVERITIES: Mapping[Severity, Phrase] = {
    "error": Phrase("error", "错误"),
    "warning": Phrase("warning", "警告"),
    "note": Phrase("note", "提示"),
}
GROUPS: Mapping[str, Phrase] = {
    "F": Phrase("Structure: files, ids, splits", "结构：文件、编号、划分"),
    "Q": Phrase("Questions: stem, options, key", "题目：题干、选项、答案"),
    "I": Phrase("Pictures", "图片"),
    "A": Phrase("Sounds", "音频"),
    "L": Phrase("Language: scripts, translations, characters", "语言：字形、译文、字符"),
    "S": Phrase("The set as a whole, and what runs tell", "整套试卷，以及考试结果说明的问题"),
}
"""First letter of a code → what the group is about."""
PAPERS: Mapping[str, str] = {"000": "TCO-Dataset", "001": "Multi-TW"}


def finding_lines(finding: Finding, name: str, language: Language) -> tuple[str, str]:
    """`0001.txt:1: Q103 error: …`, and what to do. `name`, the benchmark's, stands where no file is concerned."""
    severity = in_language(SEVERITIES[finding.severity], language)
    item = "" if finding.item is None or _names(finding) else _item(finding.item, language)
    colon = "：" if language == "zh" else ": "
    head = f"{finding.place or name}: {finding.code} {severity}{colon}{item}{in_language(finding.message, language)}"
    return printable(head), printable(in_language(finding.remedy, language))


def summary(findings: Sequence[Finding], items: int, language: Language) -> str:
    """A line a code with its number, worst first, and a line with the sums."""
    rules = counted(findings)
    widest = max((len(rule.name) for rule, _ in rules), default=0)
    digits = max((len(str(n)) for _, n in rules), default=0)
    lines = [
        f"{n:{digits}}  {rule.code}  {_padded(in_language(SEVERITIES[rule.severity], language), 7)}  "
        f"{rule.name:{widest}}  {in_language(rule.title, language)}"
        for rule, n in rules
    ]
    return "\n".join([*lines, *([""] if lines else []), totals(findings, items, language)])


def totals(findings: Sequence[Finding], items: int, language: Language) -> str:
    """`2 errors, 1 warning and 0 notes in 60 items`."""
    n = Counter(finding.severity for finding in findings)
    if language == "zh":
        return f"共 {items} 题：错误 {n['error']} 处，警告 {n['warning']} 处，提示 {n['note']} 处"
    told = [f"{n[name]} {name}{'' if n[name] == 1 else 's'}" for name in SEVERITIES]
    return f"{told[0]}, {told[1]} and {told[2]} in {items} item{'' if items == 1 else 's'}"


def repair_lines(mended: Mended, language: Language) -> Iterator[str]:
    """A line a repaired file, and where the originals are."""
    zh = language == "zh"
    for repair in mended.repairs:
        yield printable(f"{repair.file}: {in_language(repair.what, language)}")
    n = len(mended.repairs)
    if n:
        yield f"已修复 {n} 个文件：{mended.place}" if zh else f"{n} file{'s' * (n != 1)} repaired in {mended.place}"
    else:
        yield "没有可以自动修复的问题" if zh else "nothing to repair without asking"
    if mended.backup:
        yield f"原文件保存在 {mended.backup}" if zh else f"the originals are in {mended.backup}"
    yield ""


def can_be_repaired(repairs: int, name: str, language: Language) -> str:
    """What `--fix` would do, for the end of the list."""
    if language == "zh":
        return f"其中 {repairs} 个文件可以自动修复：keju check {name} --fix"
    return f"{repairs} file{'s' * (repairs != 1)} can be repaired at once: keju check {name} --fix"


def findings_json(findings: Iterable[Finding], **meta: Any) -> str:
    """One document: `meta`, then every finding with its texts in both languages."""
    told = list(findings)
    counts = dict(sorted(Counter(finding.code for finding in told).items()))
    return json.dumps({**meta, "counts": counts, "findings": [*map(_row, told)]}, ensure_ascii=False, indent=1)


def explained(rule: Rule, language: Language) -> str:
    """All that explains a rule, in a few lines."""
    words = _EXPLAINED[language == "zh"]
    lines = [f"{rule.code} {rule.name} · {in_language(SEVERITIES[rule.severity], language)}"]
    lines += [f"  {in_language(rule.title, language)}", f"  {in_language(rule.why, language)}"]
    lines += [f"  {words['good']}{_one_line(rule.good)}", f"  {words['bad']}{_one_line(rule.bad)}"]
    if rule.thresholds:
        values = ", ".join(f"{name} = {value:g}" for name, value in rule.thresholds.items())
        lines.append(f"  {words['thresholds']}{values}")
    if rule.profile:
        lines.append(f"  {words['profile']}{rule.profile}")
    if rule.paper:
        number, _, section = rule.paper.partition(" ")
        lines.append(f"  {words['paper']}{PAPERS.get(number, number)} {section}".rstrip())
    return "\n".join(map(printable, lines))


def all_explained(rules: Iterable[Rule], language: Language) -> Iterator[str]:
    """Every rule, under the heading of its group."""
    group = ""
    for rule in rules:
        if rule.code[0] != group:
            group = rule.code[0]
            yield f"{group}  {in_language(GROUPS[group], language)}\n"
        yield explained(rule, language) + "\n"


_EXPLAINED: tuple[Mapping[str, str], Mapping[str, str]] = (
    {"good": "good: ", "bad": "bad: ", "thresholds": "thresholds: ", "profile": "only for: ", "paper": "source: "},
    {"good": "正例：", "bad": "反例：", "thresholds": "阈值：", "profile": "仅用于：", "paper": "出处："},
)


def counted(findings: Iterable[Finding]) -> list[tuple[Rule, int]]:
    """The rules that found something with how often they did: errors first, then the most frequent."""
    n = Counter(finding.code for finding in findings)
    worst = list(SEVERITIES)
    return sorted(((RULES[code], n[code]) for code in n), key=lambda row: (worst.index(row[0].severity), -row[1]))


def _row(finding: Finding) -> dict[str, Any]:
    row = {
        "code": finding.code,
        "rule": RULES[finding.code].name,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.line,
        "item": finding.item,
        "message": {"en": str(finding.message), "zh": in_language(finding.message, "zh")},
        "remedy": {"en": str(finding.remedy), "zh": in_language(finding.remedy, "zh")},
    }
    return row | ({"measured": dict(finding.measured)} if finding.measured else {})


def _names(finding: Finding) -> bool:
    """Whether the file's own name tells which item is meant."""
    return finding.file is not None and stem_and_suffix(finding.file)[0] == finding.item


def _item(item: str, language: Language) -> str:
    return f"第 {item} 题：" if language == "zh" else f"item {item}: "


def _padded(text: str, width: int) -> str:
    from rich.cells import cell_len

    return text + " " * (width - cell_len(text))


def _one_line(text: str) -> str:
    return " ⏎ ".join(text.split("\n"))
