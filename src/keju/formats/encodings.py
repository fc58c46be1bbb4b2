"""Bytes → text. What is not UTF-8 is read where its encoding is named, marked, or the only one that makes sense."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from keju.errors import BadFile, Misuse
from keju.phrase import Phrase

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = (
    # encoding, lead bytes of its most common Han characters (level 1 of the standard), possible second bytes
    ("gb18030", range(0xB0, 0xD8), (range(0xA1, 0xFF),)),
    ("big5", range(0xA4, 0xC7), (range(0x40, 0x7F), range(0xA1, 0xFF))),
)
_CODEC = {"big5": "cp950"}
"""Big5 as it is met: Microsoft's form, with 裏, 恒 and five more characters that the bare standard lacks."""
_SENSIBLE = 0.9
"""Share of wide characters that must be common Han or punctuation. Of 2,309 real sentences in GB18030 and Big5, cut to
4, 12 and 40 characters or whole, none was taken for the other encoding; a tenth of the shortest is ambiguous."""

_OTHER_ALPHABETS = re.compile("[\u0250-\u036f\u0400-\u07ff]")
"""Neither Latin nor Greek, which formulas and names bring along."""

_NULS = Phrase(
    "holds NUL bytes: it is no text, damaged, or UTF-16 without its mark (--encoding utf-16-le). Save it as UTF-8",
    "含有 NUL 字节：不是文本、已损坏，或是不带 BOM 的 UTF-16（--encoding utf-16-le）。请另存为 UTF-8",
)

INVISIBLE = "\u200b\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Zero-width spaces, soft hyphens and direction marks: pasted along, seen by parsers only. Joiners are text."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]")


class EncodingUnclear(BadFile):
    """The bytes fit no encoding, or more than one (`code` says which); never guessed."""

    def __init__(self, place: object, what: Phrase, code: str) -> None:
        super().__init__(Phrase(f"{place}: {what}", f"{place}：{what.zh}"))
        self.what = what
        self.code = code


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str

    @property
    def code(self) -> str | None:
        """Problem code: `encoding_not_utf8`, `encoding_bom`, or None for plain UTF-8."""
        return {"utf-8": None, "utf-8-sig": "encoding_bom"}.get(self.encoding, "encoding_not_utf8")

    @property
    def message(self) -> Phrase:
        if self.encoding == "utf-8-sig":
            return Phrase(
                "begins with a byte order mark; it was read. Save it as UTF-8 without BOM",
                "文件开头有 BOM；已读取，请另存为不带 BOM 的 UTF-8",
            )
        return Phrase(
            f"is not UTF-8; it was read as {self.encoding}. Look at it once, then save it as UTF-8",
            f"不是 UTF-8 编码；已按 {self.encoding} 读取，请核对文字后另存为 UTF-8",
        )


def decode(data: bytes, place: object, encoding: str | None = None) -> Decoded:
    """The text of `data`. `encoding` is that of files that are not UTF-8; `place` names the file in messages.

    Raises `EncodingUnclear` where none or several encodings fit, `Misuse` for an unknown `encoding`.
    """
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return Decoded(_strictly(data, marked, place), marked)
    text = _utf8(data)
    if text is not None and not _may_be_chance(text):
        return Decoded(text, "utf-8")
    if encoding is not None:
        return Decoded(_strictly(data, known_encoding(encoding), place), encoding)
    fitting = ["utf-8"] * (text is not None) + [name for name, _, _ in _CANDIDATES if _makes_sense(data, name)]
    if len(fitting) == 1:
        return Decoded(_strictly(data, fitting[0], place), fitting[0])
    remedy = Phrase(
        "Say which it is: --encoding gb18030, --encoding big5, …", "请说明编码：--encoding gb18030、--encoding big5 等"
    )
    if fitting:
        both = Phrase(
            f"its bytes make sense as {' and as '.join(fitting)}. {remedy}",
            f"按 {' 和 '.join(fitting)} 都读得通。{remedy.zh}",
        )
        raise EncodingUnclear(place, both, "encoding_ambiguous")
    unknown = Phrase(
        f"not UTF-8, and no encoding that keju knows fits. {remedy}", f"不是 UTF-8，也不合任何已知编码。{remedy.zh}"
    )
    raise EncodingUnclear(place, _NULS if 0 in data else _mixed(data) or unknown, "encoding_unknown")


