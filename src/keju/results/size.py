"""Size effect: do models with more parameters answer more items right?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keju.errors import Misuse
from keju.results import columns as c
from keju.results.leaderboard import comparability_notes, state
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import spearman

SIZE = Column("parameters_b", "Parameters (10⁹)", "number", "参数量（十亿）")


def size_effect(scores: Sequence[Scores], billions: Mapping[str, float]) -> Table:
    """Parameters against accuracy, smallest first, with Spearman's rho and the N that it rests on.

    `billions` gives each model's parameters in 10⁹. Models whose size is not known, and incomplete runs, stay out of
    rho and are listed. Raises `Misuse` for no runs.
    """
    if not scores:
        raise Misuse("a size effect needs at least one run")
    known = sorted((s for s in scores if s.model in billions), key=lambda s: (billions[s.model], s.model))
    unknown = [s for s in scores if s.model not in billions]
    rows = tuple(_row(s, billions.get(s.model)) for s in [*known, *unknown])
    used = [s for s in known if s.settled and s.accuracy is not None]
    notes = [_correlation(used, billions), *comparability_notes(scores)]
    if unknown:
        notes.append(f"Size not published or not known, left out of rho: {', '.join(s.name for s in unknown)}.")
    if open_runs := [f"{s.name} ({state(s)})" for s in known if s not in used]:
        notes.append(f"Left out of rho: {', '.join(open_runs)}.")
    columns = (c.MODEL, SIZE, c.ACCURACY, c.INTERVAL, c.N)
    return Table("size", "Parameters and accuracy", columns, rows, tuple(notes), "参数量与准确率")


def _row(s: Scores, billions: float | None) -> dict[str, Any]:
    interval = s.interval.pair if s.interval else None
    return {"model": s.name, "parameters_b": billions, "accuracy": s.accuracy, "interval": interval, "n": s.n}


def _correlation(scores: Sequence[Scores], billions: Mapping[str, float]) -> str:
    if len(scores) < 3:
        return f"Spearman's rho needs at least three models of known size with complete runs; there are {len(scores)}."
    found = spearman([billions[s.model] for s in scores], [s.accuracy or 0.0 for s in scores])
    if found.rho is None:
        return f"Spearman's rho is undefined: {found.undefined}."
    p = "p < 0.001" if (found.p or 0.0) < 0.001 else f"p = {found.p:.3f}"
    return f"Spearman's rho of parameters and accuracy: {found.rho:.2f} over {found.n} models, {p}."
