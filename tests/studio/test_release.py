"""Releases: what blocks one, what is in it, that it is what was accepted, and that it never changes."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from PIL import Image
from tests.studio import building

import keju
from keju.release.prose import QUESTIONS
from keju.studio import release_builder as builder
from keju.studio.benchmarks import item_of
from keju.studio.journal import record
from keju.studio.models import Asset, Batch, Finding, Item, Project, Release, Role, Source
from keju.studio.queue import hand_out, submit, take_next
from keju.studio.release_quality import quality_of, table_of
from keju.studio.saving import Edit, save
from keju.studio.store import keep, place
from keju.studio.workflow import NotAllowed, transition

pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")

CONFIG: dict[str, Any] = {
    "version": "1.0.0",
    "date": "2026-03-31",
    "title": "Opera",
    "description": "Questions on opera.",
    "changes": "First release.",
    "url": "https://example.org/opera",
    "license": "CC-BY-4.0",
    "creators": "Mei Lin; Lin; Mei; Opera School\nOpera Archive",
    "keywords": "opera, 戏曲",
    "collection_types": "Manual Human Curation",
    "collection_start": "2025-09-01",
    "collection_end": "2026-01-31",
    "recognisable": "no",
    "split_method": "balanced",
    "train": 7,
    "val": 1,
    "test": 2,
    "seed": 7,
    "canary": "0ce2ace3-cdca-46d9-ac7a-c7c0f7183a1a",
    **{key: f"About {key}." for key, question in QUESTIONS.items() if question.required},
}


def accepted(home: Project, author: User, number: int = 10, **fields: Any) -> list[Item]:
    """Accepted items whose pictures have a source that may be released."""
    source, _new = Source.objects.get_or_create(project=home, title="Field photography", licence="own")
    made = []
    for index in range(number):
        picture = building.asset(home, author, drawn(Asset.objects.count()), source=source)
        key = index % 4
        item = building.item(home, author, state="accepted", key=key, image=picture, **fields)
        made.append(item)
    return made


def drawn(seed: int) -> bytes:
    """A picture that looks like no other: a coarse mosaic."""
    draw = random.Random(seed)
    mosaic = Image.new("L", (16, 9))
    mosaic.putdata([draw.randrange(40, 216) for _ in range(16 * 9)])
    buffer = io.BytesIO()
    mosaic.resize((1280, 720), Image.Resampling.NEAREST).convert("RGB").save(buffer, "PNG", dpi=(150, 150))
    return buffer.getvalue()


def prepared(home: Project, owner: User, **changed: Any) -> Release:
    config = {**CONFIG, **changed}
    return Release.objects.create(project=home, version=config["version"], config=config, built_by=owner)


def built(home: Project, owner: User, **changed: Any) -> Release:
    release = prepared(home, owner, **changed)
    assert [one.message for one in builder.obstacles(release, builder.chosen(home))] == []
    assert builder.build(release, owner) == []
    return release


def said(release: Release) -> list[str]:
    return [one.message for one in builder.obstacles(release, builder.chosen(release.project))]


def test_a_release_equals_item_by_item_what_was_accepted(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author)
    building.item(home, author, state="in_review")
    building.item(home, author, state="accepted", reserve=True)
    release = built(home, owner)
    back = keju.load(builder.folder_of(release) / "release")
    wanted = [item_of(item, item.current) for item in items if item.current]
    assert [item.id for item in back] == [item.id for item in wanted]
    for one, other in zip(back, wanted, strict=True):
        assert (one.wordings, one.answer) == (other.wordings, other.answer)
        assert dict(one.labels) == dict(other.labels)
        assert [medium.sha256 for medium in one.media] == [medium.sha256 for medium in other.media]
    assert {item.split for item in back} == {"train", "val", "test"}
    pins = {pin.item.code: pin.split for pin in release.items.select_related("item")}
    assert pins == {item.id: item.split for item in back}


def test_a_release_is_run_as_any_benchmark(home: Project, owner: User, author: User, tmp_path: Path) -> None:
    accepted(home, author)
    folder = builder.folder_of(built(home, owner)) / "release"
    run = keju.run(keju.load(folder), "baseline/random", out=tmp_path / "runs")
    assert keju.score(run).n == 10


def test_two_builds_are_equal_to_the_byte(home: Project, owner: User, author: User) -> None:
    accepted(home, author)
    release = built(home, owner)
    first = (release.manifest_sha256, (builder.folder_of(release) / "release.zip").read_bytes())
    assert builder.build(release, owner) == []
    assert (release.manifest_sha256, (builder.folder_of(release) / "release.zip").read_bytes()) == first
    with zipfile.ZipFile(io.BytesIO(first[1])) as archive:
        assert f"{home.slug}-1.0.0/README.md" in archive.namelist()


def test_letting_it_out_releases_the_items_and_pins_their_revisions(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author)
    release = built(home, owner)
    builder.freeze(release, owner)
    assert set(home.items.values_list("state", flat=True)) == {"released"}
    with pytest.raises(NotAllowed):
        builder.freeze(release, owner)
    with pytest.raises(NotAllowed):
        builder.discard(release, owner)
    item = items[0]
    item.refresh_from_db()
    transition(item, "reopen", owner)
    body = building.content(2, stem="新的题干？")
    item.refresh_from_db()
    revision = save(item, owner, Edit(body, item.image), base_version=item.version, reason="a better stem")
    assert release.items.get(item=item).revision.number == 1
    assert revision.number == 2


def test_the_next_release_holds_the_later_revisions_and_says_so_by_its_version(
    home: Project, owner: User, author: User
) -> None:
    items = accepted(home, author)
    first = built(home, owner)
    builder.freeze(first, owner)
    assert builder.next_version(home) == "1.0.1"
    accepted(home, author, 1)
    assert builder.next_version(home) == "1.1.0"
    item = Item.objects.get(pk=items[0].pk)
    save(item, owner, Edit(building.content(3, stem="改过？"), item.image), base_version=item.version)
    assert builder.next_version(home) == "2.0.0"
    second = built(home, owner, version="2.0.0", changes="One stem reworded.")
    assert len(keju.load(builder.folder_of(second) / "release")) == 11
    assert keju.load(builder.folder_of(second) / "release")[item.code].wording.question == "改过？"
    assert keju.load(builder.folder_of(first) / "release")[item.code].wording.question != "改过？"
    log = (builder.folder_of(second) / "release" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert log.index("2.0.0") < log.index("1.0.0")


def test_what_changed_after_the_build_does_not_go_out(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author)
    release = built(home, owner)
    transition(items[0], "reopen", owner)
    with pytest.raises(NotAllowed, match=items[0].code):
        builder.freeze(release, owner)
    release.refresh_from_db()
    assert release.state == "built"
    assert Item.objects.filter(state="released").count() == 0


def test_nothing_accepted_is_nothing_to_release(home: Project, owner: User) -> None:
    assert said(prepared(home, owner)) == ["No item is accepted yet."]


def test_pictures_need_a_source_a_licence_and_consent(home: Project, owner: User, author: User) -> None:
    [item] = accepted(home, author, 1)
    Asset.objects.update(source=None)
    assert said(prepared(home, owner)) == ["It is not said where this comes from; choose its source."]
    source = Source.objects.create(project=home, title="Archive", licence="")
    Asset.objects.filter(pk=item.image_id).update(source=source)
    release = Release.objects.get()
    assert said(release) == ["Its source “Archive” has no licence."]
    Source.objects.filter(pk=source.pk).update(licence="CC-BY-NC-4.0")
    assert "does not allow a release under CC-BY-4.0" in said(release)[0]
    Source.objects.filter(pk=source.pk).update(licence="CC-BY-4.0")
    assert said(release) == []
    release.config["recognisable"] = "yes"
    assert "no consent on file" in said(release)[0]
    Source.objects.filter(pk=source.pk).update(consent_file="a" * 64)
    assert said(release) == []


def test_an_open_error_blocks_and_a_waived_one_does_not(home: Project, owner: User, author: User) -> None:
    [item] = accepted(home, author, 1)
    message = {"en": "two options say the same", "zh-hans": "两个选项相同"}
    finding = Finding.objects.create(project=home, item=item, rule="Q201", severity="error", message=message)
    release = prepared(home, owner)
    assert said(release) == ["An error is open: two options say the same"]
    finding.state = Finding.State.WAIVED
    finding.save()
    assert said(release) == []


def test_what_the_checks_find_blocks_the_build(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author)
    place(str(Asset.objects.filter(pk=items[3].image_id).get().sha256)).unlink()
    found = builder.build(prepared(home, owner), owner)
    assert {row["item"] for row in found} == {items[3].code}
    assert Release.objects.get().state == "prepared"
    assert not builder.folder_of(Release.objects.get()).exists()


def test_conflicts_of_single_user_mode_are_told_before_and_in_the_release(
    home: Project, owner: User, author: User
) -> None:
    accepted(home, author)
    record(home, owner, "answer", "assignment:1", conflict="You wrote this item.")
    release = built(home, owner)
    warnings = builder.warnings(release)
    assert any("You wrote this item." in text for text in warnings)
    told = json.loads((builder.folder_of(release) / "release/quality/agreement.json").read_bytes())
    assert told["conflicts_of_interest"] == [{"rule": "You wrote this item.", "times": 1}]
    assert any("You wrote this item." in text["en"] for text in release.report["warnings"])


def test_quality_files_name_people_by_pseudonym_and_hold_no_notes(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author)
    rater = building.person(home, Role.ANNOTATOR, name="Wang Xiaoming")
    answered(home, owner, rater, items)
    found = quality_of(home)
    rows = list(csv.DictReader(io.StringIO(found["ratings"].decode())))
    assert len(rows) == len(items)
    assert {row["rater"] for row in rows} == {rater.profile.pseudonym}
    assert [row["answer"] for row in rows] == ["B"] * len(items)
    [told] = json.loads(found["agreement"])["reannotate"]
    raw = next(row for row in told["tables"][0]["rows"] if row["observed"] is not None)
    assert raw["observed"] == pytest.approx(0.3)
    everything = b"".join(found.values())
    assert b"Xiaoming" not in everything
    assert b"secret remark" not in everything


def answered(home: Project, owner: User, rater: User, items: list[Item]) -> None:
    """The rater answers every item blind, always with B."""
    from keju.studio.models import Assignment

    targets = [item.pk for item in items]
    batch = Batch.objects.create(project=home, kind="reannotate", name="round", targets=targets, created_by=owner)
    hand_out(
        Assignment(batch=batch, item=item, revision=item.current, step="answer", blind=True, order=order)
        for order, item in enumerate(items)
    )
    while one := take_next(batch, rater):
        submit(one, rater, {"answer": 1, "confidence": 4, "note": "secret remark"})
    batch.closed_at = timezone.now()
    batch.save()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\t=1", "\r=1"])
def test_a_cell_of_a_csv_is_never_a_formula(text: str) -> None:
    rows = list(csv.reader(io.StringIO(table_of([{"note": text, "n": -1}]).decode(), newline="")))
    assert rows[1] == [f"'{text}", "-1"]


def test_an_owner_prepares_builds_and_lets_out_a_release_in_the_browser(
    home: Project, owner: User, author: User
) -> None:
    accepted(home, author)
    browser = building.client_of(owner)
    page = browser.post(f"/projects/{home.slug}/releases/new")
    assert browser.post(f"/projects/{home.slug}/releases/new").url == page.url
    form = {name: value for name, value in CONFIG.items() if name != "canary"}
    refused = browser.post(page.url, {**form, "title": "", "then": "build"})
    assert refused.status_code == 422
    assert "title" in refused.context["form"].errors
    assert browser.post(page.url, {**form, "title": "", "then": "save"}).status_code == 302
    assert browser.post(page.url, {**form, "then": "build"}).status_code == 302
    release = Release.objects.get()
    assert release.state == "built"
    shown = browser.get(page.url).content.decode()
    assert "croissant.json" in shown
    browser.post(f"{page.url}/out")
    release.refresh_from_db()
    assert release.state == "frozen"
    assert browser.post(page.url, {**form, "title": "Another", "then": "save"}).status_code == 200
    release.refresh_from_db()
    assert release.config["title"] == "Opera"
    archive = b"".join(browser.get(f"{page.url}/zip").streaming_content)
    assert zipfile.is_zipfile(io.BytesIO(archive))


def test_only_owners_come_near_releases(home: Project, owner: User, author: User) -> None:
    release = prepared(home, owner)
    for person in (author, building.person(home, Role.ANNOTATOR), building.person(home, Role.PARTICIPANT)):
        browser = building.client_of(person)
        assert browser.get(f"/projects/{home.slug}/releases").status_code == 403
        assert browser.get(f"/projects/{home.slug}/releases/{release.pk}/zip").status_code == 403
        assert browser.post(f"/projects/{home.slug}/releases/{release.pk}/out").status_code == 403


def test_a_change_of_the_form_makes_what_was_built_old(home: Project, owner: User, author: User) -> None:
    accepted(home, author)
    release = built(home, owner)
    browser = building.client_of(owner)
    form = {name: value for name, value in CONFIG.items() if name != "canary"}
    browser.post(f"/projects/{home.slug}/releases/{release.pk}", {**form, "title": "Other", "then": "save"})
    release.refresh_from_db()
    assert release.state == "prepared"
    with pytest.raises(NotAllowed, match="Build"):
        builder.freeze(release, owner)


def test_items_of_one_picture_stay_in_one_split(home: Project, owner: User, author: User) -> None:
    first = accepted(home, author, 12)
    for item in first[:6]:
        again = Item.objects.select_related("image").get(pk=item.pk)
        building.item(home, author, state="accepted", image=again.image)
    release = built(home, owner)
    splits: dict[int | None, set[str]] = {}
    for pin in release.items.select_related("item"):
        splits.setdefault(pin.item.image_id, set()).add(pin.split)
    assert len(splits) == 12
    assert all(len(found) == 1 for found in splits.values())


def test_an_excluded_item_leaves_its_id_empty(home: Project, owner: User, author: User) -> None:
    items = accepted(home, author, 11)
    Item.objects.filter(pk=items[4].pk).update(state="excluded")
    back = keju.load(builder.folder_of(built(home, owner)) / "release")
    assert [item.id for item in back] == [item.code for item in items if item != items[4]]


def test_languages_are_told_with_their_script(home: Project, owner: User, author: User) -> None:
    accepted(home, author)
    folder = builder.folder_of(built(home, owner)) / "release"
    rows = [json.loads(line) for line in (folder / "items/items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {tag for row in rows for tag in row["wordings"]} == {"zh-Hans", "en"}
    assert "zh-Hans" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_consent_of_people_is_never_in_a_release(home: Project, owner: User, author: User) -> None:
    accepted(home, author)
    consent, _size = keep([b"%PDF-1.7 signed by Wang"])
    Source.objects.update(consent_file=consent)
    folder = builder.folder_of(built(home, owner, recognisable="yes")) / "release"
    assert all(b"signed by Wang" not in path.read_bytes() for path in folder.rglob("*") if path.is_file())
