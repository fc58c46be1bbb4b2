"""What people answer to assignments: one pydantic model a kind of batch. Nothing else is stored as an answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from keju.studio.models import Batch

Likert = Annotated[int, Field(ge=1, le=5)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    note: Annotated[str, Field(max_length=4000)] = ""


class Screening(_Answer):
    """Criteria of paper 000 "Image Selection": met, and reasons against."""

    decision: Literal["include", "exclude"]
    met: list[str] = []
    """Inclusion criteria ticked."""
    reasons: list[str] = []
    """Exclusion criteria ticked."""


class Review(_Answer):
    decision: Literal["pass", "change", "reject"]
    checklist: list[str] = []
    """Points of the step's checklist that were confirmed."""


class Equivalence(_Answer):
    decision: Literal["pass", "revise"]
    meaning: bool
    terms: bool
    options: bool
    not_literal: bool


class Reannotation(_Answer):
    answer: str | None
    """Label as displayed, which is the stored order: agreement is counted on option texts' indices."""
    problem: Literal["", "cannot be answered", "more than one right"] = ""
    confidence: Likert | None = None


class Rating(_Answer):
    """Likert 1-5 (paper 000 "Quality Assurance")."""

    clarity: Likert
    plausibility: Likert
    """Of the distractors."""
    appropriateness: Likert
    """Cultural appropriateness."""


class Sitting(_Answer):
    answer: str | None
    """None: the participant went on without an answer."""


FORMS: dict[str, type[_Answer]] = {
    Batch.Kind.SCREEN: Screening,
    Batch.Kind.REVIEW: Review,
    Batch.Kind.EQUIVALENCE: Equivalence,
    Batch.Kind.REANNOTATE: Reannotation,
    Batch.Kind.RATE: Rating,
    Batch.Kind.BASELINE: Sitting,
}
