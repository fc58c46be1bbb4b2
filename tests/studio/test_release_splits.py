"""Splits over time: imported ones survive, a later release keeps those of an earlier one, and groups stay together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import asset, item, project
from test_release import accepted, built, drawn, prepared, said

import keju
from keju.splits import media_groups
from keju.studio import importer
from keju.studio import release_builder as builder
from keju.studio.models import Asset, Item, Source
from keju.studio.release_splits import in_splits

pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")


@pytest.fixture
def home():
    return project("custom", languages=["zh-Hans"])


def splits_of(release):
    return dict(release.items.values_list("item__code", "split"))


def test_imported_splits_and_further_fields_survive_until_the_release(home, owner):
    whole = keju.load("teahouse").select(where={"modality": "image"}, limit=6)
    names = ["train", "train", "dev", "test", "test", None]
    given = replace(
        whole,
        items=tuple(
            replace(one, split=split, extra={"page": at, "note": {"by": "甲"}, "_ours": 1, "answer_sha256": "0"})
            for at, (one, split) in enumerate(zip(whole, names, strict=True))
        ),
    )
    source = Source.objects.create(project=home, title="Archive", licence="own")
    report = importer.take(home, owner, given, source)
    assert report.fields == ["note", "page"]
    assert importer.take(home, owner, given, source).same == 6
    Item.objects.update(state="accepted")
    back = keju.load(builder.folder_of(built(home, owner, train=1, val=0, test=1)) / "release")
    found = {one.id: one for one in back}
    for one in given:
        assert found[one.id].extra["page"] == one.extra["page"]
        assert found[one.id].extra["note"] == {"by": "甲"}
        assert "_ours" not in found[one.id].extra
        assert "answer_sha256" not in found[one.id].extra
        if one.split:
            assert found[one.id].split == one.split
    assert found[given.items[5].id].split in ("train", "test")
    assert back.card["splits"]["kept_in_their_split"] == 5


def test_a_changed_split_or_field_is_a_change_of_the_item(home, owner):
    whole = keju.load("teahouse").select(limit=2)
    importer.take(home, owner, whole)
    other = replace(whole, items=tuple(replace(one, split="train", extra={"page": 3}) for one in whole))
    assert importer.take(home, owner, other).changed == [one.id for one in whole]
    assert set(Item.objects.values_list("split", flat=True)) == {"train"}


def test_a_split_with_a_name_that_does_not_fit_is_told_of(home, owner):
    whole = keju.load("teahouse").select(limit=1)
    long = replace(whole, items=tuple(replace(one, split="x" * 40) for one in whole))
    report = importer.take(home, owner, long)
    assert [trouble.item for trouble in report.troubles] == [whole.items[0].id]
    assert Item.objects.get().split == ""


def test_no_splits_means_none_though_some_were_imported(home, owner, author):
    accepted(home, author, split="train")
    release = prepared(home, owner, split_method="")
    assert {one.split for one in in_splits(release, builder.chosen(home))} == {None}


def test_the_next_release_keeps_every_split_and_draws_only_what_is_new(home, owner, author):
    accepted(home, author, 20)
    first = built(home, owner)
    builder.freeze(first, owner)
    then = splits_of(first)
    accepted(home, author, 10)
    second = built(home, owner, version="1.1.0", seed=99)  # another seed moves nobody who was there
    now = splits_of(second)
    assert {code: now[code] for code in then} == then
    counts = {name: list(now.values()).count(name) for name in ("train", "val", "test")}
    assert counts == {"train": 21, "val": 3, "test": 6}
    assert not [text for text in builder.warnings(second) if "another split" in text]


def test_whoever_wants_it_draws_anew_and_is_told_who_moved(home, owner, author):
    accepted(home, author, 20)
    first = built(home, owner)
    builder.freeze(first, owner)
    second = built(home, owner, version="1.1.0", seed=99, keep_splits=False)
    assert splits_of(second) != splits_of(first)
    assert [text for text in builder.warnings(second) if "another split" in text]


@pytest.mark.parametrize("method", ["balanced", "plain"])
def test_drawing_is_the_same_each_time(home, owner, author, method):
    accepted(home, author, 6, split="test")
    accepted(home, author, 14)
    release = prepared(home, owner, split_method=method)
    pairs = builder.chosen(home)
    once, again = (tuple(one.split for one in in_splits(release, pairs)) for _ in range(2))
    assert once == again
    assert once.count("test") == 6  # no new one: there are more than their share
    assert set(once) == {"train", "val", "test"}


def test_a_new_item_goes_where_its_picture_is(home, owner, author):
    made = accepted(home, author, 20)
    first = built(home, owner)
    builder.freeze(first, owner)
    for one in made:
        item(home, author, state="accepted", image=Asset.objects.get(pk=one.image_id))
    second = built(home, owner, version="1.1.0")
    whole = keju.load(builder.folder_of(second) / "release")
    splits = {one.id: one.split for one in whole}
    groups = [group for group in media_groups(whole) if len({splits[code] for code in group}) > 1]
    assert groups == []
    assert len(whole) == 40


def test_imported_splits_that_share_a_picture_block_the_release_in_words(home, owner, author):
    source = Source.objects.create(project=home, title="Archive", licence="own")
    shared = asset(home, author, drawn(1000), source=source)
    for split in ("train", "test"):
        item(home, author, state="accepted", image=shared, split=split)
    accepted(home, author, 8)
    release = prepared(home, owner)
    assert said(release) == []
    found = builder.build(release, owner)
    assert any("train" in row["message"]["en"] and "test" in row["message"]["en"] for row in found)
    release.config["keep_splits"] = False
    release.save()
    assert builder.build(release, owner) == []
