"""What an import meets: items, pictures and runs that cannot be taken in as they are."""

from __future__ import annotations

from dataclasses import dataclass

from keju.benchmark import Problem
from keju.phrase import Phrase


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not be taken in as it is."""

    item: str
    message: str
    """In the language of the interface, or a phrase."""

    @classmethod
    def of(cls, problem: Problem) -> Trouble:
        """A problem that the reader of a benchmark or of runs met, with its place."""
        place = ":".join(str(part) for part in (problem.file, problem.line) if part is not None)
        told = Phrase("{place}: {what}", "{place}：{what}").filled(place=place, what=problem.message)
        return cls(problem.item or "", told if place else problem.message)
