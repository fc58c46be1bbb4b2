"""Findings on one item: the rules of `keju.checks` run at every save, kept as rows that people close.

A finding that is gone is marked as mended by itself; one that was waived stays so while it says the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from keju.checks import RULES, Rule, rules_for
from keju.checks import Finding as Found
from keju.checks.duplicates import Asked, of_last
from keju.items import Item as Question
from keju.phrase import Phrase
from keju.studio.benchmarks import LABEL_COLUMNS, benchmark_of, item_of, wordings_of
from keju.studio.content import Content
from keju.studio.journal import record
from keju.studio.models import Finding, Item, Project, Revision, Term
from keju.studio.rules import GROUP, Case
from keju.studio.standing import settings_of
from keju.studio.wording import texts_of, worded

SIMILARITY = 0.9  # of trigrams; the studio warns of nearer twins only than `keju check` (spec of the editor)
TWINS = ("Q501", "Q502")  # the rules that compare items
_OPTION_COUNTS = ("Q102", "Q103", "Q104")
_LABELS = ("genre", "question_type", "difficulty", "instruction")


@dataclass(frozen=True, slots=True)
class Said:
    """A finding in the reader's language."""

    finding: Finding
    title: str
    message: str
    remedy: str


def look(item: Item, revision: Revision) -> list[Found]:
    """What the rules find of this revision."""
    return [*_alone(item, revision), *_twins(item, revision)]


def _alone(item: Item, revision: Revision) -> list[Found]:
    """What they find of it whatever other items there are."""
    alone = benchmark_of(item.project, [(item, revision)])
    found = [each for rule in _rules_of_items(item) for each in rule.look(alone.items[0], rule)]
    case = _case(item, revision)
    return found + [each for rule in GROUP.rules for each in rule.look(case, rule)]


@transaction.atomic
def refresh(item: Item, *, twins: bool = True) -> None:
    """Bring the stored findings of an item up to what the rules find of its current revision.

    Without `twins` those that tell of other items stay as they are, for `refresh_twins`.
    """
    if item.current is None:
        return
    if twins:
        _bring_up(item, _of_rules(item), look(item, item.current))
    else:
        _bring_up(item, _of_rules(item).exclude(rule__in=TWINS), _alone(item, item.current))


def refresh_twins(project: Project, codes: Sequence[str]) -> None:
    """Compare many items at once with each other and with all that are here; each tells of a twin that came before it.

    `codes` are theirs in the order in which they came. One by one, thousands of items would be compared as often.
    """
    come = {code: number for number, code in enumerate(codes)}
    related = ("project", "current__image", "current__audio", *LABEL_COLUMNS)
    there = project.items.exclude(state=Item.State.EXCLUDED).filter(current__isnull=False).select_related(*related)
    pairs = [(item, item.current) for item in sorted(there, key=lambda item: come.get(item.code, -1)) if item.current]
    together = benchmark_of(project, pairs)
    found: dict[str, list[Found]] = defaultdict(list)
    for each in (each for rule in _twin_rules() for each in rule.look(together, rule)):
        found[each.item or ""].append(each)
    known = set(Finding.objects.filter(project=project, rule__in=TWINS).values_list("item", flat=True))
    with transaction.atomic():
        for item, _revision in pairs:
            if item.code in come and (item.code in found or item.pk in known):
                _bring_up(item, _of_rules(item).filter(rule__in=TWINS), found[item.code])


def _bring_up(item: Item, rows: QuerySet[Finding], there: Iterable[Found]) -> None:
    """Bring stored findings of an item up to those that are there."""
    found = {(each.code, str(each.message)): each for each in there}
    for row in rows:
        each = found.pop((row.rule, row.message.get("en", "")), None)
        if each is None and row.state == Finding.State.OPEN:
            row.state = Finding.State.FIXED
            row.save(update_fields=("state",))
        elif each is not None and row.state == Finding.State.FIXED:
            row.state, row.severity = Finding.State.OPEN, each.severity
            row.save(update_fields=("state", "severity"))
    new = [unsaved(item.project, each) for each in found.values()]
    for row in new:
        row.item = item
    Finding.objects.bulk_create(new)


def unsaved(project: Project, found: Found) -> Finding:
    """A finding as a row that is not stored."""
    return Finding(project=project, rule=found.code, severity=found.severity, message=_message(found))


