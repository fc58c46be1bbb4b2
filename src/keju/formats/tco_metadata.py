"""The JSON beside a TCO item: metadata. Translations are taken from it, all else is compared with the files or kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keju.formats.encodings import without_invisible
from keju.formats.field_names import NESTED, known_field, language_named, plain
from keju.formats.language import language_of
from keju.formats.names import folded
from keju.formats.question_text import mark_of, parse_options, parse_question
from keju.items import Item, Wording, same_language
from keju.phrase import Phrase

KNOWN = ("id", "image", "question_file", "answer_file", "question_text", "options", "answer")
"""The paper's keys, in its order."""
OWN = ("language", "instruction", "audio", "translation")
"""Keys that keju writes where an item has more than the paper's layout holds."""
Fault = tuple[str, Phrase]
"""Problem code and message."""


def wordings_of(document: Mapping[str, Any], original: Wording) -> tuple[dict[str, Wording], set[str], list[Fault]]:
    """The translations in a document, the keys they came from, and what was wrong with others.

    `question_text` itself is a translation where it is in another language than the question file.
    """
    wordings: dict[str, Wording] = {}
    used: set[str] = set()
    faults: list[Fault] = []
    for language, (parts, keys) in _translations(document, original).items():
        wording = _wording(language, parts, original)
        if wording is None:
            named = ", ".join(sorted(keys))
            what = Phrase(
                f"the {language} translation lacks its question or has other options than the question file; it is "
                f"left out, correct {named}",
                f"{language} 译文缺少题干，或选项与题干文件不同；已略去，请改正 {named}",
            )
            faults.append(("translation_incomplete", what))
        elif not same_language(wording.language, original.language):
            wordings[wording.language] = wording
            used |= keys
    return wordings, used, faults


def disagreements(document: Mapping[str, Any], item: Item, names: Mapping[str, str]) -> list[Fault]:
    """Where the document contradicts the files; the files are right (the paper's rule)."""
    wording, found = item.wording, list[Phrase]()
    told_id = document.get("id")
    if told_id is not None and not _same_id(str(told_id), item.id):
        found.append(Phrase(f"id {told_id!r} is not the files' {item.id!r}", f"id {told_id!r} 不是文件的 {item.id!r}"))
    question = document.get("question_text", document.get("question"))
    if isinstance(question, str) and same_language(language_of(question, wording.question), wording.language):
        if not _same_question(question, wording.question):
            found.append(Phrase("question_text is not the question file's", "question_text 与题干文件不同"))
        told_options = document.get("options")
        options = None if told_options == wording.options else options_in(told_options)
        bare = told_options if isinstance(told_options, Mapping) else {}  # an option may itself begin like a mark
        if options is not None and _as_read(wording.options) not in (_as_read(options), _as_read(bare)):
            found.append(Phrase("options are not the question file's", "options 与题干文件不同"))
    answer = document.get("answer")
    if answer is not None and str(answer).strip() != item.answer:
        found.append(
            Phrase(
                f"answer {answer!r} is not the answer file's {item.answer!r}",
                f"answer 是 {answer!r}，而答案文件是 {item.answer!r}",
            )
        )
    for key, kind in (("image", "image"), ("question_file", "md"), ("answer_file", "txt")):
        told = document.get(key)
        if isinstance(told, str) and kind in names and not _same_file(told, names[kind]):
            found.append(Phrase(f"{key} {told!r} is not {names[kind]}", f"{key} 写作 {told!r}，而文件是 {names[kind]}"))
    rest = Phrase("; the JSON is metadata and is not used, correct it", "；以题目文件为准，请改正 JSON")
    return [("json_disagrees", Phrase(f"{what}{rest}", f"{what.zh}{rest.zh}")) for what in found]


def options_in(value: Any) -> dict[str, str] | None:
    """Options given as an object by label or as a list, without their marks; None where they are neither."""
    if isinstance(value, Mapping) and value and all(isinstance(text, str) for text in value.values()):
        labels = sorted(str(label).strip().upper() for label in value)
        by_label = {str(label).strip().upper(): text for label, text in value.items()}
        return {label: _unmarked(label, by_label[label]) for label in labels}
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        parsed = parse_options(value)
        return dict(parsed.options) if parsed else None
    return None


def _translations(document: Mapping[str, Any], original: Wording) -> dict[str, tuple[dict[str, Any], set[str]]]:
    """Language → (role → value, keys of the document)."""
    found: dict[str, tuple[dict[str, Any], set[str]]] = {}

    def take(language: str, role: str, value: Any, key: str) -> None:
        if value:  # an empty field is a translation not made yet
            parts, keys = found.setdefault(language, ({}, set()))
            parts[role] = value
            keys.add(key)

    for key, value in document.items():
        field = known_field(key)
        if field and field.language:
            take(field.language, field.role, value, key)
        elif isinstance(value, Mapping) and plain(key) in NESTED:
            for language, role, part in _nested(value):
                take(language, role, part, key)
    question = document.get("question_text")
    if isinstance(question, str) and question.strip() and not _same_question(question, original.question):
        language = language_of(question)
        if not any(same_language(language, known) for known in (original.language, *found)) and language != "und":
            take(language, "question", question, "question_text")
            take(language, "options", document.get("options"), "options")
    return found


def _nested(value: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """(language, role, value) of `{en: {question, options}}`, `{question_en, options_en}` or `{question, options}`."""
    found = []
    for key, part in value.items():
        language, field = language_named(key), known_field(key)
        if isinstance(part, Mapping) and field is None:
            inner = [(known_field(name), text) for name, text in part.items()]
            found += [(language or key, role.role, text) for role, text in inner if role]
        elif field:
            found.append((field.language or language_of(str(value.get("question", ""))), field.role, part))
        elif language and isinstance(part, str):
            found.append((language, "question", part))
    return found


def _wording(language: str, parts: Mapping[str, Any], original: Wording) -> Wording | None:
    """The translation, where it has a question and exactly the original's option labels."""
    question, options = parts.get("question"), options_in(parts.get("options"))
    letters = {role: str(text) for role, text in parts.items() if len(role) == 1}
    if isinstance(question, str) and options is None and not letters and (whole := parse_question(question)):
        question, options = whole.question, dict(whole.options)
    options = options or dict(sorted(letters.items()))
    if not isinstance(question, str) or not question.strip() or list(options) != list(original.options):
        return None
    tag = language_of(question, *options.values()) if language == "zh" else language
    return Wording(tag if tag != "und" else language, question.strip(), options, str(parts.get("instruction") or ""))


def _unmarked(label: str, text: str) -> str:
    mark = mark_of(text) if label in text[:3] else None
    return mark[1] if mark and mark[0] == label and mark[1] else text.strip()


def _same_id(told: str, item_id: str) -> bool:
    same_number = told.isdecimal() and item_id.isdecimal() and int(told) == int(item_id)
    return same_number or folded(told.strip()) == folded(item_id)


def as_read(text: str) -> str:
    """A text as a question file gives it: without invisible characters, and blanks at its edges and ends of lines."""
    lines = without_invisible(text)[0].replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _as_read(options: Mapping[str, str]) -> dict[str, str]:
    return {label: as_read(text) for label, text in options.items()}


def _same_question(told: str, own: str) -> bool:
    told, own = as_read(told), as_read(own)
    return told == own or _spaced(own) in (_spaced(told), _spaced(_stem(told)))


def _same_file(told: str, own: str) -> bool:
    return told == own or folded(_file_name(told)) == folded(_file_name(own))


def _stem(text: str) -> str:
    parsed = parse_question(text)
    return parsed.question if parsed else text


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
