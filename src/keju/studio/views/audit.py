"""The log of a project: who did what, when; whether it is as it was written; the whole of it as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from keju.studio.access import Desk, page
from keju.studio.deeds import about, details, verb_name
from keju.studio.journal import first_broken, told
from keju.studio.models import Event
from keju.studio.paging import paged
from keju.studio.policy import Verb

PER_PAGE = 100


class FilterForm(forms.Form):
    about = forms.CharField(label=_("About"), required=False, max_length=80)
    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: QueryDict | None, events: QuerySet[Event]) -> None:
        super().__init__(data)
        verbs = set(events.values_list("verb", flat=True))
        actors = User.objects.filter(pk__in=events.values("actor")).order_by("username")
        every = _("all")
        named = sorted((verb_name(verb), verb) for verb in verbs)
        choices = [("", every), *((verb, name) for name, verb in named)]
        self.fields["verb"] = forms.ChoiceField(label=_("Deed"), required=False, choices=choices)
        self.fields["person"] = forms.ModelChoiceField(actors, label=_("Person"), required=False, empty_label=every)
        self.order_fields(("verb", "person", "about", "since", "until"))

    def kept(self, events: QuerySet[Event]) -> QuerySet[Event]:
        """The events that fit what is filled in; a field that makes no sense filters nothing."""
        if not self.is_valid():
            return events
        told = self.cleaned_data
        wanted = {
            "verb": told["verb"],
            "actor": told["person"],
            "object__icontains": told["about"].strip(),
            "at__date__gte": told["since"],
            "at__date__lte": told["until"],
        }
        return events.filter(**{name: value for name, value in wanted.items() if value})


@require_GET
@page(Verb.MANAGE)
def log(desk: Desk) -> HttpResponse:
    events = Event.objects.filter(project=desk.project)
    form = FilterForm(desk.request.GET or None, events)
    kept = form.kept(events).select_related("actor").order_by("-seq")
    shown = paged(desk.request, kept, per_page=PER_PAGE)
    context = {
        "desk": desk,
        "form": form,
        "page": shown,
        "events": [(event, verb_name(event.verb), about(event), details(event)) for event in shown],
        "total": events.count(),
    }
    if "verify" in desk.request.GET:
        context |= {"verified": True, "broken": first_broken(desk.project)}
    return render(desk.request, "studio/audit/log.html", context)


@require_GET
@page(Verb.MANAGE)
def export(desk: Desk) -> StreamingHttpResponse:
    """The whole log, an event a line, with everything that its digests are made of: anyone can verify it."""
    headers = {"Content-Disposition": f'attachment; filename="{desk.project.slug}-log.jsonl"'}
    return StreamingHttpResponse(_lines(desk), content_type="application/jsonl; charset=utf-8", headers=headers)


def _lines(desk: Desk) -> Iterator[str]:
    events = Event.objects.filter(project=desk.project).select_related("actor__profile").order_by("seq")
    for event in events.iterator(chunk_size=500):
        yield json.dumps(told(event), ensure_ascii=False) + "\n"
