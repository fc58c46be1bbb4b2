"""The text of a question → stem, options and answer. Every way of marking options that authors use is read here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from keju.items import LABELS, Wording
from keju.script import fold_width

_LETTER = r"[A-Za-zＡ-Ｚａ-ｚ]"
_MARK = re.compile(
    rf"\s*(?:[(（\[【]\s*({_LETTER})\s*[)）\]】]|({_LETTER})\s?[.．、:：)）]|([A-ZＡ-Ｚ])[^\S\n]*(?=\n|$))\s*"
)
"""At the start of a line: `(A)`, `（A）`, `A.`, `A、`, `A:`, `A)`; or a letter alone, its option being a picture."""
_INNER_MARK = re.compile(r"(?<![A-Za-z])(?:[(（]([A-ZＡ-Ｚ])[)）]|([A-ZＡ-Ｚ])[.．、])")
"""Within a line, where only the next label in order counts."""
_ANSWER_LINE = re.compile(r"\s*(?:正确|正確|参考|參考)?(?:答案|answer|key)\s*(?:[:：]|是|is)", re.IGNORECASE)
_ANSWER = re.compile(
    r"(?:(?:正确|正確|参考|參考)?(?:答案|ANSWER|ANS|KEY)\s*(?::|是|IS)?\s*)?[(\[【]?\s*([A-Z])\s*[)\]】]?[.。、]?"
)

_NAMED = r"(?-i:(?<![A-Za-z])[A-Z](?![A-Za-z'’]))"
_ABOUT_OPTIONS = re.compile(
    r"以[上下](?:都|皆|均|全|各|选|選|答|说|說|[两兩三四]|所有)|前[两兩三][项項者个個]"
    r"|^\W*(?:[两兩]者)?(?:都|皆|均)(?:非|不?(?:是|对|對|正确|正確))的?\W*$"
    rf"|{_NAMED}\s*(?:和|与|與|及|或|、|/|&|and|or)\s*{_NAMED}|(?:选项|選項|options?|choices?)\s*{_NAMED}|{_NAMED}[项項]"
    rf"|^\W*{_NAMED}\W*$|\b(?:both|neither)\s+{_NAMED}"
    r"|\b(?:all|none|both|any|neither)\s+(?:of\s+)?(?:the\s+)?(?:above|these|them|options?|choices?|others?)\b",
    re.IGNORECASE,
)
"""Texts of options that mean something else, or another thing's place, once the options change places."""


@dataclass(frozen=True, slots=True)
class QuestionText:
    """A stem with its options, taken apart."""

    question: str
    options: Mapping[str, str]
    """Label → text, in label order."""
    as_written: tuple[str, ...] = ()
    """The options' original lines in label order; empty where they bear no marks."""
    trailing: str = ""
    """What stood after the options and is neither."""


def mark_of(line: str) -> tuple[str, str] | None:
    """(label, text) of a line that begins with an option mark, else None. `（Ａ）生` gives (`A`, `生`)."""
    found = _MARK.match(line)
    if found is None:
        return None
    return _label(found), line[found.end() :].strip()


def parse_question(text: str) -> QuestionText | None:
    """Take a question text apart; None where its options cannot be told without guessing.

    The options are the last lines marked from A on, in any order, one or several a line; all before them is the stem.
    Without any mark, five lines are a question and four options (the TCO layout).
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return _marked_lines(lines) or _marked_within("\n".join(lines)) or _five_lines(lines)


def parse_options(lines: Sequence[str]) -> QuestionText | None:
    """Options given as a list: marked, or bare and labelled by position. None where labels repeat.

    A list of letters only (`["A", "B", "C"]`) is options that are pictures: their texts are empty.
    """
    marks = [mark_of(line) for line in lines]
    labels = [mark[0] for mark in marks if mark]
    if not labels:
        return QuestionText("", dict(zip(LABELS, (line.strip() for line in lines), strict=False)))
    if len(labels) < len(lines) or len(set(labels)) < len(labels):
        return None
    return _ordered("", [(mark[0], mark[1], line) for mark, line in zip(marks, lines, strict=True) if mark])


def option_lines(wording: Wording, mark: str = "({label}) {text}") -> tuple[str, ...]:
    """The options as lines: as they were written, where that still gives these options, else each after `mark`."""
    parsed = parse_options(wording.as_written) if wording.as_written else None
    if parsed and parsed.options == dict(wording.options):
        return wording.as_written
    return tuple(mark.format(label=label, text=text).rstrip() for label, text in wording.options.items())


def read_answer(text: str, options: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The key in an answer file and the problem's code.

    (`C`, None) for one offered capital letter; (`C`, `answer_form`) for what unmistakably means it (`c.`, `(C)`,
    `答案：C`, the text of the option); (None, code) for nothing, a letter not offered, or several.
    """
    plain = text.removesuffix("\n").removesuffix("\r")
    if plain in options:
        return plain, None
    folded = unicodedata.normalize("NFKC", plain).strip()
    if not folded:
        return None, "answer_empty"
    by_text = [label for label, option in options.items() if option and option == plain.strip()]
    if found := _ANSWER.fullmatch(folded.upper()):
        return (found[1], "answer_form") if found[1] in options else (None, "answer_not_offered")
    if len(by_text) == 1:
        return by_text[0], "answer_form"
    letters = re.sub(r"[\s,;/、，；和&]|AND", "", folded.upper())
    return None, "answer_several" if len(letters) > 1 and set(letters) <= set(options) else "answer_not_offered"