@transaction.atomic
def waive(finding: Finding, actor: User, reason: str) -> None:
    """Close a finding that is right as it is, with the reason why."""
    finding.state, finding.reason, finding.closed_by = Finding.State.WAIVED, reason, actor
    finding.save(update_fields=("state", "reason", "closed_by"))
    of = f"item:{finding.item.code}" if finding.item else f"finding:{finding.pk}"
    record(finding.project, actor, "waive", of, rule=finding.rule, reason=reason)


def said(finding: Finding) -> Said:
    """A finding for people, in the language of the interface."""
    return Said(finding, title_of(finding.rule), worded(finding.message), worded(finding.message.get("remedy", {})))


def title_of(code: str) -> str:
    """What a rule finds, in the language of the interface; the code of one that is no longer there."""
    rule = RULES.get(code) or next((rule for rule in GROUP.rules if rule.code == code), None)
    return worded(rule.title) if rule else code


def order(findings: Iterable[Finding]) -> list[Said]:
    """Findings for people, errors first."""
    graver = ("error", "warning", "note")
    return [said(row) for row in sorted(findings, key=lambda row: (graver.index(row.severity), row.rule, row.pk or 0))]


def _of_rules(item: Item) -> QuerySet[Finding]:
    """The rows that this module keeps; other parts of the studio may keep findings of their own rules."""
    own = [*RULES, *(rule.code for rule in GROUP.rules)]
    return Finding.objects.select_for_update().filter(item=item, rule__in=own)


def _rules_of_items(item: Item) -> list[Rule]:
    settings = settings_of(item.project)
    counts = {"fewest": settings.min_options, "most": settings.max_options}
    own: dict[str, Mapping[str, float]] = {**dict.fromkeys(_OPTION_COUNTS, counts), **settings.thresholds}
    rules = [rule for rule in rules_for(benchmark_of(item.project, [])) if rule.subject == "item"]
    return [replace(rule, thresholds={**rule.thresholds, **own.get(rule.code, {})}) for rule in rules]


def _case(item: Item, revision: Revision) -> Case:
    terms = list(item.project.terms.filter(active=True))
    kinds = {term.kind for term in terms}
    return Case(
        code=item.code,
        content=revision.content,
        profile=item.project.profile,
        media=frozenset(asset.kind for asset in (revision.image, revision.audio) if asset),
        languages=tuple(item.project.languages),
        strategies={term.code: _name(term) for term in terms if term.kind == Term.Kind.STRATEGY},
        labels_missing=tuple(name for name in _LABELS if name in kinds and getattr(item, f"{name}_id") is None),
    )


def _name(term: Term) -> Phrase:
    return Phrase(term.label.get("en", term.code), term.label.get("zh-hans", term.code))


def _twins(item: Item, revision: Revision) -> Iterator[Found]:
    """Other items on the same media that ask the same, or nearly: `keju.checks` compares, this item last."""
    others = Item.objects.filter(project=item.project, image=revision.image_id, audio=revision.audio_id)
    # One with the same id is this one, saved while its checks were on their way; or the form says that the id is taken.
    others = others.exclude(pk=item.pk).exclude(code=item.code).exclude(state=Item.State.EXCLUDED)
    rows = others.filter(current__isnull=False).values_list("current", "original_language", "current__body")
    pictures = int(revision.image is not None)
    before = [
        (pk, Asked.of(next(wordings_of(Content.model_validate(body), language, pictures))))
        for pk, language, body in rows.iterator()
    ]
    related = ("image", "audio", "item__project", *(f"item__{name}" for name in LABEL_COLUMNS))

    def at(index: int) -> Question:
        other = Revision.objects.select_related(*related).get(pk=before[index][0])
        return item_of(other.item, other)

    return of_last(item_of(item, revision), [asked for _, asked in before], at, *_twin_rules())


def _twin_rules() -> tuple[Rule, Rule]:
    equal, near = (RULES[code] for code in TWINS)
    return (replace(equal, severity="error"), replace(near, thresholds={"similarity": SIMILARITY}))


def _message(found: Found) -> dict[str, object]:
    return {**texts_of(found.message), "remedy": texts_of(found.remedy)}
