"""Rules L on single characters: what people do not see, or see as one thing and programs as another."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from keju.checks.finding import Finding
from keju.checks.problems import met
from keju.checks.rule import Group, Rule
from keju.checks.texts import texts_in
from keju.formats.encodings import INVISIBLE
from keju.items import Item, same_language
from keju.phrase import Phrase, listed
from keju.script import HAN

GROUP = Group()
_SCRIPTS = '000 "Quality Assurance and Validation"'
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_FULL_WIDTH = re.compile("[Ａ-Ｚａ-ｚ０-９]")
_BESIDE_HAN = re.compile(f"(?<=[{HAN}])([,;:?!()])|([()])(?=[{HAN}])")
_TAGS = re.compile(
    r"</?(?:br|p|div|span|b|i|u|em|strong|sub|sup|font|img|table|t[rdh])(?:\s+[a-z-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE
)
_ENTITIES = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,6});")
_KNOWN_RUINS = ("锟斤拷", "烫烫烫", "屯屯屯", "\ufffd")
"""What decoders leave: U+FFFD, its UTF-8 read as GBK, and memory that was never written."""


@GROUP.rule(
    "L301",
    "width-mixture",
    "note",
    "item",
    title=Phrase("full-width and half-width characters are mixed", "全角与半角字符混用"),
    why=Phrase(
        "Ａ and A look alike; a program that searches for one does not find the other, and models read other tokens.",
        "“Ａ”与“A”看起来一样，程序却找不到，模型读到的也是不同的字符。",
    ),
    good="图中A点，是哪里？",
    bad="图中Ａ点,是哪里？",
    paper=_SCRIPTS,
)
def _widths(item: Item, rule: Rule) -> Iterator[Finding]:
    for tag, where, text in texts_in(item):
        full = list(dict.fromkeys(_FULL_WIDTH.findall(text)))
        half = list(dict.fromkeys(first or second for first, second in _BESIDE_HAN.findall(text)))
        half = [mark for mark in half if chr(ord(mark) + 0xFEE0) in text] if same_language(tag, "zh") else []
        said = [Phrase(f"{char} in full width", f"全角的 {char}") for char in full]
        said += [Phrase(f"{mark} beside {chr(ord(mark) + 0xFEE0)}", f"半角的 {mark} 与全角混用") for mark in half]
        if said:
            told = listed(said, 6)
            yield rule.finding(
                Phrase(f"{where} has {told}", f"{where.zh}中有{told.zh}"),
                Phrase(
                    "letters and digits half-width; punctuation of Chinese text full-width",
                    "字母和数字用半角；中文标点用全角",
                ),
                item=item.id,
                characters="".join(full + half),
            )


@GROUP.rule(
    "L302",
    "invisible-characters",
    "warning",
    "item",
    title=Phrase("a text holds invisible characters", "文本中有不可见字符"),
    why=Phrase(
        "Zero-width spaces come along when text is pasted; models read them, and comparisons fail without a reason.",
        "零宽空格往往是复制时带来的；模型会读到它们，比较时也会莫名其妙地不相等。",
    ),
    good="(A) 生",
    bad="U+200B before (A) 生",
    paper=_SCRIPTS,
)
def _invisible(item: Item, rule: Rule) -> Iterator[Finding]:
    yield from _named(item, rule, _INVISIBLE)


met(
    GROUP,
    "L303",
    "invisible-in-file",
    "warning",
    "invisible_characters",
    title=Phrase("a file holds invisible characters", "文件中有不可见字符"),
    why=Phrase(
        "keju passes over them; a script that compares the answer with a letter does not, and the item is never right.",
        "keju 会跳过它们；但逐字比较答案的脚本不会，该题就怎么答都不对。",
    ),
    good="C",
    bad="C and U+200B",
    paper=_SCRIPTS,
    remedy=Phrase(
        "delete the characters before and after the place and type them again, or run keju check --fix",
        "请删去该处前后的字符重新输入，或运行 keju check --fix",
    ),
)


@GROUP.rule(
    "L304",
    "private-use",
    "warning",
    "item",
    title=Phrase("a character exists in one font only", "使用了专用区或未定义的字符"),
    why=Phrase(
        "Private-use and unassigned characters show as boxes elsewhere; a model reads nothing of them.",
        "专用区和未定义的字符在别处显示为方框，模型也读不懂。",
    ),
    good="旦",
    bad="U+E815, which an old font shows as a rare character",
)
def _private_use(item: Item, rule: Rule) -> Iterator[Finding]:
    yield from _of_category(item, rule, ("Co", "Cn"))


@GROUP.rule(
    "L305",
    "control-characters",
    "warning",
    "item",
    title=Phrase("a text holds control characters", "文本中有控制字符"),
    why=Phrase(
        "They are commands to a terminal or leftovers of another program; they break files and prompts.",
        "这是给终端的指令或其他程序的残留，会破坏文件和提示词。",
    ),
    good="two lines",
    bad="two lines with a form feed between them",
)
def _control(item: Item, rule: Rule) -> Iterator[Finding]:
    yield from _of_category(item, rule, ("Cc",))


@GROUP.rule(
    "L306",
    "mojibake",
    "error",
    "item",
    title=Phrase("a text was read in a wrong encoding", "文本是乱码"),
    why=Phrase(
        "The words were lost when a file was opened in a wrong encoding and saved; nobody can answer the item.",
        "文件曾以错误的编码打开并保存，文字已经损坏，谁也无法作答。",
    ),
    good="图中是什么剧种？",
    bad="鍥句腑鏄\ue21b粈涔堝墽绉嶏紵, å›¾ä¸­, 锟斤拷",
    paper=_SCRIPTS,
)
def _mojibake(item: Item, rule: Rule) -> Iterator[Finding]:
    for _, where, text in texts_in(item):
        ruin = next((ruin for ruin in _KNOWN_RUINS if ruin in text), None)
        mended = _mended(text)
        if ruin or mended:
            meant = (
                Phrase(f"; {mended[:20]!r} was meant?", f"；原文可能是“{mended[:20]}”") if mended else Phrase("", "")
            )
            yield rule.finding(
                Phrase(f"{where} is ruined: {text[:20]!r}{meant}", f"{where.zh}是乱码：“{text[:20]}”{meant.zh}"),
                Phrase(
                    "write the text again from its source, and save the file as UTF-8",
                    "请按原始材料重新输入，并把文件存为 UTF-8",
                ),
                item=item.id,
            )


@GROUP.rule(
    "L308",
    "markup-left",
    "note",
    "item",
    title=Phrase("a text holds HTML", "文本中残留 HTML"),
    why=Phrase(
        "It came along from a web page; the model reads the tags, people do not.",
        "这是从网页复制时带来的；人看不到标签，模型却会读到。",
    ),
    good="H2O",
    bad="H<sub>2</sub>O, 生&nbsp;旦",
)
def _markup(item: Item, rule: Rule) -> Iterator[Finding]:
    for _, where, text in texts_in(item):
        entities = [entity for entity in _ENTITIES.findall(text) if html.unescape(entity) != entity]
        found = list(dict.fromkeys([*_TAGS.findall(text), *entities]))
        if found:
            names = listed(found, 5)
            yield rule.finding(
                Phrase(f"{where} holds {names}", f"{where.zh}中有 {names.zh}"),
                Phrase("write it as plain text", "请改写成普通文字"),
                item=item.id,
            )


def _named(item: Item, rule: Rule, pattern: re.Pattern[str]) -> Iterator[Finding]:
    """A finding for each text in which characters match."""
    for _, where, text in texts_in(item):
        if found := list(pattern.finditer(text)):
            yield _of_characters(item, rule, where, [(match.start() + 1, match[0]) for match in found])


def _of_category(item: Item, rule: Rule, categories: tuple[str, ...]) -> Iterator[Finding]:
    for _, where, text in texts_in(item):
        if text.isprintable():  # far quicker than a look at each character, and true of nearly all texts
            continue
        found = [
            (place, char)
            for place, char in enumerate(text, 1)
            if unicodedata.category(char) in categories and char not in "\n\t\r"
        ]
        if found:
            yield _of_characters(item, rule, where, found)


def _of_characters(item: Item, rule: Rule, where: Phrase, found: list[tuple[int, str]]) -> Finding:
    names = listed(
        [Phrase(f"U+{ord(char):04X} at {place}", f"U+{ord(char):04X}（第 {place} 字）") for place, char in found], 5
    )
    return rule.finding(
        Phrase(f"{where} holds {names}", f"{where.zh}中有 {names.zh}"),
        Phrase("delete it and type the text around it again", "请删去该字符，并重新输入前后的文字"),
        item=item.id,
        characters=[f"U+{ord(char):04X}" for _, char in found],
    )


def _mended(text: str) -> str | None:
    """The text that was meant, where UTF-8 was read as GB18030 or as Windows' Latin; None where it may be right."""
    if text.isascii():
        return None
    for wrong in ("gb18030", "cp1252", "latin-1"):
        try:
            meant = text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
        if re.search(f"[{HAN}]{{2}}" if wrong == "gb18030" else f"[{HAN}\u00c0-\u017f\u2010-\u2027]", meant):
            return meant
    return None
