"""The human baseline as its owner sees it: drawing, inviting, results, the file of answers."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from keju.reports.csv import to_csv
from keju.results.labels import heading_of
from keju.results.sampled import sampled
from keju.studio import sittings as domain
from keju.studio.access import Desk, page
from keju.studio.benchmarks import benchmark_of
from keju.studio.closing import close as end
from keju.studio.models import Batch, Participant
from keju.studio.policy import Verb
from keju.studio.queue import Closed
from keju.studio.sitting_results import answers as answers_table
from keju.studio.sitting_results import exam_of, sitting_tables
from keju.studio.sittings import GROUPS, SIZE, Invitation
from keju.studio.tables import shown
from keju.studio.wording import worded

MOST_INVITED = 100  # at once: a slip of the finger makes no thousand accounts


class DrawForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    seed = forms.IntegerField(
        label=gettext_lazy("Random seed"),
        min_value=0,
        max_value=2**31 - 1,  # as the column holds it
        initial=0,
    )
    consent = forms.CharField(
        label=gettext_lazy("What people agree to"),
        help_text=gettext_lazy("Empty: a short text of ours, in the language of each reader."),
        required=False,
        max_length=8000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    field_order = ("name", "size", "labels", "seed", "consent")

    def __init__(self, data: QueryDict | None, eligible: int, labels: list[str]) -> None:
        super().__init__(data)
        self.eligible = eligible
        self.fields["size"] = forms.IntegerField(
            label=_("Number of questions"), min_value=1, initial=min(SIZE, eligible)
        )
        if labels:
            self._offer(labels)
        self.order_fields(self.field_order)

    def _offer(self, labels: list[str]) -> None:
        self.fields["labels"] = forms.MultipleChoiceField(
            label=_("Keep the shares of"),
            required=False,
            initial=labels,
            choices=[(label, worded(heading_of(label))) for label in labels],
            widget=forms.CheckboxSelectMultiple,
        )

    def clean_size(self) -> int:
        size: int = self.cleaned_data["size"]
        if size > self.eligible:
            raise forms.ValidationError(_("Only %(n)d items are accepted and have a key.") % {"n": self.eligible})
        return size


class InviteForm(forms.Form):
    group = forms.CharField(
        label=gettext_lazy("Group"), max_length=40, initial=GROUPS[0], widget=forms.TextInput(attrs={"list": "groups"})
    )
    number = forms.IntegerField(label=gettext_lazy("How many people"), min_value=1, max_value=MOST_INVITED, initial=1)

    def clean_group(self) -> str:
        return str(self.cleaned_data["group"]).strip()


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def sittings(desk: Desk) -> HttpResponse:
    """The project's sittings, and the form that draws another."""
    everything = benchmark_of(desk.project, domain.eligible(desk.project))
    form = DrawForm(desk.request.POST or None, len(everything), domain.varying(everything))
    if desk.request.method == "POST" and form.is_valid():
        told = form.cleaned_data
        batch = domain.draw(
            desk.project,
            desk.user,
            told["name"],
            told["size"],
            labels=told.get("labels", []),
            seed=told["seed"],
            consent=told["consent"].strip(),
        )
        return redirect("sitting-results", desk.project.slug, batch.pk)
    batches = desk.project.batches.filter(kind=Batch.Kind.BASELINE).prefetch_related("participants")
    context = {"desk": desk, "batches": batches, "form": form, "eligible": len(everything)}
    return render(desk.request, "studio/sittings/sittings.html", context)


@require_GET
@page(Verb.MANAGE)
def results(desk: Desk, pk: int) -> HttpResponse:
    """Who takes part and how far they are; figures of those who finished, beside models; how the sample was drawn."""
    return _results(desk, _batch(desk, pk))


@require_POST
@page(Verb.MANAGE)
def invite(desk: Desk, pk: int) -> HttpResponse:
    """New participants. Their links are on the page that answers, and nowhere else."""
    batch, form = _batch(desk, pk), InviteForm(desk.request.POST)
    if not form.is_valid():
        return _results(desk, batch, form=form, status=422)
    try:
        made = domain.invite(batch, desk.user, form.cleaned_data["group"], form.cleaned_data["number"])
    except Closed as closed:
        messages.error(desk.request, str(closed))
        return redirect("sitting-results", desk.project.slug, pk)
    return _results(desk, batch, links=_links(desk, made))


@require_POST
@page(Verb.MANAGE)
def link(desk: Desk, pk: int, participant: int) -> HttpResponse:
    """A new link for one who lost theirs."""
    batch = _batch(desk, pk)
    one = get_object_or_404(Participant.objects.select_related("batch__project", "user"), pk=participant, batch=batch)
    try:
        made = domain.invite_again(one, desk.user)
    except Closed as closed:
        messages.error(desk.request, str(closed))
        return redirect("sitting-results", desk.project.slug, pk)
    return _results(desk, batch, links=_links(desk, [made]))


@require_POST
@page(Verb.MANAGE)
def close(desk: Desk, pk: int) -> HttpResponse:
    end(_batch(desk, pk), desk.user)
    messages.success(desk.request, _("The sitting is closed. No more answers are taken."))
    return redirect("sitting-results", desk.project.slug, pk)


@require_GET
@page(Verb.MANAGE)
def answers(desk: Desk, pk: int) -> HttpResponse:
    """The answers as `keju human import` reads them."""
    batch = _batch(desk, pk)
    headers = {"Content-Disposition": f'attachment; filename="{desk.project.slug}-sitting-{batch.pk}.csv"'}
    return HttpResponse(to_csv(answers_table(batch)), content_type="text/csv; charset=utf-8", headers=headers)


def _results(
    desk: Desk,
    batch: Batch,
    *,
    form: InviteForm | None = None,
    links: list[tuple[Participant, str]] | None = None,
    status: int = 200,
) -> HttpResponse:
    exam = exam_of(batch)
    tables = sitting_tables(batch)
    everything = benchmark_of(desk.project, domain.eligible(desk.project))
    people = [(one, *domain.progress(one)) for one in batch.participants.select_related("user__profile")]
    changed = sum(item.current_id != revision.pk for item, revision in domain.frozen(batch))
    context = {
        "desk": desk,
        "batch": batch,
        "tables": [shown(table) for table in tables],
        "sample": shown(sampled(everything, exam, batch.stratify)) if len(everything) else None,
        "people": people,
        "form": form or InviteForm(),
        "groups": GROUPS,
        "links": links,
        "changed": changed
        and ngettext(
            "%(n)d item was changed since the sample was frozen; people see it as it was then.",
            "%(n)d items were changed since the sample was frozen; people see them as they were then.",
            changed,
        )
        % {"n": changed},
    }
    response = render(desk.request, "studio/sittings/results.html", context, status=status)
    if links:
        response["Cache-Control"] = "no-store"
    return response


def _links(desk: Desk, made: list[Invitation]) -> list[tuple[Participant, str]]:
    def address(token: str) -> str:
        return desk.request.build_absolute_uri(reverse("by-link", args=[token]))

    return [(one.participant, address(one.token)) for one in made]


def _batch(desk: Desk, pk: int) -> Batch:
    return desk.own(Batch.objects.select_related("project").filter(kind=Batch.Kind.BASELINE), pk)
