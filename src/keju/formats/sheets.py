"""Question sheets: how experts send questions. A row an item, columns in Chinese or English, media by file name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from keju.benchmark import Benchmark, Problem
from keju.errors import BadFile, KejuError
from keju.formats import vlmevalkit
from keju.formats.encodings import EncodingUnclear, without_invisible
from keju.formats.field_names import Field, known_field
from keju.formats.format import Format
from keju.formats.labels import is_side_table
from keju.formats.language import language_of
from keju.formats.media import Found, MediaFolder, kind_of
from keju.formats.names import names_in, stem_and_suffix, to_disk
from keju.formats.question_text import QuestionText, parse_options, parse_question, read_answer
from keju.formats.tables import Row, Table, odd_cells, read_table
from keju.formats.tco_item import ANSWER_FAULTS
from keju.items import LABELS, Item, Medium, Wording
from keju.phrase import Phrase, listed

SUFFIXES = (".csv", ".tsv", ".xlsx")
_FOLDERS = ("images", "audio", "audios", "media", "图片", "圖片", "音频", "音檔")
"""Subfolders in which media named without a folder are looked for."""
_SURELY_OPTIONS = 10
"""Letters that name an option wherever they head a column; those after them do where all letters before are there."""
_LABELS_ONLY = ("label:", "notes")
"""Roles of columns that are never asked."""
_SEVERAL = re.compile(r"\s*[;；、|\n]\s*")

_IGNORED = Phrase("the worksheet {name!r} is not read", "工作表 {name!r} 没有读取")
_TWICE = Phrase(
    "the id came before; the first row is kept, give each its own", "编号重复；只保留第一行，请改用别的编号"
)
_UNCLEAR = Phrase("needs two options or more, from A on without a gap", "至少要有从 A 开始的两个连续选项")


class _Sheet(NamedTuple):
    """A table with its columns understood."""

    table: Table
    columns: Mapping[str, Field]
    """Column → what it holds, for the columns that are known."""
    media: MediaFolder


class _LeftOutError(Exception):
    """Ends the reading of a row with the problem that costs its item."""

    def __init__(self, code: str, what: Phrase) -> None:
        super().__init__(what)
        self.code = code
        self.what = what


def sniff(path: Path) -> bool:
    if vlmevalkit.sniff(path):  # a sheet of a particular kind, with its own reader
        return False
    if path.is_dir():
        return any(_is_sheet(sheet) for sheet in _sheets_in(path))
    return path.suffix.lower() in SUFFIXES and not is_side_table(path.name) and _is_sheet(path, unless_read=True)


def read(path: Path, *, encoding: str | None = None) -> Benchmark:
    """Read the sheet `path`, or the only one in the folder `path`.

    Needed are columns for id, question, options (one each, or one cell with marked lines) and answer; `题目`, `選項A`,
    `答案` and many more names are known. Other columns become labels. Raises `BadFile` where one is lacking.
    """
    file = _the_sheet(path)
    table = read_table(file, encoding)
    sheet = _Sheet(table, _columns(table), MediaFolder(file.parent))
    if lacking := _lacking(sheet.columns):
        raise BadFile(f"{file}:1: no column for {' or '.join(lacking)}; it has {', '.join(table.columns)}")
    problems = [Problem(None, "sheet_ignored", _IGNORED.filled(name=name), table.file) for name in table.ignored]
    if table.decoded and table.decoded.code:
        problems.append(Problem(None, table.decoded.code, table.decoded.message, table.file))
    items: dict[str, Item] = {}
    for row in table.rows:
        item_id = _id_in(row, sheet.columns)
        try:
            if item_id in items:
                raise _LeftOutError("duplicate_id", _TWICE)
            items[item_id or ""] = _item(item_id, row, sheet, problems)
        except _LeftOutError as reason:
            problems.append(Problem(item_id, reason.code, reason.what, table.file, row.line, left_out=True))
    return Benchmark(file.stem, tuple(items.values()), problems=tuple(problems), format="sheet", root=path)


def _is_sheet(path: Path, *, unless_read: bool = False) -> bool:
    """Whether a table has the columns of questions. `unless_read` is said where it cannot be read: reading says why."""
    try:
        return not _lacking(_columns(read_table(path)))
    except EncodingUnclear:
        return True
    except KejuError:
        return unless_read


def _columns(table: Table) -> dict[str, Field]:
    columns = {name: field for name in table.columns if (field := known_field(name))}
    if table.columns[:1] == ("",) and not any(field.role == "id" for field in columns.values()):
        columns[""] = Field("id")  # the running number that other programs write without a heading
    there = {(field.language, field.role) for field in columns.values()}
    for name, field in list(columns.items()):
        if field.role == "options" and (field.language, "R") in there:  # `Option S`
            columns[name] = Field("S", field.language)
            there.add((field.language, "S"))
    return {name: field for name, field in columns.items() if not _stands_alone(field, there)}


def _stands_alone(field: Field, there: Collection[tuple[str | None, str]]) -> bool:
    """Whether a column is called by a late letter that continues no row of options: N for a number, X for a place."""
    if field.role not in LABELS[_SURELY_OPTIONS:]:
        return False
    return any((field.language, before) not in there for before in LABELS[: LABELS.index(field.role)])


def _lacking(columns: Mapping[str, Field]) -> list[str]:
    """What a sheet must have and this one has not."""
    roles = {field.role for field in columns.values()}
    options = bool({"A", "options"} & roles) or "question" in roles  # options may stand in the question's cell
    needed = {"id (编号)": "id" in roles, "question (题目)": "question" in roles, "options (选项)": options}
    return [name for name, there in (needed | {"answer (答案)": "answer" in roles}).items() if not there]


def _id_in(row: Row, columns: Mapping[str, Field]) -> str | None:
    told = (row.cells.get(name, "").strip() for name, field in columns.items() if field.role == "id")
    return without_invisible(next((text for text in told if text), ""))[0] or None


def _item(item_id: str | None, row: Row, sheet: _Sheet, problems: list[Problem]) -> Item:
    if item_id is None:
        raise _LeftOutError("id_missing", Phrase("the row has no id; give it one", "该行没有编号；请补上"))
    for column, what in odd_cells(row).items():
        if not column or _is_asked(sheet.columns.get(column)):
            raise _LeftOutError("cell_not_text", what)
    problems += [
        Problem(item_id, "cell_not_text", what, sheet.table.file, row.line) for what in odd_cells(row).values()
    ]
    cells = {name: _visible(item_id, name, text, row, sheet, problems) for name, text in row.cells.items()}
    told: dict[str | None, dict[str, str]] = {}
    labels: dict[str, str] = {}
    extra: dict[str, str] = {}
    for name, text in cells.items():
        field = sheet.columns.get(name)
        if field is None or field.role.startswith("label:"):
            labels[field.role.removeprefix("label:") if field else name] = text.strip()
        elif field.role == "notes":
            extra[name] = text
        else:
            told.setdefault(field.language, {}).setdefault(field.role, text)
    wordings = _wordings(item_id, told, row, sheet, problems)
    options = next(iter(wordings.values())).options
    plain = told.get(None, {})
    answer, code = read_answer(plain.get("answer", "").strip(), options)
    if code:
        message = ANSWER_FAULTS[code].filled(text=plain.get("answer", ""), labels=listed(options), label=answer)
        if answer is None:
            raise _LeftOutError(code, message)
        problems.append(Problem(item_id, code, message, sheet.table.file, row.line))
    media = _media(item_id, plain, row, sheet, problems)
    return Item(item_id, wordings, answer, media, labels, plain.get("split", "").strip() or None, extra)


def _is_asked(field: Field | None) -> bool:
    """Whether a column is part of what is asked; others hold labels and notes."""
    return field is not None and not field.role.startswith(_LABELS_ONLY)


def _wordings(
    item_id: str, told: Mapping[str | None, Mapping[str, str]], row: Row, sheet: _Sheet, problems: list[Problem]
) -> dict[str, Wording]:
    """The wordings of a row; the original is that without a language in its column names, else the first."""
    wordings: dict[str, Wording] = {}
    for language in sorted(told, key=lambda tag: tag is not None):
        parts = told[language]
        if not parts.keys() & {"question", "options", *LABELS}:
            continue
        parsed = _parsed(parts)
        labels = list(next(iter(wordings.values())).options) if wordings else None
        if parsed is None or (labels and list(parsed.options) != labels):
            if not wordings:
                raise _LeftOutError("options_unclear", _UNCLEAR)
            what = Phrase(
                f"the {language} wording lacks its question or has other options; it is left out",
                f"{language} 文本缺少题干，或选项不同；已略去",
            )
            problems.append(Problem(item_id, "translation_incomplete", what, sheet.table.file, row.line))
            continue
        tag = language_of(parsed.question, *parsed.options.values()) if language in (None, "zh") else language
        told_tag = told.get(None, {}).get("language", "").strip()
        tag = (
            told_tag if language is None and re.fullmatch(r"[a-z]{2,3}(-\w+)*", told_tag) and told_tag != "zh" else tag
        )
        wordings.setdefault(str(tag), Wording(str(tag), parsed.question, parsed.options, parts.get("instruction", "")))
    if not wordings:
        raise _LeftOutError("question_missing", Phrase("the row has no question", "该行没有题干"))
    return wordings


def _parsed(parts: Mapping[str, str]) -> QuestionText | None:
    """Question and options, from a column each, from one cell of options, or all from the question's cell."""
    question = parts.get("question", "").strip()
    letters = {label: parts[label] for label in LABELS if label in parts}
    if letters:
        marked = parse_options(list(letters.values()))
        own_marks = marked is not None and marked.as_written and list(marked.options) == list(letters)
        options = dict(marked.options) if marked and own_marks else letters
        return QuestionText(question, options) if _complete(options) else None
    if "options" in parts:
        lines = [line.strip() for line in parts["options"].split("\n") if line.strip()]
        whole = parse_question(parts["options"])
        parsed = whole if whole and not whole.question else parse_options(lines)
        return QuestionText(question, parsed.options) if parsed and _complete(parsed.options) else None
    return parse_question(question)


