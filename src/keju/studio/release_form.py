"""What only the owner can tell of a release: the form, and `keju.release.Settings` made of it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from keju.release import Creator, People, Settings, Source
from keju.release.licences import LICENCES, OWN, of_kind
from keju.release.prose import QUESTIONS
from keju.splits import WEIGHTS
from keju.studio.models import Asset, Project, Release
from keju.studio.models import Source as Origin
from keju.studio.store import place
from keju.studio.wording import worded

_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")
_OPTIONAL = {"title_zh", "description_zh", "doi", "media_license", "keywords", "seed", "keep_splits", "withhold"}
_KINDS = {Asset.Kind.IMAGE: "images", Asset.Kind.AUDIO: "audio"}
METHODS = (
    ("balanced", gettext_lazy("Balanced: labels alike in all splits, and a picture or clip in one split only")),
    ("plain", gettext_lazy("Plain: by seed alone, as TCO was split")),
    ("", gettext_lazy("No splits")),
)


class ReleaseForm(forms.Form):
    """Everything may stay empty while a release is prepared; `whole` asks for what a release must say."""

    version = forms.CharField(
        label=gettext_lazy("Version"),
        max_length=20,
        help_text=gettext_lazy("Three numbers: the first rises when items changed, the second when some were added."),
    )
    date = forms.DateField(
        label=gettext_lazy("Date of the release"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    title_zh = forms.CharField(label=gettext_lazy("Title in Chinese"), max_length=200)
    description = forms.CharField(label=gettext_lazy("What it is, in a paragraph"), max_length=4000)
    description_zh = forms.CharField(label=gettext_lazy("The same in Chinese"), max_length=4000)
    changes = forms.CharField(label=gettext_lazy("What is new in this version"), max_length=1000)
    url = forms.URLField(label=gettext_lazy("Where it will stand (https://…)"), assume_scheme="https")
    doi = forms.CharField(label=gettext_lazy("DOI, if it has one"), max_length=100)
    license = forms.ChoiceField(label=gettext_lazy("Licence of questions and keys"))
    media_license = forms.ChoiceField(label=gettext_lazy("Licence of pictures and clips, if another"))
    creators = forms.CharField(
        label=gettext_lazy("Authors and institutions, one a line"),
        max_length=4000,
        help_text=gettext_lazy("Name; family name; given name; institution; ORCID. Only the name must be there."),
    )
    keywords = forms.CharField(label=gettext_lazy("Words to find it by, with commas between"), max_length=400)
    collection_types = forms.CharField(
        label=gettext_lazy("How material was gathered"),
        max_length=400,
        help_text=gettext_lazy("In English, with commas between, such as: Manual Human Curation, Direct Measurement."),
    )
    collection_start = forms.DateField(
        label=gettext_lazy("First day of gathering"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    collection_end = forms.DateField(
        label=gettext_lazy("Last day of gathering"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    recognisable = forms.ChoiceField(
        label=gettext_lazy("Can somebody be recognised in pictures or clips?"),
        choices=(("", "–"), ("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))),
    )
    split_method = forms.ChoiceField(label=gettext_lazy("Splits"), choices=METHODS, required=False)
    train = forms.IntegerField(label=gettext_lazy("Share of train"), min_value=0, max_value=100_000)
    val = forms.IntegerField(label=gettext_lazy("Share of val"), min_value=0, max_value=100_000)
    test = forms.IntegerField(label=gettext_lazy("Share of test"), min_value=0, max_value=100_000)
    seed = forms.IntegerField(label=gettext_lazy("Seed"), min_value=0, max_value=2**31 - 1)
    keep_splits = forms.BooleanField(
        label=gettext_lazy("Items stay in the split that they have"),
        required=False,
        help_text=gettext_lazy(
            "That of the release before, or with which they were imported; only others are drawn. A picture or clip "
            "takes what is new on it into its split."
        ),
    )
    withhold = forms.MultipleChoiceField(
        label=gettext_lazy("Splits whose keys are withheld"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "They go out without a key. You alone can download the keys, to mark what others send you; keep them safe."
        ),
    )

    def __init__(self, release: Release, data: Any = None, *, whole: bool = False) -> None:
        super().__init__(data, initial={"keep_splits": True, **release.config})
        self.release = release
        for name, question in QUESTIONS.items():
            self.fields[name] = forms.CharField(label=worded(question.text), max_length=4000)
            self.fields[name].required = question.required
        licences = [(name, name) for name in of_kind("text")]
        _choices(self, "license", licences)
        _choices(self, "media_license", [("", _("the same")), *licences])
        imported = release.project.items.exclude(split="").order_by("split").values_list("split", flat=True)
        splits = dict.fromkeys([*WEIGHTS, *imported.distinct()])
        _choices(self, "withhold", [(name, name) for name in splits])
        for name, field in self.fields.items():
            optional = name in _OPTIONAL or (name in QUESTIONS and not QUESTIONS[name].required)
            field.required = (whole and not optional and name != "split_method") or name == "version"
            if isinstance(field, forms.CharField) and field.max_length in (1000, 4000):
                field.widget = forms.Textarea(attrs={"rows": 3, "maxlength": field.max_length})

    def clean_version(self) -> str:
        version: str = self.cleaned_data["version"].strip()
        if not _VERSION.fullmatch(version):
            raise forms.ValidationError(_("Write three numbers with dots, such as 1.0.0."))
        others = Release.objects.filter(project=self.release.project, version=version).exclude(pk=self.release.pk)
        if others.exists():
            raise forms.ValidationError(_("There is a release %(version)s already.") % {"version": version})
        return version

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        start, end = values.get("collection_start"), values.get("collection_end")
        if start and end and end < start:
            self.add_error("collection_end", _("The last day is before the first."))
        if values.get("split_method") and not any(values.get(name) for name in WEIGHTS):
            self.add_error("train", _("Say how large the splits shall be."))
        if values.get("withhold") and not values.get("split_method"):
            self.add_error("withhold", _("Without splits no keys can be withheld."))
        return values

    @property
    def config(self) -> dict[str, Any]:
        """What was filled in, as `Release.config` keeps it."""
        values = {name: v.isoformat() if isinstance(v, date) else v for name, v in self.cleaned_data.items()}
        return {**self.release.config, **values}

    @property
    def sections(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        """The fields under headings, in the order in which one fills them in."""
        split = ["split_method", "keep_splits", *WEIGHTS, "seed", "withhold"]
        about = [name for name in self.base_fields if name not in split]
        yield _("About it"), [self[name] for name in about]
        yield _("Splits"), [self[name] for name in split]
        yield _("Datasheet"), [self[name] for name in QUESTIONS]


def _choices(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)  # noqa: S101 (for the type checker)
    field.choices = choices


def begun(project: Project) -> dict[str, Any]:
    """The config of a new release: that of the one before, or what the project knows."""
    last = project.releases.first()
    today = date.today().isoformat()  # noqa: DTZ011 (a day for people)
    fresh = {"version": "1.0.0", "changes": "", "date": today, "keep_splits": True}
    if last:
        return {**last.config, **fresh}
    weights = {name: int(weight) for name, weight in WEIGHTS.items()}
    usual = {"license": "CC-BY-4.0", "split_method": "balanced", **weights, "seed": 0}
    return {"title": project.title, "canary": str(uuid.uuid4()), **usual, **fresh}


def settings_of(release: Release, assets: list[Asset]) -> Settings:
    """The settings of a release; its sources are those of the pictures and clips in it."""
    told: Mapping[str, Any] = release.config
    plain: dict[str, Any] = {
        name: str(told.get(name) or "")
        for name in (
            *("title", "title_zh", "date", "license", "media_license", "description", "description_zh", "url", "doi"),
            *("canary", "collection_start", "collection_end"),
        )
    }
    return Settings(
        **plain,
        version=release.version,
        keywords=_listed(told.get("keywords")),
        collection_types=_listed(told.get("collection_types")),
        creators=tuple(_creators(str(told.get("creators") or ""))),
        sources=tuple(_sources(release.project, assets)),
        people=_people(told, assets),
        changes=_changes(release),
        datasheet={name: str(told[name]) for name in QUESTIONS if told.get(name)},
        file=_("the form of this release"),
    )


def _sources(project: Project, assets: list[Asset]) -> Iterator[Source]:
    """Where texts come from, and each source of the media."""
    yield Source(project.title, OWN, ("text",))
    for origin in Origin.objects.filter(pk__in={asset.source_id for asset in assets if asset.source_id}):
        covers = tuple(sorted({_KINDS[Asset.Kind(a.kind)] for a in assets if a.source_id == origin.pk}))
        yield Source(origin.title, origin.licence, covers, attribution=origin.rights_holder)


def _people(told: Mapping[str, Any], assets: list[Asset]) -> People:
    """Consent is on file per source; the release asks for one that is there, `release_builder` for each."""
    files = sorted({asset.source.consent_file for asset in assets if asset.source and asset.source.consent_file})
    return People(str(told.get("recognisable") or ""), str(place(files[0])) if files else "")


def _creators(text: str) -> Iterator[Creator]:
    for line in text.splitlines():
        parts = [part.strip() for part in re.split("[;；]", line)]
        if parts[0]:
            yield Creator(*parts[:5])


def _changes(release: Release) -> dict[str, str]:
    """What changed, this version first, then those that went out before."""
    before = release.project.releases.filter(state=Release.State.FROZEN).exclude(pk=release.pk)
    rows = [release, *before.order_by("-frozen_at")]
    return {row.version: str(row.config.get("changes") or "") for row in rows if row.config.get("changes")}


def _listed(text: Any) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split("[,，、;；\n]", str(text or "")) if part.strip())


def known_licence(name: str) -> bool:
    """Whether material under this licence can be released at all."""
    return name == OWN or name in LICENCES
