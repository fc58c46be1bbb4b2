"""The editor's form: fields as the browser sends them ↔ the content, media and columns of an item.

A form may be incomplete: what is missing is a finding, and keeps the item from being submitted, not from being saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from keju.items import LABELS
from keju.studio.content import Content, Option, Text
from keju.studio.drafts import Fields
from keju.studio.form_labels import PLACE_NAMES, language_name
from keju.studio.models import Asset, Item, Project, Revision, Term
from keju.studio.numbering import code_of, fields_of
from keju.studio.saving import Edit
from keju.studio.standing import settings_of

MOST_OPTIONS = 6  # of `Content.options`; the keys 1-6 choose the right one
FEWEST_OPTIONS = 2
MOST_TOKEN = 20  # characters: with a project's short name it fits `Draft.target`
TERMS = ("genre", "question_type", "difficulty", "dimension", "instruction")
EDITABLE = frozenset({Item.State.DRAFT, Item.State.REVISE, Item.State.IN_REVIEW})
"""States in which an item's text may change; to change an accepted one, an owner reopens it first."""


@dataclass(frozen=True, slots=True)
class Column:
    """One language of the editor."""

    tag: str
    name: str
    stem: forms.BoundField
    instruction: forms.BoundField
    rationale: forms.BoundField


@dataclass(frozen=True, slots=True)
class Row:
    """One option of the editor."""

    index: int
    label: str
    texts: list[tuple[str, forms.BoundField]]
    strategy: forms.BoundField
    asset: forms.BoundField
    used: bool