def _complete(options: Mapping[str, str]) -> bool:
    return len(options) > 1 and "".join(options) == LABELS[: len(options)]


def _media(
    item_id: str, parts: Mapping[str, str], row: Row, sheet: _Sheet, problems: list[Problem]
) -> tuple[Medium, ...]:
    media = []
    for role in ("image", "audio", "media"):
        cell = parts.get(role, "").strip()
        names = [cell] if not cell or _find(role, cell, sheet).medium.exists else _SEVERAL.split(cell)
        for name in filter(None, names):
            found = _find(role, name, sheet)
            problems += found.problem(item_id, sheet.table.file, row.line)
            media.append(found.medium)
    return tuple(media)


def _find(role: str, name: str, sheet: _Sheet) -> Found:
    kind = kind_of(name) or ("audio" if role == "audio" else "image")
    found = sheet.media.find(kind, name)
    if found.code == "media_missing" and len(PurePosixPath(name.replace("\\", "/")).parts) == 1:
        below = (sheet.media.find(kind, f"{folder}/{name}") for folder in _FOLDERS)
        return next((there for there in below if there.medium.exists), found)
    return found


def _visible(item_id: str, column: str, text: str, row: Row, sheet: _Sheet, problems: list[Problem]) -> str:
    seen, found = without_invisible(text)
    if found:
        what = Phrase(
            f"column {column!r} holds {found[0][2]}, which was passed over", f"列 {column!r} 中有 {found[0][2]}，已跳过"
        )
        problems.append(Problem(item_id, "invisible_characters", what, sheet.table.file, row.line))
    return seen


def _sheets_in(folder: Path) -> list[Path]:
    names = [name for name in names_in(folder) if not is_side_table(name)]
    return [folder / to_disk(name) for name in names if stem_and_suffix(name)[1].lower() in SUFFIXES]


def _the_sheet(path: Path) -> Path:
    if not path.is_dir():
        return path
    sheets = _sheets_in(path)
    sheets = [sheet for sheet in sheets if _is_sheet(sheet)] or sheets
    if len(sheets) != 1:
        there = ", ".join(sheet.name for sheet in sheets) or "none"
        raise BadFile(
            f"{path}: expected one sheet ({', '.join(SUFFIXES)}), found {there}; name the file to read, or "
            "read all of them with a mapping that names their columns (--mapping FILE)"
        )
    return sheets[0]


FORMAT = Format(
    "sheet", "a question sheet: CSV, TSV or XLSX with columns for id, question, options and answer", sniff, read
)
