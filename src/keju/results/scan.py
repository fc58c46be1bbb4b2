"""A marked run of too many items to hold each as an object: the same counts, from columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from math import fsum
from typing import TYPE_CHECKING

from keju.benchmark import BUILT_IN
from keju.errors import Misuse
from keju.records import WITH_REPLY
from keju.results.deciding import decided, labels_in
from keju.results.scores import score
from keju.results.tally import Cell, Counts, Meaning, Tally, cell_of, facts, no_scores, no_such_label
from keju.runs.frames import item_frame, keys_of, label_values, polars, record_frame, unescaped
from keju.runs.recorded import refuse_strange
from keju.stats import Classification, Interval, clustered_interval, precision_recall_counts

if TYPE_CHECKING:
    from pathlib import Path

    from polars import DataFrame, Expr, Series

    from keju.runs.run import Run

_OUTCOMES = ("answered", "truncated", "blocked", "failed", "pending")


@dataclass(frozen=True)
class Scan(Tally):
    """A marked run as columns."""

    folder: Path = field(kw_only=True)
    marks: DataFrame = field(kw_only=True, repr=False)
    """In benchmark order: `id`, `status`, `label`, `key`, `drawn`, `right`, `chance`, `cluster`, `prompt`, `names`
    (of the options), `labels`, `media`, `split`."""

    @cached_property
    def counts(self) -> Counts:
        pl, marks = polars("a large run"), self.marks
        given = marks["label"].is_not_null() & ~marks["drawn"]
        drawn, right = int(marks["drawn"].sum()), int(marks["right"].sum())
        expected: float = right
        if drawn:
            expected = fsum(marks.select(pl.when("drawn").then("chance").otherwise("right")).to_series().to_list())
        return Counts(
            n=marks.height,
            outcomes=dict(marks["status"].value_counts().iter_rows()),
            correct=right,
            valid=int(given.sum()),
            drawn=drawn,
            correct_given=int((marks["right"] & given).sum()),
            expected=expected,
        )

    @cached_property
    def chances(self) -> Sequence[float]:
        chances: list[float] = self.marks["chance"].to_list()
        return chances

    @cached_property
    def interval_clustered(self) -> Interval | None:
        if not (self.answered and 1 < self.marks["cluster"].n_unique() < self.n):
            return None
        return clustered_interval(self.marks["right"].to_numpy(), self.marks["cluster"].to_list())

    @cached_property
    def classification(self) -> Classification:
        pairs = self.marks.group_by("key", "label").len()
        return precision_recall_counts({(key, label): n for key, label, n in pairs.iter_rows()})

    @cached_property
    def without_key(self) -> tuple[str, ...]:
        return tuple(self.marks.filter(self.marks["key"].is_null())["id"])

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        lists = keys_of(self.marks["labels"].drop_nulls().unique(maintain_order=True)).unique(maintain_order=True)
        return tuple(dict.fromkeys(name for names in lists for name in json.loads(f"[{names}]")))

    def by(
        self, label: str, *, values: Iterable[str | None] | None = None, meaning: Meaning | None = None
    ) -> tuple[Cell, ...]:
        pl = polars("a large run")
        counted = (
            self.marks.select(
                self._values(label).alias("value"), "right", pl.col("status").is_in(WITH_REPLY).alias("there")
            )
            .group_by("value", maintain_order=True)
            .agg(pl.len(), pl.col("there").sum(), pl.col("right").sum())
        )
        groups: dict[str | None, tuple[int, int, int]] = {}
        for value, *counts in counted.iter_rows():
            group = meaning(value) if meaning else value
            before = groups.get(group, (0, 0, 0))
            groups[group] = (before[0] + counts[0], before[1] + counts[1], before[2] + counts[2])
        if not groups.keys() - {None}:
            raise no_such_label(self, label)
        wanted = groups if values is None else dict.fromkeys(values)
        return tuple(cell_of(value, *groups.get(value, (0, 0, 0))) for value in wanted)

    def _values(self, label: str) -> Series:
        """The label's value of each item, as `keju.benchmark.label_of` gives it."""
        pl = polars("a large run")
        own = label_values(self.marks["labels"], label)
        if label not in BUILT_IN:
            return own
        found = self.marks.select(pl.coalesce(own, getattr(self, f"_{label}")()))
        return found.to_series()

    def failures(self) -> Counter[tuple[str, str]]:
        """Kind and message of each call that gave no reply, in the order of the items."""
        pl = polars("a large run")
        records = record_frame(self.folder / "records.jsonl", ["error"]).unique("id", keep="last")
        errors = records.filter(~pl.col("status").is_in(WITH_REPLY)).drop_nulls("error")
        ordered = self.marks.select("id").join(errors, on="id", how="inner", maintain_order="left")
        found = map(json.loads, ordered["error"])
        return Counter((str(error.get("kind")), str(error.get("message"))) for error in found)

    def _modality(self) -> Series:
        pl = polars("a large run")
        kinds = [
            pl.when(pl.col("media").str.contains(f'"kind":"{kind}"', literal=True)).then(pl.lit(kind))
            for kind in ("image", "audio")
        ]
        joined = self.marks.select(pl.concat_str(kinds, separator="+", ignore_nulls=True)).to_series()
        return joined.replace("", "text")

    def _split(self) -> Series:
        return self.marks["split"]

    def _options(self) -> Series:
        sizes = {names: str(len(labels_in(names))) for names in self.marks["names"].unique()}
        return self.marks["names"].replace(sizes)

    def _language(self) -> Series:
        again = item_frame(self.folder / "items.jsonl", ["language"])
        if not again["id"].equals(self.marks["id"]):
            raise Misuse(f"{self.folder} was written while it was read; wait until the run has ended")
        return again["language"]


