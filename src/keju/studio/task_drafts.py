"""Drafts of answers to tasks: what a reviewer has typed and not sent. Seen by that person alone, on that task alone."""

from __future__ import annotations

from django.contrib.auth.models import User

from keju.studio import drafts
from keju.studio.models import Assignment, Draft


def target_of(task: Assignment) -> str:
    return f"assignment:{task.pk}"


def keep(user: User, task: Assignment, token: str, fields: drafts.Fields) -> Draft | None:
    """Store it; None where the form of this token was sent already."""
    return drafts.keep(user, target_of(task), token, fields, task.revision_id or 0)


def unsent(user: User, task: Assignment) -> drafts.Unsaved | None:
    """The draft, where one is open and is about what is judged now."""
    draft = drafts.unsaved(user, target_of(task))
    return draft if draft and draft.base_version == (task.revision_id or 0) else None
