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

Pair = tuple[Item, Revision]


def in_splits(release: Release, pairs: Sequence[Pair]) -> Benchmark:
    """The items of a release in their splits; a picture or clip, and what looks or sounds like it, is in one only.

    Raises `Misuse` where there are too few items for the splits.
    """
    whole, told = benchmark_of(release.project, pairs), release.config
    weights = {name: Fraction(told[name]) for name in WEIGHTS if told.get(name)}
    if not told.get("split_method") or not weights:
        return whole
    seed = int(told.get("seed") or 0)
    if told["split_method"] == "plain":
        splits = plain(whole, weights, seed)
    else:
        groups = [*media_groups(whole), *near_groups(_measured(pairs))]
        splits = balanced(whole, weights, seed, groups=groups, grouped="medium, look-alikes too")
    split = with_splits(whole, splits)
    return replace(split, card={**split.card, "splits": record_of(splits)})


def assets_of(pairs: Sequence[Pair]) -> list[Asset]:
    """Pictures and clips of these revisions, each once."""
    found = {a.pk: a for _item, revision in pairs for a in (revision.image, revision.audio) if a}
    return list(found.values())


def moved(release: Release) -> list[str]:
    """A warning where items stand in another split than in the release before: who trained on that has seen them."""
    before = release.project.releases.filter(state=Release.State.FROZEN).exclude(pk=release.pk)
    last = before.order_by("-frozen_at").first()
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


def _measured(pairs: Sequence[Pair]) -> Iterator[MeasuredImage | MeasuredClip]:
    """Pictures and clips as they were measured at upload, each with the items that use it."""
    users: dict[int, list[str]] = {}
    for item, revision in pairs:
        for asset in (revision.image, revision.audio):
            if asset:
                users.setdefault(asset.pk, []).append(item.code)
    for asset in assets_of(pairs):
        if asset.measured:
            facts, items = quality.facts_of(asset), tuple(users[asset.pk])
            if isinstance(facts, Clip):
                yield MeasuredClip(Medium("audio", asset.name), asset.name, facts, items, ())
            else:
                yield MeasuredImage(Medium("image", asset.name), asset.name, facts, items, ())
