"""An existing benchmark taken into a project: media, vocabulary, items. Taken in again, it makes nothing twice."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from keju.benchmark import Benchmark
from keju.errors import CallFailed
from keju.items import Item as Question
from keju.items import Medium, same_language
from keju.studio import findings
from keju.studio.content import Content, Option
from keju.studio.intake import Refused, take_in
from keju.studio.journal import record
from keju.studio.models import Asset, Item, Project, Source, Term
from keju.studio.saving import Edit, create, save

TERMS = {
    **{kind: Term.Kind(kind) for kind in ("genre", "question_type", "difficulty", "dimension", "instruction")},
    "task": Term.Kind.INSTRUCTION,
}
"""Label of a benchmark → kind of term; other labels become fields of the item's place in its source."""
_OURS = {"original_language", "split"}
_CHANGEABLE = (Item.State.DRAFT, Item.State.REVISE)
_MOST_CODE = 60  # characters: the column's width


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not be taken in as it is."""

    item: str
    message: str


@dataclass(slots=True)
class Report:
    """What became of an import."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: int = 0
    media: int = 0
    terms: int = 0
    languages: list[str] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        return {"new": len(self.new), "changed": len(self.changed), "same": self.same, "troubles": len(self.troubles)}


class _Skipped(Exception):
    """The item is not taken in; the text says why."""