def names_other_options(text: str) -> bool:
    """Whether an option's text speaks of the others: all of the above, A and B, neither."""
    return _ABOUT_OPTIONS.search(fold_width(text)) is not None


def _label(found: re.Match[str]) -> str:
    letter = str(found[found.lastindex or 0])
    return (letter if letter.isascii() else unicodedata.normalize("NFKC", letter)).upper()


def _ordered(question: str, found: Sequence[tuple[str, str, str]], trailing: str = "") -> QuestionText:
    ordered = sorted(found)
    return QuestionText(
        question.strip(),
        {label: text for label, text, _ in ordered},
        tuple(written for _, _, written in ordered),
        trailing,
    )


def _marked_lines(lines: Sequence[str]) -> QuestionText | None:
    """Options that begin their lines."""
    marked = [(number, mark[0]) for number, line in enumerate(lines) if (mark := mark_of(line))]
    for begin in reversed(range(len(marked))):
        block = [number for number, _ in marked[begin:]]
        labels = [label for _, label in marked[begin:]]
        if len(set(labels)) < len(labels):
            return None
        if "A" not in labels:
            continue
        options, trailing = _options(lines, block, set(labels))
        if len(options) > 1 and "".join(sorted(label for label, _, _ in options)) == LABELS[: len(options)]:
            before = next((label for number, label in marked[:begin] if not any(lines[number + 1 : block[0]])), None)
            if before == LABELS[len(options) : len(options) + 1]:
                continue  # `C. …` right above A and B: third option or end of the stem? Only a longer block tells
            return _ordered("\n".join(lines[: block[0]]), options, trailing)
    return None


def _options(lines: Sequence[str], block: Sequence[int], labels: set[str]) -> tuple[list[tuple[str, str, str]], str]:
    """The options that begin on the lines of `block`: (label, text, as written), and what trails the last."""
    options: list[tuple[str, str, str]] = []
    trailing = ""
    for number, following in zip(block, [*block[1:], len(lines)], strict=True):
        own = list(lines[number:following])
        if following == len(lines):
            own, trailing = _without_trailing(own)
        while own and not own[-1]:
            own.pop()
        for piece in _pieces("\n".join(own), labels):
            if mark := mark_of(piece):
                options.append((*mark, piece))
    return options, trailing


def _without_trailing(lines: list[str]) -> tuple[list[str], str]:
    """Split the last option's lines from what follows: anything after a blank line, or a line that gives the answer."""
    for number, line in enumerate(lines):
        if number and (not line or _ANSWER_LINE.match(line)):
            return lines[:number], "\n".join(lines[number:]).strip()
    return lines, ""


def _pieces(text: str, labels: set[str]) -> list[str]:
    """Cut `A. 生  B. 旦` before each next label in order, unless that label begins a line of its own."""
    if _INNER_MARK.search(text, 1) is None:
        return [text]
    pieces = []
    mark = mark_of(text)
    while mark is not None:
        following = LABELS[LABELS.find(mark[0]) + 1 :][:1]
        cut = None if following in labels else _next_mark(text, following, 1)
        if not cut:
            break
        pieces.append(text[: cut.start()].rstrip())
        text = text[cut.start() :]
        mark = mark_of(text)
    return [*pieces, text]


def _next_mark(text: str, label: str, start: int) -> re.Match[str] | None:
    return next((found for found in _INNER_MARK.finditer(text, start) if _label(found) == label), None)


def _marked_within(text: str) -> QuestionText | None:
    """Options in running text: exactly one A, B, C, … in order after the last A."""
    marks = list(_INNER_MARK.finditer(text))
    labels = "".join(map(_label, marks))
    begin = labels.rfind("A")
    if begin < 0 or len(labels) - begin < 2 or not LABELS.startswith(labels[begin:]):
        return None
    bounds = [mark.start() for mark in marks[begin:]] + [len(text)]
    pieces = [text[start:end].strip() for start, end in pairwise(bounds)]
    question = text[: bounds[0]].strip()
    found = [
        (_label(mark), text[mark.end() : end].strip()) for mark, end in zip(marks[begin:], bounds[1:], strict=True)
    ]
    return _ordered(question, [(label, option, piece) for (label, option), piece in zip(found, pieces, strict=True)])


def _five_lines(lines: Sequence[str]) -> QuestionText | None:
    """The paper's layout without marks: line 1 the question, lines 2-5 the options."""
    told = [line.strip() for line in lines if line.strip()]
    if len(told) != 5 or any(mark_of(line) for line in told[1:]):
        return None
    return QuestionText(told[0], dict(zip(LABELS, told[1:], strict=False)))
