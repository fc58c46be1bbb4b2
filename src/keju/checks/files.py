"""Rules F2: the encoding of files, and the layout of their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from keju.checks.finding import Finding
from keju.checks.problems import met
from keju.checks.rule import Group, Rule
from keju.errors import Misuse
from keju.formats.names import safe_name
from keju.formats.question_text import mark_of
from keju.formats.tco_item import KEPT, texts_of
from keju.items import Item
from keju.phrase import Phrase

GROUP = Group()
_SCRIPTS = '000 "Quality Assurance and Validation"'

met(
    GROUP,
    "F201",
    "encoding-not-utf8",
    "warning",
    "encoding_not_utf8",
    title=Phrase("a file is not UTF-8", "文件不是 UTF-8 编码"),
    why=Phrase(
        "Other programs stop at its first Chinese character, or show wrong ones without a word.",
        "其他程序读到第一个汉字就会出错，或者不声不响地显示乱码。",
    ),
    good="UTF-8 without BOM",
    bad="GB18030 (GBK), Big5, UTF-16",
    paper=_SCRIPTS,
    remedy=Phrase("look at the text once, then save the file as UTF-8", "请先核对文字，再把文件另存为 UTF-8"),
)


met(
    GROUP,
    "F202",
    "byte-order-mark",
    "warning",
    "encoding_bom",
    title=Phrase("a file begins with a byte order mark", "文件开头有 BOM"),
    why=Phrase(
        "The mark is invisible; other programs take it for a part of the question or of the first column's name.",
        "BOM 看不见，其他程序会把它当成题干或列名的一部分。",
    ),
    good="UTF-8 without BOM",
    bad="UTF-8 with BOM, as old Notepad saves it",
    paper=_SCRIPTS,
    remedy=Phrase("save the file as UTF-8 without BOM", "请另存为“UTF-8（无 BOM）”"),
)


met(
    GROUP,
    "F203",
    "encoding-unknown",
    "error",
    "encoding_unknown",
    title=Phrase("no encoding fits a file", "无法判断文件的编码"),
    why=Phrase(
        "The file is damaged, or mixes two encodings; guessing would put wrong characters into the exam.",
        "文件损坏，或者混用了两种编码；猜测会把错字带进考题。",
    ),
    good="one encoding from the first byte to the last",
    bad="a UTF-8 file into which GBK lines were pasted",
    paper=_SCRIPTS,
    remedy=Phrase(
        "open the file where it was written, correct the broken characters and save it as UTF-8",
        "请用原来的软件打开，改正乱码，再存为 UTF-8",
    ),
)


met(
    GROUP,
    "F204",
    "encoding-ambiguous",
    "error",
    "encoding_ambiguous",
    title=Phrase("a file makes sense in two encodings", "文件用两种编码都读得通"),
    why=Phrase(
        "Read in the wrong one it shows other, quite possible characters; only its author can tell.",
        "用错编码会读出另一些像样的字，只有作者能判断。",
    ),
    good="a file in UTF-8",
    bad="four characters that are words in GB18030 and in Big5",
    paper=_SCRIPTS,
    remedy=Phrase(
        "save it as UTF-8, or say the encoding: --encoding big5", "请存为 UTF-8，或说明编码：--encoding big5"
    ),
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
