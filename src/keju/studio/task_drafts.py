"""Drafts of answers to tasks: what a reviewer has typed and not sent. Seen by that person alone, on that task alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.http import QueryDict

from keju.studio import drafts
from keju.studio.models import Assignment, Draft


@dataclass(frozen=True, slots=True)
class Unsent:
    at: datetime
    query: QueryDict
    """The form as it would have been posted."""


def target_of(task: Assignment) -> str:
    return f"assignment:{task.pk}"


def keep(user: User, task: Assignment, token: str, fields: drafts.Fields) -> Draft | None:
    """Store it; None where the form of this token was sent already."""
    return drafts.keep(user, target_of(task), token, fields, task.revision_id or 0)


def unsent(user: User, task: Assignment) -> Unsent | None:
    """The draft, where one is open and is about the revision that is judged now."""
    draft = drafts.unsaved(user, target_of(task))
    if draft is None or draft.base_version != task.revision_id:
        return None
    return Unsent(draft.at, _posted(draft.fields))


def _posted(fields: drafts.Fields) -> QueryDict:
    """`{"note": "…", "checklist=sharp": "on"}` as the form would send it."""
    query = QueryDict(mutable=True)
    for name, value in fields.items():
        field, is_box, choice = name.partition("=")
        if not is_box:
            query[field] = value
        elif value == "on":
            query.appendlist(field, choice)
    return query
