"""The files of a run folder as columns, for runs of too many items to hold each as an object. Needs the extra `scale`.

Only the columns that are asked for are read. What is read is what `items.jsonl` and `records.jsonl` say to
`keju.runs.reading`: a line that is not laid out as keju lays it out is read as there, and fails as there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from keju.errors import BadFile, MissingExtra
from keju.formats.json_text import parse_json
from keju.formats.jsonl import item_in, read_items, snapshot
from keju.items import MediaKind, Medium
from keju.records import Record, Status
from keju.runs.recorded import each_record

if TYPE_CHECKING:
    from polars import DataFrame, LazyFrame, Series

_Q = r'(?:[^"\\]|\\.)*'  # the inside of a JSON string
_TEXTS = rf'(?:"{_Q}":"{_Q}",?)+'  # the inside of an object of texts
_HEAD = '^\\{{"id":"{}","wordings":\\{{"{}":\\{{"question":"{}","options":\\{{{}\\}}'
_FIRST = ("id", "language", "question", "options")
_TAIL = (
    rf'\}},"answer":(?<answer>null|"{_Q}")(?:,"media":\[(?<media>(?:\{{"kind":"{_Q}","name":"{_Q}"\}},?)+)\])?'
    rf'(?:,"labels":\{{(?<labels>{_TEXTS})\}})?(?:,"split":"(?<split>{_Q})")?\}}\s*$'
)
_FOUR = "^" + ",".join(rf'"{letter}":"{_Q}"' for letter in "ABCD") + "$"
ITEM_COLUMNS = (*_FIRST, "answer", "media", "labels", "split")


def polars(needed_for: str) -> Any:
    """The library. Raises `MissingExtra` where it is not installed."""
    try:
        import polars as library
    except ImportError as error:
        raise MissingExtra("scale", needed_for) from error
    return library


def item_frame(path: Path, columns: Sequence[str]) -> DataFrame:
    """Of `items.jsonl`, those of `ITEM_COLUMNS`, one row an item in the file's order.

    `id`, `language` and `split` are texts; the others are JSON as it stands in the file, without quotation marks or
    braces around it, but for `answer`. `options`, `question` and `language` are those of the first wording.
    Raises `BadFile` as `keju.formats.jsonl.read_items` does.
    """
    pl = polars(f"reading {path}")
    wanted = list(dict.fromkeys(["id", "options", *columns]))
    try:
        frame = _parts(pl.scan_lines(path, name="line", glob=False), wanted).collect(engine="streaming")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise BadFile(f"{path}: cannot be read: {error}") from error
    frame = _repaired(frame, path, wanted)
    for name in ("id", "language", "split"):
        if name in frame.columns:
            frame = frame.with_columns(unescaped(frame[name]))
    if frame.height == 0 or frame["id"].n_unique() < frame.height:
        read_items(path, None)  # names the line
    return frame.select("id", *(name for name in columns if name != "id"))


def record_frame(path: Path, columns: Sequence[str]) -> DataFrame:
    """Of `records.jsonl`, `id`, `status`, and of `text`, `prompt`, `media`, `scores` and `error` those asked for.

    One row an item, its last line. `media` is one text, `scores` and `error` are JSON.

    A torn last line is dropped. Raises `BadFile` as `keju.runs.reading.read_records` does.
    """
    pl = polars(f"reading {path}")
    wanted = list(dict.fromkeys(["id", "status", *columns]))
    frame = _scanned(path, wanted) if path.is_file() else None
    if frame is None:
        frame = _read(path, wanted)
    frame = frame.with_columns(pl.col("status").cast(pl.Enum(get_args(Status))))
    if "media" in wanted:
        frame = frame.with_columns(pl.col("media").list.join("\0"))
    if frame["id"].n_unique() < frame.height:
        frame = frame.unique("id", keep="last", maintain_order=True)
    return frame


def unescaped(column: Series) -> Series:
    """Insides of JSON strings as the texts that they say."""
    pl = polars("reading a large run")
    odd = column.str.contains("\\", literal=True).fill_null(False)
    if not odd.any():
        return column
    texts = {text: json.loads(f'"{text}"') for text in column.filter(odd).unique()}
    return column.to_frame().select(pl.when(odd).then(pl.col(column.name).replace(texts)).otherwise(column)).to_series()


def label_names(column: Series) -> Series:
    """Of insides of JSON objects of texts, the names in their order: `"A","B"`."""
    pl = polars("reading a large run")
    usual = column.str.contains(_FOUR).fill_null(False)
    names: Series = pl.select(pl.repeat('"A","B","C","D"', column.len()).alias(column.name)).to_series()
    others = column.filter(~usual).str.replace_all(rf':"{_Q}"', "")  # three times as dear as to see that it is usual
    return names.scatter((~usual).arg_true(), others) if others.len() else names


def label_values(column: Series, name: str) -> Series:
    """Of insides of JSON objects of texts, the text under `name`; null where there is none."""
    written = re.escape(json.dumps(name, ensure_ascii=False))
    return unescaped(column.str.extract(rf'(?:^|,){written}:"({_Q})"'))


def _parts(lines: LazyFrame, wanted: Sequence[str]) -> LazyFrame:
    """The asked parts of each line; `line` itself is kept where it was not understood."""
    pl = polars("reading a large run")
    line = pl.col("line")
    head, tail = line.str.extract_groups(_head(wanted)).alias("head"), line.str.extract_groups(_TAIL).alias("tail")
    found = lines.with_columns(head, tail).unnest("head", "tail")
    understood = pl.col("id").is_not_null() & pl.col("answer").is_not_null()
    kept = [name for name in ITEM_COLUMNS if name in wanted]
    return found.select(pl.when(~understood).then(line).alias("line"), *kept)


def _head(wanted: Sequence[str]) -> str:
    """The pattern of a line up to the options of its first wording, with groups for what is wanted: groups cost."""
    insides = (_Q, _Q, _Q, _TEXTS)
    named = zip(_FIRST, insides, strict=True)
    return _HEAD.format(*(f"(?<{name}>{inside})" if name in wanted else inside for name, inside in named))


def _repaired(frame: DataFrame, path: Path, wanted: Sequence[str]) -> DataFrame:
    """The frame with the lines that were not understood read as any reader reads them; blank ones are none."""
    pl = polars("reading a large run")
    if frame["line"].null_count() == frame.height:
        return frame.drop("line")
    numbered = frame.with_row_index("at")
    odd = numbered.filter(pl.col("line").str.strip_chars() != "").select("at", "line")
    lines = [_rewritten(line, path, at + 1) for at, line in odd.iter_rows()]
    again = _parts(pl.LazyFrame({"line": lines}, schema={"line": pl.String}), wanted).collect()
    kept = numbered.filter(pl.col("line").is_null())
    whole: DataFrame = pl.concat([kept, again.insert_column(0, odd["at"])]).sort("at").drop("at", "line")
    return whole


def _rewritten(line: str, path: Path, number: int) -> str:
    """The line as keju would have written it. Raises `BadFile` where it is no item."""
    row = parse_json(line.removeprefix("\ufeff"), path, number)
    return snapshot(item_in(row, f"{path}:{number}", lambda kind, name: Medium(_kind(kind), name)))


def _kind(kind: str) -> MediaKind:
    return "audio" if kind == "audio" else "image"


def _scanned(path: Path, wanted: Sequence[str]) -> DataFrame | None:
    """The asked fields of every line; None where a line is no record, or one that Python's parser reads otherwise."""
    pl = polars("reading a large run")
    schema = {name: pl.List(pl.String) if name == "media" else pl.String for name in wanted}
    try:
        frame = pl.scan_ndjson(escape(str(path)), schema=schema).collect(engine="streaming")
    except pl.exceptions.ComputeError:
        return None
    known = frame["id"].null_count() == 0 and frame["status"].is_in(get_args(Status)).all()
    # Half a surrogate pair is a character to Python's parser, and NUL to this one.
    halves = "text" in wanted and frame["text"].str.contains("\0", literal=True).any()
    return frame if known and not halves else None


def _read(path: Path, wanted: Sequence[str]) -> DataFrame:
    """The same as every other reader reads it."""
    pl = polars("reading a large run")
    schema = {name: pl.List(pl.String) if name == "media" else pl.String for name in wanted}
    rows = [_row(record, wanted) for _, record in each_record(path, [])]
    frame: DataFrame = pl.DataFrame(rows, schema, orient="row")
    return frame


def _row(record: Record, wanted: Sequence[str]) -> list[Any]:
    row = record.to_json()
    return [json.dumps(value) if isinstance(value := row.get(name), dict) else value for name in wanted]
