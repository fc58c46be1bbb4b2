"""What people answer to assignments: one pydantic model a kind of batch. Nothing else is stored as an answer.

A model checks what it can see; what it is held against (how many options there are, what must be ticked, whether the
clip was heard) comes as `Facts` in the context of the validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from keju.studio.models import Batch

Likert = Annotated[int, Field(ge=1, le=5)]
Note = Annotated[str, Field(max_length=4000, validate_default=True)]
Names = Annotated[list[str], Field(validate_default=True)]
POINTS = ("meaning", "terms", "options", "not_literal")
"""What a review of equivalence confirms (paper 000 "Bilingual Annotation")."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What an answer is held against."""

    options: int = 6
    """Number of options of the revision that is judged."""
    checklist: tuple[str, ...] = ()
    """Every point must be ticked to pass."""
    unheard: bool = False
    """The step wants the clip heard to its end, and it was not."""


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Screening(Answer):
    """Criteria of paper 000 "Image Selection": met, and reasons against."""

    decision: Literal["include", "exclude"]
    met: list[str] = []
    """Inclusion criteria ticked."""
    reasons: list[str] = []
    """Exclusion criteria ticked."""
    note: Note = ""


class Review(Answer):
    decision: Literal["pass", "change", "reject"]
    checklist: Names = []
    """Points of the step's checklist that were confirmed."""
    note: Note = ""

    @field_validator("decision")
    @classmethod
    def _heard(cls, decision: str, info: ValidationInfo) -> str:
        if decision == "pass" and _facts(info).unheard:
            raise _wrong(_("Play the clip to its end before you pass the item."))
        return decision

    @field_validator("checklist")
    @classmethod
    def _all_ticked(cls, ticked: list[str], info: ValidationInfo) -> list[str]:
        if info.data.get("decision") == "pass" and set(_facts(info).checklist) - set(ticked):
            raise _wrong(_("To pass the item, confirm every point; else ask for changes."))
        return ticked

    @field_validator("note")
    @classmethod
    def _says_why(cls, note: str, info: ValidationInfo) -> str:
        return _required(note, info.data.get("decision") in {"change", "reject"})


class Equivalence(Answer):
    decision: Literal["pass", "revise"]
    meaning: bool = False
    terms: bool = False
    options: bool = False
    not_literal: Annotated[bool, Field(validate_default=True)] = False
    note: Note = ""

    @field_validator("not_literal")
    @classmethod
    def _all_ticked(cls, last: bool, info: ValidationInfo) -> bool:
        if info.data.get("decision") == "pass" and not all([*(info.data.get(point) for point in POINTS[:3]), last]):
            raise _wrong(_("To pass the item, confirm every point; else ask for changes."))
        return last

    @field_validator("note")
    @classmethod
    def _says_why(cls, note: str, info: ValidationInfo) -> str:
        return _required(note, info.data.get("decision") == "revise")


class Reannotation(Answer):
    answer: Annotated[int | None, Field(ge=0)] = None
    """Index of the option in the stored order, so that no order of display can change what was meant."""
    problem: Annotated[Literal["", "cannot be answered", "more than one right"], Field(validate_default=True)] = (
        ""  # stands in the place of an answer
    )
    confidence: Annotated[Likert | None, Field(validate_default=True)] = None
    note: Note = ""

    @field_validator("answer")
    @classmethod
    def _is_an_option(cls, answer: int | None, info: ValidationInfo) -> int | None:
        if answer is not None and answer >= _facts(info).options:
            raise _wrong(_("There is no such option."))
        return answer

    @field_validator("problem")
    @classmethod
    def _answer_or_problem(cls, problem: str, info: ValidationInfo) -> str:
        if (info.data.get("answer") is None) == (problem == ""):
            raise _wrong(_("Choose one option, or say why none can be chosen."))
        return problem

    @field_validator("confidence")
    @classmethod
    def _confidence(cls, confidence: int | None, info: ValidationInfo) -> int | None:
        if confidence is None and info.data.get("answer") is not None:
            raise _wrong(_("Say how sure you are."))
        return confidence


class Rating(Answer):
    """Likert 1-5 (paper 000 "Quality Assurance")."""

    clarity: Likert
    plausibility: Likert
    """Of the distractors."""
    appropriateness: Likert
    """Cultural appropriateness."""
    note: Note = ""


SCALES = ("clarity", "plausibility", "appropriateness")


class Sitting(Answer):
    answer: str | None
    """None: the participant went on without an answer."""
    note: Note = ""


class Media(BaseModel):
    """What the player told of a clip."""

    model_config = ConfigDict(extra="ignore")

    first_play_ms: Annotated[int, Field(ge=0)] | None = None
    plays: Annotated[int, Field(ge=0, le=10_000)] = 0
    heard_s: Annotated[float, Field(ge=0, le=86_400)] = 0
    """Seconds of the clip that were played at least once."""
    ended: bool = False


FORMS: dict[str, type[Answer]] = {
    Batch.Kind.SCREEN: Screening,
    Batch.Kind.REVIEW: Review,
    Batch.Kind.EQUIVALENCE: Equivalence,
    Batch.Kind.REANNOTATE: Reannotation,
    Batch.Kind.RATE: Rating,
    Batch.Kind.BASELINE: Sitting,
}


def _facts(info: ValidationInfo) -> Facts:
    context: Any = info.context
    return context if isinstance(context, Facts) else Facts()


def _required(note: str, needed: bool) -> str:
    if needed and not note.strip():
        raise _wrong(_("Say what is wrong, so that the author can mend it."))
    return note


def _wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("keju", message.replace("{", "{{"))
