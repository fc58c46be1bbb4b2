"""The editor: a new item, a change of one, what is typed meanwhile, and what happens when two people save."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import SuspiciousOperation
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from keju.studio import drafts, findings
from keju.studio.access import Desk, page
from keju.studio.changing import change
from keju.studio.comparing import differences, merged
from keju.studio.editing import EDITABLE, EditorForm, blank, columns_of, fields_of_revision
from keju.studio.models import Item, Term
from keju.studio.numbering import code_of, next_place
from keju.studio.policy import Verb
from keju.studio.posted import number_of
from keju.studio.saving import Conflict, Edit, create
from keju.studio.seeing import named
from keju.studio.views.drafting import item_to_change, target_of
from keju.studio.views.side_by_side import side_by_side
from keju.studio.workflow import NotAllowed, transition

MOST_AT_ONCE = 20  # authors who save at the same moment and want the same number
_NOT_COMPARED = {"base_version", "base_revision", "base_columns", "token", "reason", "typo"}


@page(Verb.WRITE)
def new(desk: Desk) -> HttpResponse:
    """A new item; its place in the source and its labels are those of the item before it."""
    token = desk.request.GET.get("draft", "")
    if not token:
        query = desk.request.GET.copy()
        query["draft"] = secrets.token_urlsafe(9)
        return redirect(f"{desk.request.path}?{query.urlencode()}")
    target = target_of(desk, None, token)
    if desk.request.method == "POST":
        form = EditorForm(desk.project, desk.request.POST, initial={})
        return _create(desk, form, token) if form.is_valid() else _shown(desk, form, None, status=422)
    if made := drafts.spent(desk.user, target, token):
        return redirect("item", desk.project.slug, made)
    unsaved = drafts.unsaved(desk.user, target)
    fields = unsaved.fields if unsaved else _begun(desk)
    return _shown(desk, EditorForm(desk.project, initial={**fields, "token": token}), None, unsaved=unsaved)


@page(Verb.WRITE)
def edit(desk: Desk, pk: int) -> HttpResponse:
    item = item_to_change(desk, pk)
    if item.state not in EDITABLE or item.current is None:
        messages.error(
            desk.request, _("This item is “%(state)s”: it cannot be changed now.") % {"state": item.get_state_display()}
        )
        return redirect("item", desk.project.slug, pk)
    if desk.request.method == "POST":
        if drafts.spent(desk.user, target_of(desk, item), desk.request.POST.get("token", "")):
            return _after(desk, item)
        form = EditorForm(desk.project, desk.request.POST, item=item, initial={})
        return _save(desk, item, form) if form.is_valid() else _shown(desk, form, item, status=422)
    unsaved = drafts.unsaved(desk.user, target_of(desk, item))
    kept = {**_opened_on(item), **fields_of_revision(item, item.current)}
    fields = {**kept, **(unsaved.fields if unsaved else {}), "token": secrets.token_urlsafe(9)}
    return _shown(desk, EditorForm(desk.project, item=item, initial=fields), item, unsaved=unsaved)


def _create(desk: Desk, form: EditorForm, token: str) -> HttpResponse:
    """Store a new item; where someone took its number in the meantime, the next one that is free."""
    edit = form.edit
    for _attempt in range(MOST_AT_ONCE):
        code = str(code_of(desk.project.id_template, (edit.columns or {})["locator"]))
        try:
            item = _stored(desk, code, edit, token)
        except IntegrityError:
            if not Item.objects.filter(project=desk.project, code=code).exists():
                raise
            if not form.place_was_suggested:
                form.add_error(None, _("The id %(code)s is taken. Choose another number.") % {"code": code})
                return _shown(desk, form, None, status=422)
            edit = replace(edit, columns={**(edit.columns or {}), "locator": next_place(desk.project, form.locator)})
            continue
        if item.locator != form.locator:
            said = _("The number was taken in the meantime; this item became %(code)s.")
            messages.warning(desk.request, said % {"code": item.code})
        return _after(desk, item)
    raise SuspiciousOperation("no number was free")


@transaction.atomic
def _stored(desk: Desk, code: str, edit: Edit, token: str) -> Item:
    target = target_of(desk, None, token)
    if made := drafts.claim(desk.user, target, token):  # the same form sent twice
        return item_to_change(desk, made)
    item = create(desk.project, code, desk.user, edit)
    findings.refresh(item)
    drafts.spend(desk.user, target, token, item.pk)
    return item


def _save(desk: Desk, item: Item, form: EditorForm) -> HttpResponse:
    try:
        return _after(desk, _saved(desk, item, form))
    except Conflict as conflict:
        return _conflict(desk, item, form, conflict)
    except NotAllowed as refused:
        form.add_error(None, str(refused))
        return _shown(desk, form, item, status=409)


@transaction.atomic
def _saved(desk: Desk, item: Item, form: EditorForm) -> Item:
    values, target = form.cleaned_data, target_of(desk, item)
    if drafts.claim(desk.user, target, values["token"]):  # the same form sent twice
        return item
    told = {name: values[name] for name in ("base_version", "reason", "typo")}
    item = change(item, desk.user, form.edit, **told)
    drafts.spend(desk.user, target, values["token"], item.pk)
    return item


def _conflict(desk: Desk, item: Item, form: EditorForm, conflict: Conflict) -> HttpResponse:
    """Both sides with what differs; the editor below holds the two put together. Nothing is written."""
    item = item_to_change(desk, item.pk)
    theirs = fields_of_revision(item, conflict.theirs)
    sent = {name: desk.request.POST.get(name, "") for name in form.fields}
    mine = {name: text for name, text in sent.items() if name in theirs or (text and name not in _NOT_COMPARED)}
    together = {
        **sent,
        **merged(_base(item, form), mine, theirs),
        **_opened_on(item),
        "token": secrets.token_urlsafe(9),
    }
    fresh = EditorForm(desk.project, item=item, initial=together)
    rows = side_by_side(desk.project, differences(theirs, mine), together)
    return _shown(desk, fresh, item, status=409, conflict=conflict.theirs, rows=rows)


def _base(item: Item, form: EditorForm) -> drafts.Fields:
    """What both sides began from, as far as the form tells."""
    values = form.cleaned_data
    revision = item.revisions.filter(number=values["base_revision"]).select_related("image", "audio").first()
    try:
        columns = dict(json.loads(values["base_columns"] or "{}"))
    except (ValueError, TypeError):
        columns = {}
    return {**(fields_of_revision(item, revision) if revision else {}), **columns}


def _opened_on(item: Item) -> drafts.Fields:
    """The hidden fields that say which state of the item a form was opened on."""
    number = item.current.number if item.current else 0
    columns = json.dumps(columns_of(item))
    return {"base_version": str(item.version), "base_revision": str(number), "base_columns": columns}


def _after(desk: Desk, item: Item) -> HttpResponse:
    """Where one goes after a save: on to the next item, into review, or to the item's page."""
    then = desk.request.POST.get("then", "")
    if then == "submit" and item.state != Item.State.IN_REVIEW:
        try:
            transition(item, "submit", desk.user)
        except NotAllowed as refused:
            messages.error(desk.request, _("Saved, but not submitted: %(reason)s") % {"reason": refused})
            return redirect("item", desk.project.slug, item.pk)
        messages.success(desk.request, _("%(code)s is submitted for review.") % {"code": item.code})
        return redirect("item", desk.project.slug, item.pk)
    messages.success(desk.request, _("%(code)s is saved.") % {"code": item.code})
    if then != "next":
        return redirect("item", desk.project.slug, item.pk)
    waiting = named(desk.project, desk.user).filter(state__in=("draft", "revise"), author=desk.user, code__gt=item.code)
    following = waiting.order_by("code").first()
    if following and item.version > 1:
        return redirect("item-edit", desk.project.slug, following.pk)
    picture = "&picture=1" if desk.request.POST.get("keep_media") else ""
    return redirect(f"{reverse('item-new', args=[desk.project.slug])}?like={item.pk}{picture}")


