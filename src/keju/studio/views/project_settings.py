"""Settings of a project: texts, options, thresholds, screening, review steps; with the history of changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.forms.formsets import BaseFormSet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from keju.checks.rule import Rule
from keju.studio import quality
from keju.studio.access import Desk, page
from keju.studio.form_labels import THRESHOLDS
from keju.studio.journal import record
from keju.studio.models import Project
from keju.studio.numbering import BadTemplate, fields_of
from keju.studio.points import PointsField, WordedField, points_of
from keju.studio.policy import Verb
from keju.studio.standing import Settings, Step

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A BCP-47 language tag."""
_SHOWN = 20  # changes of the history on the page


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg] # Django has no generic forms at run time
    languages = forms.CharField(
        label=gettext_lazy("Languages of the items"),
        help_text=gettext_lazy("Tags in the order shown, the usual one first: zh-Hans, zh-Hant, en."),
    )

    class Meta:
        model = Project
        fields = ("title", "languages", "id_template")
        help_texts = {  # noqa: RUF012 - as Django reads it
            "id_template": gettext_lazy(
                "{seq:04} counts; {volume:02}-{section}-{level}-P{part}-{question:03} tells the place in the source."
            )
        }

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.initial["languages"] = ", ".join(self.instance.languages)

    def clean_languages(self) -> list[str]:
        tags = list(dict.fromkeys(re.split(r"[\s,，、]+", self.cleaned_data["languages"].strip())))
        for tag in tags:
            if not _TAG.fullmatch(tag):
                raise forms.ValidationError(_("“%(tag)s” is no language tag such as zh-Hans or en.") % {"tag": tag})
        return tags

    def clean_id_template(self) -> str:
        template = str(self.cleaned_data["id_template"])
        try:
            fields_of(template)
        except BadTemplate as bad:
            raise forms.ValidationError(str(bad)) from bad
        return template


class SettingsForm(forms.Form):
    """Fields of `Settings` by their names, and a field for each threshold of the rules on pictures and clips."""

    min_options = forms.IntegerField(label=gettext_lazy("Fewest options"), min_value=2, max_value=6)
    max_options = forms.IntegerField(label=gettext_lazy("Most options"), min_value=2, max_value=6)
    votes = forms.IntegerField(label=gettext_lazy("Screeners for each picture or clip"), min_value=1, max_value=50)
    reannotated_share = forms.FloatField(
        label=gettext_lazy("Share of items answered again blind, 0 to 1"), min_value=0, max_value=1
    )
    raters = forms.IntegerField(label=gettext_lazy("Raters for each item"), min_value=1, max_value=20)
    single_user = forms.BooleanField(
        label=gettext_lazy("One person does everything"),
        required=False,
        help_text=gettext_lazy("People may then judge their own work; each time is on record and in the release."),
    )
    include_if = PointsField(label=gettext_lazy("Screening: what a picture or clip must be"))
    exclude_if = PointsField(label=gettext_lazy("Screening: reasons against it"))

    def __init__(self, desk: Desk, posted: Any = None) -> None:
        super().__init__(posted, initial=desk.settings.model_dump())
        self.own = list(self.fields)
        self.rules = [rule for rule in quality.rules_of(desk.project) if rule.thresholds]
        for rule in self.rules:
            for name, value in rule.thresholds.items():
                self.fields[f"{rule.code}-{name}"] = forms.FloatField(label=THRESHOLDS.get(name, name), initial=value)

    def clean(self) -> dict[str, Any]:
        told = self.cleaned_data
        if told.get("min_options", 0) > told.get("max_options", 6):
            self.add_error("max_options", _("Most options cannot be fewer than fewest options."))
        return told

    def main(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in self.own)

    def thresholds(self) -> Iterator[tuple[Rule, list[forms.BoundField]]]:
        for rule in self.rules:
            yield rule, [self[f"{rule.code}-{name}"] for name in rule.thresholds]

    def settings(self) -> dict[str, Any]:
        """What `Project.settings` is to hold of them; thresholds as far as they are not the rules' own."""
        from keju.checks import RULES

        values: dict[str, dict[str, float]] = {}
        for rule in self.rules:
            for name in rule.thresholds:
                if (value := self.cleaned_data[f"{rule.code}-{name}"]) != RULES[rule.code].thresholds[name]:
                    values.setdefault(rule.code, {})[name] = value
        return {**{name: self.cleaned_data[name] for name in self.own}, "thresholds": values}


