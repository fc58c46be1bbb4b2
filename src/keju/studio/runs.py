"""Runs of models on a project's items: folders and files below `runs/SLUG` of the data folder, as they were imported.

They are marked anew each time, with the keys that the items now have: marks are never stored.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from keju.benchmark import Benchmark
from keju.errors import BadFile, Misuse
from keju.results.scores import Scores
from keju.studio.models import Project


def folder(project: Project) -> Path:
    """Where the project's imported runs lie; it need not exist."""
    return Path(settings.DATA) / "runs" / project.slug


def scores_of(project: Project, exam: Benchmark) -> list[Scores]:
    """Every imported run that answers items of `exam`, marked on them. Files that cannot be read are passed over."""
    from keju.api import open_runs, score

    found = []
    for path in sorted(folder(project).glob("*")):
        try:
            runs = open_runs([path], benchmark=exam)
        except (BadFile, Misuse):  # said when it was imported; here it would only hide the rest
            continue
        found += [score(run) for run in runs if run.records]
    return found
