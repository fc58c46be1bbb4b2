"""An existing benchmark taken into a project: media, vocabulary, items. Taken in again, it makes nothing twice."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from keju.benchmark import Benchmark
from keju.errors import CallFailed
from keju.items import Item as Question
from keju.items import Medium, same_language
from keju.phrase import Phrase
from keju.release.content import ANSWER_DIGEST, CANARY
from keju.results.labels import named
from keju.studio import findings
from keju.studio.content import Content, Option
from keju.studio.editing import MOST_OPTIONS
from keju.studio.intake import Refused, take_in
from keju.studio.journal import record
from keju.studio.models import Asset, Item, Project, Source, Term
from keju.studio.models.items import MOST_SPLIT
from keju.studio.option_pictures import Parted, parted
from keju.studio.saving import Edit, create, save
from keju.studio.troubles import Trouble
from keju.studio.wording import texts_of

TERMS = {
    **{kind: Term.Kind(kind) for kind in ("genre", "question_type", "difficulty", "dimension", "instruction")},
    "task": Term.Kind.INSTRUCTION,
}
"""Label of a benchmark → kind of term; other labels become fields of the item's place in its source."""
_OURS = {"original_language", "split"}
_CHANGEABLE = (Item.State.DRAFT, Item.State.REVISE)
_MOST_CODE = 60  # characters: the column's width


@dataclass(slots=True)
class Report:
    """What became of an import."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: int = 0
    media: int = 0
    terms: int = 0
    languages: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    """Further fields of the source, kept as they are."""
    troubles: list[Trouble] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        return {"new": len(self.new), "changed": len(self.changed), "same": self.same, "troubles": len(self.troubles)}


class _Skipped(Exception):
    """The item is not taken in; the text says why."""


class _Unusable(Exception):
    """A picture or clip cannot be had; the text says why."""


def take(
    project: Project,
    user: User,
    benchmark: Benchmark,
    source: Source | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Report:
    """Take in every item of a benchmark, each whole or not at all. Items that are here are revised where they differ.

    `source` is that of the pictures and clips. An item whose medium cannot be had becomes a draft without it. `tell` is
    called with the number of items that were looked at, and of all. Twins are looked for at the end; where it does not
    come to that, when an item is submitted.
    """
    report = Report()
    report.troubles += [Trouble.of(problem) for problem in benchmark.problems]
    taking = _Taking(project, user, source, report, {trouble.item for trouble in report.troubles})
    taking.add_languages(dict.fromkeys(tag for question in benchmark for tag in question.wordings))
    for number, question in enumerate(benchmark):
        if tell:
            tell(number, len(benchmark))
        try:
            with transaction.atomic():
                taking.take(question)
        except _Skipped as reason:
            report.troubles.append(Trouble(question.id, str(reason)))
    findings.refresh_twins(project, [question.id for question in benchmark])
    report.fields = sorted({name for question in benchmark for name in _further(question)})
    record(project, user, "import", f"benchmark:{benchmark.name}"[:80], format=benchmark.format, **report.counts)
    return report


@dataclass(frozen=True, slots=True)
class _Taking:
    """One import: where to, in whose name, and what became of it."""

    project: Project
    user: User
    source: Source | None
    report: Report
    told: set[str]
    """Items of which the reader told a problem: that a picture is not there is not told twice."""

    def take(self, question: Question) -> None:
        if len(question.id) > _MOST_CODE:
            raise _Skipped(_("The id is longer than %(most)s characters.") % {"most": _MOST_CODE})
        here = Item.objects.filter(project=self.project, code=question.id)
        item = here.select_related("current", "image", "audio").first()
        apart = parted(question)
        content = _content(question, apart)
        image, audio = (self._asset(question, apart.own, kind, item) for kind in Asset.Kind)
        self._add_pictures(question, apart, content, item)
        if item is not None and item.current:
            _keep_own(content, item.current.content)
        edit = Edit(content, image, audio, self._columns(question))
        if item is None:
            item = create(self.project, question.id, self.user, edit, reason=_("imported"))
            self.report.new.append(question.id)
        elif _is_same(item, edit):
            self.report.same += 1
            return
        elif item.state not in _CHANGEABLE:
            message = _("It differs from the item here, which is “%(state)s” and was left as it is.")
            raise _Skipped(message % {"state": item.get_state_display()})
        else:
            save(item, self.user, edit, base_version=item.version, reason=_("imported anew"))
            self.report.changed.append(question.id)
        findings.refresh(Item.objects.select_related("project", "current").get(pk=item.pk), twins=False)

    @transaction.atomic
    def add_languages(self, tags: Iterable[str]) -> None:
        """Languages that the project does not have yet."""
        known = list(self.project.languages)
        new = [tag for tag in tags if not any(same_language(tag, one) for one in known)]
        if new:
            self.project.languages = [*known, *new]
            self.project.save(update_fields=("languages",))
            record(self.project, self.user, "languages", f"project:{self.project.slug}", added=new)
            self.report.languages = new

    def _asset(self, question: Question, own: Iterable[Medium], kind: str, item: Item | None) -> Asset | None:
        """The picture or clip; where it cannot be had, the one that the item has, and the reason is listed."""
        media = [medium for medium in own if medium.kind == kind]
        if not media:
            return None
        if len(media) > 1:
            raise _Skipped(_("It has several pictures or clips beside its options; the studio takes one of each."))
        try:
            return self._kept(media[0])
        except _Unusable as reason:
            self._tell(question, reason)
            return getattr(item, kind) if item else None

    def _add_pictures(self, question: Question, apart: Parted, content: Content, item: Item | None) -> None:
        """Options that are pictures; one that cannot be had is that which the item has there."""
        before = item.current.content.options if item and item.current else []
        for index, label in enumerate(question.options):
            if (medium := apart.options.get(label)) is None:
                continue
            try:
                content.options[index].asset = self._kept(medium).sha256
            except _Unusable as reason:
                self._tell(question, reason)
                content.options[index].asset = before[index].asset if index < len(before) else None

    def _tell(self, question: Question, reason: _Unusable) -> None:
        if question.id not in self.told:
            self.report.troubles.append(Trouble(question.id, str(reason)))

    def _kept(self, medium: Medium) -> Asset:
        try:
            with tempfile.TemporaryDirectory() as folder:
                file = _file(medium, Path(folder))
                taken = take_in(self.project, self.user, file, medium.name, source=self.source)
        except Refused as reason:
            raise _Unusable(f"{medium.name}: {reason}") from reason
        except (OSError, CallFailed) as error:
            raise _Unusable(_("%(name)s cannot be read.") % {"name": medium.name}) from error
        if taken.asset.kind != medium.kind:
            raise _Unusable(_("%(name)s is not what its benchmark says it is.") % {"name": medium.name})
        self.report.media += taken.new
        return taken.asset

    def _columns(self, question: Question) -> dict[str, object]:
        terms: dict[str, object] = {}
        locator: dict[str, str | int] = {}
        for name, value in question.labels.items():
            if kind := TERMS.get(name):
                terms[kind.value] = self._term(kind, value)
            elif name not in _OURS:
                locator[name] = int(value) if value.isdecimal() and str(int(value)) == value else value
        return {
            "original_language": question.wording.language,
            "locator": locator,
            "split": self._split(question),
            "extra": _further(question),
            **terms,
        }

    def _split(self, question: Question) -> str:
        split = question.split or ""
        if len(split) <= MOST_SPLIT:
            return split
        message = _("The name of its split is longer than %(most)s characters; it is in none.")
        self.report.troubles.append(Trouble(question.id, message % {"most": MOST_SPLIT}))
        return ""

    def _term(self, kind: Term.Kind, value: str) -> Term:
        """The project's word for a label: by code or by any of its names, or a new one."""
        wanted = value.strip().casefold()
        terms = self.project.terms.filter(kind=kind)
        for term in terms:
            names = {term.code, *(str(text) for text in (term.label or {}).values())}
            if wanted in {name.casefold() for name in names}:
                return term
        known = named(kind, value)
        label = texts_of(known) if isinstance(known, Phrase) else {"en": value}
        made = Term.objects.create(
            project=self.project, kind=kind, code=value.strip()[:60], label=label, order=len(terms) + 1
        )
        self.report.terms += 1
        record(self.project, self.user, "term", f"term:{kind}:{made.code}"[:80])
        return made


