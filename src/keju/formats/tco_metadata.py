"""The JSON beside a TCO item: metadata. Translations are taken from it, all else is compared with the files or kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keju.formats.field_names import NESTED, known_field, language_named, plain
from keju.formats.language import language_of
from keju.formats.names import folded
from keju.formats.question_text import mark_of, parse_options, parse_question
from keju.items import Item, Wording, same_language

KNOWN = ("id", "image", "question_file", "answer_file", "question_text", "options", "answer")
"""The paper's keys, in its order."""
OWN = ("language", "instruction", "audio", "translation")
"""Keys that keju writes where an item has more than the paper's layout holds."""
Fault = tuple[str, str]
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
            what = f"the {language} translation lacks its question or has other options than the question file"
            faults.append(("translation_incomplete", f"{what}; it is left out, correct {', '.join(sorted(keys))}"))
        elif not same_language(wording.language, original.language):
            wordings[wording.language] = wording
            used |= keys
    return wordings, used, faults


def disagreements(document: Mapping[str, Any], item: Item, names: Mapping[str, str]) -> list[Fault]:
    """Where the document contradicts the files; the files are right (the paper's rule)."""
    wording, found = item.wording, []
    told_id = document.get("id")
    if told_id is not None and not _same_id(str(told_id), item.id):
        found.append(f"id {told_id!r} is not the files' {item.id!r}")
    question = document.get("question_text", document.get("question"))
    if isinstance(question, str) and same_language(language_of(question, wording.question), wording.language):
        own = _spaced(wording.question)
        if own != _spaced(question) and own != _spaced(_stem(question)):
            found.append("question_text is not the question file's")
        options = options_in(document.get("options"))
        if options is not None and options != dict(wording.options):
            found.append("options are not the question file's")
    answer = document.get("answer")
    if answer is not None and str(answer).strip() != item.answer:
        found.append(f"answer {answer!r} is not the answer file's {item.answer!r}")
    for key, kind in (("image", "image"), ("question_file", "md"), ("answer_file", "txt")):
        told = document.get(key)
        if isinstance(told, str) and kind in names and folded(_file_name(told)) != folded(_file_name(names[kind])):
            found.append(f"{key} {told!r} is not {names[kind]}")
    return [("json_disagrees", f"{what}; the JSON is metadata and is not used, correct it") for what in found]


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
        elif plain(key) in NESTED and isinstance(value, Mapping):
            for language, role, part in _nested(value):
                take(language, role, part, key)
    question = document.get("question_text")
    if isinstance(question, str) and question.strip():
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


def _stem(text: str) -> str:
    parsed = parse_question(text)
    return parsed.question if parsed else text


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
