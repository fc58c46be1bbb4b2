"""The files of a run folder as columns, for runs of too many items to hold each as an object. Needs the extra `scale`.

Only the columns that are asked for are read. What is read is what `items.jsonl` and `records.jsonl` say to
`keju.runs.reading`: a line that is not laid out as keju lays it out is read as there, and fails as there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
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

_Q = r'(?:[^"\\\x00-\x1f]|\\(?:["\\bfnrt]|u00[0-9a-f]{2}))*'  # the inside of a JSON string, as keju writes it
_TEXTS = rf'"{_Q}":"{_Q}"(?:,"{_Q}":"{_Q}")*'  # the inside of an object of texts
_MEDIUM = rf'\{{"kind":"{_Q}","name":"{_Q}"\}}'
_OPTIONS, _ANSWER = ',"options":{', '},"answer":'  # within a string their first quotation mark would be escaped
_HEAD = '^\\{{"id":"{}","wordings":\\{{"{}":\\{{"question":"{}"' + re.escape(_OPTIONS).replace("{", "{{")
_FIRST = ("id", "language", "question")
_TAIL = (
    rf'^{re.escape(_ANSWER)}(?<answer>null|"{_Q}")(?:,"media":\[(?<media>{_MEDIUM}(?:,{_MEDIUM})*)\])?'
    rf'(?:,"labels":\{{(?<labels>{_TEXTS})\}})?(?:,"split":"(?<split>{_Q})")?\}}\s*$'
)
_FOUR = "^" + ",".join(rf'"{letter}":"{_Q}"' for letter in "ABCD") + r"\}"
ITEM_COLUMNS = (*_FIRST, "options", "names", "answer", "media", "labels", "split")


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
    braces around it, but for `answer`. `question`, `language` and `options` are those of the first wording: `options`
    goes on after its object ends (`options_in` reads it), `names` are its keys as `keys_of` gives them.
    Raises `BadFile` as `keju.formats.jsonl.read_items` does.
    """
    pl = polars(f"reading {path}")
    try:
        pieces = _pieces(pl.scan_lines(path, name="line", glob=False), columns).collect(engine="streaming")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise BadFile(f"{path}: cannot be read: {error}") from error
    frame = _repaired(_told(pieces), path, columns)
    for name in ("id", "language", "split"):
        if name in frame.columns:
            frame = frame.with_columns(unescaped(frame[name]))
    if frame.height == 0 or frame["id"].n_unique() < frame.height:
        read_items(path, None)  # names the line
    return frame.select("id", *(name for name in columns if name != "id"))


def options_in(text: str) -> dict[str, str]:
    """The options that a text in the column `options` begins with."""
    options: dict[str, str] = _OBJECT.raw_decode(f"{{{text}")[0]
    return options


_OBJECT = json.JSONDecoder()


def record_frame(path: Path, columns: Sequence[str]) -> DataFrame:
    """Of `records.jsonl`, `id`, `status`, and of `text`, `prompt`, `media`, `scores` and `error` those asked for.

    One row a line: of several of one item the last counts. `media` is one text, `scores` and `error` are JSON.

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
    return frame


def unescaped(column: Series) -> Series:
    """Insides of JSON strings as the texts that they say."""
    pl = polars("reading a large run")
    odd = column.str.contains("\\", literal=True).fill_null(False)
    if not odd.any():
        return column
    texts = {text: json.loads(f'"{text}"') for text in column.filter(odd).unique()}
    return column.to_frame().select(pl.when(odd).then(pl.col(column.name).replace(texts)).otherwise(column)).to_series()


def keys_of(column: Series) -> Series:
    """Of insides of JSON objects of texts, the keys in their order: `"A","B"`."""
    return column.str.replace_all(rf':"{_Q}"', "")


def label_values(column: Series, name: str) -> Series:
    """Of insides of JSON objects of texts, the text under `name`; null where there is none."""
    written = re.escape(json.dumps(name, ensure_ascii=False))
    return unescaped(column.str.extract(rf'(?:^|,){written}:"({_Q})"'))


def _pieces(lines: LazyFrame, columns: Sequence[str]) -> LazyFrame:
    """Each line cut at its literal marks: the asked parts of its head, what follows `options`, and its tail."""
    pl = polars("reading a large run")
    line, raw = pl.col("line"), pl.col("line").cast(pl.Binary)
    begin, end = (line.str.find(mark, literal=True) for mark in (_OPTIONS, _ANSWER))
    first = begin + len(_OPTIONS)
    return lines.select(
        line.str.extract_groups(_head(columns)).alias("head"),
        raw.bin.slice(first, end - first).cast(pl.String).alias("options"),
        raw.bin.slice(end).cast(pl.String).alias("tail"),
    ).unnest("head")


def _head(columns: Sequence[str]) -> str:
    """The pattern of a line up to its options, with groups for the id and what is asked for: groups cost."""
    return _HEAD.format(*(f"(?<{name}>{_Q})" if name in ("id", *columns) else _Q for name in _FIRST))


def _told(pieces: DataFrame) -> DataFrame:
    """The columns that the pieces give. A line that was not understood has no `id`, no `names` or no `answer`."""
    pl = polars("reading a large run")
    tails = pieces.select("tail").unique()  # most items share theirs, and to take one apart is dear
    tails = tails.with_columns(pl.col("tail").str.extract_groups(_TAIL).alias("told")).unnest("told")
    whole: DataFrame = pieces.with_columns(_names(pieces["options"])).join(
        tails, on="tail", how="left", maintain_order="left"
    )
    return whole.drop("tail")


def _names(options: Series) -> Series:
    """The names of the options; null where a text begins with none."""
    pl = polars("reading a large run")
    usual = options.str.contains(_FOUR).fill_null(False)
    names: Series = pl.select(pl.repeat('"A","B","C","D"', options.len()).alias("names")).to_series()
    others = options.filter(~usual)  # five times as dear as to see that it is usual
    if others.len():
        names = names.scatter((~usual).arg_true(), keys_of(others.str.extract(rf"^({_TEXTS})\}}")))
    return names


def _repaired(frame: DataFrame, path: Path, columns: Sequence[str]) -> DataFrame:
    """The frame with the lines that were not understood read as any reader reads them; blank ones are none."""
    pl = polars("reading a large run")
    odd = frame.select(pl.any_horizontal(pl.col("id", "names", "answer").is_null())).to_series().arg_true()
    if not odd.len():
        return frame
    numbered = frame.with_row_index("at")
    lines = {at: _rewritten(line, path, at + 1) for at, line in _lines_at(path, set(odd)) if line.strip()}
    again = _told(_pieces(pl.LazyFrame({"line": [*lines.values()]}, schema={"line": pl.String}), columns).collect())
    again = again.insert_column(0, pl.Series("at", [*lines], dtype=numbered["at"].dtype))
    whole: DataFrame = pl.concat([numbered.filter(~pl.col("at").is_in(odd.implode())), again]).sort("at").drop("at")
    return whole


def _lines_at(path: Path, numbers: set[int]) -> Iterator[tuple[int, str]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        yield from ((at, line) for at, line in enumerate(file) if at in numbers)


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
    except pl.exceptions.PolarsError:
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
