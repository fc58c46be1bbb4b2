"""Options that are pictures: written, shown to everyone, compared, released and taken in again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from building import asset, client_of, content, item, person, png, project
from hypothesis import given
from hypothesis import strategies as st
from test_release import accepted, built, drawn, prepared, said
from working import choose, opened, team

import keju
from keju.items import LABELS, Item, Medium, Wording
from keju.studio import importer, sittings
from keju.studio import release_builder as builder
from keju.studio.benchmarks import item_of
from keju.studio.closing import close
from keju.studio.content import Content, Option
from keju.studio.models import Asset, Batch, Role, Source
from keju.studio.models import Item as Row
from keju.studio.option_pictures import parted
from keju.studio.presenting import Audience, present
from keju.studio.queue import take_next


def pictured(home, author, key=0, *, options=4, **fields):
    """An item whose options are pictures, with no text."""
    source, _new = Source.objects.get_or_create(project=home, title="Archive", licence="own")
    count = Asset.objects.count()
    shown = [asset(home, author, drawn(1000 + count + at), source=source) for at in range(options)]
    body = Content(
        stem={"zh-Hans": "哪一张是花旦？", "en": "Which of these is a huadan?"},
        options=[Option(asset=each.sha256) for each in shown],
        key=key,
    )
    fields.setdefault("image", asset(home, author, drawn(500 + count), source=source))
    return item(home, author, content=body, **fields), shown


def test_a_benchmark_names_each_picture_by_its_place(home, author):
    made, shown = pictured(home, author)
    said_ = item_of(made, made.current)
    assert [medium.sha256 for medium in said_.media] == [made.image.sha256, *(each.sha256 for each in shown)]
    for wording in said_.wordings.values():
        assert dict(wording.options) == {label: f"<image {at}>" for at, label in enumerate("ABCD", 2)}


def test_without_a_picture_of_its_own_the_first_option_is_the_first_picture(home, author):
    made, _shown = pictured(home, author)
    made.current.image = None
    assert list(item_of(made, made.current).options.values()) == ["<image 1>", "<image 2>", "<image 3>", "<image 4>"]


def test_an_option_may_have_a_text_and_a_picture(home, author):
    made, shown = pictured(home, author)
    body = made.current.content
    body.options[1].text = {"zh-Hans": "右边的", "en": "the right one"}
    made.current.body = body.model_dump()
    told = item_of(made, made.current)
    assert told.wordings["en"].options["B"] == "the right one <image 3>"
    assert told.wordings["zh-Hans"].options["B"] == "右边的 <image 3>"
    apart = parted(told)
    assert apart.texts["en"]["B"] == "the right one"
    assert apart.options["B"].sha256 == shown[1].sha256


TEXTS = st.text(st.characters(categories=("L", "N")), max_size=6)


@given(
    own=st.booleans(),
    options=st.lists(st.tuples(st.booleans(), TEXTS, TEXTS), min_size=2, max_size=6),
)
def test_what_a_benchmark_says_is_read_back_as_it_was(own, options):
    """Without the studio's tables: any mixture of texts and pictures, with or without a picture of the question."""
    from keju.studio.option_pictures import shown_by, texts_with

    body = Content(
        stem={"en": "Which?"},
        options=[
            Option(text={"en": en or "x", "zh-Hans": zh or "x"}, asset=f"{at:064}" if pictured else None)
            for at, (pictured, en, zh) in enumerate(options)
        ],
    )
    media = [Medium("image", "own.png", data=b"own")] if own else []
    media += [Medium("image", f"{sha256}.png", data=sha256.encode()) for sha256 in shown_by(body)]
    wordings = {
        tag: Wording(tag, "Which?", dict(zip(LABELS, texts_with(body, tag, int(own)), strict=False)))
        for tag in ("en", "zh-Hans")
    }
    apart = parted(Item("1", wordings, "A", tuple(media)))
    assert [medium.name for medium in apart.own] == (["own.png"] if own else [])
    for label, option in zip(LABELS, body.options, strict=False):
        found = apart.options.get(label)
        assert (found and found.name.removesuffix(".png")) == option.asset
        assert {tag: apart.texts[tag][label] for tag in wordings} == option.text


@pytest.mark.parametrize(
    ("question", "texts", "named"),
    [
        ("Which?", {"en": ["<image 1>", "<image 2>"]}, ["A", "B"]),
        ("Look at <image 1>.", {"en": ["<image 2>", "<image 3>"]}, ["A", "B"]),
        ("Compare <image 1> and <image 2>.", {"en": ["<image 3>", "no"]}, []),  # which is the question's own?
        ("Which?", {"en": ["<image 9>", "no"]}, []),
        ("Which?", {"en": ["left of <image 2> there", "no"]}, []),
        ("Which?", {"en": ["<image 2>", "no"], "zh-Hans": ["<image 3>", "否"]}, []),  # the languages differ
    ],
)
def test_only_what_is_plainly_a_picture_is_taken_for_one(question, texts, named):
    wordings = {tag: Wording(tag, question, dict(zip("AB", each, strict=True))) for tag, each in texts.items()}
    media = tuple(Medium("image", f"{at}.png", data=bytes([at])) for at in range(1, 4))
    assert sorted(parted(Item("1", wordings, "A", media)).options) == named


