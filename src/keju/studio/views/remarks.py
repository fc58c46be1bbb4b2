"""Remarks on an item: comments and settling them, waiving findings."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from keju.studio import findings
from keju.studio.access import Desk, page
from keju.studio.journal import record
from keju.studio.models import Comment, Finding, Item
from keju.studio.policy import Verb
from keju.studio.views.items import may_waive

_MOST = 4000  # characters of a comment


@require_POST
@page(Verb.COMMENT)
def comment(desk: Desk, pk: int) -> HttpResponse:
    item = _item(desk, pk)
    text = desk.request.POST.get("text", "").strip()[:_MOST]
    last = item.comments.filter(author=desk.user).last()
    twice = last is not None and last.text == text and not last.resolved  # a double click
    if text and item.current and not twice:
        with transaction.atomic():
            Comment.objects.create(item=item, revision=item.current, author=desk.user, text=text)
            record(desk.project, desk.user, "comment", f"item:{item.code}", revision=item.current.number)
    elif not text:
        messages.error(desk.request, _("Write something first."))
    return redirect("item", desk.project.slug, pk)


@require_POST
@page(Verb.COMMENT)
def settle(desk: Desk, pk: int, comment: int) -> HttpResponse:
    """Mark a comment as settled, or as open again."""
    item = _item(desk, pk)
    found = get_object_or_404(item.comments, pk=comment)
    with transaction.atomic():
        found.resolved = desk.request.POST.get("settled") == "1"
        found.save(update_fields=("resolved",))
        record(
            desk.project, desk.user, "settle" if found.resolved else "unsettle", f"item:{item.code}", comment=comment
        )
    return redirect("item", desk.project.slug, pk)


@require_POST
@page(Verb.SEE_PROJECT)
def waive(desk: Desk, pk: int, finding: int) -> HttpResponse:
    """Let a finding stand, with the reason."""
    item = desk.own(Item.objects.select_related("project"), pk)
    desk.must(Verb.SEE_KEY, item)
    if not may_waive(desk, item):
        raise PermissionDenied(_("Only owners and the item's reviewers let a finding stand."))
    found = get_object_or_404(item.findings, pk=finding, state=Finding.State.OPEN)
    reason = desk.request.POST.get("reason", "").strip()[:300]  # the column's width
    if reason:
        findings.waive(found, desk.user, reason)
    else:
        messages.error(desk.request, _("Say why the finding may stand."))
    return redirect("item", desk.project.slug, pk)


def _item(desk: Desk, pk: int) -> Item:
    """An item on which this person may comment."""
    item = desk.own(Item.objects.select_related("project", "current"), pk)
    desk.must(Verb.SEE_KEY, item)
    desk.must(Verb.COMMENT, item)
    return item
