"""What a participant sees: consent, then one question after the other, then thanks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from pydantic import ValidationError

from keju.studio import sittings as domain
from keju.studio.access import Desk, page
from keju.studio.form_labels import language_name
from keju.studio.models import Assignment, Participant
from keju.studio.policy import Verb
from keju.studio.posted import number
from keju.studio.presenting import Audience, present
from keju.studio.queue import Closed


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    text: str
    media: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question as a participant reads it: one language, nothing that tells the key."""

    language: str
    instruction: str
    stem: str
    image: str | None
    audio: str | None
    choices: tuple[Choice, ...]


@require_GET
@page(Verb.SIT)
def sitting(desk: Desk, pk: int) -> HttpResponse:
    """Where the participant is: at the consent, at a question, or at the end."""
    return _show(desk, _seat(desk, pk))


@require_POST
@page(Verb.SIT)
def consent(desk: Desk, pk: int) -> HttpResponse:
    participant = _seat(desk, pk)
    if desk.request.POST.get("agree") != "yes":
        messages.error(desk.request, _("Tick the box to take part, or close the page to leave."))
    else:
        try:
            domain.consent(participant, desk.request.POST.get("language", ""))
        except Closed as closed:
            messages.error(desk.request, str(closed))
    return redirect("sitting", desk.project.slug, pk)


@require_POST
@page(Verb.SIT)
def choose(desk: Desk, pk: int) -> HttpResponse:
    """Keep what is ticked. Answers with the time at which it was kept."""
    try:
        at = domain.choose(_seat(desk, pk), _number(desk), desk.request.POST.get("answer", ""))
    except Closed as closed:
        return HttpResponse(str(closed), status=409, content_type="text/plain")
    return render(desk.request, "studio/sittings/_kept.html", {"at": timezone.localtime(at)})


@require_POST
@page(Verb.SIT)
def answer(desk: Desk, pk: int) -> HttpResponse:
    """Take an answer and show the next question; an answer that comes twice is taken once."""
    participant, sent = _seat(desk, pk), desk.request.POST
    label = None if "skip" in sent else sent.get("answer") or None
    if label is None and "skip" not in sent:
        messages.error(desk.request, _("Choose an answer, or go on without one."))
    else:
        try:
            if not domain.answer(participant, _number(desk), label, _measured(sent.get("measured", ""))):
                messages.warning(desk.request, _("You had answered that question already; your first answer stands."))
        except Closed as closed:
            messages.error(desk.request, str(closed))
    if desk.request.htmx:  # type: ignore[attr-defined] # set by django_htmx
        return _show(desk, participant, part=True)
    return redirect("sitting", desk.project.slug, pk)


def _show(desk: Desk, participant: Participant, *, part: bool = False) -> HttpResponse:
    batch = participant.batch
    context: dict[str, Any] = {"desk": desk, "batch": batch, "participant": participant, "part": part}
    if batch.closed_at is not None:
        name = "closed"
    elif participant.consented_at is None:
        name = "consent"
        languages = [(tag, language_name(tag)) for tag in domain.languages_of(batch)]
        context |= {"put_in": languages, "questions": len(batch.targets)}
    elif assignment := domain.current(participant):
        name = "question"
        done, questions = domain.progress(participant)
        context |= {"assignment": assignment, "question": question_of(participant, assignment), "done": done}
        context |= {"questions": questions, "number": done + 1, "chosen": domain.chosen(assignment)}
    else:
        name = "thanks"
    context["inner"] = f"studio/sittings/_{name}.html"
    response = render(desk.request, context["inner"] if part else "studio/sittings/sitting.html", context)
    response["Cache-Control"] = "no-store"  # the back button shows no question again
    return response


def question_of(participant: Participant, assignment: Assignment) -> Question:
    """The assignment's revision for this participant, in the language that they chose."""
    revision, item = assignment.revision, assignment.item
    if revision is None or item is None:  # of a sitting, never
        raise Http404
    language = participant.language or item.original_language
    shown = present(revision, Audience.PARTICIPANT, language)
    return Question(
        language,
        _one(shown.instruction),
        _one(shown.stem),
        shown.image,
        shown.audio,
        tuple(Choice(option.label, _one(option.text), option.media) for option in shown.options),
    )


def _seat(desk: Desk, pk: int) -> Participant:
    seats = Participant.objects.select_related("batch__project", "user")
    return get_object_or_404(seats, batch_id=pk, batch__project=desk.project, user=desk.user)


def _number(desk: Desk) -> int:
    return number(desk.request, "assignment")


def _measured(sent: str) -> domain.Measured:
    """What the browser measured; nothing where it makes no sense: an answer is never lost for its timing."""
    try:
        return domain.Measured.model_validate_json(sent)
    except ValidationError:
        return domain.Measured()


def _one(text: dict[str, str]) -> str:
    return next(iter(text.values()), "")
