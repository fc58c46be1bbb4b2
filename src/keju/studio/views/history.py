"""The history of an item: its revisions, what changed between two of them, and going back to one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from keju.studio.access import Desk, page
from keju.studio.changing import change
from keju.studio.comparing import differences
from keju.studio.editing import EDITABLE, fields_of_revision
from keju.studio.models import Item, Revision
from keju.studio.policy import Verb
from keju.studio.posted import number_of
from keju.studio.saving import Conflict, Edit
from keju.studio.views.drafting import item_to_change
from keju.studio.views.side_by_side import side_by_side
from keju.studio.workflow import NotAllowed


@require_GET
@page(Verb.SEE_PROJECT)
def history(desk: Desk, pk: int) -> HttpResponse:
    """All revisions, and two of them compared: those asked for, else the last two."""
    item = desk.own(Item.objects.select_related("project", "current"), pk)
    desk.must(Verb.SEE_KEY, item)
    revisions = list(item.revisions.select_related("author", "image", "audio").order_by("-number"))
    numbers = {revision.number: revision for revision in revisions}
    after = _asked(desk, "to", numbers) or revisions[0]
    before = _asked(desk, "from", numbers) or numbers.get(after.number - 1, after)
    found = differences(fields_of_revision(item, before), fields_of_revision(item, after))
    context = {
        "desk": desk,
        "item": item,
        "revisions": revisions,
        "before": before,
        "after": after,
        "lines": side_by_side(desk.project, found),
        "may_restore": item.state in EDITABLE and desk.may(Verb.WRITE, item),
    }
    return render(desk.request, "studio/items/history.html", context)


@require_POST
@page(Verb.WRITE)
def go_back(desk: Desk, pk: int, number: int) -> HttpResponse:
    """An older revision as a new one."""
    item = item_to_change(desk, pk)
    old = get_object_or_404(item.revisions.select_related("image", "audio"), number=number)
    opened_on = number_of(desk.request.POST.get("base_version", ""))
    said = _("restores revision %(number)s") % {"number": number}
    try:
        edit = Edit(old.content, old.image, old.audio)
        change(item, desk.user, edit, base_version=-1 if opened_on is None else opened_on, reason=said)
    except NotAllowed as refused:
        messages.error(desk.request, str(refused))
        return redirect("item-history", desk.project.slug, pk)
    except Conflict:
        messages.error(desk.request, _("Someone saved this item in the meantime. Look at what changed first."))
        return redirect("item-history", desk.project.slug, pk)
    messages.success(desk.request, _("Revision %(number)s is back, as a new revision.") % {"number": number})
    return redirect("item", desk.project.slug, pk)


def _asked(desk: Desk, name: str, numbers: dict[int, Revision]) -> Revision | None:
    value = number_of(desk.request.GET.get(name, ""))
    return None if value is None else numbers.get(value)
