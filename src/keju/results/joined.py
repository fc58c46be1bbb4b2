"""Two marked runs by item, joined as columns: for runs of too many items to pair them one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from keju.records import WITH_REPLY
from keju.results.pairing import Aspect, Paired, Pairing, Reworded
from keju.results.scan import Scan
from keju.results.scores import Scores
from keju.results.tally import Tally
from keju.runs.frames import polars

if TYPE_CHECKING:
    from polars import DataFrame, Expr

_COLUMNS = ("id", "status", "right", "cluster", "key", "prompt")


@dataclass
class Joined(Pairing):
    """Two runs of which one at least is a `Scan`."""

    a: Tally
    b: Tally

    @cached_property
    def _frames(self) -> tuple[DataFrame, DataFrame]:
        return _frame(self.a), _frame(self.b)

    @cached_property
    def _both(self) -> DataFrame:
        first, second = self._frames
        if first["id"].equals(second["id"]):  # the usual case needs no join
            return first.hstack(second.drop("id").rename(lambda name: f"{name}_right"))
        return first.join(second, on="id", how="inner", maintain_order="left")

    @property
    def shared(self) -> int:
        return self._both.height

    @property
    def union(self) -> int:
        return self.a.n + self.b.n - self.shared

    def lacking(self, one: Tally) -> Sequence[str]:
        first, second = self._frames
        here, there = (first, second) if one is self.a else (second, first)
        if there.height == self.shared:
            return []
        return there.join(here, on="id", how="anti")["id"].sort().to_list()

    def unanswered(self, one: Tally) -> Sequence[str]:
        frame = self._frames[0 if one is self.a else 1]
        return frame.filter(~frame["status"].is_in(WITH_REPLY))["id"].sort().to_list()

    def paired(self, common: bool) -> Paired:
        both = self._both
        if common:
            both = both.filter(_counted(self.a, "status") & _counted(self.b, "status_right"))
        shares = 1 < both["cluster"].n_unique() < both.height
        clusters = both["cluster"].to_list() if shares else None
        return Paired(both["right"].to_numpy(), both["right_right"].to_numpy(), clusters)

    def differ(self, aspect: Aspect) -> bool:
        pl = polars("pairing large runs")
        one, other = pl.col(aspect), pl.col(f"{aspect}_right")
        if aspect == "prompt":
            return bool(self._both.select(((one != other) & (one != "") & (other != "")).any()).item())
        return bool(self._both.select(one.ne_missing(other).any()).item())

    @cached_property
    def reworded(self) -> Reworded:
        pl = polars("pairing large runs")
        one, other = _questions(self.a), _questions(self.b)
        unlike = one.join(other, on="id", how="inner").filter(pl.col("question") != pl.col("question_right"))
        told = unlike.select("question", "question_right", pl.col("language") == pl.col("language_right")).iter_rows()
        same = [same for first, second, same in told if json.loads(f'"{first}"') != json.loads(f'"{second}"')]
        return Reworded(same.count(True), same.count(False))


def _counted(tally: Tally, column: str) -> Expr:
    """Whether an item counts as answered."""
    pl = polars("pairing large runs")
    status = pl.col(column)
    counts: Expr = status.is_in(WITH_REPLY)
    return status != "pending" if tally.count_failures_as_wrong else counts


def _frame(tally: Tally) -> DataFrame:
    if isinstance(tally, Scan):
        return tally.marks.select(_COLUMNS).with_columns(tally.marks["status"].cast(polars("pairing").String))
    pl, marks = polars("pairing large runs"), tally.items if isinstance(tally, Scores) else ()
    rows = [
        (m.id, m.status, m.correct, "\0".join(m.media) or f"\0{m.id}", m.answer, m.record.prompt if m.record else None)
        for m in marks
    ]
    kinds = {name: pl.Boolean if name == "right" else pl.String for name in _COLUMNS}
    frame: DataFrame = pl.DataFrame(rows, kinds, orient="row")
    return frame


def _questions(tally: Tally) -> DataFrame:
    """Ids with their languages and questions, as JSON writes them."""
    pl = polars("pairing large runs")
    if isinstance(tally, Scan):
        from keju.runs.frames import item_frame

        return item_frame(tally.folder / "items.jsonl", ["language", "question"])
    marks = tally.items if isinstance(tally, Scores) else ()
    wordings = [(m.id, m.item.wording) for m in marks]
    rows = [(i, said.language, json.dumps(said.question, ensure_ascii=False)[1:-1]) for i, said in wordings]
    frame: DataFrame = pl.DataFrame(rows, dict.fromkeys(("id", "language", "question"), pl.String), orient="row")
    return frame
