"""Answer sheets: keys for many items at once, shown before anything is changed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from keju.errors import BadFile
from keju.formats.encodings import decode
from keju.items import LABELS
from keju.studio.access import Desk, page
from keju.studio.changing import change
from keju.studio.editing import EDITABLE
from keju.studio.failures import told
from keju.studio.models import Item, Role
from keju.studio.pasting import read_sheet
from keju.studio.policy import Verb
from keju.studio.saving import Conflict, Edit
from keju.studio.seeing import seen
from keju.studio.sheets import Match, lay
from keju.studio.wording import worded
from keju.studio.workflow import NotAllowed

_MOST = 2**20  # bytes of a sheet: thirty thousand rows


@require_http_methods(["GET", "POST"])
@page(Verb.WRITE)
def answers(desk: Desk) -> HttpResponse:
    """Paste or send a sheet, look at what it would change, then let it."""
    posted = desk.request.POST
    text, begins = posted.get("text", ""), posted.get("begins", "")
    if file := desk.request.FILES.get("file"):
        try:
            text = decode(file.read(_MOST), file.name).text
        except BadFile as bad:
            messages.error(desk.request, worded(told(bad)))
    matches = lay(read_sheet(text), _changeable(desk, begins)) if text else []
    if posted.get("apply") and matches:
        _apply(desk, [match for match in matches if match.changes])
        return redirect("items", desk.project.slug)
    if posted and not matches:
        messages.warning(desk.request, _("No answers were found in this text."))
    context: dict[str, Any] = {"desk": desk, "text": text, "begins": begins, "matches": matches}
    context["changes"] = sum(match.changes for match in matches)
    return render(desk.request, "studio/items/answers.html", context)


def _changeable(desk: Desk, begins: str) -> list[Item]:
    items = seen(desk.project, desk.user, desk.roles).filter(state__in=EDITABLE, code__istartswith=begins)
    if Role.OWNER not in desk.roles:
        items = items.filter(pk__in=desk.user.revisions.values("item")) | items.filter(author=desk.user)
    return list(items.select_related("project", "current__image", "current__audio").order_by("code").distinct())


def _apply(desk: Desk, matches: list[Match]) -> None:
    done = 0
    for match in matches:
        try:
            done += _set_key(desk, match)
        except (Conflict, NotAllowed):
            said = _("%(code)s was changed by someone else in the meantime and is left as it is.")
            messages.error(desk.request, said % {"code": match.row.name})
    said = ngettext("%(n)s key is set.", "%(n)s keys are set.", done)
    messages.success(desk.request, said % {"n": done})


def _set_key(desk: Desk, match: Match) -> bool:
    item, label = match.item, match.row.label
    if item is None or item.current is None or not desk.may(Verb.WRITE, item):
        return False
    key = LABELS.index(label)
    content = item.current.content.model_copy(update={"key": key})
    content.options[key].strategy = None
    edit = Edit(content, item.current.image, item.current.audio)
    change(item, desk.user, edit, base_version=item.version, reason=_("answer sheet"))
    return True
