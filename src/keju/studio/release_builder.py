"""Releases: what goes into one, what stands in its way, building it, and letting it go out.

A release is prepared (its form is filled in), built (a folder and a zip that can be looked at, with the revisions that
are in it pinned) and released: then its items are, and it never changes again.
"""

from __future__ import annotations

import secrets
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from keju import release as releasing
from keju.benchmark import Benchmark
from keju.release.licences import OWN, may_become
from keju.release.paths import SUMS, files_in, sha256_of
from keju.studio.journal import record
from keju.studio.models import Asset, Finding, Item, Project, Release, ReleaseItem
from keju.studio.release_form import known_licence, settings_of
from keju.studio.release_quality import conflicts, quality_of
from keju.studio.release_splits import Pair, assets_of, in_splits, moved
from keju.studio.wording import in_a_row, texts_of
from keju.studio.workflow import NotAllowed, transition

FIT = (Item.State.ACCEPTED, Item.State.RELEASED)
_RELATED = ("current__image__source", "current__audio__source", "genre", "question_type", "difficulty", "dimension")
KEYS = "keys.json"
"""The withheld keys and their salt, beside the release and its zip."""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest day a zip can tell: two builds give the same bytes


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stands in the way of a release."""

    message: str
    item: Item | None = None
    asset: Asset | None = None


def chosen(project: Project) -> list[Pair]:
    """What a release built now would hold: accepted and released items as they are, without the reserve."""
    items = project.items.filter(state__in=FIT, reserve=False, current__isnull=False).order_by("code")
    rows = items.select_related("project", "instruction", *_RELATED)
    return [(item, item.current) for item in rows if item.current]


def obstacles(release: Release, pairs: Sequence[Pair]) -> list[Obstacle]:
    """What the studio itself knows to stand in the way; checks and licences are looked at once more while building."""
    if not pairs:
        return [Obstacle(_("No item is accepted yet."))]
    return [*_open_errors(pairs), *_rights(release, assets_of(pairs))]


def warnings(release: Release) -> list[str]:
    """What does not block a release, and should be known before it goes out."""
    project = release.project
    told = [
        _("Conflict of interest in single-user mode, %(times)s times: %(rule)s") % broken
        for broken in conflicts(project)
    ]
    left = project.items.exclude(state__in=(*FIT, Item.State.EXCLUDED)).filter(reserve=False).count()
    if left:
        message = ngettext(
            "%(n)s item is not accepted and stays out.", "%(n)s items are not accepted and stay out.", left
        )
        told.append(message % {"n": left})
    unkept = project.items.filter(state=Item.State.EXCLUDED).count()
    if unkept:
        message = ngettext(
            "%(n)s item is excluded; its id stays empty.", "%(n)s are excluded; their ids stay empty.", unkept
        )
        told.append(message % {"n": unkept})
    if not project.batches.filter(kind="reannotate").exists():
        told.append(_("No item was answered again blind, so that nothing is known of agreement."))
    return [*told, *moved(release), *_known_keys(release)]


def _in_each_language(release: Release) -> list[dict[str, str]]:
    """The warnings as the report keeps them, for readers of any language."""
    told = {}
    for tag, _name in settings.LANGUAGES:
        with translation.override(tag):
            told[tag] = warnings(release)
    return [dict(zip(told, texts, strict=True)) for texts in zip(*told.values(), strict=True)]


def next_version(project: Project) -> str:
    """The version after the last one that went out: by what was changed, added, or neither."""
    last = project.releases.filter(state=Release.State.FROZEN).order_by("-frozen_at").first()
    if last is None:
        return "1.0.0"
    major, minor, patch = (int(part) for part in last.version.split("."))
    then = dict(last.items.values_list("item_id", "revision_id"))
    now = {item.pk: revision.pk for item, revision in chosen(project)}
    if any(now.get(pk) != revision for pk, revision in then.items()):
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if now.keys() - then.keys() else f"{major}.{minor}.{patch + 1}"


def build(release: Release, actor: User, tell: Callable[[int, int], None] | None = None) -> list[dict[str, Any]]:
    """Build the release and pin its revisions, or return what blocks it, as `Release.report` keeps it.

    `tell` is called with the pictures and clips that were checked, and all; at last before what was built is put in its
    place: what it raises until then leaves everything as it was. Raises keju's `Misuse` where something is missing to
    build with, `NotAllowed` where the release was changed, let out or thrown away meanwhile.
    """
    pairs = chosen(release.project)
    benchmark = in_splits(release, pairs)
    assets = assets_of(pairs)
    told = settings_of(release, assets)
    withhold = frozenset(release.config.get("withhold") or ())
    quality = quality_of(release.project, {item.id for item in benchmark if item.split in withhold})
    work = _folder(release.project) / f".building-{secrets.token_hex(8)}"
    try:
        work.mkdir(parents=True)
        if (earlier := folder_of(release) / KEYS).is_file():  # the salt stays, so that two builds are the same
            shutil.copy(earlier, work / KEYS)
        how: dict[str, Any] = {"quality": quality, "withhold": withhold, "keys": work / KEYS}
        made = releasing.build(benchmark, told, work / "release", jobs=1, progress=tell, **how)
        found = [{"message": texts_of(f.message), "item": f.item or ""} for f in made.findings]
        if made.folder is None:
            release.report = {"obstacles": found}
            release.save(update_fields=("report",))
            return found
        _zip(made.folder, work / "release.zip", f"{release.project.slug}-{release.version}")
        if not withhold:
            (work / KEYS).unlink(missing_ok=True)
        if tell:
            tell(len(assets), len(assets))
        _settle(release, actor, pairs, benchmark, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return []


def folder_of(release: Release) -> Path:
    """Where the files of a built release lie: `release/`, `release.zip`, and `keys.json` where keys are withheld."""
    return _folder(release.project) / str(release.pk)


@transaction.atomic
def freeze(release: Release, actor: User) -> None:
    """Let a built release go out. Raises `NotAllowed` where its items were changed since, or a finding is open."""
    release = Release.objects.select_for_update().select_related("project").get(pk=release.pk)
    if release.state != Release.State.BUILT:
        raise NotAllowed(_("Build the release first."))
    pinned = release.items.select_related("item__project", "revision")
    changed = [row.item.code for row in pinned if row.item.state not in FIT or row.item.current_id != row.revision_id]
    if changed:
        codes = in_a_row(changed[:10])
        raise NotAllowed(_("Changed since it was built: %(items)s. Build it again.") % {"items": codes})
    for row in pinned:
        transition(row.item, "release", actor, version=release.version, revision=row.revision.number)
    release.state, release.frozen_at = Release.State.FROZEN, timezone.now()
    release.save(update_fields=("state", "frozen_at"))
    digest = release.manifest_sha256
    record(release.project, actor, "freeze", f"release:{release.version}", sha256=digest, items=len(pinned))


@transaction.atomic
def discard(release: Release, actor: User) -> None:
    """Throw away a release that did not go out. Raises `NotAllowed` for one that did."""
    release = Release.objects.select_for_update().get(pk=release.pk)
    if release.state == Release.State.FROZEN:
        raise NotAllowed(_("This release is out; it stays."))
    record(release.project, actor, "discard", f"release:{release.version}")
    folder = folder_of(release)
    release.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def _settle(release: Release, actor: User, pairs: Sequence[Pair], benchmark: Benchmark, work: Path) -> None:
    """Put what was built in its place and pin what is in it."""
    with transaction.atomic():
        row = Release.objects.select_for_update().filter(pk=release.pk).first()
        if row is None:
            raise NotAllowed(_("This release was thrown away in the meantime."))
        if row.state == Release.State.FROZEN:
            raise NotAllowed(_("This release is out; it stays."))
        if row.config != release.config:
            raise NotAllowed(_("What is told of this release was changed while it was built. Build it again."))
        row.items.all().delete()
        pins = [
            ReleaseItem(release=row, item=item, revision=revision, split=benchmark[item.code].split or "")
            for item, revision in pairs
        ]
        ReleaseItem.objects.bulk_create(pins)
        row.manifest_sha256 = sha256_of(work / "release" / SUMS)
        row.state, row.built_by = Release.State.BUILT, actor
        counts = Counter(pin.split for pin in pins)
        withheld = {name: counts[name] for name in row.config.get("withhold") or ()}
        row.report = {"items": len(pins), "withheld": withheld, "warnings": _in_each_language(row)}
        row.save()
        record(row.project, actor, "build", f"release:{row.version}", sha256=row.manifest_sha256, items=len(pins))
        place = folder_of(row)
        shutil.rmtree(place, ignore_errors=True)
        work.rename(place)
    release.refresh_from_db()


def _known_keys(release: Release) -> Iterator[str]:
    """A warning where keys are withheld that went out before."""
    withhold = release.config.get("withhold") or ()
    mine = release.items.filter(split__in=withhold).values("item")
    for before in release.project.releases.filter(state=Release.State.FROZEN).exclude(pk=release.pk):
        known = before.items.filter(item__in=mine).exclude(split__in=before.config.get("withhold") or ()).count()
        if known:
            message = ngettext(
                "The key of %(n)s item that is withheld now was published in %(version)s.",
                "The keys of %(n)s items that are withheld now were published in %(version)s.",
                known,
            )
            yield message % {"n": known, "version": before.version}


def _zip(folder: Path, file: Path, top: str) -> None:
    """The folder as a zip whose bytes tell nothing of when it was made."""
    with zipfile.ZipFile(file, "w") as archive:
        for name in files_in(folder):
            entry = zipfile.ZipInfo(f"{top}/{name}", _EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as packed, (folder / name).open("rb") as plain_file:
                shutil.copyfileobj(plain_file, packed)


def _folder(project: Project) -> Path:
    return Path(settings.RELEASE_STORE) / project.slug


def _open_errors(pairs: Sequence[Pair]) -> Iterator[Obstacle]:
    items, assets = {item.pk: item for item, _r in pairs}, {asset.pk: asset for asset in assets_of(pairs)}
    grave = Finding.objects.filter(state=Finding.State.OPEN, severity="error")
    for finding in grave.filter(item__in=items).select_related("item"):
        yield Obstacle(_said(finding), item=finding.item)
    for finding in grave.filter(asset__in=assets).select_related("asset"):
        yield Obstacle(_said(finding), asset=finding.asset)


def _said(finding: Finding) -> str:
    from keju.studio.findings import said

    return _("An error is open: %(finding)s") % {"finding": said(finding).message}


def _rights(release: Release, assets: Sequence[Asset]) -> Iterator[Obstacle]:
    """Assets without a source, a licence or the consent of the people in them."""
    told = release.config
    wanted = str(told.get("media_license") or told.get("license") or "")
    for asset in assets:
        source = asset.source
        if source is None:
            yield Obstacle(_("It is not said where this comes from; choose its source."), asset=asset)
        elif not known_licence(source.licence):
            yield Obstacle(_("Its source “%(source)s” has no licence.") % {"source": source}, asset=asset)
        elif wanted and source.licence != OWN and not may_become(source.licence, wanted):
            message = _("Its source is under %(licence)s, which does not allow a release under %(wanted)s.")
            yield Obstacle(message % {"licence": source.licence, "wanted": wanted}, asset=asset)
        elif told.get("recognisable") == "yes" and not source.consent_file:
            message = _("People can be recognised, and the source “%(source)s” has no consent on file.")
            yield Obstacle(message % {"source": source}, asset=asset)
