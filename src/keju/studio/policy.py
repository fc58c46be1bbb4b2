"""Who may do what: the one place that decides. Pure functions of roles and of a person's past with an item.

Views and the API ask `may`; templates show only what `may` allows; tests walk the whole table.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from keju.studio.models import Role

Text = str | Promise


class Verb(StrEnum):
    MANAGE = "manage"
    """Settings, members, terms, batches, releases, import, the audit log."""
    SEE_PROJECT = "see project"
    """Dashboards without keys, the list of items by id and state."""
    SEE_ASSETS = "see assets"
    """Every picture and clip with its source, use and screening."""
    SEE_MEDIA = "see media"
    """The bytes of one picture or clip."""
    CANCEL = "cancel"
    """Look at a job and stop it: one's own; an owner any."""
    UPLOAD = "upload"
    WRITE = "write"
    """Begin an item, change one's own; an owner changes any."""
    SUBMIT = "submit"
    """One's own; an owner submits any."""
    SEE_KEY = "see key"
    """Key, rationale, strategies, history and comments of an item."""
    COMMENT = "comment"
    SCREEN = "screen"
    REVIEW_EXPERT = "review expert"
    REVIEW_LINGUISTIC = "review linguistic"
    REVIEW_FORMATTING = "review formatting"
    REVIEW_EQUIVALENCE = "review equivalence"
    REANNOTATE = "reannotate"
    RATE = "rate"
    ADJUDICATE = "adjudicate"
    SIT = "sit"


@dataclass(frozen=True, slots=True)
class Past:
    """What one person has had to do with one item, with one asset and the items that show it, or with one job."""

    authored: bool = False
    revised: bool = False
    uploaded: bool = False
    assigned: bool = False
    """Has, or has had, any assignment on it."""
    reviewing: bool = False
    """Has an open review, or a review done, of it."""
    blind: bool = False
    """Has a blind assignment on it that is not done, or takes part in a batch that is not closed."""
    commented: bool = False
    reannotated: bool = False
    rated: bool = False
    third_expert: bool = False
    """Is the third expert of a dispute over it."""
    disputing: bool = False
    """Is named in a dispute over it."""
    started: bool = False
    """Started it, where it is a job."""


@dataclass(frozen=True, slots=True)
class Verdict:
    allowed: bool
    reason: Text = ""
    """Why not, for the person; of an allowed deed in single-user mode, the rule it would break, for the report."""

    def __bool__(self) -> bool:
        return self.allowed


YES = Verdict(True)

ROLES: dict[Verb, Set[Role]] = {
    Verb.MANAGE: {Role.OWNER},
    Verb.SEE_PROJECT: set(Role) - {Role.PARTICIPANT},
    Verb.SEE_ASSETS: set(Role) - {Role.PARTICIPANT, Role.ANNOTATOR},
    Verb.SEE_MEDIA: set(Role) - {Role.PARTICIPANT, Role.ANNOTATOR},
    Verb.CANCEL: set(Role) - {Role.PARTICIPANT},
    Verb.UPLOAD: {Role.OWNER, Role.AUTHOR, Role.EXPERT, Role.LINGUIST},
    Verb.WRITE: {Role.OWNER, Role.AUTHOR, Role.EXPERT, Role.LINGUIST},
    Verb.SUBMIT: {Role.OWNER, Role.AUTHOR, Role.EXPERT, Role.LINGUIST},
    Verb.COMMENT: {Role.OWNER, Role.AUTHOR, Role.EXPERT, Role.LINGUIST, Role.FORMATTER, Role.ADJUDICATOR},
    Verb.SCREEN: {Role.AUTHOR, Role.EXPERT, Role.FORMATTER},
    Verb.REVIEW_EXPERT: {Role.EXPERT},
    Verb.REVIEW_LINGUISTIC: {Role.LINGUIST},
    Verb.REVIEW_FORMATTING: {Role.FORMATTER},
    Verb.REVIEW_EQUIVALENCE: {Role.EXPERT, Role.LINGUIST},
    Verb.REANNOTATE: {Role.ANNOTATOR},
    Verb.RATE: {Role.ANNOTATOR},
    Verb.ADJUDICATE: {Role.ADJUDICATOR},
    Verb.SIT: {Role.PARTICIPANT},
}
"""Verb → roles, before the hard rules. `SEE_KEY` has rules of its own."""

