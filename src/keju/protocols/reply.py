"""What a reply shows once its wrapping is off: reasoning, code fence, decoration; and whether it declines to answer."""

from __future__ import annotations

import json
import re
from typing import Any

from keju.protocols.extraction import Extraction, Seen
from keju.script import fold


def beginning(first: str, pattern: str) -> re.Pattern[str]:
    """`pattern` in any case. Each of its matches begins with a character of `first` (in lower case), which is looked at
    alone before anything else: in a reply of megabytes nearly no place passes.
    """
    either = first + first.upper() + "ſİıK"  # these four are s, i and k to `re.IGNORECASE`
    return re.compile(f"(?-i:(?=[{either}]))(?:{pattern})", re.IGNORECASE)


AS_WORD = r"[A-Za-z0-9À-ɏ]|['’-][A-Za-z]"
"""What makes a letter part of a word by following it: B of `Beard`, I of `I'm`, Z of `Z-like`. Han does not."""

_TAG = r"(?:think|thinking|thought|reasoning)"
_CLOSED = re.compile(rf"</{_TAG}>|◁/think▷", re.IGNORECASE)
_OPENED = re.compile(rf"\s*(?:<{_TAG}>|◁think▷)", re.IGNORECASE)
_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\n")

_JOINED = re.compile(
    rf"\s*(?:(?:or|and|/|&|、|或者?|和|及|[与與])\s*[(（\[]?(?P<either>[A-Z])(?!{AS_WORD})"
    rf"|[,，]\s*[(（\[]?(?P<listed>[A-Z])[)）\]]?[ \t]*(?=$|[\n,，.。、)）\]]))"
)

_SPECIAL_TOKEN = re.compile(r"</?s>|<\|[\w-]{1,40}\|>|<eo[a-z]>")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")  # zero-width space and joiners, direction marks, BOM
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|rm|bf)\s*\{([^{}]*)\}")
_DECORATION = re.compile(r"[*`$]|\\[()\[\]]")

_DECIDE = r"(?:determine|identify|answer|decide|choose|select)"
_SHOWN = r"(?:image|picture|photo|figure|diagram|graph|chart|audio|clip|recording|context|information|details?|data)"
_SHOWN_ZH = r"(?:信息|资讯|资料|线索|上下文|背景|图|照片|画面|音频|录音|声音|选项)"
_REFUSAL = beginning(
    "saicdlnpu抱对很无不看听难没未拒缺信资线条题请",
    # whoever answers cannot, or will not
    r"\b(?:sorry|as an ai|(?:i'm|i am|am) (?:unable|not able)|i (?:can't|cannot|can not|couldn't|won't)"
    rf"|i (?:don't|do not) (?:know|have (?:enough|any|access|the ability)|see (?:any|an?|the) {_SHOWN})"
    r"|i (?:must |have to )?(?:decline|refuse) to"
    rf"|(?:cannot|can not|can't|could not|couldn't) (?:be )?(?:determined|identified|answered|{_DECIDE})"
    rf"|(?:unable|not able) to (?:{_DECIDE}|see|view|access|process|interpret|help|assist)"
    rf"|(?:impossible|not possible) to (?:\w+ly )?(?:{_DECIDE}(?! the (?:exact|precise))"
    r"|(?:give|provide) an? (?:\w+ ){0,2}answer)"
    r"|answer cannot be (?:given|provided)"
    # what was asked is not enough to answer
    rf"|(?:does|do|did)(?: not|n't) (?:provide|give|contain|include|have|offer) (?:\w+ ){{0,3}}?{_SHOWN}"
    rf"|(?:not enough|not sufficient|insufficient|lacks(?: \w+)?) {_SHOWN}"
    r"|(?:not sufficient|insufficient) to (?:answer|determine|solve)"
    rf"|no {_SHOWN}s?(?: or \w+)? (?:(?:is|are|was|were) )?(?:provided|given|attached|available|included)"
    r"|please (?:provide|share|upload|attach|supply|clarify))\b"
    # and in Chinese, folded to Simplified
    r"|抱歉|对不起|很遗憾|无法|不知道|不晓得|不清楚|不确定|看不清|听不[清到见]"
    r"|(?:不能|难以|没法|没办法)(?:判断|确定|识别|回答|作答|提供|给出|推断|辨认|辨别)"
    r"|(?:拒绝|不便|不予|不愿|不想)(?:回答|作答)"
    rf"|(?:没有?|未)(?:提供|给出|附上?|看到|见到|收到|听到)(?:足够|任何|相关|具体|必要|完整)?的?{_SHOWN_ZH}"
    rf"|缺[少乏](?:足够|任何|相关|具体|必要|完整)?的?{_SHOWN_ZH}|(?:信息|资讯|资料|线索|条件)不[足够]"
    r"|题目(?:信息)?不(?:完整|清楚|明确)|请(?:您|你)?(?:提供|上传|补充|附上)",
)

_ANSWERS = beginning(
    "a答",
    rf"(?:\banswer|答案)(?:[\s】:(\[]|is|为|是|应该?|选){{1,8}}(?-i:[A-HJ-Z])(?!{AS_WORD})",  # I is who speaks
)


def visible(text: str) -> str:
    """The reply without its reasoning block; empty where the block never ends.

    Everything up to the last closing tag is reasoning: the opening one may stand in the model's own template. A tag
    that is never closed opens a block only at the start of the reply; anywhere else it is a mention.
    """
    start = _end_of_reasoning(text)
    return "" if _OPENED.match(text, start) else text[start:]


def unclosed(text: str) -> bool:
    """Whether the reply ends inside a reasoning block: it was cut, whatever the server said."""
    return _OPENED.match(text, _end_of_reasoning(text)) is not None


def _end_of_reasoning(text: str) -> int:
    return max((tag.end() for tag in _CLOSED.finditer(text)), default=0)


def unfenced(text: str) -> str:
    """The inside of a code fence that encloses the whole reply."""
    opened, end = _FENCE.match(text), len(text.rstrip()) - 3
    if opened is None or end < opened.end() or not text.startswith("```", end):
        return text
    return text[opened.end() : end].rstrip(" \t").removesuffix("\n")


def json_object(text: str) -> dict[str, Any] | None:
    """The reply as a JSON object; None where it is not one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # RecursionError: a reply of ten thousand brackets
        return None
    return value if isinstance(value, dict) else None


def plain(text: str) -> str:
    """The reply folded (width, script) and without Markdown, LaTeX and special-token decoration."""
    text = fold(_INVISIBLE.sub("", _SPECIAL_TOKEN.sub("", text))).replace("’", "'")
    return _DECORATION.sub("", _LATEX_TEXT.sub(r"\1", text))


def joined_label(text: str, end: int) -> str | None:
    """The second of two labels named in one breath (`A or B`, `A、C`, `A, C`), where the first ends at `end`."""
    match = _JOINED.match(text, end)
    return (match["either"] or match["listed"]) if match else None


def declines(text: str) -> bool:
    """Whether the reply says that it will not or cannot answer, in English or Chinese."""
    return _REFUSAL.search(plain(text)) is not None


def unread(seen: Seen) -> Extraction:
    """Why a reply in which a parser found nothing gives no label."""
    if seen.truncated or unclosed(seen.text):
        return Extraction(None, "truncated")
    shown = visible(seen.text)
    if not shown.strip():
        return Extraction(None, "empty")
    declined = declines(shown) and not _ANSWERS.search(plain(shown))
    return Extraction(None, "refusal" if declined else "no-label")
