"""What is typed and not saved: kept while one types, looked at by the checks, thrown away at its author's wish."""

from __future__ import annotations

import json
from secrets import token_hex
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from keju.studio import drafts, findings
from keju.studio.access import Desk, page
from keju.studio.editing import MOST_TOKEN, EditorForm
from keju.studio.models import Draft, Item, Revision
from keju.studio.policy import Verb
from keju.studio.posted import number_of

MOST_TYPED = 10**6  # bytes of a draft: a hundred times the longest item of the papers' sets


@require_POST
@page(Verb.WRITE)
def autosave(desk: Desk, pk: int | None = None) -> HttpResponse:
    """Keep what is typed. 409 where this form was saved already: what is late changes nothing."""
    item = item_to_change(desk, pk) if pk is not None else None
    sent = typed(desk.request)
    fields, token = sent["fields"], sent["token"]
    version = number_of(fields.get("base_version", "")) or 0
    return told(drafts.keep(desk.user, target_of(desk, item, token), token, fields, version))


@require_POST
@page(Verb.WRITE)
def discard(desk: Desk, pk: int | None = None) -> HttpResponse:
    """Throw away what was typed and not saved."""
    if pk is None:
        drafts.discard(desk.user, target_of(desk, None, desk.request.POST.get("draft", "")))
        return redirect("items", desk.project.slug)
    drafts.discard(desk.user, target_of(desk, item_to_change(desk, pk)))
    return redirect("item-edit", desk.project.slug, pk)


@page(Verb.WRITE)
def live(desk: Desk, pk: int | None = None) -> HttpResponse:
    """What the checks say of the text as it is typed, from its draft."""
    item = item_to_change(desk, pk) if pk is not None else None
    unsaved = drafts.unsaved(desk.user, target_of(desk, item, desk.request.GET.get("draft", "")))
    if unsaved is None:
        return HttpResponse(status=204)
    form = EditorForm(desk.project, unsaved.fields, item=item, initial={})
    form.to_look_at()
    if not form.is_valid():
        return HttpResponse(status=204)
    found = findings.look(*_as_if_saved(desk, form, item))
    rows = [findings.unsaved(desk.project, each) for each in found]
    return render(desk.request, "studio/items/findings.html", {"desk": desk, "findings": findings.order(rows)})


def _as_if_saved(desk: Desk, form: EditorForm, item: Item | None) -> tuple[Item, Revision]:
    """The item and revision that a save would make; neither is stored."""
    edit = form.edit
    columns = edit.columns or {}
    code = item.code if item else form.code or "new"
    made = Item(pk=item.pk if item else None, project=desk.project, code=code, author=desk.user, **columns)
    content = edit.content
    revision = Revision(item=made, number=0, body=content.model_dump(), sha256=content.sha256)
    revision.image, revision.audio = edit.image, edit.audio
    return made, revision


def typed(request: HttpRequest) -> dict[str, Any]:
    """The JSON of an autosave: `{"token": …, "fields": {name: text}}`."""
    try:
        sent = json.loads(request.body)
        fields, token = sent["fields"], sent["token"]
    except (ValueError, KeyError, TypeError) as error:
        raise SuspiciousOperation("not a draft") from error
    fits = isinstance(fields, dict) and all(isinstance(v, str) for v in fields.values())
    if not fits or not isinstance(token, str) or not 0 < len(token) <= MOST_TOKEN or len(request.body) > MOST_TYPED:
        raise SuspiciousOperation("not a draft")
    return {"fields": fields, "token": token}


def told(draft: Draft | None) -> JsonResponse:
    """What the browser hears of an autosave: 409 where nothing was kept, as the form was sent already or is closed."""
    if draft is None:
        return JsonResponse({"kept": False}, status=409)
    return JsonResponse({"kept": True, "at": draft.updated_at.isoformat()})


def token_of(posted: QueryDict) -> str:
    """The token of a form that was sent, no longer than it was when it was opened."""
    return posted.get("token", "")[:MOST_TOKEN]


def opened(desk: Desk, target: str, draft: drafts.Unsaved | None) -> dict[str, Any]:
    """What a template knows of a form whose text is kept: `studio/work/drafted.html` and the attributes of the form."""
    spent = json.dumps(drafts.spent_tokens(desk.user, target))
    return {"token": token_hex(MOST_TOKEN // 2), "target": target, "spent": spent, "unsent": draft}


def item_to_change(desk: Desk, pk: int) -> Item:
    """An item of the project that this person may change."""
    items = Item.objects.select_related("project", "current__image", "current__audio", "image", "audio", "author")
    item = desk.own(items, pk)
    desk.must(Verb.WRITE, item)
    return item


def target_of(desk: Desk, item: Item | None, token: str = "") -> str:
    """The name of a draft: of an item, or of a new item by the token of its form."""
    if item is not None:
        return f"item:{item.pk}"
    if not 0 < len(token) <= MOST_TOKEN:
        raise Http404
    return f"new:{desk.project.slug}:{token}"