TOO_MANY = 1 << 28
"""Bytes of `items.jsonl` beyond which a run is not marked item by item: some 750,000 items, which take 2.5 GB."""


def tally(run: Run, *, parser: str | None = None, count_failures_as_wrong: bool = False) -> Tally:
    """The run marked: item by item, or where it is large as columns, which gives the same figures.

    Raises as `score` and `scan` do; of a large run without the extra `scale` only where it is too large to be held.
    """
    if run.large and run.folder and (find_spec("polars") or (run.folder / "items.jsonl").stat().st_size > TOO_MANY):
        return scan(run, parser=parser, count_failures_as_wrong=count_failures_as_wrong)
    return score(run, parser=parser, count_failures_as_wrong=count_failures_as_wrong)


def scan(run: Run, *, parser: str | None = None, count_failures_as_wrong: bool = False) -> Scan:
    """Mark the run that a folder holds, as `keju.results.scores.score` does.

    Raises `Misuse` for a run without a folder and an unknown parser, `MissingExtra` without the extra `scale`.
    """
    pl = polars("marking a run of this size")
    if run.folder is None:
        raise Misuse(f"the run of {run.model} is in no folder: mark it with `score`")
    likelihood = (parser or run.protocol.parser) == "likelihood"
    columns = ["text", "prompt", "media", *(["scores"] if likelihood else [])]
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(record_frame, run.folder / "records.jsonl", columns)
        items, asked = _items(run.folder), reading.result()
    there = _joined(items, asked.rename({"media": "shown"}), run.folder).with_columns(
        pl.col("status").cast(pl.Enum(_OUTCOMES)).fill_null("pending"),
        pl.when(pl.col("status").is_in(WITH_REPLY)).then("text").alias("text"),
        (pl.col("status") == "truncated").fill_null(False).alias("truncated"),
    )
    if parser == "likelihood" and _unscored(there):
        raise no_scores(run)
    marked = decided(there, run.protocol, parser).with_columns(
        (pl.col("label") == pl.col("key")).fill_null(False).alias("right"),
        _cluster() if _has_media(there) else pl.col("id").alias("cluster"),
    )
    kept = ("id", "status", "label", "key", "drawn", "right", "chance", "cluster", "prompt")
    return Scan(
        **facts(run, parser, count_failures_as_wrong),
        folder=run.folder,
        marks=marked.select(*kept, "names", "labels", "media", "split"),
    )


def _unscored(there: DataFrame) -> bool:
    """Whether there are replies, and none has scores."""
    replies = there.filter(there["status"].is_in(WITH_REPLY))
    return bool(replies.height) and not replies["scores"].is_in(_NO_SCORES).not_().any()


_NO_SCORES = ("null", "{}")


def _items(folder: Path) -> DataFrame:
    """The items with their key, the names of their options and the chance of drawing the right one."""
    pl, path = polars("a large run"), folder / "items.jsonl"
    items = item_frame(path, ["options", "names", "answer", "media", "labels", "split"])
    kinds = items.select("names", "answer").unique()
    chances, keys = [], []
    for names, answer in kinds.iter_rows():
        labels, key = labels_in(names), json.loads(answer)
        if key is not None and key not in labels:
            return _refused(path)
        chances.append(1 / len(labels) if key is not None else 0.0)
        keys.append(key)
    known = kinds.with_columns(pl.Series("key", keys, dtype=pl.String), pl.Series("chance", chances, dtype=pl.Float64))
    return items.join(known, on=["names", "answer"], how="left", maintain_order="left").drop("answer")


def _joined(items: DataFrame, asked: DataFrame, folder: Path) -> DataFrame:
    """The items, each with its last record. Raises `BadFile` for a record of none of them."""
    joined = items.join(asked, on="id", how="left", maintain_order="left")
    if joined["status"].count() < asked.height:
        refuse_strange(asked["id"], set(items["id"]), folder / "items.jsonl")
    if joined.height > items.height:
        return _joined(items, asked.unique("id", keep="last"), folder)
    return joined


def _refused(path: Path) -> DataFrame:
    """Let the usual reader name the line that is no item."""
    from keju.formats.jsonl import read_items

    read_items(path, None)
    raise Misuse(f"{path} was written while it was read; wait until the run has ended")


def _has_media(there: DataFrame) -> bool:
    return there["media"].null_count() < there.height or bool((there["shown"].fill_null("") != "").any())


def _cluster() -> Expr:
    """What an item shares with others: its media, as recorded or else by name, or itself where it has none."""
    pl = polars("a large run")
    named = pl.col("media").str.replace_all(r'\{"kind":"[a-z]+","name":"((?:[^"\\]|\\.)*)"\},?', "${1}\0")
    names = named.str.strip_suffix("\0").map_batches(unescaped, return_dtype=pl.String)
    shown = pl.when(pl.col("shown") != "").then("shown")
    cluster: Expr = pl.coalesce(shown, names, pl.concat_str(pl.lit("\0"), "id")).alias("cluster")
    return cluster
