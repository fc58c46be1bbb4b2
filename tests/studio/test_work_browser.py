"""Judging in a real browser: the clip that must be heard, keys, the input method, a connection that fails."""

from pathlib import Path

import pytest
from building import asset, content, item
from django.urls import reverse
from working import items, opened, team

import keju
from keju.studio.models import Draft, Item, Response
from keju.studio.queue import take_next
from keju.studio.saving import Edit, save

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CLIPS = Path(keju.__file__).parent / "demo" / "teahouse" / "media" / "audios"


def shortest_clip() -> bytes:
    return min(CLIPS.glob("*.mp3"), key=lambda path: path.stat().st_size).read_bytes()


def test_a_clip_opens_the_way_to_pass_only_when_it_was_heard_to_its_end(open_as):
    crew = team([{"name": "files", "verb": "review formatting", "must_hear": True}])
    clip = asset(crew.project, crew.author, shortest_clip(), kind="audio", mime="audio/mpeg")
    made = item(crew.project, crew.author)
    save(made, crew.author, Edit(content(), made.image, clip), base_version=made.version)
    Item.objects.filter(pk=made.pk).update(state="in_review")
    task = take_next(opened(crew, "review"), crew.formatter)
    page = open_as(crew.formatter, reverse("assignment", args=[crew.project.slug, task.pk]))
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Play the clip to its end before you pass the item.").nth(1).wait_for()
    assert Response.objects.count() == 0
    page.evaluate(
        "clip => { const a = document.getElementById('clip'); a.muted = true; a.playbackRate = 8; return a.play() }"
    )
    page.locator("#hear.heard").wait_for(timeout=60_000)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/work")
    task.refresh_from_db()
    assert task.media["ended"] is True
    assert task.media["heard_s"] > 1
    assert task.visible_ms > 0
    assert Item.objects.get(pk=made.pk).state == "accepted"


def test_a_clip_that_was_moved_to_its_end_was_not_heard(open_as):
    crew = team([{"name": "files", "verb": "review formatting", "must_hear": True}])
    data = shortest_clip()
    clip = asset(crew.project, crew.author, data, kind="audio", mime="audio/mpeg", measured={"duration_s": 15.1})
    made = item(crew.project, crew.author)
    save(made, crew.author, Edit(content(), made.image, clip), base_version=made.version)
    Item.objects.filter(pk=made.pk).update(state="in_review")
    task = take_next(opened(crew, "review"), crew.formatter)
    page = open_as(crew.formatter, reverse("assignment", args=[crew.project.slug, task.pk]))
    page.evaluate(
        "() => new Promise(done => { const a = document.getElementById('clip'); a.muted = true;"
        " a.onended = done; a.currentTime = a.duration - 0.3; a.play() })"
    )
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.locator("fieldset .wrong").wait_for()
    assert Response.objects.count() == 0


def test_digits_answer_and_enter_in_an_input_method_sends_nothing(open_as):  # AN-11
    crew = team()
    items(crew, 2)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    page = open_as(crew.annotators[0], where)
    page.keyboard.press("3")
    page.keyboard.press("4")
    page.locator("#note").focus()
    page.evaluate(
        "() => document.getElementById('note').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true, isComposing: true, keyCode: 229, bubbles: true}))"
    )
    page.wait_for_timeout(300)
    assert Response.objects.count() == 0
    page.keyboard.insert_text("净")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("where => !location.pathname.endsWith(where)", arg=where)
    assert Response.objects.get().data == {"answer": 2, "problem": "", "confidence": 4, "note": "净"}


def test_an_answer_that_could_not_be_sent_stays_and_is_stored_once_when_it_can(open_as):  # AN-03
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    page = open_as(crew.annotators[0], reverse("assignment", args=[crew.project.slug, task.pk]))
    page.keyboard.press("2")
    page.keyboard.press("5")
    page.fill("#note", "旦角的头面")
    page.context.set_offline(True)
    page.click("button.main:has-text('Save')")
    page.get_by_text("the connection is gone").wait_for()
    assert page.input_value("#note") == "旦角的头面"
    page.context.set_offline(False)
    page.click("button.main:has-text('Save')")
    page.wait_for_url("**/work")
    assert Response.objects.get().data["note"] == "旦角的头面"


def test_a_half_written_note_is_there_again_after_a_reload_and_gone_once_it_is_sent(open_as):
    crew = team([{"name": "expert", "verb": "review expert", "checklist": ["right", "only one"]}])
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    where = reverse("assignment", args=[crew.project.slug, task.pk])
    page = open_as(crew.experts[0], where)
    page.locator("input[value='only one']").check()
    page.keyboard.press("2")
    page.fill("#note", "旦角的头面画错了")
    page.locator("#drafted[data-state=saved]").wait_for()
    page.reload()
    assert page.input_value("#note") == "旦角的头面画错了"
    assert [page.locator(f"input[value='{value}']").is_checked() for value in ("right", "only one", "change")] == [
        False,
        True,
        True,
    ]
    page.get_by_text("which is not saved yet").wait_for()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/work")
    assert Response.objects.get().data == {"decision": "change", "checklist": ["only one"], "note": "旦角的头面画错了"}
    assert Draft.objects.get(user=crew.experts[0]).body.get("fields") is None
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_what_is_typed_while_the_connection_is_gone_is_kept_by_the_browser(open_as):
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    page = open_as(crew.annotators[0], reverse("assignment", args=[crew.project.slug, task.pk]))
    page.route("**/draft", lambda route: route.abort())
    page.keyboard.press("3")
    page.fill("#note", "half a thought")
    page.locator("#drafted[data-state=failed]").wait_for()
    page.reload()
    assert page.input_value("#note") == "half a thought"
    assert page.locator("input[name=choice][value='2']").is_checked()
    page.unroute("**/draft")
    page.locator("#drafted[data-state=saved]").wait_for()
    assert Draft.objects.get().body["fields"]["choice"] == "2"


def test_a_form_that_comes_back_with_what_is_wrong_goes_on_being_kept(open_as):
    crew = team([{"name": "expert", "verb": "review expert"}])
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    page = open_as(crew.experts[0], reverse("assignment", args=[crew.project.slug, task.pk]))
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    page.locator("#note-error").wait_for()
    page.fill("#note", "now with words")
    page.locator("#drafted[data-state=saved]").wait_for()
    page.reload()
    assert page.input_value("#note") == "now with words"
