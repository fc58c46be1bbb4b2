"""Disputes: all answers side by side, and the decision of the third expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.items import LABELS
from keju.studio import drafts
from keju.studio.access import Desk, page
from keju.studio.disputing import Ruling, decide, parties_of
from keju.studio.models import Assignment, Dispute, Response, Term
from keju.studio.paging import paged
from keju.studio.policy import Verb
from keju.studio.presenting import Audience, present
from keju.studio.staffing import stuck
from keju.studio.tasks import BLIND
from keju.studio.views.drafting import opened, token_of, told, typed
from keju.studio.views.items import with_strategies
from keju.studio.workflow import NotAllowed

D = Dispute.Decision


@dataclass(frozen=True, slots=True)
class Said:
    """What one person answered about the revision in dispute."""

    who: str
    task: Assignment
    chosen: str | None
    """Label of the option chosen."""
    data: dict[str, Any]


class RulingForm(forms.Form):
    category = forms.ModelChoiceField(
        Term.objects.none(),
        label=gettext_lazy("What the disagreement is about"),
        empty_label=None,
        widget=forms.RadioSelect,
    )
    evidence = forms.ModelChoiceField(
        Term.objects.none(),
        label=gettext_lazy("What the decision rests on"),
        empty_label=None,
        widget=forms.RadioSelect,
    )
    agreed = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label=gettext_lazy("Who agrees with the decision"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Without the agreement of all, the item must be excluded."),
    )
    decision = forms.ChoiceField(label=gettext_lazy("Decision"), choices=D.choices, widget=forms.RadioSelect)
    key = forms.TypedChoiceField(label=gettext_lazy("New key"), required=False, coerce=int, empty_value=None)
    reason = forms.ModelChoiceField(
        Term.objects.none(), label=gettext_lazy("Reason of exclusion"), required=False, empty_label="–"
    )
    note = forms.CharField(label=gettext_lazy("Grounds"), max_length=4000, widget=forms.Textarea(attrs={"rows": 4}))

    def __init__(self, dispute: Dispute, posted: QueryDict | None = None, draft: drafts.Unsaved | None = None) -> None:
        kept = draft.query if draft else QueryDict()
        super().__init__(posted, initial={**kept.dict(), "agreed": kept.getlist("agreed")})
        project, current = dispute.item.project, dispute.item.current
        kinds = {
            "category": Term.Kind.DISPUTE_CATEGORY,
            "evidence": Term.Kind.EVIDENCE,
            "reason": Term.Kind.EXCLUSION_REASON,
        }
        for name, kind in kinds.items():
            field: Any = self.fields[name]
            field.queryset = Term.objects.filter(project=project, kind=kind, active=True)
        field = self.fields["agreed"]
        field.queryset = User.objects.filter(pk__in=dispute.participants)
        field.label_from_instance = lambda user: user.get_username()
        options = current.content.options if current else []
        field = self.fields["key"]
        field.choices = [("", "–"), *((at, LABELS[at]) for at in range(len(options)))]

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or self.cleaned_data
        if told.get("decision") == D.EXCLUDE and told.get("reason") is None:
            self.add_error("reason", _("Say why the item is excluded."))
        if told.get("decision") == D.CHANGE_KEY and told.get("key") is None:
            self.add_error("key", _("Choose the option that is to be the key."))
        return told

    def ruling(self) -> Ruling:
        told = self.cleaned_data
        agreed = [user.pk for user in told["agreed"]]
        return Ruling(
            told["decision"], told["category"], told["evidence"], told["note"], agreed, told["key"], told["reason"]
        )


@require_GET
@page(Verb.SEE_PROJECT)
def disputes(desk: Desk) -> HttpResponse:
    """Disputes that one may see: open ones first."""
    there = _all(desk)
    items = [one.item for one in there]
    may_settle, may_look = desk.may_each(Verb.ADJUDICATE, items), desk.may_each(Verb.SEE_KEY, items)
    found = [one for one in there if one.item_id in may_settle | may_look]
    unsettled = [one for one in found if not one.decision]
    context = {
        "desk": desk,
        "open": paged(desk.request, [(one, one.item_id in may_settle) for one in unsettled]),
        "stuck": stuck(desk.project, unsettled) if desk.may(Verb.MANAGE) else [],
        "settled": paged(desk.request, [one for one in reversed(found) if one.decision], name="settled"),
        "hidden": len(there) - len(found) if desk.may(Verb.ADJUDICATE) else 0,
    }
    return render(desk.request, "studio/work/disputes.html", context)


@require_http_methods(["GET", "POST"])
@page(Verb.SEE_PROJECT)
def dispute(desk: Desk, pk: int) -> HttpResponse:
    """One dispute; the form for whoever may settle it."""
    found = _found(desk, pk)
    if not _may_see(desk, found):
        raise PermissionDenied(str(desk.may(Verb.ADJUDICATE, found.item).reason))
    draft = drafts.unsaved(desk.user, _target(found)) if desk.request.method != "POST" else None
    form = RulingForm(found, desk.request.POST or None, draft) if _may_settle(desk, found) else None
    if desk.request.method == "POST":
        if form is None:
            raise PermissionDenied(_("This dispute is settled already, or another person must settle it."))
        if form.is_valid() and _decided(desk, found, form):
            return redirect("disputes", desk.project.slug)
    context = {
        "desk": desk,
        "dispute": found,
        "form": form,
        "shown": with_strategies(desk, present(found.revision, Audience.REVIEWER)),
        "said": answers_on(found),
        "parties": parties_of(found),
        "agreed": [user for user in parties_of(found) if user.pk in found.agreed],
        **opened(desk, _target(found), draft),
    }
    return render(desk.request, "studio/work/dispute.html", context, status=422 if form and form.errors else 200)


@require_POST
@page(Verb.ADJUDICATE)
def autosave(desk: Desk, pk: int) -> HttpResponse:
    """Keep what is typed and not sent. 409 where the dispute is settled."""
    found = _found(desk, pk)
    desk.must(Verb.ADJUDICATE, found.item)
    sent = typed(desk.request)
    if found.decision:
        return told(None)
    return told(drafts.keep(desk.user, _target(found), sent["token"], sent["fields"], found.revision_id))


def open_disputes(desk: Desk) -> list[Dispute]:
    """Disputes that wait for this person to settle them."""
    if not desk.may(Verb.ADJUDICATE):
        return []
    waiting = [one for one in _all(desk) if not one.decision]
    may_settle = desk.may_each(Verb.ADJUDICATE, [one.item for one in waiting])
    return [one for one in waiting if one.item_id in may_settle]


def answers_on(found: Dispute) -> list[Said]:
    """What everyone answered about the revision, blind or not, in the order of the answers."""
    standing = Response.objects.filter(
        assignment__item=found.item_id, assignment__revision=found.revision_id, superseded_by__isnull=True
    ).exclude(assignment__batch__kind="baseline")
    rows = standing.select_related("assignment__user__profile", "assignment__batch").order_by("pk")
    return [_said(row) for row in rows if row.assignment.batch.kind not in BLIND or row.assignment.batch.closed_at]


def _said(row: Response) -> Said:
    at = row.data.get("answer")
    who = row.assignment.user.get_username() if row.assignment.user else "–"
    return Said(who, row.assignment, LABELS[at] if isinstance(at, int) else None, row.data)


def _all(desk: Desk) -> list[Dispute]:
    related = ("item__project", "item__author", "item__image", "item__audio", "category", "evidence", "third_expert")
    return list(Dispute.objects.filter(item__project=desk.project).select_related(*related))


def _found(desk: Desk, pk: int) -> Dispute:
    related = ("item__project", "item__current", "item__author", "revision__item", "category", "evidence")
    return get_object_or_404(Dispute.objects.select_related(*related), pk=pk, item__project=desk.project)


def _target(found: Dispute) -> str:
    return f"dispute:{found.pk}"


def _may_settle(desk: Desk, found: Dispute) -> bool:
    return not found.decision and bool(desk.may(Verb.ADJUDICATE, found.item))


def _may_see(desk: Desk, found: Dispute) -> bool:
    """The third expert, and whoever may see the key: the parties when they answer it blind no more, and owners."""
    return bool(desk.may(Verb.ADJUDICATE, found.item) or desk.may(Verb.SEE_KEY, found.item))


def _decided(desk: Desk, found: Dispute, form: RulingForm) -> bool:
    try:
        with transaction.atomic():
            settled = decide(found, desk.user, form.ruling())
            drafts.spend(desk.user, _target(found), token_of(desk.request.POST), found.pk)
    except NotAllowed as refused:
        form.add_error("decision", str(refused))
        return False
    item = settled.item
    item.refresh_from_db()
    told = _("%(item)s is now “%(state)s”.") % {"item": item.code, "state": item.get_state_display()}
    messages.success(desk.request, told)
    return True
