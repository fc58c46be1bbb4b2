"""A sitting in Chromium: by keyboard, clips that are heard, time in sight, no connection."""

import math
import struct
import wave
from io import BytesIO

import pytest
from building import asset, item, person, project
from playwright.sync_api import expect

from keju.studio import sittings
from keju.studio.models import Assignment, Role

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def clip(seconds=1):
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        tone = (round(9000 * math.sin(at / 4)) for at in range(8000 * seconds))
        file.writeframes(b"".join(struct.pack("<h", value) for value in tone))
    return buffer.getvalue()


@pytest.fixture
def participant():
    home = project()
    owner = person(home, Role.OWNER)
    sound = asset(home, owner, clip(), kind="audio", mime="audio/wav", name="tone.wav")
    for _ in range(3):
        made = item(home, owner, state="accepted")
        made.current.audio = sound
        made.current.save()
    batch = sittings.draw(home, owner, "Pilot", 3)
    return sittings.invite(batch, owner, "expert")[0].participant


@pytest.fixture
def page(participant, open_as):
    batch = participant.batch
    opened = open_as(participant.user, f"/projects/{batch.project.slug}/sittings/{batch.pk}")
    opened.get_by_role("checkbox").check()
    opened.get_by_role("button", name="Begin").click()
    expect(opened.get_by_text("Question 1 of 3")).to_be_visible()
    expect(opened.locator("#question[data-begun]")).to_be_visible()
    return opened


def first():
    return Assignment.objects.order_by("order").first()


def test_questions_are_answered_by_keyboard_alone_and_there_is_no_back(page):
    faults = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    for number in (1, 2, 3):
        expect(page.get_by_text(f"Question {number} of 3")).to_be_visible()
        expect(page.locator("#question[data-begun]")).to_be_visible()  # htmx has settled: nobody is as fast as a test
        page.keyboard.press("2")
        expect(page.locator("#kept")).to_contain_text("Kept at")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    page.go_back()
    assert "Question" not in page.content()
    assert [one.responses.get().data["answer"] for one in Assignment.objects.all()] == ["B"] * 3
    assert faults == []


def test_time_in_sight_and_what_was_heard_are_measured(page):
    page.evaluate("document.querySelector('audio').play()")
    page.wait_for_timeout(1500)
    page.keyboard.press("1")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Question 2 of 3")).to_be_visible()
    told = first()
    assert 1400 <= told.visible_ms <= (told.submitted_at - told.opened_at).total_seconds() * 1000
    assert (told.media["plays"], told.media["ended"]) == (1, True)
    assert told.media["heard_s"] == pytest.approx(1, abs=0.1)
    assert 0 <= told.media["first_play_ms"] < 1400


def test_a_page_that_is_out_of_sight_does_not_count_its_time(page):
    page.evaluate(
        """() => {
          Object.defineProperty(document, "visibilityState", {configurable: true, get: () => "hidden"});
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    page.wait_for_timeout(1500)
    page.locator("input[value=A]").check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Question 2 of 3")).to_be_visible()
    told = first()
    assert told.visible_ms < 1500 < (told.submitted_at - told.opened_at).total_seconds() * 1000


def test_without_a_connection_the_page_says_so_and_the_answer_goes_through_later(page):
    page.context.set_offline(True)
    page.keyboard.press("3")
    expect(page.locator("#kept")).to_contain_text("Not saved")
    page.get_by_role("button", name="Next").click()
    page.wait_for_timeout(300)
    expect(page.get_by_text("Question 1 of 3")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Question 2 of 3")).to_be_visible()
    assert first().responses.get().data["answer"] == "C"


def test_a_click_on_next_that_comes_twice_answers_one_question(page):
    page.keyboard.press("1")
    page.get_by_role("button", name="Next").dblclick()
    expect(page.get_by_text("Question 2 of 3")).to_be_visible()
    page.wait_for_timeout(300)
    assert Assignment.objects.filter(state="done").count() == 1


def test_a_participant_without_scripts_gets_through(participant, open_as):
    batch = participant.batch
    page = open_as(participant.user, f"/projects/{batch.project.slug}/sittings/{batch.pk}", java_script_enabled=False)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Begin").click()
    for label in "ABC":
        page.locator(f"input[value={label}]").check()
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