def take(
    project: Project,
    user: User,
    benchmark: Benchmark,
    source: Source | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Take in every item of a benchmark, each whole or not at all. Items that are here are revised where they differ.

    `progress` is called with items done and items in all.
    """
    report = Report()
    report.troubles += [Trouble(problem.item or "", str(problem)) for problem in benchmark.problems]
    _add_languages(project, user, benchmark, report)
    for done, question in enumerate(benchmark, 1):
        try:
            with transaction.atomic():
                _take_item(project, user, question, source, report)
        except (_Skipped, Refused) as reason:
            report.troubles.append(Trouble(question.id, str(reason)))
        if progress:
            progress(done, len(benchmark))
    lost = sorted({name for question in benchmark for name in question.extra})
    if lost:
        message = _("Fields that the studio does not keep: %(names)s.") % {"names": ", ".join(lost)}
        report.troubles.append(Trouble("", message))
    record(project, user, "import", f"benchmark:{benchmark.name}"[:80], format=benchmark.format, **report.counts)
    return report


def _take_item(project: Project, user: User, question: Question, source: Source | None, report: Report) -> None:
    if len(question.id) > _MOST_CODE:
        raise _Skipped(_("The id is longer than %(most)s characters.") % {"most": _MOST_CODE})
    item = Item.objects.filter(project=project, code=question.id).select_related("current", "image", "audio").first()
    content = _content(question, item)
    media = {kind: _asset(project, user, question, kind, source, report) for kind in Asset.Kind}
    edit = Edit(content, media[Asset.Kind.IMAGE], media[Asset.Kind.AUDIO], _columns(project, user, question, report))
    if item is None:
        item = create(project, question.id, user, edit, reason=_("imported"))
        report.new.append(question.id)
    elif _is_same(item, edit):
        report.same += 1
        return
    elif item.state not in _CHANGEABLE:
        state = item.get_state_display()
        raise _Skipped(
            _("It differs from the item here, which is “%(state)s” and was left as it is.") % {"state": state}
        )
    else:
        save(item, user, edit, base_version=item.version, reason=_("imported anew"))
        report.changed.append(question.id)
    findings.refresh(Item.objects.select_related("project", "current").get(pk=item.pk))


def _is_same(item: Item, edit: Edit) -> bool:
    columns = edit.columns or {}
    now = (item.current and item.current.sha256, item.image, item.audio)
    return now == (edit.content.sha256, edit.image, edit.audio) and all(
        getattr(item, name) == value for name, value in columns.items()
    )


def _content(question: Question, item: Item | None) -> Content:
    """The text of a question; what only the studio knows of an item that is here is kept."""
    labels = list(question.wording.options)
    if len(labels) > 6:  # `Content.options`
        raise _Skipped(_("It has %(count)s options; the studio takes six.") % {"count": len(labels)})
    wordings = question.wordings.values()
    options = [
        Option(text={w.language: w.options[label] for w in wordings if w.options.get(label)}) for label in labels
    ]
    content = Content(
        stem={w.language: w.question for w in wordings if w.question},
        options=options,
        key=labels.index(question.answer) if question.answer in labels else None,
        instruction={w.language: w.instruction for w in wordings if w.instruction},
    )
    if item is not None and item.current:
        _keep_own(content, item.current.content)
    return content


def _keep_own(content: Content, before: Content) -> None:
    """Strategies and the rationale are written in the studio; an import does not take them away."""
    content.rationale = before.rationale
    strategies = {tuple(sorted(option.text.items())): option.strategy for option in before.options}
    for index, option in enumerate(content.options):
        if index != content.key:
            option.strategy = strategies.get(tuple(sorted(option.text.items())))


def _asset(
    project: Project, user: User, question: Question, kind: str, source: Source | None, report: Report
) -> Asset | None:
    media = [medium for medium in question.media if medium.kind == kind]
    if not media:
        return None
    if len(media) > 1:
        raise _Skipped(_("It has several pictures or clips; the studio takes one of each."))
    try:
        with tempfile.TemporaryDirectory() as folder:
            taken = take_in(project, user, _file(media[0], Path(folder)), media[0].name, source=source)
    except (OSError, CallFailed) as error:
        raise _Skipped(_("%(name)s cannot be read.") % {"name": media[0].name}) from error
    report.media += taken.new
    return taken.asset


def _file(medium: Medium, folder: Path) -> Path:
    """The medium as a file: the one that it is, or one made of the bytes that it holds."""
    if medium.data is None and medium.path is not None:
        return medium.path
    file = folder / "medium"
    file.write_bytes(medium.read())
    return file


def _columns(project: Project, user: User, question: Question, report: Report) -> dict[str, object]:
    terms: dict[str, object] = {}
    locator: dict[str, str] = {}
    for name, value in question.labels.items():
        if kind := TERMS.get(name):
            terms[kind.value] = _term(project, user, kind, value, report)
        elif name not in _OURS:
            locator[name] = value
    return {"original_language": question.wording.language, "locator": _numbers(locator), **terms}


def _numbers(locator: Mapping[str, str]) -> dict[str, str | int]:
    """Values of a place; figures as numbers, as the editor keeps them, where nothing is lost."""
    return {name: int(v) if v.isdecimal() and str(int(v)) == v else v for name, v in locator.items()}


def _term(project: Project, user: User, kind: Term.Kind, value: str, report: Report) -> Term:
    """The project's word for a label: by code or by any of its names, or a new one."""
    known = value.strip().casefold()
    for term in project.terms.filter(kind=kind):
        names = {term.code, *(str(text) for text in (term.label or {}).values())}
        if known in {name.casefold() for name in names}:
            return term
    made = Term.objects.create(
        project=project, kind=kind, code=value.strip()[:60], label={"en": value}, order=project.terms.count()
    )
    report.terms += 1
    record(project, user, "term", f"term:{kind}:{made.code}"[:80])
    return made


@transaction.atomic
def _add_languages(project: Project, user: User, benchmark: Benchmark, report: Report) -> None:
    """Languages in which the benchmark is written and that the project does not have yet."""
    tags = dict.fromkeys(tag for question in benchmark for tag in question.wordings)
    new = [tag for tag in tags if not any(same_language(tag, known) for known in project.languages)]
    if new:
        project.languages = [*project.languages, *new]
        project.save(update_fields=("languages",))
        record(project, user, "languages", f"project:{project.slug}", added=new)
        report.languages = new
