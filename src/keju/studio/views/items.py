"""Items: the list, the page of each, and the moves that one makes from there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from keju.studio import findings
from keju.studio.access import Desk, page
from keju.studio.editing import EDITABLE, TERMS
from keju.studio.listing import Filter, counted
from keju.studio.models import Finding, Item, Role, Term
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.posted import number_of
from keju.studio.presenting import Audience, ShownItem, present
from keju.studio.seeing import named, seen
from keju.studio.workflow import MOVES, NotAllowed, transition

_MOVES = {"submit": Verb.SUBMIT, "withdraw": Verb.SUBMIT, "reopen": Verb.MANAGE}
"""Moves made on an item's page; all others are made by judging it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list; `shown` is None where the person sees no more than id and state."""

    item: Item
    shown: ShownItem | None
    stem: str = ""


@require_GET
@page(Verb.SEE_PROJECT)
def items(desk: Desk) -> HttpResponse:
    """Every item; those with whose text one has to do in full, others by id and state."""
    whole = seen(desk.project, desk.user, desk.roles)
    filled = Filter(desk.project, desk.request.GET, whole=whole.exists() or Role.OWNER in desk.roles)
    chosen = filled.narrowed(named(desk.project, desk.user), whole)
    at = paged(desk.request, chosen)
    rows = _rows(desk, [item.pk for item in at], whole)
    context = {
        "desk": desk,
        "filter": filled,
        "at": at,
        "rows": rows,
        "some_shown": any(row.shown for row in rows),
        "query": at.query,
        "may_write": desk.may(Verb.WRITE),
    }
    return render(desk.request, "studio/items/list.html", context)


def _rows(desk: Desk, pks: list[int], whole: QuerySet[Item]) -> list[Row]:
    """The page's rows in order."""
    related = ("author", "current__image", "current__audio", "genre", "question_type", "difficulty")
    full = {item.pk: item for item in counted(whole).filter(pk__in=pks).select_related(*related)}
    bare = {item.pk: item for item in desk.project.items.filter(pk__in=pks).only("pk", "code", "state", "project_id")}
    rows = []
    for pk in pks:
        item = full.get(pk)
        if item is None or item.current is None:
            rows.append(Row(bare[pk], None))
            continue
        item.current.item = item  # else asked of the data base again, row by row
        shown = present(item.current, Audience.AUTHOR)
        rows.append(Row(item, shown, shown.stem.get(item.original_language) or next(iter(shown.stem.values()), "")))
    return rows


@require_GET
@page(Verb.SEE_PROJECT)
def item(desk: Desk, pk: int) -> HttpResponse:
    """An item with its findings and comments, to whoever may see its key; to others its id and state."""
    found = get_object_or_404(named(desk.project, desk.user).select_related("project", "author", "current"), pk=pk)
    if not desk.may(Verb.SEE_KEY, found) or found.current is None:
        return render(desk.request, "studio/items/closed.html", {"desk": desk, "item": found})
    audience = Audience.AUTHOR if found.author_id == desk.user.pk else Audience.REVIEWER
    context = {
        "desk": desk,
        "item": found,
        "shown": with_strategies(desk, present(found.current, audience)),
        "labels": [(Term.Kind(n).label, getattr(found, n)) for n in TERMS if getattr(found, n)],
        "findings": findings.order(found.findings.exclude(state=Finding.State.FIXED)),
        "comments": found.comments.select_related("author", "revision"),
        "moves": [verb for verb in _MOVES if _possible(desk, found, verb)],
        "may_edit": found.state in EDITABLE and desk.may(Verb.WRITE, found),
        "may_comment": desk.may(Verb.COMMENT, found),
        "may_waive": may_waive(desk, found),
    }
    return render(desk.request, "studio/items/item.html", context)


def with_strategies(desk: Desk, shown: ShownItem) -> ShownItem:
    """With the strategies' names in the language of the interface instead of their codes."""
    names = {term.code: str(term) for term in desk.project.terms.filter(kind=Term.Kind.STRATEGY)}
    told = (replace(o, strategy=names.get(o.strategy, o.strategy)) if o.strategy else o for o in shown.options)
    return replace(shown, options=tuple(told))


@require_POST
@page(Verb.SEE_PROJECT)
def move(desk: Desk, pk: int, verb: str) -> HttpResponse:
    """Submit, withdraw or reopen an item."""
    found = desk.own(Item.objects.select_related("project"), pk)
    if verb not in _MOVES:
        raise Http404
    desk.must(_MOVES[verb], found)
    try:
        _move(desk, found, verb)
    except NotAllowed as refused:
        messages.error(desk.request, str(refused))
    return redirect("item", desk.project.slug, pk)


@require_POST
@page(Verb.SUBMIT)
def submit_many(desk: Desk) -> HttpResponse:
    """Submit the items that are ticked; those that cannot be stay where they are, and it is said why."""
    pks = [pk for text in desk.request.POST.getlist("item") if (pk := number_of(text)) is not None]
    done = 0
    for found in seen(desk.project, desk.user, desk.roles).filter(pk__in=pks).order_by("code"):
        verdict = desk.may(Verb.SUBMIT, found)
        try:
            if not verdict:
                raise NotAllowed(str(verdict.reason))
            _move(desk, found, "submit")
            done += 1
        except NotAllowed as refused:
            messages.error(desk.request, f"{found.code}: {refused}")
    if done:
        said = ngettext("%(n)s item is submitted for review.", "%(n)s items are submitted for review.", done)
        messages.success(desk.request, said % {"n": done})
    elif not pks:
        messages.warning(desk.request, _("Tick the items to submit first."))
    return redirect("items", desk.project.slug)


def _move(desk: Desk, item: Item, verb: str) -> None:
    if verb == "submit":
        findings.refresh(item)  # twins may have changed since its last save
    transition(item, verb, desk.user)


def _possible(desk: Desk, item: Item, verb: str) -> bool:
    return item.state in MOVES[verb].source and bool(desk.may(_MOVES[verb], item))


def may_waive(desk: Desk, item: Item) -> bool:
    """Whether this person may close findings: owners, and who reviews the item."""
    return Role.OWNER in desk.roles or desk.past(item).reviewing
