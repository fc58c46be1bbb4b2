"""Closing a batch: no more answers, and of blind kinds the disputes that the answers call for."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from keju.studio.agreeing import reannotated_in
from keju.studio.disputing import open_dispute
from keju.studio.journal import record
from keju.studio.models import Assignment, Batch, Dispute, Item
from keju.studio.rating import is_low, ratings_of


@transaction.atomic
def close(batch: Batch, owner: User) -> int:
    """Close the batch for good; returns how many disputes were opened. A batch that is closed stays as it is.

    Blind answers open disputes only now: until then they can be changed, and whoever gave them must not see the key.
    """
    batch = Batch.objects.select_for_update().select_related("project").get(pk=batch.pk)
    if batch.closed_at is not None:
        return 0
    if batch.kind != Batch.Kind.SCREEN:
        list(Item.objects.select_for_update().filter(pk__in=batch.targets).order_by("pk"))
    batch.closed_at = timezone.now()
    batch.save(update_fields=("closed_at",))
    batch.assignments.filter(state__in=("open", "taken")).update(state=Assignment.State.VOID)
    opened = _disputes(batch)
    record(batch.project, owner, "close", f"batch:{batch.pk}", kind=batch.kind, disputes=opened)
    return opened


def _disputes(batch: Batch) -> int:
    if batch.kind == Batch.Kind.REANNOTATE:
        found = [
            open_dispute(one.item, one.revision, Dispute.Cause.LABEL, one.people)
            for one in reannotated_in(batch)
            if one.disputed
        ]
        return sum(dispute is not None for dispute in found)
    if batch.kind == Batch.Kind.RATE:
        return sum(_over_ratings(batch, pk, list(given)) for pk, given in ratings_of(batch).items() if is_low(given))
    return 0


def _over_ratings(batch: Batch, item_pk: int, raters: list[int]) -> bool:
    item = Item.objects.select_related("project", "current").get(pk=item_pk)
    judged = batch.assignments.filter(item=item, state=Assignment.State.DONE).select_related("revision").first()
    revision = judged.revision if judged else None
    return open_dispute(item, revision, Dispute.Cause.RATING, raters) is not None