@pytest.mark.parametrize("audience", list(Audience))
def test_every_audience_sees_the_pictures(home, author, audience):
    made, shown = pictured(home, author)
    seen = present(made.current, audience)
    assert [option.media for option in seen.options] == [each.sha256 for each in shown]


def test_the_blind_get_the_same_bytes_whatever_the_key():
    crew = team()
    made, shown = pictured(crew.project, crew.author, state="accepted")
    batch = opened(crew, Batch.Kind.REANNOTATE, persons=[crew.annotators[0]])
    task = take_next(batch, crew.annotators[0])
    browser, pages = client_of(crew.annotators[0]), set()
    for key in range(4):
        body = made.current.content
        body.key = key
        type(made.current).objects.filter(pk=made.current.pk).update(body=body.model_dump())
        page = browser.get(f"/projects/{crew.project.slug}/work/{task.pk}").content.decode()
        pages.add(re.sub(r'(csrfmiddlewaretoken" value=|name="token" value=|"x-csrftoken": )"[^"]+"', "", page))
    assert len(pages) == 1
    assert all(each.sha256 in page for page in pages for each in shown)
    for each in shown:  # and they may have the pictures themselves
        address = f"/projects/{crew.project.slug}/media/{each.sha256}"
        assert b"".join(browser.get(address).streaming_content).startswith(b"\x89PNG")
    other = asset(crew.project, crew.author)
    assert browser.get(f"/projects/{crew.project.slug}/media/{other.sha256}").status_code == 403


def test_reviewers_disputes_and_sittings_show_the_pictures():
    crew = team([{"name": "expert", "verb": "review expert"}])
    _made, shown = pictured(crew.project, crew.author, state="in_review")
    other, more = pictured(crew.project, crew.author, state="accepted")
    batch = opened(crew, Batch.Kind.REVIEW)
    task = take_next(batch, crew.experts[0])
    slug = crew.project.slug
    review = client_of(crew.experts[0]).get(f"/projects/{slug}/work/{task.pk}").content.decode()
    assert all(each.sha256 in review for each in shown)

    again = opened(crew, Batch.Kind.REANNOTATE, persons=[crew.annotators[0]])
    choose(again, crew.annotators[0], {other.pk: 2})
    close(again, crew.owner)
    dispute = other.disputes.get()
    page = client_of(crew.adjudicator).get(f"/projects/{slug}/disputes/{dispute.pk}").content.decode()
    assert all(each.sha256 in page for each in more)

    type(other).objects.filter(pk=other.pk).update(state="accepted")
    sitting = sittings.draw(crew.project, crew.owner, "sitting", 1, labels=[])
    seat = sittings.invite(sitting, crew.owner, "expert")[0].participant
    sittings.consent(seat)
    page = client_of(seat.user).get(f"/projects/{slug}/sittings/{sitting.pk}").content.decode()
    assert all(each.sha256 in page for each in more)


def test_the_editor_sets_and_removes_a_picture_and_the_history_shows_both(home, author):
    made, shown = pictured(home, author)
    browser = client_of(author)
    address = f"/projects/{home.slug}/items/{made.pk}"
    form = browser.get(f"{address}/edit").context["form"]
    fields = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    new = asset(home, author, png())
    sent = {**fields, "asset_0": new.sha256, "asset_1": "", "option_1_zh-Hans": "不在这里", "option_1_en": "not here"}
    answer = browser.post(f"{address}/edit", sent)
    assert answer.status_code == 302, answer.context["form"].errors
    made.refresh_from_db()
    assert [option.asset for option in made.current.content.options] == [
        new.sha256,
        None,
        shown[2].sha256,
        shown[3].sha256,
    ]
    history = browser.get(f"{address}/history").content.decode()
    for sha256 in (shown[0].sha256, new.sha256, shown[1].sha256):
        assert f"/media/{sha256}/small" in history
    assert "Picture of option A" in history
    whole = browser.get(address).content.decode()
    assert f"/media/{new.sha256}/small" in whole


