"""Any table → benchmark, by a mapping. A shipped mapping is found by the columns that tell its data set from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem, Stream
from keju.errors import BadFile
from keju.formats import parquet, vlmevalkit
from keju.formats.folders import MOST_FOLDERS
from keju.formats.format import Format
from keju.formats.mapped_media import MappedMedia
from keju.formats.mapped_question import LeftOutError
from keju.formats.mapped_row import RowReader
from keju.formats.mapping import SHIPPED, UNSTATED, Spec, load_mapping
from keju.formats.media import MediaFolder
from keju.formats.parquet_files import opened, refuse_incomplete
from keju.formats.parquet_places import Places, sighted
from keju.formats.placeholders import as_text
from keju.formats.sources import (
    Source,
    columns_of,
    parquet_columns,
    rows_of,
    sources_among,
    sources_at,
    tables_at,
)
from keju.formats.unpacked import unpack
from keju.items import Item
from keju.phrase import Phrase, listed

_BYTES = Phrase("a cell holds bytes, where a text is expected", "单元格里是二进制内容，应为文字")
_TWICE = Phrase("the id came before; the first row is kept, give each its own", "编号重复；保留第一行，请改用不同编号")
LARGE = 1 << 28
"""Bytes of rows, beside their number, from which items are not held: to read a row anew costs three times what keju's
own does, and `keju check` does it 58 times."""
_SHOWN = 6
"""Values of passed-over rows that a message names."""


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
    items = reader.streamed(sources) if _are_large(sources) else reader.held(sources)
    problems = [*reader.problems, *reader.summary()]
    stated = {"title": spec.title, "license": spec.license, "paper": spec.paper, "source": spec.source}
    card = {**{key: text for key, text in stated.items() if text not in ("", UNSTATED)}, "mapping": spec.name}
    return Benchmark(path.resolve().stem, items, card, tuple(problems), "mapping", path)


def _are_large(sources: Iterable[Source]) -> bool:
    """Whether all are Parquet, which is read where it lies, with more in them than should be held or unpacked."""
    rows = size = 0
    for source in sources:
        if source.path.suffix.lower() != ".parquet":
            return False
        with opened(source.path) as table:
            rows += table.metadata.num_rows
            size += sum(table.metadata.row_group(at).total_byte_size for at in range(table.num_row_groups))
    return rows >= parquet.LARGE and size >= LARGE


class _Reader:
    """Reads the files of one data set, one after the other."""

    def __init__(self, path: Path, spec: Spec, encoding: str | None) -> None:
        self.problems: list[Problem] = []
        self._spec = spec
        self._encoding = encoding
        root = path if path.is_dir() else path.parent
        self._media = MappedMedia(MediaFolder(root, within=spec.media_folders), spec.media_without, unpack)
        self._rows = RowReader(spec, self._media)
        self._ids: set[str] = set()
        self._count: Counter[tuple[Path, str]] = Counter()
        self._passed: Counter[tuple[str, str]] = Counter()
        self._hidden = 0

    def held(self, sources: Iterable[Source]) -> tuple[Item, ...]:
        return tuple(item for source in sources for _, item in self._each(source))

    def streamed(self, sources: Sequence[Source]) -> Stream:
        """The items of Parquet files, looked at once and read where they lie."""
        places, before = Places([source.path for source in sources]), []
        self._media.make = sighted
        for number, source in enumerate(sources):
            before.append(self._count[source.path.parent, source.table])
            for line, item in self._each(source):
                places.add(item.id, number, line - 1)
        self._media.make = unpack
        return Stream(_MappedItems(sources, before, places, self._rows, self._spec))

    def _each(self, source: Source) -> Iterator[tuple[int, Item]]:
        """The line and item of each row that is one."""
        rows = rows_of(source, self._spec.records, self._encoding, self.problems, self._spec.columns)
        if rows.columns:
            self._spec.check([*rows.columns, *source.told, "table", "row"], source.path)
        asked = {"", *self._spec.columns(rows.columns, asked=True)}
        noted = {*self._spec.columns(rows.columns)} - asked
        table = source.path.parent, source.table
        for number, (line, cells) in enumerate(rows.each, self._count[table] + 1):
            self._count[table] = number
            row = self._rows.row(source, number, cells)
            if not self._meant(row):
                continue
            item_id = None
            try:
                item_id = self._rows.id_of(row)
                odd = rows.odd.get(line, {})
                item, problems = self._item(
                    item_id, row, source.path, line, [odd[name] for name in odd if name in asked]
                )
            except LeftOutError as reason:
                self.problems.append(Problem(item_id, reason.code, reason.message, source.path.name, line, True))
                continue
            except ValueError:
                self.problems.append(Problem(item_id, "cell_not_text", _BYTES, source.path.name, line, True))
                continue
            self.problems += problems
            self.problems += [
                Problem(item_id, "cell_not_text", odd[name], source.path.name, line) for name in odd if name in noted
            ]
            self._ids.add(item.id)
            self._hidden += self._rows.is_hidden(row)
            yield line, item

    def _item(
        self, item_id: str | None, row: Mapping[str, Any], file: Path, line: int, odd: list[Phrase]
    ) -> tuple[Item, list[Problem]]:
        if item_id is None:
            raise LeftOutError("id_missing", Phrase("the row has no id; give it one", "这一行没有编号；请编号"))
        if odd:
            raise LeftOutError("cell_not_text", odd[0])
        if item_id in self._ids:
            raise LeftOutError("duplicate_id", _TWICE)
        return self._rows.item(item_id, row, file, line)

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

    def _meant(self, row: Mapping[str, Any]) -> bool:
        for column, wanted in self._spec.where.items():
            value = as_text(row.get(column)).strip()
            if value not in wanted:
                self._passed[column, value] += 1
                return False
        return True


class _MappedItems:
    """A `Source` of the items of Parquet files of other people, read where they lie."""

    def __init__(
        self, sources: Sequence[Source], before: Sequence[int], places: Places, rows: RowReader, spec: Spec
    ) -> None:
        self._sources = sources
        self._before = before
        """Of each file, how many rows its table has in files before it."""
        self._places = places
        self._rows = rows
        self._columns = [spec.columns(parquet_columns(source.path)) or None for source in sources]

    @property
    def ids(self) -> Sequence[str]:
        return self._places.ids

    def read(self, places: Iterable[int]) -> Iterator[Item]:
        for item_id, number, at, cells in self._places.read(places, self._columns):
            row = self._rows.row(self._sources[number], self._before[number] + at + 1, cells)
            yield self._rows.item(item_id, row, self._sources[number].path, at + 1)[0]


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
    """Names of the shipped mappings that know the data set at `path` by its columns: by those of its first file.

    Raises `TooWide` where `path` is a folder without end.
    """
    names, tables = [], tables_at(path, MOST_FOLDERS)
    for name in SHIPPED():
        spec = load_mapping(name)
        sources = sources_among(tables, spec.files) or ([] if path.is_dir() else sources_among(tables, ()))
        if spec.known_by and sources:
            columns = dict.fromkeys(columns_of(sources[0].path, spec.records))
            if all(place.is_in(columns) for place in spec.known_by):
                names.append(name)
    return names


FORMAT = Format(
    "mapping", "a data set that a shipped mapping knows by its columns, or any with --mapping FILE", sniff, read
)
