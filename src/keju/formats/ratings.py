"""Ratings: a table in which several people label, or score, the same items.

Long: a row is one rating, with columns for item, rater and rating; several rating columns are several questions put to
the raters (clarity, plausibility, …). Wide: a row is an item, a column is a rater. Columns go by their usual names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from keju.errors import BadFile, Misuse
from keju.formats.field_names import known_field, plain
from keju.formats.names import folded
from keju.formats.tables import Table, read_table
from keju.items import NOTHING
from keju.phrase import Phrase, listed

ITEM = frozenset(
    ("item", "items", "itemid", "id", "no", "number", "#", "sample", "unit", "编号", "編號", "题号", "題號")
)
RATER = frozenset(
    (
        *("rater", "annotator", "reviewer", "coder", "judge", "labeler", "labeller", "person", "by", "user", "expert"),
        *("评分者", "评审", "标注者", "标注员", "標註者", "評分者", "专家", "專家", "审核人"),
    )
)
RATING = frozenset(
    (
        *("rating", "ratings", "label", "labels", "answer", "score", "value", "choice", "category"),
        *("评分", "評分", "标签", "標籤", "答案", "打分", "分数", "分數", "选择", "標註", "标注"),
    )
)
AGREED = frozenset(
    (
        *("consensus", "final", "gold", "key", "answer", "adjudicated", "truth", "correctanswer"),
        *("共识", "共識", "最终", "最終", "答案", "正确答案", "正確答案", "仲裁"),
    )
)
"""Columns of a wide table that hold what was agreed on afterwards: no rating of one person."""
OPTIONS = frozenset(("options", "noptions", "optioncount", "选项数", "選項數"))
NONE = frozenset(
    (
        *("", "-", "--", "–", "—", "/", "?", ".", "na", "n/a", "nan", "null", "skip", "skipped", "missing"),
        *("跳过", "跳過", "未答", "未评", "缺失"),
    )
)
"""Texts that say: no rating. A skip is no label."""


@dataclass(frozen=True)
class Ratings:
    """One question put to raters."""

    measure: str
    """The column's name, where a file holds several; else empty."""
    items: tuple[str, ...]
    raters: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    """One row an item, one column a rater; None where there is none."""
    labels: Mapping[str, tuple[str | None, ...]] = field(default_factory=lambda: NOTHING)
    """Other columns, a value an item: what the items are about."""
    remarks: tuple[Phrase, ...] = ()
    """What was left out or read otherwise than it is written."""

    @property
    def options(self) -> tuple[int, ...] | None:
        """How many labels each item could be given, where a column says so of every item."""
        column = next((told for name, told in self.labels.items() if plain(name) in OPTIONS), None)
        if column is None or not all(text and text.isdecimal() for text in column):
            return None
        return tuple(int(text) for text in column if text)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are meant, where their names do not say it."""

    item: str | None = None
    rater: str | None = None
    ratings: tuple[str, ...] = ()
    """Of a long table its rating columns, of a wide one its raters."""


def read_ratings(path: Path, columns: Columns | None = None, encoding: str | None = None) -> list[Ratings]:
    """The ratings in a CSV, TSV, XLSX or JSONL file, one entry a question. Raises `BadFile` where it holds none."""
    table = read_table(path, encoding)
    asked = columns or Columns()
    for name in (asked.item, asked.rater, *asked.ratings):
        if name is not None and name not in table.columns:
            raise Misuse(f"{path} has no column {name!r}; there are {', '.join(table.columns)}")
    if odd := next(((row.line, why) for row in table.rows for why in row.odd.values()), None):
        raise BadFile(f"{path}:{odd[0]}: {odd[1]}")
    item = (
        asked.item or _first(table.columns, ITEM) or next((n for n in table.columns if plain(n).endswith("id")), None)
    )
    rater = asked.rater or _first(table.columns, RATER)
    found = _long(table, path, item, rater, asked) if rater else [_wide(table, path, item, asked)]
    return [_folded(one, several=len(found) > 1) for one in found]


def _long(table: Table, path: Path, item: str | None, rater: str, asked: Columns) -> list[Ratings]:
    if item is None:
        raise BadFile(f"{path}: no column says which item is rated; name it with --item")
    others = [name for name in table.columns if name not in (item, rater)]
    measures = list(asked.ratings) or [name for name in others if plain(name) in RATING]
    measures = measures or [name for name in others if not _says_about_items(name)]
    if not measures:
        raise BadFile(f"{path}: no column holds ratings; name it with --ratings")
    for row in table.rows:
        if missing := next((name for name in (item, rater) if not row.cells.get(name, "").strip()), None):
            raise BadFile(f"{path}:{row.line}: the row has no {missing}")
    items = tuple(dict.fromkeys(row.cells[item].strip() for row in table.rows))
    raters = tuple(dict.fromkeys(row.cells[rater].strip() for row in table.rows))
    about = {name: _of_items(table, item, items, name) for name in others if name not in measures}
    return [_measure(table, measure, (item, items), (rater, raters), about) for measure in measures]


def _measure(
    table: Table,
    measure: str,
    item: tuple[str, tuple[str, ...]],
    rater: tuple[str, tuple[str, ...]],
    about: Mapping[str, tuple[str | None, ...]],
) -> Ratings:
    given: dict[tuple[str, str], str] = {}
    again = 0
    for row in table.rows:
        if text := row.cells.get(measure, "").strip():
            place = row.cells[item[0]].strip(), row.cells[rater[0]].strip()
            again += place in given
            given.setdefault(place, text)
    remarks = []
    if again:
        remarks.append(
            Phrase(
                f"Ratings that a rater gave an item later, after a first one: {again}. The first stands, for it was "
                "given alone.",
                f"同一评分者对同一题后来又给的评分：{again} 个。以第一次为准，因为那是独立作出的。",
            )
        )
    values = tuple(tuple(given.get((one, who)) for who in rater[1]) for one in item[1])
    return Ratings(measure, item[1], rater[1], values, about, tuple(remarks))


def _wide(table: Table, path: Path, item: str | None, asked: Columns) -> Ratings:
    others = [name for name in table.columns if name and name != item]
    raters = list(asked.ratings)
    left: list[str] = []
    if not raters:
        left = [name for name in others if plain(name) in AGREED]
        raters = [name for name in others if name not in left and not _says_about_items(name)]
    if len(raters) < 2:
        raise BadFile(
            f"{path}: fewer than two raters ({', '.join(raters) or 'none'}); give each a column, or a column that says "
            "who rated (`rater`), or name them with --ratings"
        )
    items = tuple(row.cells.get(item, "").strip() if item else str(number) for number, row in enumerate(table.rows, 1))
    if twice := next((name for name, n in Counter(items).items() if n > 1), None):
        raise BadFile(f"{path}: item {twice!r} has several rows; give each item one, or name the column of raters")
    remarks = []
    if left:
        names = listed(left)
        remarks.append(
            Phrase(
                f"Left out, as it holds what was agreed on and no rating: {names}. Name it in --ratings to count it.",
                f"未计入（是商定的结果，不是评分）：{names.zh}。如需计入，请用 --ratings 指明。",
            )
        )
    values = tuple(tuple(row.cells.get(name, "").strip() or None for name in raters) for row in table.rows)
    about = {name: tuple(row.cells.get(name) for row in table.rows) for name in others if name not in (*raters, *left)}
    return Ratings("", items, tuple(raters), values, about, tuple(remarks))


def _folded(ratings: Ratings, *, several: bool) -> Ratings:
    """Half-width, letters in capitals, numbers in one form, and None for what says that there is no rating."""
    written = Counter(text for row in ratings.values for text in row if text is not None)
    meant = {text: _meaning(text) for text in written}
    remarks = list(ratings.remarks)
    if skipped := {text: n for text, n in written.items() if meant[text] is None}:
        names = listed(f"{text} ({n})" for text, n in skipped.items())
        remarks.append(Phrase(f"Read as no rating: {names}.", f"视为未评：{names.zh}。"))
    if merged := [text for text in written if meant[text] not in (None, text) and meant[text] in written]:
        names = listed(f"{text} = {meant[text]}" for text in merged)
        remarks.append(Phrase(f"Read as the same: {names}.", f"视为相同：{names.zh}。"))
    values = tuple(tuple(None if text is None else meant[text] for text in row) for row in ratings.values)
    measure = ratings.measure if several else ""
    return Ratings(measure, ratings.items, ratings.raters, values, ratings.labels, tuple(remarks))


def _meaning(text: str) -> str | None:
    half = folded(text).strip()
    if half.lower() in NONE:
        return None
    if re.fullmatch(r"[+-]?\d+(\.\d+)?", half):
        number = float(half)
        return f"{number:.0f}" if number == int(number) else f"{number:.15g}"
    return half.upper() if len(half) == 1 else half


def _says_about_items(name: str) -> bool:
    """Whether a column holds what an item is, or when and how it was rated, and no rating."""
    if plain(name) in OPTIONS or plain(name) in ("time", "date", "timestamp", "seconds", "时间", "日期"):
        return True
    known = known_field(name)
    about = ("question", "instruction", "image", "audio", "media", "split", "language", "notes", "id")
    return known is not None and (known.role in about or known.role.startswith("label:"))


def _of_items(table: Table, item: str, items: Sequence[str], name: str) -> tuple[str | None, ...]:
    told: dict[str, str] = {}
    for row in table.rows:
        if text := row.cells.get(name, "").strip():
            told.setdefault(row.cells[item].strip(), text)
    return tuple(told.get(one) for one in items)


def _first(columns: Iterable[str], names: frozenset[str]) -> str | None:
    return next((name for name in columns if plain(name) in names), None)