def test_an_option_shows_no_clip_and_no_picture_of_another_project(home, author):
    made, _shown = pictured(home, author)
    browser = client_of(author)
    form = browser.get(f"/projects/{home.slug}/items/{made.pk}/edit").context["form"]
    fields = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    clip = asset(home, author, b"a clip", kind="audio", mime="audio/mpeg")
    foreign = asset(project(), author, png())
    rejected = asset(home, author, png(), state="rejected")
    for wrong in (clip, foreign, rejected):
        answer = browser.post(f"/projects/{home.slug}/items/{made.pk}/edit", {**fields, "asset_2": wrong.sha256})
        assert answer.status_code == 422
        assert "does not have" in str(answer.context["form"].errors)


def test_the_list_counts_an_option_as_use(home, author):
    _made, shown = pictured(home, author)
    spare = asset(home, author)
    page = client_of(author).get(f"/projects/{home.slug}/assets?unused=on")
    assert [each.pk for each in page.context["chosen"]] == [spare.pk]
    assert shown


pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")


def test_a_release_equals_what_was_accepted_and_is_run_as_any_benchmark(home, author, tmp_path):
    owner = person(home, Role.OWNER)
    made = [pictured(home, author, key=at % 4, state="accepted")[0] for at in range(6)]
    made += accepted(home, author, 6)
    release = built(home, owner)
    folder = builder.folder_of(release) / "release"
    back = keju.load(folder)
    wanted = [item_of(each, each.current) for each in sorted(made, key=lambda each: each.code)]
    assert [one.id for one in back] == [one.id for one in wanted]
    for one, other in zip(back, wanted, strict=True):
        assert (one.wordings, one.answer) == (other.wordings, other.answer)
        assert [medium.sha256 for medium in one.media] == [medium.sha256 for medium in other.media]
    run = keju.run(back, "baseline/random", out=tmp_path / "runs")
    assert keju.score(run).n == 12
    splits = {one.id: one.split for one in back}
    assert set(splits.values()) == {"train", "val", "test"}


def test_rights_are_asked_of_the_pictures_of_options_too(home, author):
    owner = person(home, Role.OWNER)
    _made, shown = pictured(home, author, state="accepted")
    Asset.objects.filter(pk=shown[2].pk).update(source=None)
    release = prepared(home, owner)
    assert said(release) == ["It is not said where this comes from; choose its source."]


def test_a_benchmark_with_picture_options_comes_in_and_goes_out_the_same(home, author, tmp_path):
    made = [pictured(home, author, key=at % 4)[0] for at in range(3)]
    text = item(home, author, content=content(2))
    whole = keju.Benchmark("set", tuple(item_of(each, each.current) for each in [*made, text]))
    keju.convert(whole, "jsonl", tmp_path / "set")
    there = project("custom")
    owner = person(there, Role.OWNER)
    report = importer.take(there, owner, keju.load(tmp_path / "set"))
    assert report.troubles == []
    rows = Row.objects.filter(project=there).select_related("project", "current__image", "current__audio")
    for row, one in zip(rows.order_by("code"), whole, strict=True):
        assert row.current is not None
        back = item_of(row, row.current)
        assert {tag: dict(w.options) for tag, w in back.wordings.items()} == {
            tag: dict(w.options) for tag, w in one.wordings.items()
        }
        assert [medium.sha256 for medium in back.media] == [medium.sha256 for medium in one.media]
    assert importer.take(there, owner, keju.load(tmp_path / "set")).same == 4


def test_a_picture_that_cannot_be_had_is_listed_and_the_option_waits_for_it(home, author, tmp_path):
    made, _shown = pictured(home, author)
    whole = item_of(made, made.current)
    gone = replace(whole, media=(*whole.media[:3], replace(whole.media[3], path=Path("gone.png")), whole.media[4]))
    there = project("custom")
    owner = person(there, Role.OWNER)
    report = importer.take(there, owner, keju.Benchmark("set", (gone,)))
    assert [trouble.item for trouble in report.troubles] == [whole.id]
    row = Row.objects.get(project=there)
    assert [bool(option.asset) for option in row.current.content.options] == [True, True, False, True]
    assert importer.take(there, owner, keju.Benchmark("set", (whole,))).changed == [whole.id]
    assert importer.take(there, owner, keju.Benchmark("set", (gone,))).same == 1


def test_the_api_takes_pictures_for_options_and_no_clips(home, author):
    clip = asset(home, author, b"a clip", kind="audio", mime="audio/mpeg")
    picture = asset(home, author)
    browser = client_of(author)
    body = {"stem": {"en": "Which?"}, "options": [{"asset": picture.sha256}, {"text": {"en": "no"}}], "key": 0}
    sent = {"locator": {"seq": 1}, "content": body}
    address = f"/api/projects/{home.slug}/items"

    def post(told):
        return browser.post(address, json.dumps(told), content_type="application/json")

    assert post(sent).status_code == 201, post(sent).content
    body["options"][0]["asset"] = clip.sha256
    assert post({**sent, "locator": {"seq": 2}}).status_code == 422
