"""Runs of models over the project's items: which items models find impossible, and which hardly tell anyone apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from keju import api
from keju.items import LABELS
from keju.results.scores import Scores
from keju.studio.benchmarks import benchmark_of
from keju.studio.journal import record
from keju.studio.models import Item, ModelMark, ModelRun, Project, Revision
from keju.studio.troubles import Trouble

_ASKED = ("answered", "truncated")
_SHOWN = 20  # troubles of a run; a run over another benchmark has one an item


@dataclass(slots=True)
class Report:
    """What became of an import of runs."""

    runs: list[ModelRun] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tried:
    """What models made of one item."""

    pk: int
    code: str
    right: int
    asked: int
    chosen: tuple[tuple[str, int], ...]
    """Label → models that chose it, most chosen first; an empty label: no answer in the reply."""

    @property
    def impossible(self) -> bool:
        """No model was right, and enough tried."""
        return self.right == 0 and self.asked >= ENOUGH

    @property
    def doubtful(self) -> bool:
        """Models agree on an option that is not the key: it may be the key that is wrong."""
        label, times = self.chosen[0]
        return self.impossible and bool(label) and self.asked >= MANY and times > self.asked * AGREED


ENOUGH = 3  # models; of fewer, being wrong tells little: two guess wrong more than half of the time
MANY = 5  # models
AGREED = 2 / 3  # of them: five that guess among three wrong options agree so far in one item of 30


def take_runs(project: Project, user: User, path: Path, tell: Callable[[int, int], None] | None = None) -> Report:
    """Take in every run at or below `path`, of keju or of another tool, marked with the project's present keys.

    `tell` is called with the number of runs that were looked at, and 0: how many come is not known.

    An item whose question was reworded since it was asked is left out. Raises `BadFile` where there is no run.
    """
    items = {item.code: item for item in _items(project)}
    benchmark = benchmark_of(project, [(item, item.current) for item in items.values() if item.current])
    report = Report()
    for number, run in enumerate(api.open_runs([path], benchmark=benchmark)):
        if tell:
            tell(number, 0)
        left_out = [problem for problem in run.benchmark.problems if problem.left_out]
        report.troubles += [Trouble.of(problem) for problem in left_out[:_SHOWN]]
        ours = [item.id for item in run.benchmark if item.id in items]
        if not ours:
            report.troubles.append(Trouble("", _("%(model)s answered no item of this project.") % {"model": run.model}))
            continue
        report.runs.append(_kept(project, user, api.score(run), items))
    return report


def tried(project: Project, items: Iterable[Item] | None = None) -> list[Tried]:
    """What models made of each item, hardest first; items that none tried are not there."""
    marks = ModelMark.objects.filter(run__project=project)
    if items is not None:
        marks = marks.filter(item__in=items)
    chosen: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    right: Counter[int] = Counter()
    for pk, code, label, correct in marks.values_list("item", "item__code", "label", "correct"):
        chosen[pk, code][label] += 1
        right[pk] += correct
    found = [
        Tried(pk, code, right[pk], labels.total(), tuple(sorted(labels.items(), key=lambda pair: (-pair[1], pair[0]))))
        for (pk, code), labels in chosen.items()
    ]
    return sorted(found, key=lambda one: (one.right / one.asked, -one.asked, one.code))


def keys_of(items: Iterable[int]) -> dict[int, str]:
    """Item, by primary key → the label of its key, where it has one."""
    revisions = Revision.objects.filter(pk__in=Item.objects.filter(pk__in=items).values("current"))
    keys = {revision.item_id: revision.content.key for revision in revisions}
    return {pk: LABELS[key] for pk, key in keys.items() if key is not None}


@transaction.atomic
def _kept(project: Project, user: User, scores: Scores, items: dict[str, Item]) -> ModelRun:
    """The marks of one run in the place of those that were there."""
    run, _new = ModelRun.objects.update_or_create(
        project=project, model=scores.name[:200], protocol=scores.protocol[:60], defaults={"taken_by": user}
    )
    run.marks.all().delete()
    asked = [mark for mark in scores.items if mark.status in _ASKED and mark.id in items]
    ModelMark.objects.bulk_create(
        ModelMark(run=run, item=items[m.id], label=(m.label or "") if m.valid else "", correct=m.correct) for m in asked
    )
    record(project, user, "import", f"run:{run.model}"[:80], protocol=run.protocol, items=len(asked))
    return run


def _items(project: Project) -> Iterable[Item]:
    related = ("project", "current__image", "current__audio", "genre", "question_type", "difficulty", "dimension")
    return project.items.filter(current__isnull=False).select_related("instruction", *related)
