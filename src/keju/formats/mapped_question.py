"""Options and answer of a row, in the many ways that data sets write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from keju.formats.placeholders import as_text, is_empty, structured
from keju.formats.question_text import QuestionText, parse_options, parse_question, read_answer
from keju.formats.tco_item import ANSWER_FAULTS
from keju.items import LABELS
from keju.phrase import Phrase

_NUMBER_MARK = re.compile(r"\s*[(（]?\s*(\d{1,2})\s*[)）.．、:：]\s*")


class LeftOutError(Exception):
    """Ends the reading of a row with the problem that costs its item."""

    def __init__(self, code: str, message: Phrase) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def question_in(text: str) -> QuestionText | None:
    """A question whose options stand in its own text; None where they cannot be told without guessing."""
    parsed = parse_question(text)
    return parsed if parsed and _complete(parsed.options) else None


def options_in(question: str, cells: Any, separator: str | None) -> QuestionText | None:
    """Question and options, these from a cell each, a list, an object by label, or a text with marks or separators."""
    cells = structured(cells)
    if isinstance(cells, Mapping):
        filled = {str(label): as_text(text) for label, text in cells.items() if text is not None}
        if all(re.fullmatch("[A-Z]", label) for label in filled):
            ordered = dict(sorted(filled.items()))
            return QuestionText(question, ordered) if _complete(ordered) else None
        cells = list(filled.values())
    if isinstance(cells, str):
        cells = _split(cells, separator)
    if not isinstance(cells, list):
        return None
    while cells and is_empty(cells[-1]):
        cells = cells[:-1]
    texts = ["" if text is None else as_text(text).strip() for text in cells]
    if any(cell is None for cell in cells) or not 2 <= len(texts) <= len(LABELS):
        return None
    return _unmarked(question, texts)


def key_in(value: Any, options: Mapping[str, str], answer_is: str) -> tuple[str, Phrase | None]:
    """The key's label, and what to say of its form (None where it is as it should be). Raises `LeftOutError`."""
    value = value if answer_is == "text" else structured(value)  # an option may itself look like a list
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = as_text(value).strip()
    label: str | None = None
    code: str | None
    if not text:
        code = "answer_empty"
    elif isinstance(value, list):
        code = "answer_several"
    else:
        label, code = _key(text, options, answer_is)
    shown = {"text": text.replace("\n", ", "), "labels": ", ".join(options), "label": label or ""}
    if label is None:
        raise LeftOutError(str(code), ANSWER_FAULTS[str(code)].filled(**shown))
    return label, ANSWER_FAULTS[code].filled(**shown) if code else None


def _key(text: str, options: Mapping[str, str], answer_is: str) -> tuple[str | None, str | None]:
    labels = list(options)
    if answer_is == "text":
        return _by_text(text, options)
    number = re.fullmatch(r"[(（]?\s*(\d{1,2})(?:\.0+)?\s*[)）.、]?", text)
    if answer_is == "letter" or (answer_is == "mark" and not number):
        return read_answer(text, options)
    position = int(number[1]) - (answer_is != "number from 0") if number else -1
    return (labels[position], None) if 0 <= position < len(labels) else (None, "answer_not_offered")


def _by_text(text: str, options: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The option of this text; failing that, the only one that differs in width, case or space alone."""
    same = [label for label, option in options.items() if option.strip() == text]
    if len(same) == 1:
        return same[0], None
    near = [label for label, option in options.items() if _folded(option) == _folded(text)]
    if len(near) == 1 and not same:
        return near[0], "answer_form"
    return None, "answer_several" if same or near else "answer_not_offered"


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()


def _split(text: str, separator: str | None) -> list[Any]:
    if separator:
        return re.split(f"[{re.escape(separator)}]", text)
    whole = parse_question(text)
    if whole and not whole.question:
        return list(whole.as_written or whole.options.values())
    return [line for line in text.split("\n") if line.strip()]


def _unmarked(question: str, texts: list[str]) -> QuestionText | None:
    """Options by position, without the marks that they bear in order: `A.` to `D.`, or `(1)` to `(4)`."""
    expected = LABELS[: len(texts)]
    marked = parse_options(texts)
    if marked and marked.as_written and "".join(marked.options) == expected and texts == list(marked.as_written):
        return QuestionText(question, marked.options, marked.as_written)
    numbers = [_NUMBER_MARK.match(text) for text in texts]
    if [int(found[1]) for found in numbers if found] == list(range(1, len(texts) + 1)):
        bare = [text[found.end() :].strip() for text, found in zip(texts, numbers, strict=True) if found]
        return QuestionText(question, dict(zip(expected, bare, strict=True)), tuple(texts))
    return QuestionText(question, dict(zip(expected, texts, strict=True)))


def _complete(options: Mapping[str, str]) -> bool:
    return len(options) > 1 and "".join(options) == LABELS[: len(options)]