NO_ROLE = Verdict(False, _("Your role in this project does not include this."))
OWN_ITEM = _("You wrote or revised this item, so someone else must judge it.")
INVOLVED = _("You have worked on this item before; re-annotation needs someone who has not.")
PARTY = _("You are a party to this dispute; a third expert must settle it.")
OWN_UPLOAD = _("You uploaded this, so someone else must screen it.")
NOT_YOURS = Verdict(False, _("Only its author or an owner can change this item."))
NOT_YOUR_JOB = Verdict(False, _("Only whoever started this, or an owner, can stop it."))
BLIND = Verdict(False, _("The key stays hidden while you answer this item blind."))
PARTICIPANT_ONLY = Verdict(False, _("A participant of the human baseline can have no other role in the project."))

_JUDGING = {
    Verb.REVIEW_EXPERT,
    Verb.REVIEW_LINGUISTIC,
    Verb.REVIEW_FORMATTING,
    Verb.REVIEW_EQUIVALENCE,
    Verb.REANNOTATE,
    Verb.RATE,
    Verb.ADJUDICATE,
}
_SHOWING_KEY = _JUDGING - {Verb.REANNOTATE, Verb.RATE}
"""Whoever does these sees the key, so they wait until one's blind answers on the item can no longer be changed."""


def may(verb: Verb, roles: Set[Role], past: Past | None = None, *, single_user: bool = False) -> Verdict:
    """Whether a person with these roles and this past with the item may do it; `past` is None where no item is meant.

    In single-user mode conflicts of interest are allowed, with the rule that they break as the verdict's reason; what
    hides keys is never relaxed.
    """
    named, past = past is not None, past or Past()
    if verb is Verb.SEE_KEY:
        return _may_see_key(roles, past)
    if verb is Verb.SEE_MEDIA and roles and past.assigned:
        return YES
    refusal = _refusal(verb, roles, past, named=named)
    if refusal is not None:
        return refusal
    conflict = _conflict(verb, past)
    return Verdict(single_user, conflict) if conflict else YES


def _refusal(verb: Verb, roles: Set[Role], past: Past, *, named: bool) -> Verdict | None:
    """What stands against it in single-user mode as well, if anything does."""
    if Role.PARTICIPANT in roles and verb is not Verb.SIT:
        return PARTICIPANT_ONLY if len(roles) > 1 else NO_ROLE
    if not roles & ROLES[verb]:
        return NO_ROLE
    if past.blind and (verb in _SHOWING_KEY or verb in {Verb.WRITE, Verb.SUBMIT, Verb.COMMENT, Verb.SEE_ASSETS}):
        return BLIND
    if verb in {Verb.WRITE, Verb.SUBMIT} and named and not _ones_own(roles, past):
        return NOT_YOURS
    if verb is Verb.CANCEL and named and not (Role.OWNER in roles or past.started):
        return NOT_YOUR_JOB
    return None


def _ones_own(roles: Set[Role], past: Past) -> bool:
    return Role.OWNER in roles or past.authored or past.revised


def _may_see_key(roles: Set[Role], past: Past) -> Verdict:
    if past.blind:
        return BLIND
    involved = past.authored or past.revised or past.reviewing or past.third_expert or past.disputing
    if Role.PARTICIPANT in roles:
        return NO_ROLE
    return YES if Role.OWNER in roles or (roles and involved) else NO_ROLE


def _conflict(verb: Verb, past: Past) -> Text | None:
    """The conflict of interest that stands against it, if one does."""
    if verb is Verb.SCREEN and past.uploaded:
        return OWN_UPLOAD
    if verb in _JUDGING and (past.authored or past.revised):
        return OWN_ITEM
    if verb is Verb.REANNOTATE and (past.assigned or past.commented):
        return INVOLVED
    if verb is Verb.ADJUDICATE and (past.reannotated or past.rated or past.disputing):
        return PARTY
    return None


def fit_together(roles: Set[Role]) -> Verdict:
    """Whether one person may have all these roles in one project."""
    return PARTICIPANT_ONLY if Role.PARTICIPANT in roles and len(roles) > 1 else YES
