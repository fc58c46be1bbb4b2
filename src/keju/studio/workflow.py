"""The states of an item, and the one function that moves it from one to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from keju.studio.journal import record
from keju.studio.models import Finding, Item
from keju.studio.policy import Verb, may
from keju.studio.standing import past_of, roles_of, settings_of

S = Item.State


@dataclass(frozen=True, slots=True)
class Move:
    """A verb of the workflow: from which states, to which, and what one needs to be allowed."""

    source: frozenset[str]
    target: str
    needs: Verb | None
    """None: done by the studio itself when the last of several people has judged."""


MOVES: dict[str, Move] = {
    "submit": Move(frozenset({S.DRAFT, S.REVISE}), S.IN_REVIEW, Verb.SUBMIT),
    "withdraw": Move(frozenset({S.IN_REVIEW}), S.DRAFT, Verb.SUBMIT),
    "ask_changes": Move(frozenset({S.IN_REVIEW, S.ACCEPTED}), S.REVISE, None),
    "pass_all": Move(frozenset({S.IN_REVIEW}), S.ACCEPTED, None),
    "dispute": Move(frozenset({S.IN_REVIEW, S.ACCEPTED, S.RELEASED}), S.DISPUTED, None),
    "keep": Move(frozenset({S.DISPUTED}), S.ACCEPTED, Verb.ADJUDICATE),
    "resume": Move(frozenset({S.DISPUTED}), S.IN_REVIEW, Verb.ADJUDICATE),
    "rework": Move(frozenset({S.DISPUTED}), S.REVISE, Verb.ADJUDICATE),
    "exclude": Move(frozenset({S.DISPUTED}), S.EXCLUDED, Verb.ADJUDICATE),
    "release": Move(frozenset({S.ACCEPTED, S.RELEASED}), S.RELEASED, Verb.MANAGE),
    "reopen": Move(frozenset({S.RELEASED, S.ACCEPTED}), S.REVISE, Verb.MANAGE),
}


class NotAllowed(Exception):
    """The person may not, or the item is not in a state where it could be done; the text says which."""


@transaction.atomic
def transition(item: Item, verb: str, actor: User | None, **data: Any) -> Item:
    """Move an item, write the event, and return the item as it now is. Raises `NotAllowed`."""
    move = MOVES[verb]
    item = Item.objects.select_for_update(of=("self",)).select_related("project").get(pk=item.pk)
    if item.state not in move.source:
        raise NotAllowed(_("This item is “%(state)s”; that cannot be done now.") % {"state": item.get_state_display()})
    warning = ""
    if move.needs is not None:
        if actor is None:
            raise NotAllowed(_("Sign in first."))
        single_user = settings_of(item.project).single_user
        verdict = may(move.needs, roles_of(actor, item.project), past_of(actor, item), single_user=single_user)
        if not verdict:
            raise NotAllowed(str(verdict.reason))
        warning = str(verdict.reason)
    if verb in {"submit", "pass_all", "release"} and _blocked(item):
        raise NotAllowed(_("Findings of severity “error” are open; mend or waive them first."))
    before, item.state = item.state, move.target
    item.save(update_fields=("state", "changed_at"))
    if warning:
        data["conflict"] = warning
    record(item.project, actor, verb, f"item:{item.code}", **{"from": before, "to": item.state, **data})
    return item


def _blocked(item: Item) -> bool:
    return Finding.objects.filter(item=item, state=Finding.State.OPEN, severity="error").exists()