class EditorForm(forms.Form):
    """Built for a project: its languages, its terms, the fields of its id template."""

    base_version = forms.IntegerField(min_value=0, initial=0, widget=forms.HiddenInput)
    base_revision = forms.IntegerField(min_value=0, initial=0, widget=forms.HiddenInput)
    base_columns = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)
    """JSON of the fields that are no part of a revision, as they were when the form was opened, for a merge."""
    token = forms.SlugField(max_length=MOST_TOKEN, widget=forms.HiddenInput)
    original_language = forms.ChoiceField(label=gettext_lazy("Language of authoring"))
    count = forms.IntegerField(
        label=gettext_lazy("Number of options"), min_value=FEWEST_OPTIONS, max_value=MOST_OPTIONS
    )
    key = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    reserve = forms.BooleanField(label=gettext_lazy("Reserve: takes the place of an excluded item"), required=False)
    typo = forms.BooleanField(label=gettext_lazy("Only a slip of the pen was corrected"), required=False)
    reason = forms.CharField(label=gettext_lazy("What was changed, and why"), max_length=200, required=False)

    def __init__(self, project: Project, data: Any = None, *, item: Item | None = None, initial: Fields) -> None:
        super().__init__(data, initial=initial)
        self.project, self.item, self.placeless = project, item, False
        self.tags = languages(project, initial if data is None else data)
        self.strategies = list(project.terms.filter(kind=Term.Kind.STRATEGY, active=True))
        self.kept = fields_of_revision(item, item.current) if item and item.current else {}
        self.fields["reason"].required = item is not None and item.state != Item.State.DRAFT  # others have seen it
        self._add_columns()
        self._add_texts()
        keys = [(str(index), LABELS[index]) for index in range(MOST_OPTIONS)]
        _field(self, "key", forms.TypedChoiceField).choices = [("", ""), *keys]
        names = [(tag, language_name(tag)) for tag in self.tags]
        _field(self, "original_language", forms.ChoiceField).choices = names

    def _add_columns(self) -> None:
        for name in TERMS:
            usable = Q(active=True) | Q(
                pk=self.kept.get(name) or None
            )  # one that was retired since stays with its items
            terms = self.project.terms.filter(usable, kind=name).select_related("parent")
            label = Term.Kind(name).label
            self.fields[name] = forms.ModelChoiceField(terms, label=label, required=False, empty_label="–")
        for kind in Asset.Kind:
            usable = ~Q(state=Asset.State.REJECTED) | Q(pk=self.kept.get(kind.value) or None)
            assets = self.project.assets.filter(usable, kind=kind)
            self.fields[kind.value] = forms.ModelChoiceField(
                assets, label=kind.label, required=False, widget=forms.HiddenInput
            )
        for field in fields_of(self.project.id_template) if self.item is None else ():
            label = PLACE_NAMES.get(field.name, field.name)
            number = forms.IntegerField(min_value=0, max_value=10**6, label=label)
            text = forms.CharField(max_length=20, label=label)
            self.fields[f"locator_{field.name}"] = number if field.counts else text

    def _add_texts(self) -> None:
        strategies = {term.code: str(term) for term in self.strategies}
        kept = {text: text for name, text in self.kept.items() if name.startswith("strategy_") and text}
        for tag in self.tags:
            self.fields[f"stem_{tag}"] = _text(4000, 3, tag, _("Question"))
            self.fields[f"instruction_{tag}"] = _text(2000, 2, tag, _("Instruction of the exam"))
            self.fields[f"rationale_{tag}"] = _text(4000, 2, tag, _("Why the key is right"))
        for index in range(MOST_OPTIONS):
            for tag in self.tags:
                self.fields[f"option_{index}_{tag}"] = _text(1000, 1, tag, f"{LABELS[index]} · {tag}")
            self.fields[f"strategy_{index}"] = forms.ChoiceField(
                choices=[("", "–"), *(kept | strategies).items()],
                required=False,
                label=_("How this distractor was made"),
            )
            self.fields[f"asset_{index}"] = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)

    def to_look_at(self) -> None:
        """Take a form that is not to be saved yet: without the reason, and without an id where none is made."""
        for name in self.fields:
            if name == "reason" or name.startswith("locator_"):
                self.fields[name].required = False
        self.placeless = True

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        key, count = values.get("key"), values.get("count")
        if key is not None and count is not None and key >= count:
            self.add_error("key", _("The right option is one that is not there any more; choose another."))
        sha256s = {str(values.get(f"asset_{index}") or "") for index in range(count or 0)} - {""}
        if sha256s - self._usable_pictures(sha256s):
            self.add_error(None, _("An option shows a picture that this project does not have."))
        if self.item is None and not (self.errors or self.placeless or self.code):
            self.add_error(None, _("The id cannot be made; fill in its parts."))
        return values

    def _usable_pictures(self, sha256s: set[str]) -> set[str]:
        """Pictures that are not rejected, and those that the item has as options already."""
        kept = {self.kept.get(f"asset_{index}") for index in range(MOST_OPTIONS)}
        pictures = self.project.assets.filter(kind=Asset.Kind.IMAGE, sha256__in=sha256s)
        found = pictures.filter(~Q(state=Asset.State.REJECTED) | Q(sha256__in=kept))
        return set(found.values_list("sha256", flat=True))

    @property
    def locator(self) -> dict[str, str | int]:
        return {
            name.removeprefix("locator_"): v for name, v in self.cleaned_data.items() if name.startswith("locator_")
        }

    @property
    def place_was_suggested(self) -> bool:
        """Whether the place is still the one that the studio put in: then any free number is meant."""
        return all(str(value) == self.data.get(f"suggested_{name}") for name, value in self.locator.items())

    @property
    def code(self) -> str | None:
        """The id of a new item."""
        return code_of(self.project.id_template, self.locator)

    @property
    def edit(self) -> Edit:
        """What a valid form says."""
        values = self.cleaned_data
        columns = {name: values[name] for name in ("original_language", "reserve", *TERMS)}
        kind = columns["question_type"]
        if columns["dimension"] is None and kind is not None:
            columns["dimension"] = kind.parent
        if self.item is None:
            columns["locator"] = self.locator
        return Edit(self._content(), values["image"], values["audio"], columns)

    def _content(self) -> Content:
        values = self.cleaned_data
        options = [
            Option(
                text=self._texts(f"option_{index}_"),
                strategy=None if index == values["key"] else values[f"strategy_{index}"] or None,
                asset=values[f"asset_{index}"] or None,
            )
            for index in range(values["count"])
        ]
        return Content(
            stem=self._texts("stem_"),
            options=options,
            key=values["key"],
            rationale=self._texts("rationale_"),
            instruction=self._texts("instruction_"),
        )

    def _texts(self, prefix: str) -> Text:
        """Texts by language; a language in which nothing is written is left out."""
        texts = {tag: self.cleaned_data[prefix + tag].replace("\r\n", "\n").strip() for tag in self.tags}
        return {tag: text for tag, text in texts.items() if text}

    @property
    def columns(self) -> Iterator[Column]:
        for tag in self.tags:
            yield Column(
                tag, language_name(tag), self[f"stem_{tag}"], self[f"instruction_{tag}"], self[f"rationale_{tag}"]
            )

    @property
    def rows(self) -> Iterator[Row]:
        told = str(self["count"].value())
        used = int(told) if told in {str(n) for n in range(MOST_OPTIONS + 1)} else FEWEST_OPTIONS
        for index in range(MOST_OPTIONS):
            texts = [(tag, self[f"option_{index}_{tag}"]) for tag in self.tags]
            strategy, asset = self[f"strategy_{index}"], self[f"asset_{index}"]
            yield Row(index, LABELS[index], texts, strategy, asset, index < used)

    @property
    def places(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("locator_")]


