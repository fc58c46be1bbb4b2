"""Accuracy by group of items: by any label, and by the two dimensions of paper 000."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from keju.benchmark import label_of
from keju.errors import BadFile, Misuse
from keju.items import Item
from keju.results import columns as c
from keju.results.leaderboard import comparability_notes, interval_notes, state
from keju.results.scores import Cell, Scores
from keju.results.table import Column, Table
from keju.stats import heterogeneity

UNLABELLED = "(none)"
"""What a table calls the items that do not have the label."""


def breakdown(scores: Sequence[Scores], label: str) -> Table:
    """Accuracy, interval and N for each value of `label` (or `modality`, `split`, `options`, `language`) and each run.

    Raises `Misuse` where no item has the label, or for no runs.
    """
    return _table(scores, lambda item: label_of(item, label), label, label.replace("_", " ").capitalize())


def dimensions(scores: Sequence[Scores], mapping: Path | None = None) -> Table:
    """Accuracy by primary dimension: image comprehension and knowledge reasoning (paper 000, Table 5).

    `mapping` is a TOML file like the one in the package: dimension → the question types that belong to it. Items of a
    type that it does not name are counted as `(none)`, and the types are listed. Raises `BadFile` for a broken file and
    `Misuse` where no item has the label `question_type`.
    """
    dimension_of = read_dimensions(mapping)
    table = _table(
        scores,
        lambda item: dimension_of.get(_folded(item.labels.get("question_type", ""))),
        "question_type",
        "Dimension",
    )
    types = {m.labels["question_type"] for s in scores for m in s.items if "question_type" in m.labels}
    unknown = sorted(name for name in types if _folded(name) not in dimension_of)
    if not unknown:
        return table
    note = f"No dimension is given for {', '.join(unknown)}: add the question type to the mapping."
    return Table(table.name, table.title, table.columns, table.rows, (*table.notes, note), table.title_zh)


def read_dimensions(mapping: Path | None = None) -> dict[str, str]:
    """Question type, folded → dimension, from a TOML file or the package's own. Raises `BadFile`."""
    source = mapping or files("keju.results").joinpath("dimensions.toml")
    try:
        tables = tomllib.loads(source.read_text(encoding="utf-8"))
        pairs = [(_folded(name), table["title"]) for table in tables.values() for name in table["question_types"]]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadFile(f"{source}: cannot be read as TOML: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{source}: every dimension needs `title` and a list `question_types`") from error
    dimension_of = dict(pairs)
    if twice := sorted({name for name, title in pairs if dimension_of[name] != title}):
        raise BadFile(f"{source}: {', '.join(twice)} stands under two dimensions; an item has one")
    return dimension_of


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _table(scores: Sequence[Scores], value_of: Callable[[Item], str | None], label: str, title: str) -> Table:
    if not scores:
        raise Misuse("a breakdown needs at least one run")
    cells = [(s, s.group(value_of, label)) for s in scores]
    rows = [_row(s, cell) for s, found in cells for cell in found]
    notes = (
        *(sentence for s, found in cells for sentence in _summary(s, found)),
        *interval_notes(cell.interval.method if cell.interval else None for _, found in cells for cell in found),
        *comparability_notes(scores),
    )
    answered = () if all(s.complete for s in scores) else (c.ANSWERED,)
    group = Column("value", title, "text", _ZH.get(title))
    columns = (c.MODEL, group, c.ACCURACY, c.INTERVAL, c.N, c.CORRECT, *answered)
    name = title.lower().replace(" ", "_")
    return Table(f"by_{name}", f"Accuracy by {title.lower()}", columns, tuple(rows), notes, _title_zh(title))


def _row(s: Scores, cell: Cell) -> dict[str, Any]:
    row: dict[str, Any] = {
        "model": s.name,
        "value": UNLABELLED if cell.value is None else cell.value,
        "accuracy": cell.accuracy,
        "interval": cell.interval.pair if cell.interval else None,
        "n": cell.n,
        "correct": cell.correct,
        "answered": cell.answered,
    }
    return row | {"_faint": True} if cell.faint else row


def _summary(s: Scores, cells: Sequence[Cell]) -> Iterable[str]:
    """Micro and macro, never one in the other's place; and whether the groups differ by more than chance."""
    measured = [cell for cell in cells if cell.accuracy is not None]
    if not measured or s.accuracy is None:
        yield f"{s.name}: nothing was answered."
        return
    macro = sum(cell.accuracy or 0.0 for cell in measured) / len(measured)
    text = f"{s.name}: micro {s.accuracy:.1%} (over items), macro {macro:.1%} (mean of {len(measured)} groups)"
    if not s.settled:
        yield f"{text}; {state(s)}."
        return
    if len(measured) < 2:
        yield f"{text}."
        return
    test = heterogeneity([cell.correct for cell in measured], [cell.n for cell in measured])
    p = "p < 0.001" if test.p < 0.001 else f"p = {test.p:.3f}"
    rough = ", rough: some expected counts are below 5" if test.smallest_expected < 5 else ""
    yield f"{text}; between groups: chi-square {test.statistic:.2f}, df {test.df}, {p}{rough}."


_ZH = {
    "Genre": "剧种",
    "Question type": "题型",
    "Dimension": "能力维度",
    "Difficulty": "难度",
    "Modality": "模态",
    "Level": "等级",
    "Task": "任务",
    "Split": "划分",
    "Options": "选项数",
    "Language": "语言",
    "Original language": "原作语言",
    "Section": "部分",
    "Subject": "科目",
}


def _title_zh(title: str) -> str | None:
    return f"按{_ZH[title]}的准确率" if title in _ZH else None
