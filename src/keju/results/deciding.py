"""The label that each of a million replies gives: exactly the one that its protocol reads, at a fraction of the cost.

Replies repeat. Each different one is read once, with what its parser looks at: the item's labels, or for a parser that
compares texts its whole options. What cannot give a label under a rule (`keju.protocols.screening`) is not read at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from keju.formats.jsonl import in_label_order
from keju.protocols import Protocol, draw, extract
from keju.protocols.extraction import Extraction, Seen
from keju.protocols.many import Told, read_many
from keju.protocols.robust import alone
from keju.protocols.screening import MAY_GIVE, READS_OPTIONS, SHORT
from keju.runs.frames import options_in, polars

if TYPE_CHECKING:
    from polars import DataFrame

Read: TypeAlias = Callable[[list[tuple[Any, ...]]], Sequence[Told | None]]
"""Rows of what a parser looks at → what each declares; None where that is not enough to tell."""


def decided(replies: DataFrame, protocol: Protocol, parser: str | None) -> DataFrame:
    """`replies` with the columns `label` and `drawn`.

    It has `id`, `text`, `truncated`, `options` and `names` (of `keju.runs.frames.item_frame`) and, for the parser
    `likelihood`, `scores` (JSON). A `text` of null is no reply.
    """
    pl, name = polars("marking a large run"), parser or protocol.parser
    told = replies.with_row_index("at").with_columns(
        pl.lit(None, pl.String).alias("label"), pl.lit(False).alias("other"), pl.col("text").is_null().alias("done")
    )
    if name == "likelihood":
        told = _filled(told, ["scores", "names"], _likeliest)
    elif name in READS_OPTIONS:
        told = _filled(told, ["text", "truncated", "names"], _alone, pl.col("text").str.len_chars() <= SHORT)
        told = _filled(told, ["text", "truncated", "options"], lambda rows: _with_options(rows, name))
    else:
        told = _screened(told, name)
        told = _filled(told, ["text", "truncated", "names"], lambda rows: _by_labels(rows, name))
    return _drawn(told, protocol, parser).drop("at", "other", "done")


def labels_in(names: str) -> list[str]:
    """The labels that a text of `keju.runs.frames.keys_of` lists, in an item's order."""
    return list(in_label_order(dict.fromkeys(json.loads(f"[{names}]"), "")))


def _filled(told: DataFrame, keys: list[str], read: Read, where: Any = True) -> DataFrame:
    """What is not decided yet, read by `read` once for each different row of `keys`."""
    pl = polars("marking a large run")
    rows = told.filter(~pl.col("done") & where).select(keys).unique()
    answers = read(rows.rows())
    known = [answer is not None for answer in answers]
    found = rows.with_columns(
        pl.Series("label_", [answer[0] if answer else None for answer in answers], dtype=pl.String),
        pl.Series("other_", [bool(answer and answer[1]) for answer in answers], dtype=pl.Boolean),
        pl.Series("known_", known, dtype=pl.Boolean),
    )
    joined = told.join(found, on=keys, how="left", nulls_equal=True, maintain_order="left")
    new = ~pl.col("done") & pl.col("known_").fill_null(False) & where
    return joined.with_columns(
        pl.when(new).then("label_").otherwise("label").alias("label"),
        pl.when(new).then("other_").otherwise("other").alias("other"),
        (pl.col("done") | new).alias("done"),
    ).drop("label_", "other_", "known_")


def _screened(told: DataFrame, parser: str) -> DataFrame:
    """Replies that give no label for certain are done."""
    pl = polars("marking a large run")
    if parser not in MAY_GIVE:
        return told
    letters = [names for names in told["names"].unique() if all(re.fullmatch("[A-Z]", x) for x in labels_in(names))]
    silent = pl.col("names").is_in(letters) & ~pl.col("text").str.contains(MAY_GIVE[parser])
    return told.with_columns(pl.col("done") | silent.fill_null(False))


def _drawn(told: DataFrame, protocol: Protocol, parser: str | None) -> DataFrame:
    pl = polars("marking a large run")
    due = pl.col("text").is_not_null() & pl.col("label").is_null() & ~pl.col("other") & protocol.draws(parser)
    marked = told.with_columns(due.alias("drawn"))
    rows = marked.filter("drawn").select("at", "id", "names")
    labels = {names: labels_in(names) for names in rows["names"].unique()}
    drawn = [draw(protocol.seed, item_id, labels[names]) for _, item_id, names in rows.iter_rows()]
    found = rows.select("at", pl.Series("label_", drawn, dtype=pl.String))
    joined = marked.join(found, on="at", how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce("label", "label_").alias("label")).drop("label_")


def _told(found: Extraction) -> Told:
    return found.label, found.reason == "not-an-option"


def _by_labels(rows: list[tuple[Any, ...]], parser: str) -> list[Told]:
    options = {names: dict.fromkeys(labels_in(names), "") for names in {names for *_, names in rows}}
    return [_told(extract(text, options[names], parser, truncated=cut)) for text, cut, names in rows]


def _alone(rows: list[tuple[Any, ...]]) -> list[Told | None]:
    options = {names: dict.fromkeys(labels_in(names), "") for names in {names for *_, names in rows}}
    found = (alone(Seen(text, options[names], cut)) for text, cut, names in rows)
    return [_told(one) if one else None for one in found]


def _with_options(rows: list[tuple[Any, ...]], parser: str) -> list[Told]:
    asked = [(text, in_label_order(options_in(options)), cut) for text, cut, options in rows]
    return read_many(asked, parser)


def _likeliest(rows: list[tuple[Any, ...]]) -> list[Told]:
    options = {names: dict.fromkeys(labels_in(names), "") for names in {names for _, names in rows}}
    scored = ((json.loads(scores) if scores else {}, options[names]) for scores, names in rows)
    return [_told(extract("", labels, "likelihood", scores=scores)) for scores, labels in scored]
