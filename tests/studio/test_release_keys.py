"""Keys withheld: nothing that goes out tells them, and the owner alone can have them."""

from __future__ import annotations

import csv
import io
import json
import stat
import zipfile

import pytest
from building import client_of, person, project
from test_release import CONFIG, accepted, answered, built, prepared

import keju
from keju.release.content import answer_digest
from keju.studio import release_builder as builder
from keju.studio.models import Event, Item, Release, Role

pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")


@pytest.fixture
def items(home):
    return accepted(home, person(home, Role.AUTHOR))


def test_the_released_folder_holds_no_key_of_a_withheld_split(home, owner, items):
    release = built(home, owner, withhold=["test"])
    folder = builder.folder_of(release) / "release"
    back = keju.load(folder)
    keys = {item.code: "ABCD"[item.current.content.key] for item in items}
    assert {one.id: one.answer for one in back} == {
        one.id: None if one.split == "test" else keys[one.id] for one in back
    }
    withheld = [one.id for one in back if one.split == "test"]
    assert len(withheld) == 2
    kept = json.loads((builder.folder_of(release) / "keys.json").read_bytes())
    assert kept["keys"] == {code: keys[code] for code in withheld}
    for one in back:
        if one.split == "test":
            assert one.extra["answer_sha256"] == answer_digest(kept["salt"], one.id, keys[one.id])
    whole = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert kept["salt"].encode() not in whole
    with zipfile.ZipFile(builder.folder_of(release) / "release.zip") as archive:
        assert not [name for name in archive.namelist() if "keys" in name]
        assert not [name for name in archive.namelist() if "/legacy/" in name and any(c in name for c in withheld)]


def test_what_people_answered_to_a_withheld_item_does_not_go_out(home, owner, items):
    answered(home, owner, person(home, Role.ANNOTATOR), items)
    release = built(home, owner, withhold=["test"])
    text = (builder.folder_of(release) / "release/quality/ratings.csv").read_text(encoding="utf-8")
    test = set(release.items.filter(split="test").values_list("item__code", flat=True))
    answers = {row["item"]: row["answer"] for row in csv.DictReader(io.StringIO(text))}
    assert {answer for code, answer in answers.items() if code in test} == {""}
    assert {answer for code, answer in answers.items() if code not in test} == {"B"}


def test_two_builds_have_one_salt_and_another_split_no_keys_left_behind(home, owner, items):
    release = built(home, owner, withhold=["test"])
    file = builder.folder_of(release) / "keys.json"
    first = (release.manifest_sha256, file.read_bytes())
    assert builder.build(release, owner) == []
    assert (release.manifest_sha256, file.read_bytes()) == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    release.config["withhold"] = []
    release.save()
    assert builder.build(release, owner) == []
    assert not file.exists()
    assert all(one.answer for one in keju.load(builder.folder_of(release) / "release"))


def test_the_owner_alone_gets_the_keys_and_each_time_is_in_the_log(home, owner, items):
    release = built(home, owner, withhold=["val", "test"])
    address = f"/projects/{home.slug}/releases/{release.pk}"
    browser = client_of(owner)
    page = browser.get(address).content.decode()
    assert f"{address}/keys" in page
    assert "val (1 item), test (2 items)" in " ".join(page.split())
    answer = browser.get(f"{address}/keys")
    assert set(answer.json()) == {"salt", "keys"}
    assert (answer["Cache-Control"], "attachment" in answer["Content-Disposition"]) == ("no-store", True)
    assert Event.objects.filter(project=home, verb="take keys", actor=owner).count() == 1
    builder.freeze(release, owner)
    assert f"{address}/keys" in browser.get(address).content.decode()
    assert browser.get(f"{address}/keys").status_code == 200
    for other in (Role.AUTHOR, Role.EXPERT, Role.ANNOTATOR, Role.ADJUDICATOR, Role.PARTICIPANT):
        assert client_of(person(home, other)).get(f"{address}/keys").status_code == 403
    stranger = client_of(person(project(), Role.OWNER))
    assert stranger.get(f"{address}/keys").status_code == 404


def test_a_release_without_withheld_keys_has_none_to_download(home, owner, items):
    release = built(home, owner)
    browser = client_of(owner)
    assert browser.get(f"/projects/{home.slug}/releases/{release.pk}/keys").status_code == 404
    assert "/keys" not in browser.get(f"/projects/{home.slug}/releases/{release.pk}").content.decode()


def test_the_form_asks_for_splits_to_withhold_keys_of(home, owner, items):
    release = prepared(home, owner)
    browser = client_of(owner)
    form = {name: value for name, value in CONFIG.items() if name != "canary"}
    address = f"/projects/{home.slug}/releases/{release.pk}"
    refused = browser.post(address, {**form, "split_method": "", "withhold": ["test"], "then": "save"})
    assert refused.status_code == 422
    assert "Without splits" in str(refused.context["form"].errors)
    assert browser.post(address, {**form, "withhold": ["elsewhere"], "then": "save"}).status_code == 422
    assert browser.post(address, {**form, "withhold": ["test"], "then": "build"}).status_code == 302
    release.refresh_from_db()
    assert (release.state, release.config["withhold"], release.report["withheld"]) == ("built", ["test"], {"test": 2})


def test_keys_that_went_out_before_are_told_of(home, owner, items):
    builder.freeze(built(home, owner), owner)
    second = built(home, owner, version="1.0.1", withhold=["test"])
    assert "The keys of 2 items that are withheld now were published in 1.0.0." in builder.warnings(second)
    assert Release.objects.count() == 2
    assert Item.objects.filter(state="released").count() == 10
