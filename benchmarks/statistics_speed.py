"""Speed of the statistics: a leaderboard's worth, against loops, SciPy and statsmodels.

    python benchmarks/statistics_speed.py [--models 9] [--items 1000] [--resamples 10000] [--rounds 3]

Work: an interval for each model, all pairs with their differences and Holm's adjustment, breakdowns by three labels.
CPU milliseconds after import, least and range of the rounds, in which the parties take turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rig.report import ranged, table
from scipy.stats import bootstrap
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.multitest import multipletests

from keju.stats import accuracy_interval, all_pairs, heterogeneity, holm, paired_difference

GROUPS = (8, 8, 3)
"""Genres, question types, difficulties (paper 000)."""


def work(models: int, items: int) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(0)
    marks = rng.random((models, items)) < np.linspace(0.11, 0.73, models)[:, None]
    return marks, [rng.integers(0, count, items) for count in GROUPS]


def intervals(marks: np.ndarray, resamples: int) -> list[tuple[float, float]]:
    n = marks.shape[1]
    return [accuracy_interval(int(k), n, resamples=resamples).pair for k in marks.sum(axis=1)]


def naive_intervals(marks: np.ndarray, resamples: int) -> list[tuple[float, float]]:
    rng, n = np.random.default_rng(0), marks.shape[1]
    found = []
    for row in marks:
        means = [row[rng.integers(0, n, n)].mean() for _ in range(resamples)]
        found.append(tuple(np.quantile(means, [0.025, 0.975])))
    return found


def scipy_intervals(marks: np.ndarray, resamples: int) -> list[tuple[float, float]]:
    drawn = {"n_resamples": resamples, "method": "percentile", "rng": 0, "batch": 500}  # in one piece: 80 MB a model
    found = [bootstrap((row,), np.mean, axis=-1, **drawn).confidence_interval for row in marks.astype(float)]
    return [(interval.low, interval.high) for interval in found]


def tests(marks: np.ndarray) -> list[float | None]:
    p = all_pairs(marks).p
    return list(holm([float(p[i, j]) for i, j in combinations(range(len(marks)), 2)]).adjusted)


def statsmodels_tests(marks: np.ndarray) -> list[float]:
    ps = []
    for i, j in combinations(range(len(marks)), 2):
        a, b = marks[i], marks[j]
        table = [[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]]
        ps.append(sm_mcnemar(table, exact=True).pvalue)
    return list(multipletests(ps, method="holm")[1])


def everything(marks: np.ndarray, labels: list[np.ndarray], resamples: int) -> list[float]:
    """The work alone; nobody else does all of it, so there is nothing to compare."""
    intervals(marks, resamples)
    tests(marks)
    for i, j in combinations(range(len(marks)), 2):
        paired_difference(marks[i], marks[j], resamples=resamples)
    for label in labels:
        sizes = np.bincount(label)
        for row in marks:
            right = np.bincount(label, weights=row)
            for k, n in zip(right, sizes, strict=True):
                accuracy_interval(int(k), int(n), resamples=resamples)
            heterogeneity(right, sizes)
    return []


@dataclass(frozen=True)
class Work:
    """One piece of work, and who does it."""

    name: str
    parties: Mapping[str, Callable[[], Sequence[object]]]
    """keju first."""


def works(marks: np.ndarray, labels: list[np.ndarray], resamples: int) -> list[Work]:
    """What is measured."""
    models = len(marks)
    return [
        Work(
            f"{models} intervals, {resamples:,} resamples",
            {
                "keju": lambda: intervals(marks, resamples),
                "`scipy.stats.bootstrap`": lambda: scipy_intervals(marks, resamples),
                "NumPy in a loop": lambda: naive_intervals(marks, resamples),
            },
        ),
        Work(
            f"{models * (models - 1) // 2} McNemar tests and Holm",
            {"keju": lambda: tests(marks), "statsmodels": lambda: statsmodels_tests(marks)},
        ),
        Work("all of a leaderboard", {"keju": lambda: everything(marks, labels, resamples)}),
    ]


def measured(models: int = 9, items: int = 1000, resamples: int = 10_000, rounds: int = 3) -> list[str]:
    """The figures as Markdown."""
    rows: list[list[str]] = []
    for each in works(*work(models, items), resamples):
        costs = [{name: _ms(call) for name, call in each.parties.items()} for _ in range(rounds)]
        answers = {name: np.array(call(), dtype=float) for name, call in each.parties.items()}
        for name in each.parties:
            every, own = [turn[name] for turn in costs], [turn["keju"] for turn in costs]
            ratios = [cost / ours for cost, ours in zip(every, own, strict=True)]
            gap = np.abs(answers[name] - answers["keju"]).max(initial=0)
            against = [ranged(min(every) / min(own), ratios, "{:.0f}"), f"{gap:.1g}"] if name != "keju" else ["1", ""]
            rows.append([each.name, name, ranged(min(every), every, "{:.2f}"), *against])
    return table(["work", "by", "CPU ms", "against keju", "largest gap to keju's"], rows).split("\n")


def _ms(call: Callable[[], object]) -> float:
    """Least CPU milliseconds of as many calls as a tenth of a second holds, at least one, at most ten."""
    costs: list[float] = []
    while not costs or (len(costs) < 10 and sum(costs) < 100):
        began = time.process_time()
        call()
        costs.append((time.process_time() - began) * 1e3)
    return min(costs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("models", 9), ("items", 1000), ("resamples", 10_000), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    print("\n".join(measured(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
