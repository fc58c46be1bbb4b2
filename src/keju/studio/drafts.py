"""Drafts: what someone has typed and not saved. A form that was saved can never open its draft again.

Every opening of a form has a token. A save spends it: an autosave that comes late, or the same save sent twice, is
known by its token.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http import QueryDict
from django.utils import timezone

from keju.studio.models import Draft

Fields = dict[str, str]
"""A form as its fields: name → text."""
REMEMBERED = 20  # spent tokens a target: forms that one person has open on one item at a time are fewer
FORGOTTEN_AFTER = timedelta(days=1)  # of drafts of new items that became items: no autosave is as late


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A draft that is open."""

    target: str
    fields: Fields
    base_version: int
    at: datetime

    @property
    def query(self) -> QueryDict:
        """The form as it would be posted: `{"note": "…", "checklist=sharp": "on"}` has `checklist` with one choice."""
        query = QueryDict(mutable=True)
        for name, value in self.fields.items():
            field, is_box, choice = name.partition("=")
            if not is_box:
                query[field] = value
            elif value == "on":
                query.appendlist(field, choice)
        return query


@transaction.atomic
def keep(user: User, target: str, token: str, fields: Fields, base_version: int) -> Draft | None:
    """Store what was typed; None where the form of this token was saved already, and nothing is stored."""
    draft, _ = Draft.objects.select_for_update().get_or_create(user=user, target=target)
    if token in draft.body.get("spent", {}):
        return None
    draft.body = {**draft.body, "fields": fields}
    draft.base_version = base_version
    draft.save()
    return draft


def unsaved(user: User, target: str) -> Unsaved | None:
    """The draft of a target, where one is open."""
    draft = Draft.objects.filter(user=user, target=target).first()
    return _opened(draft) if draft else None


def unsaved_like(user: User, prefix: str) -> list[Unsaved]:
    """Open drafts of targets that begin with `prefix`, the latest first."""
    drafts = Draft.objects.filter(user=user, target__startswith=prefix).order_by("-updated_at")
    return [opened for draft in drafts if (opened := _opened(draft))]


def spent(user: User, target: str, token: str) -> Any | None:
    """What the save that spent this token made; None while it is unspent."""
    draft = Draft.objects.filter(user=user, target=target).first()
    return draft.body.get("spent", {}).get(token) if draft else None


def spent_tokens(user: User, target: str) -> list[str]:
    """Tokens of forms on this target that were saved: the browser drops its copies of them."""
    draft = Draft.objects.filter(user=user, target=target).first()
    return list(draft.body.get("spent", {})) if draft else []


def claim(user: User, target: str, token: str) -> Any | None:
    """Begin a save: holds the draft until the transaction ends; what an earlier save of this form made, if one did."""
    draft, _ = Draft.objects.select_for_update().get_or_create(user=user, target=target)
    return draft.body.get("spent", {}).get(token)


def spend(user: User, target: str, token: str, made: Any) -> None:
    """Close the draft of a form that was saved. Call it inside the transaction of the save."""
    draft, _ = Draft.objects.select_for_update().get_or_create(user=user, target=target)
    tokens = [*draft.body.get("spent", {}).items(), (token, made)][-REMEMBERED:]
    draft.body = {"spent": dict(tokens)}
    draft.save()
    old = Draft.objects.filter(user=user, target__startswith="new:", updated_at__lt=timezone.now() - FORGOTTEN_AFTER)
    old.filter(body__has_key="spent").delete()


def discard(user: User, target: str) -> None:
    """Throw a draft away, at its author's wish; the tokens that were spent stay known."""
    for draft in Draft.objects.filter(user=user, target=target):
        draft.body = {name: value for name, value in draft.body.items() if name != "fields"}
        draft.save()


def _opened(draft: Draft) -> Unsaved | None:
    fields = draft.body.get("fields")
    return Unsaved(draft.target, fields, draft.base_version, draft.updated_at) if fields else None
