"""The human baseline: a frozen sample, invited participants, one question after the other, no way back.

The server's clock decides: what a browser says of seconds in sight never exceeds what passed between the page's
opening and its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import BaseModel, Field

from keju.benchmark import Benchmark, label_of
from keju.items import LABELS, same_language
from keju.studio import drafts
from keju.studio.benchmarks import LABEL_COLUMNS, benchmark_of
from keju.studio.drawing import candidates
from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Draft, Item, Membership, Participant, Project, Revision, Role
from keju.studio.models import SignInLink as Link
from keju.studio.queue import Closed, hand_out, locked, submit
from keju.studio.responses import Media
from keju.studio.signing_in import new_link, new_person

GROUPS = ("expert", "non-expert")  # paper 000 "Human Baseline": three and ten people
SIZE = 100  # items, the same section
ALIKE = ("genre", "question_type", "difficulty", "language")
"""Labels whose shares the sample keeps, the same section."""
STEP = "sit"


class Measured(BaseModel):
    """What the browser measured while a question was open."""

    visible_ms: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None  # as the column holds it
    media: Media = Media()

    def within(self, passed: timedelta) -> Measured:
        """The same, with no time longer than what passed by the server's clock."""
        most = max(0, int(passed.total_seconds() * 1000))
        first = self.media.first_play_ms
        media = {
            "first_play_ms": None if first is None else min(first, most),
            "heard_s": min(self.media.heard_s, most / 1000),
        }
        visible = None if self.visible_ms is None else min(self.visible_ms, most)
        return Measured(visible_ms=visible, media=self.media.model_copy(update=media))


@dataclass(frozen=True, slots=True)
class Invitation:
    """A participant, and the token of a link that is shown once."""

    participant: Participant
    token: str


def eligible(project: Project) -> list[tuple[Item, Revision]]:
    """The items that people can sit: accepted or released, with a key, and none of the reserve."""
    items = candidates(project, Batch.Kind.BASELINE, {}).select_related(
        "current__image", "current__audio", *LABEL_COLUMNS
    )
    return [(item, item.current) for item in items if item.current and item.current.body.get("key") is not None]


def varying(benchmark: Benchmark) -> list[str]:
    """Those of `ALIKE` that differ between items."""
    return [name for name in ALIKE if len({label_of(item, name) for item in benchmark}) > 1]


def draw(
    project: Project,
    owner: User,
    name: str,
    size: int,
    *,
    labels: Sequence[str] | None = None,
    seed: int = 0,
    consent: str = "",
) -> Batch:
    """A sitting of `size` items, drawn as `keju human sample` draws and frozen with their revisions.

    `labels` keep their shares, by default those of `ALIKE` that vary; `consent` is what people agree to. Raises
    `Misuse` where there are too few items.
    """
    from keju.people.sample import METHOD, draw_sample

    pairs = eligible(project)
    benchmark = benchmark_of(project, pairs)
    labels = varying(benchmark) if labels is None else list(labels)
    by_code = {item.code: (item, revision) for item, revision in pairs}
    chosen = [by_code[code] for code in draw_sample(benchmark, size, labels, seed)]
    with transaction.atomic():
        batch = Batch.objects.create(
            project=project,
            kind=Batch.Kind.BASELINE,
            name=name,
            seed=seed,
            stratify=labels,
            size=size,
            targets=[item.pk for item, _revision in chosen],
            policy={
                "revisions": [revision.pk for _item, revision in chosen],
                "of": len(pairs),
                "method": METHOD,
                "consent": consent,
            },
            created_by=owner,
        )
        codes = [item.code for item, _revision in chosen]
        record(project, owner, "draw", f"batch:{batch.pk}", kind=batch.kind, seed=seed, stratify=labels, items=codes)
    return batch


def frozen(batch: Batch) -> list[tuple[Item, Revision]]:
    """The items of a sitting in its order, each with the revision that was frozen."""
    related = (f"item__{name}" for name in LABEL_COLUMNS)
    found = Revision.objects.filter(pk__in=batch.policy["revisions"]).select_related("image", "audio", *related)
    by_key = {revision.pk: revision for revision in found}
    return [(by_key[key].item, by_key[key]) for key in batch.policy["revisions"]]


def languages_of(batch: Batch) -> list[str]:
    """The languages in which every question of the sitting can be put."""
    contents = [revision.content for _, revision in frozen(batch)]
    tags: list[str] = batch.project.languages
    return [tag for tag in tags if all(any(same_language(there, tag) for there in c.stem) for c in contents)]


@transaction.atomic
def invite(batch: Batch, owner: User, group: str, number: int = 1) -> list[Invitation]:
    """So many new people of a group, each with a link and a queue of all the questions. Raises `Closed`."""
    _must_be_open(batch)
    made = []
    for _number in range(number):
        user = new_person(f"guest-{uuid4().hex}", kind="participant")
        user.username = user.profile.pseudonym
        user.save(update_fields=("username",))
        Membership.objects.create(project=batch.project, user=user, roles=[str(Role.PARTICIPANT)])
        participant = Participant.objects.create(batch=batch, user=user, group=group)
        _queue(participant)
        made.append(Invitation(participant, new_link(user, batch=batch)))
    people = [one.participant.user.get_username() for one in made]
    record(batch.project, owner, "invite", f"batch:{batch.pk}", group=group, people=people)
    return made


