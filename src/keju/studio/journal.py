"""The audit log: a chain of events in which each holds the digest of the one before."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from keju.studio.models import Event, Project

GENESIS = "0" * 64
"""What the first event of a project holds as the digest before it."""


def record(project: Project, actor: User | None, verb: str, object: str, **data: Any) -> Event:
    """Append an event. Call it inside the transaction of the deed that it tells of, so that both stand or fall."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)  # one writer of a chain at a time
        last = Event.objects.filter(project=project).order_by("seq").last()
        event = Event(
            project=project,
            seq=last.seq + 1 if last else 1,
            at=timezone.now(),
            actor_id=actor.pk if actor else None,
            verb=verb,
            object=object,
            data=data,
            previous=last.hash if last else GENESIS,
        )
        event.hash = _digest(event)
        event.save(force_insert=True)
    return event


def first_broken(project: Project) -> int | None:
    """Number of the first event that does not fit the chain, or None where all is as it was written."""
    previous, expected = GENESIS, 1
    for event in Event.objects.filter(project=project).order_by("seq").iterator():
        if event.seq != expected or event.previous != previous or event.hash != _digest(event):
            return expected
        previous, expected = event.hash, expected + 1
    return None


def told(event: Event) -> dict[str, Any]:
    """The event as the export gives it: all that its digest is made of, the digest, and the actor's pseudonym."""
    actor = event.actor
    return {
        "project": event.project_id,
        "seq": event.seq,
        "at": event.at.isoformat(timespec="microseconds"),
        "actor": event.actor_id,
        "person": actor.profile.pseudonym if actor else None,
        "verb": event.verb,
        "object": event.object,
        "data": event.data,
        "previous": event.previous,
        "hash": event.hash,
    }


def _digest(event: Event) -> str:
    """SHA-256 of project, number, time, actor, verb, object, data and the digest before, as compact sorted JSON."""
    content = [
        event.project_id,
        event.seq,
        event.at.isoformat(timespec="microseconds"),
        event.actor_id,
        event.verb,
        event.object,
        event.data,
        event.previous,
    ]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
