"""Accuracy by group of items: by any label, and by the two dimensions of paper 000."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from keju.errors import BadFile, Misuse
from keju.formats.toml_text import read_toml
from keju.phrase import Phrase, listed
from keju.results import columns as c
from keju.results.figures import p_equals, percent
from keju.results.labels import folded, heading_of, label_meant, named
from keju.results.leaderboard import comparability_notes, interval_notes, state
from keju.results.table import Column, Table
from keju.results.tally import Cell, Meaning, NotHeld, Tally
from keju.stats import heterogeneity

_TYPE = "question_type"
"""The label from which an item's dimension follows."""
UNLABELLED = Phrase("(none)", "（无）")
"""What a table calls the items that do not have the label."""


def breakdown(scores: Sequence[Tally], label: str) -> Table:
    """Accuracy, interval and N for each value of `label` (or `modality`, `split`, `options`, `language`) and each run.

    A label may be called by any of its names, `剧种` for `genre`, and each run by its own. Runs that lack it are
    named in a note. Raises `Misuse` where no run has it, or for no runs.
    """
    label = label_meant(label, dict.fromkeys(name for s in scores for name in s.label_names))
    return _table(scores, label, heading_of(label))


def dimensions(scores: Sequence[Tally], mapping: Path | None = None) -> Table:
    """Accuracy by primary dimension: image comprehension and knowledge reasoning (paper 000, Table 5).

    `mapping` is a TOML file like the one in the package: dimension → the question types that belong to it. Items of a
    type that it does not name are counted as `(none)`, and the types are listed. Raises `BadFile` for a broken file and
    `Misuse` where no item has the label `question_type`, or none a type that the file names.
    """
    dimension_of = read_dimensions(mapping)
    types = {cell.value for _, found in _grouped(scores, _TYPE)[0] for cell in found} - {None}
    unknown = listed(sorted(name for name in types if name and folded(name) not in dimension_of))
    if types and not any(folded(name) in dimension_of for name in types if name):
        raise Misuse(f"{_source(mapping)} has none of the question types here: {unknown}. {_remedy(mapping)}")
    table = _table(scores, _TYPE, heading_of("dimension"), lambda value: dimension_of.get(folded(value or "")))
    if not unknown:
        return table
    note = Phrase(
        f"{_source(mapping).name} has no dimension for {unknown}. {_remedy(mapping)}.",
        f"{_source(mapping).name} 中没有以下题型的能力维度：{unknown.zh}。{_remedy(mapping).zh}。",
    )
    return replace(table, notes=(*table.notes, note))


def read_dimensions(mapping: Path | None = None) -> dict[str, Phrase]:
    """Question type, folded → dimension, from a TOML file or the package's own. Raises `BadFile`."""
    source = _source(mapping)
    dimension_of: dict[str, Phrase] = {}
    stands: dict[str, str] = {}
    for name, table in read_toml(source).items():
        try:
            title, types = _title(table), [folded(one) for one in table["question_types"]]
        except (KeyError, TypeError, AttributeError) as error:
            raise BadFile(f"{source}: [{name}] needs `title` and a list `question_types`") from error
        for one in types:
            if stands.setdefault(one, name) != name:
                raise BadFile(f"{source}: {one} stands under two dimensions, [{stands[one]}] and [{name}]")
            dimension_of[one] = title
    return dimension_of


def _source(mapping: Path | None) -> Path:
    return mapping or Path(str(files("keju.results"))) / "dimensions.toml"


def _remedy(mapping: Path | None) -> Phrase:
    """What to do where question types are missing: nobody edits a file of a package."""
    if mapping:
        return Phrase("Add them to the `question_types` of a dimension there", "请补入该文件某一维度的 question_types")
    return Phrase(
        "Copy that file, add them to the `question_types` of a dimension, and name the copy: keju score "
        "--dimensions-file FILE",
        "请复制该文件，补入某一维度的 question_types，再用 keju score --dimensions-file 指明",
    )


