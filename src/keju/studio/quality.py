"""What the checks say of a picture or clip: the rules of `keju.checks`, with the thresholds of the project.

Facts are measured once, at upload, and kept with the asset; rules look at the facts, so that a changed threshold
decodes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.db.models import QuerySet

from keju.checks import RULES
from keju.checks.alike import Look, nearest
from keju.checks.clips import Clip
from keju.checks.finding import Finding as Found
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.checks.pictures import Picture
from keju.checks.rule import Rule
from keju.items import Medium
from keju.phrase import Phrase
from keju.studio.models import Asset, Finding, Project
from keju.studio.standing import settings_of
from keju.studio.store import place
from keju.studio.wording import texts_of

_TWIN = "I302"
"""Near-duplicates."""
_OUTSIDE = {"reason", "trouble"}
"""Fields of the facts that are not kept: what has a trouble is not taken in."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the quality panel."""

    rule: Rule | None
    """None where there is no such rule any more: what it found is still told."""
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Panel:
    """What the rules say of one picture or clip."""

    found: list[Line]
    passed: list[Line]


def kept(facts: Picture | Clip) -> dict[str, Any]:
    """Facts as `Asset.measured` keeps them."""
    told = {name: value for name, value in asdict(facts).items() if name not in _OUTSIDE}
    return {**told, "duration_s": facts.seconds} if isinstance(facts, Clip) else told


def facts_of(asset: Asset) -> Picture | Clip:
    """The facts of an asset, from its table."""
    kind = Clip if asset.kind == Asset.Kind.AUDIO else Picture
    known = {field.name for field in fields(kind)}
    measured = {name: value for name, value in asset.measured.items() if name in known}
    if kind is Clip:
        return Clip(**measured)
    measured["dpi"] = tuple(measured["dpi"]) if measured.get("dpi") else None
    return Picture(**measured)


def rules_of(project: Project) -> list[Rule]:
    """The rules on single pictures and clips that a project is held to, with its thresholds."""
    thresholds = settings_of(project).thresholds
    return [
        replace(rule, thresholds={**rule.thresholds, **_known(thresholds.get(rule.code, {}), rule)})
        for rule in RULES.values()
        if rule.subject in ("image", "audio") and rule.profile in (None, project.profile)
    ]


def _known(thresholds: Mapping[str, float], rule: Rule) -> dict[str, float]:
    """Without those that the rule no longer has."""
    return {name: value for name, value in thresholds.items() if name in rule.thresholds}


def look(asset: Asset) -> None:
    """Write down what the rules find; what they no longer find is closed as mended. Waived findings stay waived."""
    if not asset.measured:
        return
    found = {finding.code: finding for finding in [*_by_rules(asset), *_twins(asset)]}
    rows = Finding.objects.filter(asset=asset, state__in=[Finding.State.OPEN, Finding.State.WAIVED])
    for row in rows:
        if again := found.pop(row.rule, None):
            row.message, row.severity = _message(again), again.severity
        else:
            row.state = Finding.State.FIXED
        row.save(update_fields=("message", "severity", "state"))
    for new in found.values():
        Finding.objects.create(
            project=asset.project, asset=asset, rule=new.code, severity=new.severity, message=_message(new)
        )


def standing_findings(asset: Asset) -> QuerySet[Finding]:
    """Findings that are open or waived."""
    return asset.findings.exclude(state=Finding.State.FIXED)


def panel(asset: Asset) -> Panel:
    """Every rule on the looks or the sound of the asset."""
    found = {finding.rule: finding for finding in standing_findings(asset)}
    rules = [rule for rule in rules_of(asset.project) if rule.subject == asset.kind and rule.code[1] != "0"]
    lines = [Line(rule, found.pop(rule.code, None)) for rule in rules]  # codes with 0: readable, which it is
    lines += [Line(RULES.get(code), finding) for code, finding in found.items()]
    return Panel([line for line in lines if line.finding], [line for line in lines if not line.finding])


def _by_rules(asset: Asset) -> Iterator[Found]:
    facts = facts_of(asset)
    kind = "audio" if isinstance(facts, Clip) else "image"
    medium = Medium("audio" if kind == "audio" else "image", asset.name, place(asset.sha256))
    subject: MeasuredImage | MeasuredClip
    if isinstance(facts, Clip):
        subject = MeasuredClip(medium, asset.name, facts, (), ())
    else:
        subject = MeasuredImage(medium, asset.name, facts, (), ())
    for rule in rules_of(asset.project):
        if rule.subject == kind:
            yield from rule.look(subject, rule)


def _twins(asset: Asset) -> Iterator[Found]:
    """A finding where an earlier picture of the project is nearly the same."""
    rule = RULES[_TWIN]
    within = int(rule["near"])
    mine = Look(asset.dhash, asset.measured.get("thumb", ""), frozenset())
    earlier = Asset.objects.filter(project=asset.project, kind=Asset.Kind.IMAGE, pk__lt=asset.pk).exclude(dhash="")
    for pk, dhash in earlier.values_list("pk", "dhash") if asset.dhash else ():
        if (int(dhash, 16) ^ int(asset.dhash, 16)).bit_count() > within:
            continue
        other = Asset.objects.get(pk=pk)
        if nearest((Look(dhash, other.measured.get("thumb", ""), frozenset()), mine), within)[1][0]:
            yield rule.finding(
                Phrase(f"nearly the same as picture #{pk}", f"与图片 #{pk} 几乎相同"),
                Phrase("keep the better of the two and reject the other", "请保留较好的一张，淘汰另一张"),
                twin=pk,
            )
            return


def _message(found: Found) -> dict[str, Any]:
    told = {**texts_of(found.message), "remedy": texts_of(found.remedy)}
    return {**told, "twin": found.measured["twin"]} if "twin" in found.measured else told
