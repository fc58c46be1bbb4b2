"""Size effect: do models with more parameters answer more items right?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keju.errors import Misuse
from keju.phrase import Phrase, listed
from keju.results import columns as c
from keju.results.figures import p_equals
from keju.results.leaderboard import comparability_notes, state
from keju.results.scores import Scores
from keju.results.table import Column, Table
from keju.stats import spearman

SIZE = Column("parameters_b", "Parameters (billions)", "number", "参数量（十亿）")


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
    if names := listed(s.name for s in unknown):
        text = f"Size not published or not known, left out of rho: {names}."
        notes.append(Phrase(text, f"参数量未公布或不明，不计入 ρ：{names.zh}。"))
    left_out = (s for s in known if s not in used)
    if open_runs := listed(Phrase(f"{s.name} ({state(s)})", f"{s.name}（{state(s).zh}）") for s in left_out):
        notes.append(Phrase(f"Left out of rho: {open_runs}.", f"不计入 ρ：{open_runs.zh}。"))
    columns = (c.MODEL, SIZE, c.ACCURACY, c.INTERVAL, c.N)
    return Table("size", "Parameters and accuracy", columns, rows, tuple(notes), "参数量与准确率")


def _row(s: Scores, billions: float | None) -> dict[str, Any]:
    interval = s.interval.pair if s.interval else None
    return {"model": s.name, "parameters_b": billions, "accuracy": s.accuracy, "interval": interval, "n": s.n}


def _correlation(scores: Sequence[Scores], billions: Mapping[str, float]) -> Phrase:
    n = len(scores)
    if n < 3:
        return Phrase(
            f"Spearman's rho needs at least three models of known size with complete runs; there are {n}.",
            f"Spearman 相关系数 ρ 需要至少三个参数量已知且运行完整的模型；现有 {n} 个。",
        )
    found = spearman([billions[s.model] for s in scores], [s.accuracy or 0.0 for s in scores])
    if found.rho is None or found.p is None:
        return Phrase(
            f"Spearman's rho is undefined: {found.undefined}.",
            "Spearman 相关系数 ρ 无定义：参数量或准确率全部相等。",
        )
    return Phrase(
        f"Spearman's rho of parameters and accuracy: {found.rho:.2f} over {found.n} models, {p_equals(found.p)}.",
        f"参数量与准确率的 Spearman 相关系数 ρ：{found.rho:.2f}，{found.n} 个模型，{p_equals(found.p)}。",
    )
