"""One row of a table, by a mapping → an item."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from keju.benchmark import Problem
from keju.formats.field_names import language_named
from keju.formats.language import language_of
from keju.formats.mapped_media import MappedMedia
from keju.formats.mapped_question import LeftOutError, key_in, options_in, question_in
from keju.formats.mapping import Spec, Templates
from keju.formats.placeholders import as_text, is_empty, structured
from keju.formats.question_text import QuestionText
from keju.formats.sources import Source
from keju.items import Item, MediaKind, Medium, Wording
from keju.phrase import Phrase

_UNCLEAR = Phrase("needs two options or more, from A on without a gap", "需要两个以上的选项，从 A 起不间断")
_SPLITS = {"validation": "val", "valid": "val"}
_KINDS: tuple[MediaKind, ...] = ("image", "audio")


class RowReader:
    """Makes the items of one data set; the same row gives the same item whenever it is read."""

    def __init__(self, spec: Spec, media: MappedMedia) -> None:
        self._spec = spec
        self.media = media

    def row(self, source: Source, number: int, cells: Mapping[str, Any]) -> dict[str, Any]:
        """The cells with what mappings may name besides: the row's `number` in its table, from 1, what the file's name
        tells, and what is extracted."""
        row = {**cells, "table": source.table, "row": number, **source.told}
        for column, pattern in self._spec.extract.items():
            match = pattern.fullmatch(as_text(row.get(column)))
            row |= match.groupdict() if match else dict.fromkeys(pattern.groupindex)
        return row

    def id_of(self, row: Mapping[str, Any]) -> str | None:
        """Raises `ValueError` as `item` does."""
        return as_text(self._spec.id.value(row)).strip() or None

    def is_hidden(self, row: Mapping[str, Any]) -> bool:
        """Whether the data set keeps the row's key back."""
        if self._spec.answer is None or not self._spec.hidden:
            return False
        return as_text(self._spec.answer.value(row)).strip() in self._spec.hidden

    def item(self, item_id: str, row: Mapping[str, Any], file: Path, line: int) -> tuple[Item, list[Problem]]:
        """The item of a row, and what is to be said of it.

        Raises `LeftOutError` for a row that is no usable item, `ValueError` where a text is bytes.
        """
        problems: list[Problem] = []
        wordings = self._wordings(row)
        answer, note = self._answer(row, next(iter(wordings.values())))
        problems += [Problem(item_id, "answer_form", note, file.name, line)] if note else []
        media = tuple(self._found(item_id, row, file, line, problems))
        split = as_text(self._spec.split.value(row)).strip() if self._spec.split else ""
        split = _SPLITS.get(split, split)
        return Item(item_id, wordings, answer, media, self._labels(row), split or None, self._extra(row)), problems

    def _wordings(self, row: Mapping[str, Any]) -> dict[str, Wording]:
        """The wordings of a row. Those after the first must have the same option labels, or are not there."""
        wordings: dict[str, Wording] = {}
        for tag, template in self._spec.question.items():
            parsed = self._parsed(row, tag, as_text(template.value(row)).strip())
            if parsed is None or (wordings and list(parsed.options) != list(next(iter(wordings.values())).options)):
                if not wordings:
                    raise LeftOutError("options_unclear", _UNCLEAR)
                continue
            language = tag or self._language(row) or language_of(parsed.question, *parsed.options.values())
            said = self._spec.instruction.get(tag) or self._spec.instruction.get("")
            told = as_text(said.value(row)).strip() if said else ""
            wordings[language] = Wording(language, parsed.question, parsed.options, told, parsed.as_written)
        return wordings

    def _parsed(self, row: Mapping[str, Any], tag: str, question: str) -> QuestionText | None:
        if not self._spec.options:
            return question_in(question)
        templates = self._spec.options.get(tag) or self._spec.options.get("")
        if templates is None:
            return None
        return options_in(question, _cells(templates, row), self._spec.separator)

    def _language(self, row: Mapping[str, Any]) -> str | None:
        if self._spec.language is None:
            return None
        told = as_text(self._spec.language.value(row)).strip()
        named = language_named(told)
        if named == "zh" or told == "zh":  # which script it is, the text tells
            return None
        return named or (told if re.fullmatch(r"[A-Za-z]{2,3}(-\w+)*", told) else None)

    def _answer(self, row: Mapping[str, Any], wording: Wording) -> tuple[str | None, Phrase | None]:
        if self._spec.answer is None or self.is_hidden(row):
            return None, None
        return key_in(self._spec.answer.value(row), wording.options, self._spec.answer_is)

    def _found(
        self, item_id: str, row: Mapping[str, Any], file: Path, line: int, problems: list[Problem]
    ) -> Iterator[Medium]:
        for kind in _KINDS:
            templates = self._spec.image if kind == "image" else self._spec.audio
            for there in chain.from_iterable(self.media.found(kind, each.value(row), item_id) for each in templates):
                problems += there.problem(item_id, file.name, line)
                yield there.medium

    def _labels(self, row: Mapping[str, Any]) -> dict[str, str]:
        told = {name: structured(template.value(row)) for name, template in self._spec.labels.items()}
        return {name: as_text(value).strip().replace("\n", ", ") for name, value in told.items() if not is_empty(value)}

    def _extra(self, row: Mapping[str, Any]) -> dict[str, Any]:
        told = {name: template.value(row) for name, template in self._spec.extra.items()}
        return {name: _plain(value) for name, value in told.items() if not is_empty(value)}


def _cells(templates: Templates, row: Mapping[str, Any]) -> Any:
    """The one cell with all options, or the cells with one each."""
    return [each.value(row) for each in templates] if isinstance(templates, tuple) else templates.value(row)


def _plain(value: Any) -> Any:
    """A value that JSON can hold: dates and decimals become text, what is no number becomes nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else as_text(value)
