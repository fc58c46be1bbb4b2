"""Which items a person may see whole, as a query: the policy's answer for a whole list at once.

`policy.may` decides about one item; lists, searches and filters need the same for thousands. A test holds the two to
each other.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from keju.studio.models import Assignment, Batch, Dispute, Item, Project, Role


def named(project: Project, user: User) -> QuerySet[Item]:
    """Items that a member sees by id and state: all but those that they answer blind, whose state may tell."""
    return project.items.exclude(pk__in=_blind(project, user))


def seen(project: Project, user: User, roles: frozenset[Role]) -> QuerySet[Item]:
    """Items whose text, labels and key this person may see."""
    if Role.PARTICIPANT in roles or not roles:
        return project.items.none()
    items = named(project, user)
    if Role.OWNER in roles:
        return items
    reviewed = Assignment.objects.filter(
        item__project=project, user=user, batch__kind__in=(Batch.Kind.REVIEW, Batch.Kind.EQUIVALENCE)
    )
    disputed = [
        dispute.item_id
        for dispute in Dispute.objects.filter(item__project=project).only("item_id", "participants", "third_expert_id")
        if user.pk in dispute.participants or dispute.third_expert_id == user.pk
    ]
    involved = (
        Q(author=user)
        | Q(pk__in=user.revisions.filter(item__project=project).values("item"))
        | Q(pk__in=reviewed.values("item"))
        | Q(pk__in=disputed)
    )
    return items.filter(involved)


def _blind(project: Project, user: User) -> QuerySet[Assignment, Any]:
    mine = Assignment.objects.filter(item__project=project, user=user, blind=True)
    return mine.filter(Q(state__in=("open", "taken")) | Q(batch__closed_at__isnull=True)).values("item")