def _title(table: Mapping[str, Any]) -> Phrase:
    return Phrase(table["title"], str(table.get("title_zh", table["title"])))


def _table(scores: Sequence[Tally], label: str, title: Phrase, meaning: Meaning | None = None) -> Table:
    cells, lacking = _grouped(scores, label, meaning)
    grouped = [s for s, _ in cells]
    rows = [_row(s, cell, label) for s, found in cells for cell in found]
    notes = (
        *(_summary(s, found) for s, found in cells),
        *interval_notes(cell.interval.method if cell.interval else None for _, found in cells for cell in found),
        *comparability_notes(grouped),
        *lacking_note(lacking, title),
    )
    answered = () if all(s.complete for s in grouped) else (c.ANSWERED,)
    group = Column("value", title, "text", title.zh)
    columns = (c.MODEL, group, c.ACCURACY, c.INTERVAL, c.N, c.CORRECT, *answered)
    name = title.lower().replace(" ", "_")
    return Table(f"by_{name}", f"Accuracy by {title.lower()}", columns, tuple(rows), notes, f"按{title.zh}的准确率")


def _grouped(
    scores: Sequence[Tally], label: str, meaning: Meaning | None = None
) -> tuple[list[tuple[Tally, tuple[Cell, ...]]], list[str]]:
    """The runs that have the label, each with its groups, and the names of those that lack it."""
    found, lacking = [], {}
    for s in scores:
        try:
            found.append((s, s.by(label_meant(label, s.label_names), meaning=meaning)))
        except NotHeld as error:
            lacking[f"{s.name} ({s.benchmark})"] = error
    if not found:
        raise next(iter(lacking.values()), Misuse("a breakdown needs at least one run"))
    return found, list(lacking)


def lacking_note(names: Sequence[str], title: Phrase) -> tuple[Phrase, ...]:
    """Which runs a table by `title` leaves out; nothing where none."""
    out = listed(names)
    said = Phrase(
        f"Left out, because their items have no {title.lower()}: {out}.", f"题目没有{title.zh}，未计入：{out.zh}。"
    )
    return (said,) if names else ()


def _row(s: Tally, cell: Cell, label: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "model": s.name,
        "value": UNLABELLED if cell.value is None else named(label, cell.value),
        "accuracy": cell.accuracy,
        "interval": cell.interval.pair if cell.interval else None,
        "n": cell.n,
        "correct": cell.correct,
        "answered": cell.answered,
    }
    return row | {"_faint": True} if cell.faint else row


def _summary(s: Tally, cells: Sequence[Cell]) -> Phrase:
    """Micro and macro, never one in the other's place; and whether the groups differ by more than chance."""
    measured = [cell for cell in cells if cell.accuracy is not None]
    if not measured or s.accuracy is None:
        return Phrase(f"{s.name}: nothing was answered.", f"{s.name}：没有任何回答。")
    micro, k = percent(s.accuracy), len(measured)
    macro = percent(sum(cell.accuracy or 0.0 for cell in measured) / k)
    averages = Phrase(
        f"{s.name}: micro {micro} (over items), macro {macro} (mean of {k} groups)",
        f"{s.name}：微平均 {micro}（按题），宏平均 {macro}（{k} 组的均值）",
    )
    more = [state(s)] if not s.settled else [_between(measured)] if k > 1 else []
    said = listed([averages, *more], between=("; ", "；"))
    return Phrase(f"{said}.", f"{said.zh}。")


def _between(cells: Sequence[Cell]) -> Phrase:
    test = heterogeneity([cell.correct for cell in cells], [cell.n for cell in cells])
    rough = Phrase(", rough: some expected counts are below 5", "（部分期望频数小于 5，仅供参考）")
    if test.smallest_expected >= 5:
        rough = Phrase("", "")
    return Phrase(
        f"between groups: chi-square {test.statistic:.2f}, df {test.df}, {p_equals(test.p)}{rough}",
        f"组间差异：卡方 {test.statistic:.2f}，自由度 {test.df}，{p_equals(test.p)}{rough.zh}",
    )