class StepForm(forms.Form):
    name = forms.SlugField(label=gettext_lazy("Short name"), max_length=20)
    label = WordedField(label=gettext_lazy("What people read"))
    verb = forms.ChoiceField(
        label=gettext_lazy("Done by"),
        initial="review expert",  # what a browser sends of an empty line
        choices=[
            ("review expert", gettext_lazy("domain experts")),
            ("review linguistic", gettext_lazy("linguists")),
            ("review formatting", gettext_lazy("formatters or second annotators")),
            ("review equivalence", gettext_lazy("experts or linguists, languages side by side")),
        ],
    )
    rounds = forms.IntegerField(label=gettext_lazy("Rounds, each by someone else"), min_value=1, max_value=9, initial=1)
    must_hear = forms.BooleanField(label=gettext_lazy("The clip must be heard to its end"), required=False)
    checklist = PointsField(label=gettext_lazy("Checklist"))


StepForms = forms.formset_factory(StepForm, extra=1, can_delete=True, can_order=True)


@require_http_methods(["GET", "POST"])
@page(Verb.MANAGE)
def settings(desk: Desk) -> HttpResponse:
    posted = desk.request.POST or None
    about = ProjectForm(posted, instance=desk.project)
    form = SettingsForm(desk, posted)
    steps = StepForms(posted, prefix="steps", initial=[step.model_dump() for step in desk.settings.steps])
    if posted and all([about.is_valid(), form.is_valid(), steps.is_valid()]):
        named = _steps(steps)
        if len({step.name for step in named}) == len(named):
            _save(desk, about, form.settings(), named)
            messages.success(desk.request, _("Saved."))
            return redirect("settings", desk.project.slug)
        messages.error(desk.request, _("Two review steps have the same name."))
    context = {"desk": desk, "about": about, "form": form, "steps": steps, "changes": changes(desk.project)}
    return render(desk.request, "studio/project/settings.html", context, status=422 if posted else 200)


def _steps(forms_: BaseFormSet[StepForm]) -> list[Step]:
    told = [form.cleaned_data for form in forms_.ordered_forms if form.cleaned_data.get("name")]
    return [Step(**{name: value for name, value in each.items() if name in Step.model_fields}) for each in told]


@transaction.atomic
def _save(desk: Desk, about: ProjectForm, changed: dict[str, Any], steps: list[Step]) -> None:
    before = desk.settings
    project = about.save(commit=False)
    project.settings = {**project.settings, **changed, "steps": [step.model_dump() for step in steps]}
    project.save()
    after = Settings.model_validate(project.settings)
    names = [name for name in Settings.model_fields if getattr(before, name) != getattr(after, name)]
    record(project, desk.user, "settings", f"project:{project.slug}", changed=[*about.changed_data, *names])
    if before.thresholds != after.thresholds:
        for asset in project.assets.select_related("project"):
            quality.look(asset)


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the history: a field, or one of the settings."""

    at: datetime
    who: str
    field: str
    old: Any
    new: Any


def changes(project: Project) -> list[Change]:
    """The latest changes of a project's own fields and settings, newest first."""
    rows = list(project.history.select_related("history_user").order_by("-history_date", "-history_id")[: _SHOWN + 1])
    found: list[Change] = []
    for new, old in pairwise(rows):
        for name in ("title", "languages", "id_template"):
            if getattr(new, name) != getattr(old, name):
                found.append(_change(new, name, getattr(old, name), getattr(new, name)))
        for name in {**old.settings, **new.settings}:
            if old.settings.get(name) != new.settings.get(name):
                found.append(_change(new, name, old.settings.get(name), new.settings.get(name)))
    return found[:_SHOWN]


def _change(row: Any, name: str, old: Any, new: Any) -> Change:
    return Change(
        row.history_date, str(row.history_user or ""), _called(name), _readable(name, old), _readable(name, new)
    )


def _called(name: str) -> str:
    """A setting as the form calls it."""
    own = {"steps": _("Review steps, in order"), "thresholds": _("Quality of pictures and clips")}
    field = SettingsForm.base_fields.get(name) or ProjectForm.base_fields.get(name)
    return own.get(name) or str(field.label if field else name)


def _readable(name: str, value: Any) -> Any:
    """Points and steps by what people read of them."""
    if name in {"include_if", "exclude_if"}:
        return "; ".join(map(str, points_of(value or [])))
    if name == "steps":
        steps = [Step.model_validate(one) for one in value or []]
        return "; ".join(f"{step} × {step.rounds}: {', '.join(map(str, step.checklist))}" for step in steps)
    return ", ".join(value) if name == "languages" else value
