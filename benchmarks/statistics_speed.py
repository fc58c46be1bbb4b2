"""Speed of the statistics: a leaderboard's worth, against a NumPy index bootstrap and statsmodels.

    python benchmarks/statistics_speed.py [--models 9] [--items 1000] [--resamples 10000]

Work: an interval for each model, all pairs with their differences and Holm's adjustment, breakdowns by three labels.
CPU seconds, best of `--repeat`, after import. Ratios are against keju.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
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


def everything(marks: np.ndarray, labels: list[np.ndarray], resamples: int) -> None:
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


def seconds(call: Callable[[], object], repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("models", 9), ("items", 1000), ("resamples", 10_000), ("repeat", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    marks, labels = work(options.models, options.items)
    resamples = options.resamples

    ours = seconds(lambda: intervals(marks, resamples), options.repeat)
    naive = seconds(lambda: naive_intervals(marks, resamples), 1)
    gap = np.abs(np.array(intervals(marks, resamples)) - np.array(naive_intervals(marks, resamples))).max()
    print(
        f"{options.models} intervals      keju {ours * 1e3:8.1f} ms   "
        f"index bootstrap {naive / ours:8.0f} x   largest gap {gap:.4f}"
    )

    ours = seconds(lambda: tests(marks), options.repeat)
    other = seconds(lambda: statsmodels_tests(marks), options.repeat)
    same = np.allclose(tests(marks), statsmodels_tests(marks), rtol=1e-9)
    print(f"all pairs + Holm keju {ours * 1e3:8.1f} ms   statsmodels     {other / ours:8.0f} x   same p-values: {same}")

    whole = seconds(lambda: everything(marks, labels, resamples), options.repeat)
    print(f"everything       keju {whole * 1e3:8.1f} ms   (goal: under 200)")


if __name__ == "__main__":
    main()