def _further(question: Question) -> dict[str, Any]:
    """Fields of the source that keju does not know; not what formats and releases note there for themselves."""
    ours = {name for name in question.extra if name.startswith("_")} | {ANSWER_DIGEST, CANARY}
    return {name: value for name, value in question.extra.items() if name not in ours}


def _is_same(item: Item, edit: Edit) -> bool:
    columns = edit.columns or {}
    now = (item.current and item.current.sha256, item.image, item.audio)
    return now == (edit.content.sha256, edit.image, edit.audio) and all(
        getattr(item, name) == value for name, value in columns.items()
    )


def _content(question: Question, apart: Parted) -> Content:
    """The text of a question."""
    labels = list(question.wording.options)
    if len(labels) > MOST_OPTIONS:
        raise _Skipped(_("It has %(count)s options; the studio takes six.") % {"count": len(labels)})
    wordings = question.wordings.values()
    options = [
        Option(text={tag: texts[label] for tag, texts in apart.texts.items() if texts.get(label)}) for label in labels
    ]
    return Content(
        stem={w.language: w.question for w in wordings if w.question},
        options=options,
        key=labels.index(question.answer) if question.answer in labels else None,
        instruction={w.language: w.instruction for w in wordings if w.instruction},
    )


def _keep_own(content: Content, before: Content) -> None:
    """Strategies and the rationale are written in the studio; an import does not take them away."""
    content.rationale = before.rationale
    strategies = {_said(option): option.strategy for option in before.options}
    for index, option in enumerate(content.options):
        if index != content.key:
            option.strategy = strategies.get(_said(option))


def _said(option: Option) -> tuple[object, ...]:
    """What an option says and shows."""
    return (*sorted(option.text.items()), option.asset)


def _file(medium: Medium, folder: Path) -> Path:
    """The medium as a file: the one that it is, or one made of the bytes that it holds."""
    if medium.data is None:
        return medium.file()
    file = folder / "medium"
    file.write_bytes(medium.read())
    return file
