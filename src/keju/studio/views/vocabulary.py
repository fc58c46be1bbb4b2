"""The words of a project: genres, question types, levels, strategies, …, each in three languages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Max
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from keju.script import to_traditional
from keju.studio.access import Desk, page
from keju.studio.journal import record
from keju.studio.models import Project, Term
from keju.studio.points import LANGUAGES
from keju.studio.policy import Verb


class TermForm(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    """A word: its code stands in files and stays; its labels are what people read."""

    en = forms.CharField(label=gettext_lazy("English"), max_length=100, required=False)
    hans = forms.CharField(label="简体中文", max_length=100, required=False)
    hant = forms.CharField(label="繁體中文", max_length=100, required=False)

    class Meta:
        model = Term
        fields = ("code", "en", "hans", "hant", "parent", "order", "active")
        labels = {"order": gettext_lazy("Order")}  # noqa: RUF012 - as Django reads it

    def __init__(self, *args: Any, project: Project, kind: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self.instance.project, self.instance.kind = project, kind
        for name, tag in zip(("en", "hans", "hant"), LANGUAGES, strict=True):
            self.initial[name] = self.instance.label.get(tag, "")
        if self.instance.pk:
            self.fields["code"].disabled = True
        if kind == Term.Kind.QUESTION_TYPE:
            dimensions = Term.objects.filter(project=project, kind=Term.Kind.DIMENSION)
            self.fields["parent"].queryset = dimensions  # type: ignore[attr-defined]
            self.fields["parent"].label = _("fills in the dimension")
            self.fields["parent"].empty_label = "–"  # type: ignore[attr-defined]
        else:
            del self.fields["parent"]
        if not self.instance.pk:
            most = Term.objects.filter(project=project, kind=kind).aggregate(most=Max("order"))["most"]
            self.initial["order"] = (most or 0) + 1
        for field in self.fields.values():  # the table has headings, which a screen reader does not take for labels
            field.widget.attrs["aria-label"] = field.label

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"]).strip()
        same = Term.objects.filter(project=self.instance.project, kind=self.instance.kind, code=code)
        if same.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("There is this code already."))
        return code

    def clean(self) -> dict[str, Any]:
        told = super().clean() or self.cleaned_data
        if told.get("hans") and not told.get("hant"):
            told["hant"] = to_traditional(told["hans"])
        if not any(told.get(name) for name in ("en", "hans", "hant")):
            raise forms.ValidationError(_("Give the word in one language at least."))
        return told

    def save(self, commit: bool = True) -> Term:
        texts = zip(LANGUAGES, (self.cleaned_data[name] for name in ("en", "hans", "hant")), strict=True)
        self.instance.label = {tag: text for tag, text in texts if text}
        term: Term = super().save(commit)
        return term


TermForms = forms.modelformset_factory(Term, form=TermForm, extra=1)


@require_GET
@page(Verb.MANAGE)
def terms(desk: Desk) -> HttpResponse:
    """Every kind of word with the words it has."""
    found: dict[str, list[Term]] = {value: [] for value in Term.Kind.values}
    for term in Term.objects.filter(project=desk.project):
        found[term.kind].append(term)
    kinds = [(choice, choice.label, found[choice]) for choice in Term.Kind]
    return render(desk.request, "studio/project/vocabulary.html", {"desk": desk, "kinds": kinds})


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def kind(desk: Desk, kind: str) -> HttpResponse:
    """The words of one kind, all on one form, with a line for a new one."""
    if kind not in Term.Kind.values:
        raise Http404
    forms_ = TermForms(
        desk.request.POST or None,
        queryset=Term.objects.filter(project=desk.project, kind=kind),
        form_kwargs={"project": desk.project, "kind": kind},
    )
    if desk.request.method == "POST" and forms_.is_valid():
        with transaction.atomic():
            saved = forms_.save()
            if saved:
                record(desk.project, desk.user, "terms", f"terms:{kind}", codes=[term.code for term in saved])
        messages.success(desk.request, _("Saved."))
        return redirect("terms-kind", desk.project.slug, kind)
    history = Term.history.filter(project=desk.project, kind=kind).select_related("history_user")
    context = {
        "desk": desk,
        "kind": Term.Kind(kind),
        "forms": forms_,
        "history": history.order_by("-history_date")[:20],
    }
    return render(desk.request, "studio/project/terms.html", context, status=422 if forms_.is_bound else 200)