def languages(project: Project, fields: Mapping[str, str]) -> list[str]:
    """The project's languages, then others in which the item has a text."""
    written = (name.removeprefix("stem_") for name, text in fields.items() if name.startswith("stem_") and text)
    return list(dict.fromkeys([*project.languages, *(tag for tag in written if len(tag) <= 20)]))


def columns_of(item: Item) -> Fields:
    """Fields that are the item's own and no part of a revision."""
    terms = {name: str(getattr(item, f"{name}_id") or "") for name in TERMS}
    return {"original_language": item.original_language, **terms, "reserve": "on" if item.reserve else ""}


def fields_of_revision(item: Item, revision: Revision) -> Fields:
    """A revision and the item's columns as the form's fields: what the editor shows and a comparison compares."""
    content = revision.content
    fields = {
        **columns_of(item),
        "image": str(revision.image_id or ""),
        "audio": str(revision.audio_id or ""),
        "count": str(max(len(content.options), FEWEST_OPTIONS)),
        "key": "" if content.key is None else str(content.key),
    }
    for name, texts in (("stem", content.stem), ("instruction", content.instruction), ("rationale", content.rationale)):
        fields |= {f"{name}_{tag}": text for tag, text in texts.items()}
    for index, option in enumerate(content.options):
        fields |= {f"option_{index}_{tag}": text for tag, text in option.text.items()}
        fields |= {f"strategy_{index}": option.strategy or "", f"asset_{index}": option.asset or ""}
    return fields


def blank(project: Project, like: Item | None, locator: Mapping[str, str | int], user: User) -> Fields:
    """A new item's fields: what stays the same from the item before it, and nothing of its text but the instruction."""
    tongues = (user.profile.languages if hasattr(user, "profile") else None) or []
    known = [tag for tag in tongues if tag in project.languages] or project.languages or ["zh-Hans"]
    fields = {"original_language": known[0], "count": str(settings_of(project).max_options)}
    if like is not None:
        fields["original_language"] = like.original_language
        fields |= {name: str(getattr(like, f"{name}_id") or "") for name in TERMS}
        if like.current:
            content = like.current.content
            fields |= {f"instruction_{tag}": text for tag, text in content.instruction.items()}
            fields["count"] = str(max(len(content.options), FEWEST_OPTIONS))
    return {**fields, **{f"locator_{name}": str(value) for name, value in locator.items()}}


def _text(most: int, lines: int, tag: str, label: str) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": lines, "lang": tag})
    return forms.CharField(max_length=most, required=False, widget=widget, strip=False, label=label)


def _field(form: forms.Form, name: str, kind: type[Any]) -> Any:
    field = form.fields[name]
    assert isinstance(field, kind)  # noqa: S101 (for the type checker)
    return field
