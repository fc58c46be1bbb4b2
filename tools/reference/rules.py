"""Every rule of `keju check`, in either language."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TypedDict

from keju.checks import RULES, Rule
from keju.phrase import in_chinese
from reference.markdown import code, plain, table


class Words(TypedDict):
    title: str
    intro: str
    groups: Mapping[str, str]
    severities: Mapping[str, str]
    head: tuple[str, str, str, str]
    good: str
    bad: str
    source: str
    only: str
    thresholds: str


WORDS: dict[str, Words] = {
    "en": {
        "title": "Rules",
        "intro": f"The {len(RULES)} rules of `keju check`. `keju check --explain CODE` tells one of them.",
        "groups": {
            "A": "Sounds",
            "F": "Files",
            "I": "Pictures",
            "L": "Language",
            "Q": "Questions",
            "S": "The whole set",
        },
        "severities": {"error": "error", "warning": "warning", "note": "note"},
        "head": ("code", "name", "severity", "finds"),
        "good": "good",
        "bad": "bad",
        "source": "source",
        "only": "only for",
        "thresholds": "thresholds",
    },
    "zh": {
        "title": "检查规则",
        "intro": f"`keju check` 的 {len(RULES)} 条规则。`keju check --explain 代码 --lang zh` 说明其中一条。",
        "groups": {"A": "录音", "F": "文件", "I": "图片", "L": "语言", "Q": "题目", "S": "整套"},
        "severities": {"error": "错误", "warning": "警告", "note": "提示"},
        "head": ("代码", "名称", "程度", "查什么"),
        "good": "正例",
        "bad": "反例",
        "source": "出处",
        "only": "只用于",
        "thresholds": "阈值",
    },
}


def pages(language: str) -> dict[str, str]:
    words = WORDS[language]
    parts = [f"# {words['title']}\n", words["intro"] + "\n"]
    for letter, group in groupby(RULES.values(), key=lambda rule: rule.code[0]):
        rules = list(group)
        parts += [f"## {letter} {words['groups'][letter]}\n", table(words["head"], [_row(r, language) for r in rules])]
        parts += [_told(rule, language) for rule in rules]
    return {"reference/rules.md": "\n".join(parts)}


def _row(rule: Rule, language: str) -> tuple[str, str, str, str]:
    severity = WORDS[language]["severities"][rule.severity]
    return f"[{rule.code}](#{rule.code.lower()})", code(rule.name), severity, plain(_in(rule.title, language))


def _told(rule: Rule, language: str) -> str:
    words = WORDS[language]
    lines = [(words["good"], rule.good), (words["bad"], rule.bad)]
    if rule.paper:
        lines.append((words["source"], rule.paper.replace("000 ", "TCO-Dataset ").replace("001 ", "Multi-TW ")))
    if rule.profile:
        lines.append((words["only"], rule.profile))
    if rule.thresholds:
        lines.append((words["thresholds"], ", ".join(f"{name} = {value}" for name, value in rule.thresholds.items())))
    colon = "：" if language == "zh" else ": "
    said = "\n".join(f"- {name}{colon}{plain(text)}" for name, text in lines)
    head = f"### {rule.code} {{ #{rule.code.lower()} }}"
    kind = f"{code(rule.name)}, {words['severities'][rule.severity]}"
    return f"{head}\n\n**{plain(_in(rule.title, language))}** ({kind})\n\n{plain(_in(rule.why, language))}\n\n{said}\n"


def _in(text: str, language: str) -> str:
    return in_chinese(text) if language == "zh" else text