def known_encoding(encoding: str) -> str:
    """`encoding` itself. Raises `Misuse` where Python has no text encoding of that name."""
    try:
        "".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        raise Misuse(f"unknown encoding {encoding!r}; known are utf-8, gb18030, big5, utf-16, …") from None
    return encoding


def without_invisible(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text without `INVISIBLE` characters, and where they stood: (line, column, `U+200B`), both from 1."""
    if _INVISIBLE.search(text) is None:
        return text, []
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        found += [(number, match.start() + 1, f"U+{ord(match[0]):04X}") for match in _INVISIBLE.finditer(line)]
    return _INVISIBLE.sub("", text), found


def _utf8(data: bytes) -> str | None:
    if 0 in data:  # UTF-16 without its mark, or no text
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _may_be_chance(text: str) -> bool:
    """Whether the text could be a word or two of GB18030 that happen to be UTF-8: `一` is `һ`, `为` is `Ϊ`."""
    if text.isascii() or max(text) > "\u07ff":
        return False
    return _OTHER_ALPHABETS.search(text) is not None or re.search("[A-Za-z]", text) is None


def _strictly(data: bytes, encoding: str, place: object) -> str:
    try:
        return data.decode(_CODEC.get(encoding.lower(), encoding))
    except UnicodeDecodeError as error:
        what = Phrase(
            f"not {encoding} throughout (byte {error.start}): the file is damaged or in another encoding",
            f"不全是 {encoding}（第 {error.start} 字节起）：文件已损坏，或是其他编码",
        )
        raise EncodingUnclear(place, what, "encoding_unknown") from None


def _mixed(data: bytes) -> Phrase | None:
    """Which lines are in which encoding, where a file mixes UTF-8 with another one; None where it does not."""
    first: dict[str, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.isascii():
            fitting = ["utf-8"] if _utf8(line) is not None else [n for n, _, _ in _CANDIDATES if _makes_sense(line, n)]
            first |= {name: first.get(name, number) for name in fitting[:1]}
    if len(first) < 2 or "utf-8" not in first:
        return None
    (one, here), (other, there) = list(first.items())[:2]
    return Phrase(
        f"mixes encodings: line {here} is {one}, line {there} is {other}. Write it anew as UTF-8",
        f"混用了编码：第 {here} 行是 {one}，第 {there} 行是 {other}。请重新存为 UTF-8",
    )


def _makes_sense(data: bytes, encoding: str) -> bool:
    try:
        wide = [char for char in data.decode(_CODEC.get(encoding, encoding)) if char > "\x7f"]
    except UnicodeDecodeError:
        return False
    common = _common(encoding)
    return bool(wide) and sum(char in common or _is_punctuation(char) for char in wide) >= _SENSIBLE * len(wide)


def _is_punctuation(char: str) -> bool:
    return "\u2010" <= char <= "\u2027" or "\u3000" <= char <= "\u301f" or "\uff01" <= char <= "\uff5e"


@cache
def _common(encoding: str) -> frozenset[str]:
    leads, trails = next((leads, trails) for name, leads, trails in _CANDIDATES if name == encoding)
    return frozenset(_decodable(encoding, leads, (second for trail in trails for second in trail)))


def _decodable(encoding: str, leads: Iterable[int], seconds: Iterable[int]) -> Iterable[str]:
    second_bytes = list(seconds)
    for lead in leads:
        for second in second_bytes:
            yield from bytes((lead, second)).decode(encoding, "ignore")