@transaction.atomic
def invite_again(participant: Participant, owner: User) -> Invitation:
    """A new link for someone who lost theirs; the old one no longer works. Raises `Closed`."""
    batch = participant.batch
    _must_be_open(batch)
    Link.objects.filter(user=participant.user, batch=batch).delete()
    token = new_link(participant.user, batch=batch)
    record(batch.project, owner, "invite again", f"batch:{batch.pk}", people=[participant.user.get_username()])
    return Invitation(participant, token)


@transaction.atomic
def consent(participant: Participant, language: str = "") -> None:
    """The participant agrees to take part, and chooses a language; both hold from then on. Raises `Closed`."""
    _must_be_open(participant.batch)
    participant.refresh_from_db(from_queryset=Participant.objects.select_for_update())
    if participant.consented_at is None:
        participant.consented_at = timezone.now()
        participant.language = language if language in languages_of(participant.batch) else ""
        participant.save(update_fields=("consented_at", "language"))
        project, batch = participant.batch.project, f"batch:{participant.batch_id}"
        record(project, participant.user, "consent", batch, language=participant.language)


@transaction.atomic
def current(participant: Participant) -> Assignment | None:
    """The question that the participant is at, opened by the server's clock; None when all are answered.

    Raises `Closed` where they have not agreed to take part.
    """
    if participant.consented_at is None:
        raise Closed(_("You have not agreed to take part yet."))
    mine = Assignment.objects.filter(batch=participant.batch_id, user=participant.user_id)
    waiting = mine.exclude(state__in=(Assignment.State.DONE, Assignment.State.VOID)).order_by("order")
    assignment = waiting.select_related("revision__image", "revision__audio", "item").first()
    if assignment and assignment.opened_at is None:
        assignment.state, assignment.opened_at = Assignment.State.TAKEN, timezone.now()
        assignment.save(update_fields=("state", "opened_at"))
    return assignment


def progress(participant: Participant) -> tuple[int, int]:
    """(answered, questions)."""
    mine = Assignment.objects.filter(batch=participant.batch_id, user=participant.user_id)
    return mine.filter(state=Assignment.State.DONE).count(), mine.count()


def chosen(assignment: Assignment) -> str | None:
    """The option that is ticked and not handed in yet."""
    draft = assignment.user and drafts.unsaved(assignment.user, _target(assignment))
    return draft.fields["answer"] if draft else None


def choose(participant: Participant, assignment_id: int, answer: str) -> datetime:
    """Keep the option that is ticked, so that a closed lid loses nothing. Raises `Closed`."""
    assignment = _of(participant, assignment_id)
    if assignment.state == Assignment.State.DONE:
        raise Closed(_("This question is answered already."))
    fields = {"answer": _label(assignment, answer)}
    draft = drafts.keep(participant.user, _target(assignment), STEP, fields, 0)
    return draft.updated_at if draft else timezone.now()


@transaction.atomic
def answer(participant: Participant, assignment_id: int, label: str | None, measured: Measured) -> bool:
    """Hand in an answer, None for none. False where the question was answered before: the first answer stands.

    Raises `Closed`.
    """
    assignment = locked(_of(participant, assignment_id))
    if assignment.state == Assignment.State.DONE:
        return False
    if assignment.opened_at is None:
        raise Closed(_("This question was not opened yet."))
    told = measured.within(timezone.now() - assignment.opened_at)
    data = {"answer": None if label is None else _label(assignment, label)}
    media = told.media.model_dump() if told.media.plays else {}
    submit(assignment, participant.user, data, visible_ms=told.visible_ms, media=media)
    Draft.objects.filter(user=participant.user, target=_target(assignment)).delete()
    return True


def _target(assignment: Assignment) -> str:
    return f"assignment:{assignment.pk}"


def _of(participant: Participant, assignment_id: int) -> Assignment:
    """The participant's own assignment. Raises `Closed`."""
    _must_be_open(participant.batch)
    mine = Assignment.objects.filter(batch=participant.batch_id, user=participant.user_id)
    assignment = mine.select_related("revision", "user").filter(pk=assignment_id).first()
    if assignment is None:
        raise Closed(_("This question is none of yours."))
    return assignment


def _label(assignment: Assignment, answer: str) -> str:
    """The label, where it is one of the question's. Raises `Closed`."""
    options = assignment.revision.body["options"] if assignment.revision else []
    if answer not in LABELS[: len(options)]:
        raise Closed(_("This is none of the options."))
    return answer


def _queue(participant: Participant) -> None:
    batch = participant.batch
    pairs = zip(batch.targets, batch.policy["revisions"], strict=True)
    hand_out(
        Assignment(
            batch=batch,
            item_id=item,
            revision_id=revision,
            user=participant.user,
            step=STEP,
            blind=True,
            order=order,
        )
        for order, (item, revision) in enumerate(pairs)
    )


def _must_be_open(batch: Batch) -> None:
    if Batch.objects.filter(pk=batch.pk, closed_at__isnull=False).exists():
        raise Closed(_("This sitting is closed."))
