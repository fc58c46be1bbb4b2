"""The form that opens a round: what to draw and who judges it."""

from __future__ import annotations

import math
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from keju.studio.access import Desk
from keju.studio.drawing import STRATA, Draw, candidates
from keju.studio.models import Batch, Term
from keju.studio.policy import ROLES
from keju.studio.queue import ON_CURRENT
from keju.studio.tasks import BLIND, VERBS, members_with

STRATUM_NAMES = {
    "genre": Term.Kind.GENRE.label,
    "question_type": Term.Kind.QUESTION_TYPE.label,
    "difficulty": Term.Kind.DIFFICULTY.label,
    "dimension": Term.Kind.DIMENSION.label,
    "instruction": Term.Kind.INSTRUCTION.label,
    "original_language": gettext_lazy("language of authoring"),
}


class DrawForm(forms.Form):
    """What to draw and who judges it; fields that the kind has no use for are left out."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    share = forms.FloatField(
        label=gettext_lazy("Share of the items, %"),
        min_value=0.1,
        max_value=100,
        required=False,
        help_text=gettext_lazy("Drawn at random with the seed below; 100 or empty takes all."),
    )
    same_as = forms.ModelChoiceField(
        Batch.objects.none(),
        label=gettext_lazy("Same items as"),
        required=False,
        empty_label=gettext_lazy("a new draw"),
        help_text=gettext_lazy("Takes all items of that round, whatever the share."),
    )
    stratify = forms.MultipleChoiceField(
        label=gettext_lazy("Keep the shares of"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("The sample then has as much of each as the whole."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=gettext_lazy("The same seed and items give the same sample. Nothing is ever drawn again."),
    )
    people = forms.IntegerField(label=gettext_lazy("People for each item"), min_value=1, max_value=20, initial=1)
    persons = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label=gettext_lazy("Only these people"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Tick nobody to leave it to whoever is free. Nobody gets an item of their own."),
    )
    joins = forms.BooleanField(
        label=gettext_lazy("Items that are submitted later join this round"), required=False, initial=True
    )
    idle_hours = forms.IntegerField(
        label=gettext_lazy("Hours until a task that someone began and left goes to another"),
        min_value=1,
        max_value=24 * 60,
        initial=12,
    )

    def __init__(self, desk: Desk, kind: Batch.Kind, data: Any = None) -> None:
        self.desk, self.kind = desk, kind
        super().__init__(data, initial=self._begins_with())
        for name in ("share", "same_as", "stratify", "seed", "persons") if kind in ON_CURRENT else ("joins",):
            del self.fields[name]
        if kind not in ON_CURRENT:
            self._offer()
        self._narrow()

    def _begins_with(self) -> dict[str, Any]:
        settings, kinds = self.desk.settings, self.desk.project.batches.filter(kind=self.kind)
        began = {"name": f"{self.kind.label} {kinds.count() + 1}".capitalize()}
        if self.kind == Batch.Kind.REANNOTATE:
            return {**began, "share": 100 * settings.reannotated_share, "stratify": self._varying()}
        if self.kind == Batch.Kind.RATE:
            drawn = self.desk.project.batches.filter(kind=Batch.Kind.REANNOTATE).first()
            return {**began, "people": settings.raters, "same_as": drawn, "stratify": self._varying()}
        return began

    def _varying(self) -> list[str]:
        items = candidates(self.desk.project, self.kind, {})
        return [name for name in STRATA if items.values(name).distinct().count() > 1]

    def _offer(self) -> None:
        field: Any = self.fields["same_as"]
        field.queryset = self.desk.project.batches.filter(kind__in=BLIND)
        field = self.fields["stratify"]
        field.choices = [(name, STRATUM_NAMES[name]) for name in STRATA]
        people = members_with(Batch(project=self.desk.project, kind=self.kind), set(ROLES[VERBS[self.kind]]))
        field = self.fields["persons"]
        field.queryset = User.objects.filter(pk__in=[one.pk for one in people])

    def _narrow(self) -> None:
        """A field for each label by which items can be chosen."""
        for name in STRATA[:-1]:
            terms = Term.objects.filter(project=self.desk.project, kind=name)
            if terms.exists():
                self.fields[f"only_{name}"] = forms.ModelChoiceField(
                    terms, label=STRATUM_NAMES[name], required=False, empty_label=gettext_lazy("any")
                )
        tags = sorted(set(self.desk.project.items.values_list("original_language", flat=True)))
        if len(tags) > 1:
            self.fields["only_original_language"] = forms.ChoiceField(
                label=STRATUM_NAMES["original_language"],
                required=False,
                choices=[("", gettext_lazy("any")), *((tag, tag) for tag in tags)],
            )

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or self.cleaned_data
        persons, people = told.get("persons"), told.get("people") or 1
        if persons and len(persons) < people:
            self.add_error("persons", _("Tick at least as many people as judge each item."))
        return told

    @property
    def choosing(self) -> list[forms.BoundField]:
        """The fields by which items are chosen."""
        return [self[name] for name in self.fields if name.startswith("only_")]

    @property
    def main(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if not name.startswith("only_")]

    def wanted(self) -> Draw:
        told = self.cleaned_data
        query = {name: getattr(told.get(f"only_{name}"), "pk", told.get(f"only_{name}")) for name in STRATA}
        query = {name: value for name, value in query.items() if value}
        if told.get("same_as"):
            query["batch"] = told["same_as"].pk
        share = None if told.get("same_as") else told.get("share")
        found = candidates(self.desk.project, self.kind, query).count()
        return Draw(
            self.kind,
            told["name"],
            query,
            told.get("stratify", ()),
            max(1, math.floor(found * share / 100 + 0.5)) if share and share < 100 and found else None,
            told.get("seed", 0),
            told["people"],
            list(told.get("persons") or ()),
            told.get("joins", False),
            {"idle_minutes": 60 * told["idle_hours"]},
        )
