"""One entry an item, with what every run made of it: marks of several runs grouped by what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from keju.items import Item, Medium, Wording
from keju.results.mark import Mark
from keju.results.scores import Scores

MediumKey = tuple[str, str]
"""Benchmark and name: two benchmarks may call different files alike."""


@dataclass(slots=True)
class Form:
    """An item as it was put: variants change wordings, the order of options and with it the key."""

    item: Item
    wordings: list[Wording]

    def is_that_of(self, item: Item) -> bool:
        """Whether one has the wordings of the other, and the same key."""
        theirs = list(item.wordings.values())
        alike = all(w in self.wordings for w in theirs) or all(w in theirs for w in self.wordings)
        return item.answer == self.item.answer and alike


@dataclass(slots=True)
class Entry:
    """An item in all its forms."""

    name: str
    """Its id; with a number where another benchmark of the report uses the same one."""
    benchmark: str
    forms: list[Form] = field(default_factory=list)
    marks: list[tuple[int, int, Mark]] = field(default_factory=list)
    """Place of the run, place of the form, and the mark."""

    def has_words_of(self, item: Item) -> bool:
        """Whether `item` is put in one of the wordings of this one."""
        return any(wording in form.wordings for form in self.forms for wording in item.wordings.values())

    def add(self, run: int, mark: Mark) -> None:
        """Add what one run made of it."""
        place = next((n for n, form in enumerate(self.forms) if form.is_that_of(mark.item)), len(self.forms))
        wordings = list(mark.item.wordings.values())
        if place == len(self.forms):
            self.forms.append(Form(mark.item, wordings))
        elif len(wordings) > len(self.forms[place].wordings):
            self.forms[place].wordings = wordings
        self.marks.append((run, place, mark))

    @property
    def media(self) -> Iterator[tuple[MediumKey, Medium, Mark]]:
        """What the item shows and plays, as each run knew it."""
        return (((self.benchmark, m.name), m, mark) for _, _, mark in self.marks for m in mark.item.media)


@dataclass(slots=True)
class Exam:
    """Runs over one benchmark: their items of one id are one."""

    benchmark: str
    entries: dict[str, Entry] = field(default_factory=dict)

    def is_that_of(self, s: Scores) -> bool:
        """Whether a run has its name, or puts most items of the same ids in the same words: other tools' files of one
        benchmark are named each for itself."""
        shared = [(self.entries[mark.id], mark.item) for mark in s.items if mark.id in self.entries]
        return s.benchmark == self.benchmark or 2 * sum(e.has_words_of(item) for e, item in shared) > len(shared)


def entries(scores: Sequence[Scores]) -> list[Entry]:
    """Every item of the runs, in the order of the first run that has it."""
    exams: list[Exam] = []
    taken: set[str] = set()
    for run, s in enumerate(scores):
        exam = next((one for one in exams if one.is_that_of(s)), None)
        if exam is None:
            exam = Exam(s.benchmark)
            exams.append(exam)
        for mark in s.items:
            if mark.id not in exam.entries:
                name = mark.id if mark.id not in taken else f"{mark.id}~{len(exams)}"
                taken.add(name)
                exam.entries[mark.id] = Entry(name, exam.benchmark)
            exam.entries[mark.id].add(run, mark)
    return [entry for exam in exams for entry in exam.entries.values()]
