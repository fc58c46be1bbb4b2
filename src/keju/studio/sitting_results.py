"""What came of a sitting: people by group beside models on the same items, times, and the answers as a file.

A participant is a run whose replies are the letters chosen, so that `keju.results` marks people as it marks models.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from django.db.models import Prefetch

from keju.benchmark import Benchmark
from keju.people import Person, Sitting
from keju.phrase import Phrase
from keju.results.scores import Scores, score
from keju.results.table import Column, Table
from keju.runs.run import Run
from keju.studio.benchmarks import benchmark_of
from keju.studio.deeds import group_name
from keju.studio.models import Assignment, Batch, ModelMark, Participant
from keju.studio.queue import answers_of
from keju.studio.sittings import frozen

PERSON = Column("person", "Person", "text", "作答者")
GROUP = Column("group", "Group", "text", "组别")


def exam_of(batch: Batch) -> Benchmark:
    """The items of the sitting as they were frozen, in its order."""
    return benchmark_of(batch.project, frozen(batch))


@dataclass(frozen=True, slots=True)
class Answered:
    """One participant who answered every question."""

    participant: Participant
    answers: tuple[tuple[Assignment, str | None], ...]
    """In the sitting's order: the assignment, and the label chosen or None."""

    @property
    def name(self) -> str:
        """The pseudonym."""
        return str(self.participant.user.profile.pseudonym)

    @property
    def written(self) -> dict[str, str]:
        """Item id → label, without the blanks."""
        return {_code(assignment): label for assignment, label in self.answers if label}

    @property
    def visible(self) -> list[float]:
        """Seconds in sight, of each question where the browser said it."""
        return [a.visible_ms / 1000 for a, _ in self.answers if a.visible_ms is not None]


def finished(batch: Batch) -> list[Answered]:
    """Those who answered every question; only they are counted, as nobody knows what the others would have said."""
    said = answers_of(batch.assignments.all())
    queues: dict[int | None, list[Assignment]] = {}
    for assignment in batch.assignments.filter(pk__in=said).select_related("item").order_by("order"):
        queues.setdefault(assignment.user_id, []).append(assignment)
    whole = {user: mine for user, mine in queues.items() if len(mine) == len(batch.targets)}
    return [
        Answered(one, tuple((assignment, said[assignment.pk]["answer"]) for assignment in whole[one.user_id]))
        for one in batch.participants.select_related("user__profile")
        if one.user_id in whole
    ]


def runs_of(batch: Batch) -> list[Run]:
    """The answers of those who finished, as runs; their groups as this reader calls them."""
    exam = exam_of(batch)
    return [_run(exam, Person(one.name, group_name(one.participant.group), one.written)) for one in finished(batch)]


def models_on(batch: Batch) -> list[Scores]:
    """Imported runs of models, marked on those items of the sitting that are still as people see them."""
    exam = exam_of(batch)
    same = {item.code for item, revision in frozen(batch) if item.current_id == revision.pk}
    found = []
    marks = Prefetch("marks", ModelMark.objects.select_related("item"))
    for run in batch.project.runs.prefetch_related(marks):
        chosen = {mark.item.code: mark.label for mark in run.marks.all() if mark.item.code in same}
        if chosen:
            found.append(score(_run(exam.select(ids=chosen), Person(run.model, None, chosen))))
    return found


def _run(exam: Benchmark, person: Person) -> Run:
    return Sitting(Path(), exam.name, exam.name, {}).run_of(person, exam)


def sitting_tables(batch: Batch) -> list[Table]:
    """Groups beside models, differences, people, times, and each item; empty where nobody has finished."""
    from keju.results.humans import groups_of, human_items, human_tables, on_their_items

    runs, models = runs_of(batch), models_on(batch)
    if not runs:
        return []
    groups = groups_of(runs)
    return [*human_tables(runs, models), times(batch), human_items(groups, on_their_items(groups, models))]


def times(batch: Batch) -> Table:
    """How long people looked at a question, and whether they heard its clip."""
    note = Phrase(
        "In sight: while the page was in front, by the browser's clock, cut at the server's. On the server: from "
        "sending a question until its answer came.",
        "可见时间：页面处于前台的时间，由浏览器计时，以服务器计时为上限。服务器计时：从发出题目到收到答案。",
    )
    columns = (
        PERSON,
        GROUP,
        Column("visible_s", "In sight, median", "seconds", "可见时间中位数"),
        Column("server_s", "On the server, median", "seconds", "服务器计时中位数"),
        Column("total_s", "In sight, all", "seconds", "可见时间合计"),
        Column("clips", "Clips played", "count", "播放的音频", hide_zero=True),
        Column("to_the_end", "To the end", "count", "播放到结尾", hide_zero=True),
    )
    rows = tuple(_times_row(one) for one in finished(batch))
    return Table("times", "Time taken", columns, rows, (note,), "用时")


def answers(batch: Batch) -> Table:
    """Every answer of those who finished, a row each, in pseudonyms: what `keju human import` reads."""
    rows = tuple(
        {
            "person": one.name,
            "group": one.participant.group,
            "number": assignment.order + 1,
            "item": _code(assignment),
            "answer": label or "",
            "visible_s": None if assignment.visible_ms is None else assignment.visible_ms / 1000,
            "server_s": _passed(assignment),
            "heard_s": assignment.media.get("heard_s"),
        }
        for one in finished(batch)
        for assignment, label in one.answers
    )
    columns = (
        PERSON,
        GROUP,
        Column("number", "No.", "count", "题号"),
        Column("item", "Item", "text", "题目"),
        Column("answer", "Answer", "text", "答案"),
        Column("visible_s", "In sight", "seconds", "可见时间"),
        Column("server_s", "On the server", "seconds", "服务器计时"),
        Column("heard_s", "Heard", "seconds", "收听时间"),
    )
    return Table("human_answers", "Answers", columns, rows, (), "作答")


def _times_row(one: Answered) -> dict[str, Any]:
    server = [passed for assignment, _ in one.answers if (passed := _passed(assignment)) is not None]
    media = [assignment.media for assignment, _ in one.answers]
    return {
        "person": one.name,
        "group": group_name(one.participant.group),
        "visible_s": median(one.visible) if one.visible else None,
        "server_s": median(server) if server else None,
        "total_s": sum(one.visible) if one.visible else None,
        "clips": sum(bool(told.get("plays")) for told in media),
        "to_the_end": sum(bool(told.get("ended")) for told in media),
    }


def _code(assignment: Assignment) -> str:
    return assignment.item.code if assignment.item else ""


def _passed(assignment: Assignment) -> float | None:
    """Seconds by the server's clock."""
    opened, submitted = assignment.opened_at, assignment.submitted_at
    return (submitted - opened).total_seconds() if opened and submitted else None
