"""Disputes: opened by the studio when people disagree, settled by a third expert with the parties' agreement.

Without the agreement of all parties an item is excluded (paper 000 "Disagreement Resolution"), and one of the reserve
takes its place. Ids are kept: a hole stays where an item was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from keju.studio.journal import record
from keju.studio.models import Assignment, Dispute, Item, Revision, Term
from keju.studio.policy import Verb, may
from keju.studio.saving import Edit, save
from keju.studio.standing import past_of, roles_of, settings_of
from keju.studio.touching import void_touched
from keju.studio.workflow import NotAllowed, transition

ALIKE = ("genre_id", "question_type_id", "difficulty_id", "original_language")
"""What an item of the reserve should share with the one whose place it takes, the more the better."""
D = Dispute.Decision


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the third expert decides."""

    decision: str
    category: Term
    evidence: Term
    note: str
    agreed: Sequence[int] = ()
    """Primary keys of the parties who agree."""
    key: int | None = None
    """The new key, where it is changed."""
    reason: Term | None = None
    """Why the item is excluded."""


def open_dispute(item: Item, revision: Revision | None, cause: str, people: Iterable[int]) -> Dispute | None:
    """A dispute over a revision between its author and these people; None where the item is no longer that revision,
    or is with its author.

    An item that is in dispute already gets another one; both are settled before it moves on.
    """
    if revision is None or item.current_id != revision.pk:
        return None
    if item.state != Item.State.DISPUTED:
        try:
            transition(item, "dispute", None, cause=cause)
        except NotAllowed:
            return None
    parties = list(dict.fromkeys([item.author_id, *people]))
    dispute = Dispute.objects.create(item=item, revision=revision, cause=cause, participants=parties)
    record(item.project, None, "open dispute", f"dispute:{dispute.pk}", item=item.code, cause=cause)
    return dispute


def parties_of(dispute: Dispute) -> list[User]:
    """Author, re-annotators and raters: those whose agreement a decision needs."""
    found = User.objects.in_bulk(dispute.participants)
    return [found[pk] for pk in dispute.participants if pk in found]


@transaction.atomic
def decide(dispute: Dispute, expert: User, ruling: Ruling) -> Dispute:
    """Settle it and move the item. Raises `NotAllowed` where the expert may not, or the decision lacks agreement."""
    item, dispute = _locked(dispute, ruling)
    conflict = _must_be_third(expert, item)
    if dispute.decision:
        raise NotAllowed(_("This dispute is settled already."))
    if ruling.decision != D.EXCLUDE and set(dispute.participants) - set(ruling.agreed):
        raise NotAllowed(_("Not everyone agrees, so the item must be excluded."))
    still_open = item.disputes.filter(decision="").exclude(pk=dispute.pk)
    if ruling.decision in {D.REWORD, D.EXCLUDE} or not still_open.exists():
        item = transition(item, _verb(dispute, ruling), expert, dispute=dispute.pk)
    told: dict[str, str | None] = {"decision": ruling.decision}
    told |= {"category": ruling.category.code, "evidence": ruling.evidence.code}
    _close(dispute, expert, ruling)
    if ruling.decision == D.CHANGE_KEY:
        dispute.result = _with_key(item, expert, ruling.key)
        dispute.save(update_fields=("result",))
    elif ruling.decision in {D.REWORD, D.EXCLUDE}:
        for other in still_open:
            _close(other, expert, ruling)
    if ruling.decision == D.EXCLUDE:
        told["replaced_by"] = _leave(item, expert, ruling.reason)
    if conflict:
        told["conflict"] = conflict
    record(item.project, expert, "decide", f"dispute:{dispute.pk}", item=item.code, agreed=list(ruling.agreed), **told)
    return dispute


def _locked(dispute: Dispute, ruling: Ruling) -> tuple[Item, Dispute]:
    """Item and dispute for this transaction alone; of an exclusion the reserve as well, before the log is locked."""
    wanted = Q(pk=dispute.item_id)
    if ruling.decision == D.EXCLUDE:
        wanted |= Q(project=dispute.item.project_id, reserve=True)
    list(Item.objects.select_for_update().filter(wanted).order_by("pk"))
    item = Item.objects.select_related("project", "current").get(pk=dispute.item_id)
    return item, Dispute.objects.select_for_update().get(pk=dispute.pk)


def _must_be_third(expert: User, item: Item) -> str:
    """The rule that is broken in single-user mode, or nothing. Raises `NotAllowed` elsewhere."""
    single_user = settings_of(item.project).single_user
    past, roles = past_of(expert, item), roles_of(expert, item.project)
    verdict = may(Verb.ADJUDICATE, roles, past, single_user=single_user)
    if not verdict:
        raise NotAllowed(str(verdict.reason))
    return str(verdict.reason)


def _verb(dispute: Dispute, ruling: Ruling) -> str:
    if ruling.decision == D.REWORD:
        return "rework"
    if ruling.decision == D.EXCLUDE:
        return "exclude"
    return "resume" if dispute.cause == Dispute.Cause.REVIEW else "keep"


def _close(dispute: Dispute, expert: User, ruling: Ruling) -> None:
    dispute.decision, dispute.note = ruling.decision, ruling.note
    dispute.category, dispute.evidence = ruling.category, ruling.evidence
    dispute.agreed = [pk for pk in dispute.participants if pk in ruling.agreed]
    dispute.third_expert, dispute.closed_at = expert, timezone.now()
    dispute.save()


def _with_key(item: Item, expert: User, key: int | None) -> Revision:
    """The revision with the new key, which is no distractor any more. The old one's passes are void."""
    before = item.current
    if before is None or key is None or key == before.content.key or not 0 <= key < len(before.content.options):
        raise NotAllowed(_("Choose the option that is to be the key."))
    content = before.content.model_copy(deep=True, update={"key": key})
    content.options[key].strategy = None
    edit = Edit(content, before.image, before.audio)
    after = save(item, expert, edit, base_version=item.version, reason="key changed by consensus")
    void_touched(item, before, after, expert)
    return after


def _leave(item: Item, expert: User, reason: Term | None) -> str | None:
    """Set the reason, end what is still asked of the item, and promote one of the reserve; returns its id."""
    item.excluded_reason = reason
    item.save(update_fields=("excluded_reason",))
    item.assignments.filter(state__in=("open", "taken")).update(state=Assignment.State.VOID)
    reserve = item.project.items.filter(reserve=True, state=Item.State.ACCEPTED)
    if item.reserve or not reserve:
        return None
    heir = min(reserve, key=lambda one: (sum(getattr(one, name) != getattr(item, name) for name in ALIKE), one.code))
    heir.reserve = False
    heir.save(update_fields=("reserve",))
    record(item.project, expert, "promote", f"item:{heir.code}", takes_the_place_of=item.code)
    return heir.code
