"""The splits of a release: which items train, which validate, which test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from django.utils.translation import ngettext

from keju.benchmark import Benchmark
from keju.checks.clips import Clip
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.items import Medium
from keju.splits import WEIGHTS, balanced, media_groups, near_groups, plain, record_of, with_splits
from keju.studio import quality
from keju.studio.benchmarks import benchmark_of
from keju.studio.models import Asset, Item, Release, Revision
from keju.studio.option_pictures import pictures_of, shown_by

Pair = tuple[Item, Revision]


def in_splits(release: Release, pairs: Sequence[Pair]) -> Benchmark:
    """The items of a release in their splits; a picture or clip, and what looks or sounds like it, is in one only.

    Items stay where they were before, unless the release says otherwise; the others are drawn. Raises `Misuse` where
    there are too few items for the splits.
    """
    whole, told = benchmark_of(release.project, pairs), release.config
    weights = {name: Fraction(told[name]) for name in WEIGHTS if told.get(name)}
    if not told.get("split_method") or not weights:
        return replace(whole, items=tuple(replace(item, split=None) for item in whole))
    seed = int(told.get("seed") or 0)
    kept = splits_before(release, pairs) if told.get("keep_splits", True) else {}
    if told["split_method"] == "plain":
        splits = plain(whole, weights, seed, kept=kept)
    else:
        groups = [*media_groups(whole), *near_groups(_measured(pairs))]
        splits = balanced(whole, weights, seed, groups=groups, grouped="medium, look-alikes too", kept=kept)
    split = with_splits(whole, splits)
    return replace(split, card={**split.card, "splits": record_of(splits)})


def splits_before(release: Release, pairs: Sequence[Pair]) -> dict[str, str]:
    """Item id → split in the release before; of an item that was in none, the split in which it was imported."""
    last = _last(release)
    then = dict(last.items.exclude(split="").values_list("item_id", "split")) if last else {}
    found = {item.code: then.get(item.pk) or item.split for item, _revision in pairs}
    return {code: split for code, split in found.items() if split}


def assets_of(pairs: Sequence[Pair]) -> list[Asset]:
    """Pictures and clips of these revisions, those that are options too, each once."""
    found = {asset.pk: asset for _item, assets in _with_assets(pairs) for asset in assets}
    return list(found.values())


def moved(release: Release) -> list[str]:
    """A warning where items stand in another split than in the release before: who trained on that has seen them."""
    last = _last(release)
    if last is None:
        return []
    then = dict(last.items.values_list("item_id", "split"))
    count = sum(then.get(item, split) != split for item, split in release.items.values_list("item_id", "split"))
    message = ngettext(
        "%(n)s item stands in another split than in %(version)s.",
        "%(n)s items stand in another split than in %(version)s.",
        count,
    )
    return [message % {"n": count, "version": last.version}] if count else []


def _last(release: Release) -> Release | None:
    """The release that went out last."""
    before = release.project.releases.filter(state=Release.State.FROZEN).exclude(pk=release.pk)
    return before.order_by("-frozen_at").first()


def _measured(pairs: Sequence[Pair]) -> Iterator[MeasuredImage | MeasuredClip]:
    """Pictures and clips as they were measured at upload, each with the items that use it."""
    users: dict[Asset, list[str]] = {}
    for item, assets in _with_assets(pairs):
        for asset in assets:
            users.setdefault(asset, []).append(item.code)
    for asset, codes in users.items():
        if asset.measured:
            facts, items = quality.facts_of(asset), tuple(codes)
            if isinstance(facts, Clip):
                yield MeasuredClip(Medium("audio", asset.name), asset.name, facts, items, ())
            else:
                yield MeasuredImage(Medium("image", asset.name), asset.name, facts, items, ())


def _with_assets(pairs: Sequence[Pair]) -> Iterator[tuple[Item, list[Asset]]]:
    """Each item with its picture, its clip and the pictures that are options."""
    contents = [revision.content for _item, revision in pairs]
    pictures = pictures_of(pairs[0][0].project, contents) if pairs else {}
    for (item, revision), content in zip(pairs, contents, strict=True):
        own = [asset for asset in (revision.image, revision.audio) if asset]
        yield item, [*own, *(pictures[sha256] for sha256 in shown_by(content))]