def _begun(desk: Desk) -> drafts.Fields:
    """The fields of a new item, after the one named by `like`, or one's last."""
    like_pk = number_of(desk.request.GET.get("like", ""))
    own = desk.project.items.filter(author=desk.user).select_related("current")
    like = own.filter(pk=like_pk).first() if like_pk is not None else own.order_by("-created_at").first()
    fields = blank(desk.project, like, next_place(desk.project, like.locator if like else {}), desk.user)
    if like and desk.request.GET.get("picture"):
        fields |= {"image": str(like.image_id or ""), "audio": str(like.audio_id or "")}
    asset = desk.request.GET.get("asset", "")  # from a picture's page: an item about it
    if number_of(asset) is not None and (chosen := desk.project.assets.filter(pk=asset).first()):
        fields[chosen.kind] = asset
    return fields


def _shown(desk: Desk, form: EditorForm, item: Item | None, *, status: int = 200, **context: Any) -> HttpResponse:
    token = form["token"].value()
    target = target_of(desk, item, token)
    others = (
        [] if item else [u for u in drafts.unsaved_like(desk.user, f"new:{desk.project.slug}:") if u.target != target]
    )
    kinds = desk.project.terms.filter(kind=Term.Kind.QUESTION_TYPE, parent__isnull=False)
    context |= {
        "desk": desk,
        "form": form,
        "item": item,
        "target": target,
        "media": [_medium(desk, form, kind) for kind in ("image", "audio")],
        "dimensions": json.dumps({term.pk: term.parent_id for term in kinds}),
        "others": [(u.target.rpartition(":")[2], _first_words(u.fields), u.at) for u in others],
        "findings": findings.order(item.findings.filter(state="open")) if item else [],
        "spent": json.dumps(drafts.spent_tokens(desk.user, target)),
        "scripts": len({"zh-Hans", "zh-Hant"} & set(form.tags)) == 2,
        "instructions": desk.project.terms.filter(kind=Term.Kind.INSTRUCTION, active=True).exists(),
    }
    return render(desk.request, "studio/items/editor.html", context, status=status)


def _medium(desk: Desk, form: EditorForm, kind: str) -> dict[str, Any]:
    value = str(form[kind].value() or "")
    asset = None if number_of(value) is None else desk.project.assets.filter(pk=value).first()
    return {"kind": kind, "field": form[kind], "asset": asset}


def _first_words(fields: Mapping[str, str]) -> str:
    return next((text[:40] for name, text in fields.items() if name.startswith("stem_") and text), _("no question yet"))
