"""Any table → benchmark, by a mapping. A shipped mapping is found by the columns that tell its data set from others."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile
from keju.formats import vlmevalkit
from keju.formats.field_names import language_named
from keju.formats.format import Format
from keju.formats.language import language_of
from keju.formats.mapped_media import MappedMedia
from keju.formats.mapped_question import LeftOutError, key_in, options_in, question_in
from keju.formats.mapping import SHIPPED, UNSTATED, Spec, Templates, load_mapping
from keju.formats.media import MediaFolder
from keju.formats.parquet_files import refuse_incomplete
from keju.formats.placeholders import as_text, is_empty, structured
from keju.formats.question_text import QuestionText
from keju.formats.sources import Source, columns_of, rows_of, sources_among, sources_at, tables_at
from keju.items import Item, MediaKind, Medium, Wording
from keju.phrase import Phrase, listed

_BYTES = Phrase("a cell holds bytes, where a text is expected", "单元格里是二进制内容，应为文字")
_TWICE = Phrase("the id came before; the first row is kept, give each its own", "编号重复；保留第一行，请改用不同编号")
_UNCLEAR = Phrase("needs two options or more, from A on without a gap", "需要两个以上的选项，从 A 起不间断")
_SHOWN = 6
"""Values of passed-over rows that a message names."""
_SPLITS = {"validation": "val", "valid": "val"}
_KINDS: tuple[MediaKind, ...] = ("image", "audio")


def read_mapped(path: Path, spec: Spec, *, encoding: str | None = None) -> Benchmark:
    """The benchmark that `spec` makes of the file `path`, or of the files in that folder.

    Rows that are no usable item are left out, with the reason in `.problems`; rows that `where` does not mean are
    counted there. Raises `BadFile` where no file fits, or one lacks a column that the mapping names.
    """
    sources = sources_at(path, spec.files) or sources_at(path, ()) * (not path.is_dir())
    if not sources:
        raise BadFile(f"{path}: no file that the mapping {spec.name} reads ({', '.join(spec.files) or 'a table'})")
    if path.is_dir():
        refuse_incomplete(source.path for source in sources)
    reader = _Reader(path, spec, encoding)
    for source in sources:
        reader.add(source)
    problems = [*reader.problems, *reader.summary()]
    stated = {"title": spec.title, "license": spec.license, "paper": spec.paper, "source": spec.source}
    card = {**{key: text for key, text in stated.items() if text not in ("", UNSTATED)}, "mapping": spec.name}
    return Benchmark(path.resolve().stem, tuple(reader.items.values()), card, tuple(problems), "mapping", path)


class _Reader:
    """Reads the files of one data set, one after the other."""

    def __init__(self, path: Path, spec: Spec, encoding: str | None) -> None:
        self.items: dict[str, Item] = {}
        self.problems: list[Problem] = []
        self._spec = spec
        self._encoding = encoding
        root = path if path.is_dir() else path.parent
        self._media = MappedMedia(MediaFolder(root, within=spec.media_folders), spec.media_without)
        self._count: Counter[tuple[Path, str]] = Counter()
        self._passed: Counter[tuple[str, str]] = Counter()
        self._hidden = 0

    def add(self, source: Source) -> None:
        rows = rows_of(source, self._spec.records, self._encoding, self.problems)
        if rows.columns:
            self._spec.check([*rows.columns, *source.told, "table", "row"], source.path)
        for line, cells in rows.each:
            self._count[source.path.parent, source.table] += 1
            number = self._count[source.path.parent, source.table]
            row = {**cells, "table": source.table, "row": number, **source.told}
            row |= self._extracted(row)
            if not self._meant(row):
                continue
            item_id = None
            try:
                item_id = as_text(self._spec.id.value(row)).strip() or None
                self._add(item_id, row, source, line, rows.odd.get(line))
            except LeftOutError as reason:
                self.problems.append(Problem(item_id, reason.code, reason.message, source.path.name, line, True))
            except ValueError:
                self.problems.append(Problem(item_id, "cell_not_text", _BYTES, source.path.name, line, True))

    def summary(self) -> list[Problem]:
        """What was passed over on purpose, in one line each."""
        found = []
        for column, wanted in self._spec.where.items():
            passed = {value: number for (name, value), number in self._passed.items() if name == column}
            if passed:
                values = [Phrase(f"{n} with {value!r}", f"{value!r} {n} 行") for value, n in sorted(passed.items())]
                only, shown = listed(map(repr, wanted), between=(" or ", "或")), listed(values, _SHOWN)
                what = Phrase(
                    f"only rows with {column} = {only} are read; passed over: {shown}",
                    f"只读取 {column} = {only.zh} 的行；略过：{shown.zh}",
                )
                found.append(Problem(None, "rows_filtered", what))
        if self._hidden:
            what = Phrase(
                f"keys kept back by the data set: {self._hidden}; replies to these items cannot be marked",
                f"数据集没有公布 {self._hidden} 题的答案；这些题的回答无法判分",
            )
            found.append(Problem(None, "answer_hidden", what))
        return found

    def _extracted(self, row: Mapping[str, Any]) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for column, pattern in self._spec.extract.items():
            match = pattern.fullmatch(as_text(row.get(column)))
            found |= match.groupdict() if match else dict.fromkeys(pattern.groupindex)
        return found

    def _meant(self, row: Mapping[str, Any]) -> bool:
        for column, wanted in self._spec.where.items():
            value = as_text(row.get(column)).strip()
            if value not in wanted:
                self._passed[column, value] += 1
                return False
        return True

    def _add(self, item_id: str | None, row: Mapping[str, Any], source: Source, line: int, odd: Phrase | None) -> None:
        if item_id is None:
            raise LeftOutError("id_missing", Phrase("the row has no id; give it one", "这一行没有编号；请编号"))
        if odd:
            raise LeftOutError("cell_not_text", odd)
        if item_id in self.items:
            raise LeftOutError("duplicate_id", _TWICE)
        problems: list[Problem] = []
        wordings = self._wordings(row)
        answer = self._answer(item_id, row, next(iter(wordings.values())), source, line, problems)
        media = tuple(self._found(item_id, row, source, line, problems))
        split = as_text(self._spec.split.value(row)).strip() if self._spec.split else ""
        self.items[item_id] = Item(
            item_id, wordings, answer, media, self._labels(row), _SPLITS.get(split, split) or None, self._extra(row)
        )
        self.problems += problems

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
        told = as_text(self._spec.language.value(row)).strip() if self._spec.language else ""
        named = language_named(told)
        if named == "zh" or told == "zh":  # which script it is, the text tells
            return None
        return named or (told if re.fullmatch(r"[A-Za-z]{2,3}(-\w+)*", told) else None)

    def _answer(
        self, item_id: str, row: Mapping[str, Any], wording: Wording, source: Source, line: int, problems: list[Problem]
    ) -> str | None:
        if self._spec.answer is None:
            return None
        value = self._spec.answer.value(row)
        if as_text(value).strip() in self._spec.hidden:
            self._hidden += 1
            return None
        label, note = key_in(value, wording.options, self._spec.answer_is)
        if note:
            problems.append(Problem(item_id, "answer_form", note, source.path.name, line))
        return label

    def _found(
        self, item_id: str, row: Mapping[str, Any], source: Source, line: int, problems: list[Problem]
    ) -> Iterator[Medium]:
        for kind in _KINDS:
            templates = self._spec.image if kind == "image" else self._spec.audio
            for there in chain.from_iterable(self._media.found(kind, each.value(row), item_id) for each in templates):
                problems += there.problem(item_id, source.path.name, line)
                yield there.medium

    def _labels(self, row: Mapping[str, Any]) -> dict[str, str]:
        told = {name: structured(template.value(row)) for name, template in self._spec.labels.items()}
        return {name: as_text(value).strip().replace("\n", ", ") for name, value in told.items() if not is_empty(value)}

    def _extra(self, row: Mapping[str, Any]) -> dict[str, Any]:
        told = {name: template.value(row) for name, template in self._spec.extra.items()}
        return {name: _plain(value) for name, value in told.items() if not is_empty(value)}


def sniff(path: Path) -> bool:
    return not vlmevalkit.sniff(path) and len(fitting(path)) > 0  # MMBench's TSV is VLMEvalKit's form as well


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read a data set that one of the shipped mappings knows by its columns.

    Raises `BadFile` where none or several do.
    """
    names = fitting(path)
    if len(names) != 1:
        fit = f"{' and '.join(names)} fit" if names else f"none of {', '.join(SHIPPED())} knows it by its columns"
        raise BadFile(f"{path}: {fit}; say which mapping is meant with --mapping NAME or --mapping FILE")
    return read_mapped(path, load_mapping(names[0]), encoding=encoding)


def fitting(path: Path) -> list[str]:
    """Names of the shipped mappings that know the data set at `path` by its columns: by those of its first file."""
    names, tables = [], tables_at(path)
    for name in SHIPPED():
        spec = load_mapping(name)
        sources = sources_among(tables, spec.files) or ([] if path.is_dir() else sources_among(tables, ()))
        if spec.known_by and sources:
            columns = dict.fromkeys(columns_of(sources[0].path, spec.records))
            if all(place.is_in(columns) for place in spec.known_by):
                names.append(name)
    return names


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


FORMAT = Format(
    "mapping", "a data set that a shipped mapping knows by its columns, or any with --mapping FILE", sniff, read
)
