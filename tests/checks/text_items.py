"""Items of words, and what the rules on words find in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark
from keju.checks import Finding, Marks, check, rules_for
from keju.items import Item, Medium, Wording
from keju.script import HAN

ZH = {"A": "青衣", "B": "花脸", "C": "老生", "D": "文丑"}
EN = {"A": "virtuous lady", "B": "painted face", "C": "old man", "D": "civil clown"}
STEM = "图中角色属于哪个行当？"


def item(
    item_id: str = "0001",
    question: str = STEM,
    options: dict[str, str] | None = None,
    answer: str | None = "C",
    *,
    language: str = "zh-Hans",
    instruction: str = "",
    en: tuple[str, dict[str, str]] | None = None,
    media: tuple[Medium, ...] = (),
    **more: Any,
) -> Item:
    """An item in Chinese, with an English wording where `en` gives one."""
    wordings = {language: Wording(language, question, options or ZH, instruction)}
    if en:
        wordings["en"] = Wording("en", *en)
    return Item(item_id, wordings, answer, media, **more)


def picture(name: str = "0001.png") -> tuple[Medium, ...]:
    """A picture of which only the name is known."""
    return (Medium("image", name),)


def findings(*items: Item, marks: Marks | None = None, **benchmark: Any) -> list[Finding]:
    """What the rules on words find; those on pictures and sounds are left out."""
    made = Benchmark("made", items, **benchmark)
    return words_only(made, marks)


def words_only(benchmark: Benchmark, marks: Marks | None = None) -> list[Finding]:
    rules = [rule for rule in rules_for(benchmark) if rule.subject not in ("image", "audio", "media")]
    return check(benchmark, rules=rules, marks=marks)


def codes(*items: Item, **benchmark: Any) -> list[str]:
    """The codes of what is found, in order, each once."""
    return sorted({finding.code for finding in findings(*items, **benchmark)})


def lay(folder: Path, **files: str | bytes) -> Path:
    """Files `_0001_md="…"` (→ `0001.md`) in a folder."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / (name if "." in name else name.strip("_").replace("_", "."))
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def speaks_both(finding: Finding) -> bool:
    """Whether message and remedy are there in both languages, the Chinese one in Chinese."""
    import re

    spoken: Callable[[str], bool] = lambda text: len(re.findall(f"[{HAN}]", text)) >= 2  # noqa: E731
    return all(phrase and spoken(phrase.zh) for phrase in (finding.message, finding.remedy))
