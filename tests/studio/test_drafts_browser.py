"""What is typed in a screening vote and in the grounds of a decision outlives a reload, a lost line, and no save."""

import pytest
from building import asset, client_of, person, project
from django.urls import reverse
from playwright.sync_api import expect
from test_disputes import disputed
from working import items, opened, team

from keju.studio import drafts, screening
from keju.studio.models import Dispute, Draft, Response, Role
from keju.studio.queue import take_next

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ballot(open_as):
    """A screener's page, with three candidates, and whose it is."""
    home = project(settings={"include_if": ["whole", "sharp"], "exclude_if": ["backstage"]})
    owner, screener = person(home, Role.OWNER), person(home, Role.EXPERT)
    batch = screening.open_round(home, owner, "round", 1, "majority", [asset(home, owner) for _ in range(3)])
    return open_as(screener, reverse("screen", args=[home.slug, batch.pk])), screener


@pytest.fixture
def ruling(open_as):
    """The page of a dispute as its third expert has it, and whose it is."""
    crew = team()
    [dispute] = disputed(crew)
    return open_as(crew.adjudicator, reverse("dispute", args=[crew.project.slug, dispute.pk])), crew.adjudicator


@pytest.mark.parametrize("form", ["ballot", "ruling"])
def test_ten_seconds_offline_lose_no_keystroke(form, request):
    page, user = request.getfixturevalue(form)
    note = page.locator("[name=note]")
    note.fill("before")
    expect(page.locator("#drafted")).to_have_attribute("data-state", "saved")
    page.context.set_offline(True)
    note.press_sequentially(" and while the line was down", delay=300)
    expect(page.locator("#drafted")).to_have_attribute("data-state", "failed")
    page.wait_for_timeout(2000)
    page.context.set_offline(False)
    expect(page.locator("#drafted")).to_have_attribute("data-state", "saved")
    typed = "before and while the line was down"
    assert Draft.objects.get(user=user, body__has_key="fields").body["fields"]["note"] == typed
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    expect(page.locator("[name=note]")).to_have_value(typed)
    expect(page.get_by_text("which is not saved yet")).to_be_visible()


@pytest.mark.parametrize("form", ["ballot", "ruling"])
def test_text_that_reached_no_server_is_back_after_a_crash_of_the_window(form, request):
    page, user = request.getfixturevalue(form)
    page.route("**/draft", lambda route: route.abort())
    page.locator("[name=note]").fill("only in this browser")
    expect(page.locator("#drafted")).to_have_attribute("data-state", "failed")
    again = page.context.new_page()
    where = page.url
    page.close()
    again.goto(where)
    expect(again.locator("[name=note]")).to_have_value("only in this browser")
    expect(again.locator("#drafted")).to_have_attribute("data-state", "saved")
    assert Draft.objects.get(user=user, body__has_key="fields").body["fields"]["note"] == "only in this browser"


def test_a_vote_begun_is_there_again_and_the_next_candidate_has_none_of_it(ballot):
    page, user = ballot
    page.locator("[name=reasons]").check()
    page.locator("[name=met][value=sharp]").check()
    page.fill("#note", "看不清")
    expect(page.locator("#drafted")).to_have_attribute("data-state", "saved")
    page.reload()
    assert page.locator("[name=met][value=sharp]").is_checked()
    assert not page.locator("[name=met][value=whole]").is_checked()
    page.get_by_role("button", name="Exclude").click()
    expect(page.get_by_text("You have screened 1.")).to_be_visible()
    expect(page.locator("#note")).to_have_value("")
    assert not page.locator("[name=reasons]").is_checked()
    assert Response.objects.get().data == {
        "decision": "exclude",
        "met": ["sharp"],
        "reasons": ["backstage"],
        "note": "看不清",
    }
    assert drafts.unsaved_like(user, "assignment:") == []


def test_a_vote_that_came_back_goes_on_being_kept(ballot):
    page, _user = ballot
    page.get_by_role("button", name="Exclude").click()
    expect(page.get_by_text("Tick a reason against it, or write one.")).to_be_visible()
    page.fill("#note", "now with words")
    expect(page.locator("#drafted")).to_have_attribute("data-state", "saved")
    page.reload()
    expect(page.locator("#note")).to_have_value("now with words")


def test_what_is_wrong_with_an_answer_is_said_on_a_page_that_was_loaded_anew_too(open_as):
    crew = team([{"name": "expert", "verb": "review expert"}])
    items(crew, 1, "in_review")
    task = take_next(opened(crew, "review"), crew.experts[0])
    page = open_as(crew.experts[0], reverse("assignment", args=[crew.project.slug, task.pk]))
    page.reload()
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#note-error")).to_be_visible()
    page.wait_for_timeout(500)
    expect(page.locator("#note-error")).to_be_visible()


def test_a_decision_begun_is_there_again_and_gone_once_it_is_made(ruling):
    page, user = ruling
    page.get_by_label("exclude", exact=False).first.check()
    page.locator("[name=category]").first.check()
    page.locator("[name=evidence]").first.check()
    page.locator("[name=agreed]").first.check()
    page.fill("[name=note]", "看脸谱")
    expect(page.locator("#drafted")).to_have_attribute("data-state", "saved")
    page.reload()
    for name in ("decision", "category", "evidence", "agreed"):
        assert page.locator(f"[name={name}]:checked").count() == 1, name
    expect(page.locator("[name=note]")).to_have_value("看脸谱")
    page.locator("[name=reason]").select_option(index=1)
    page.get_by_role("button", name="Settle the dispute").click()
    page.wait_for_url("**/disputes")
    assert Dispute.objects.get().note == "看脸谱"
    assert drafts.unsaved_like(user, "dispute:") == []


def kept(user, address, fields, token="t"):
    return client_of(user).post(address, {"token": token, "fields": fields}, content_type="application/json")


def test_a_draft_of_a_decision_is_its_writer_s_alone_and_ends_with_the_dispute():
    from test_disputes import ruling as decided

    from keju.studio.disputing import decide

    crew = team()
    [dispute] = disputed(crew)
    address = reverse("dispute-draft", args=[crew.project.slug, dispute.pk])
    second = person(crew.project, Role.ADJUDICATOR)
    assert kept(crew.adjudicator, address, {"note": "half a thought"}).status_code == 200
    page = reverse("dispute", args=[crew.project.slug, dispute.pk])
    assert "half a thought" in client_of(crew.adjudicator).get(page).content.decode()
    assert "half a thought" not in client_of(second).get(page).content.decode()
    assert kept(crew.author, address, {"note": "x"}).status_code == 403
    decide(dispute, second, decided(crew, dispute, "keep"))
    assert kept(crew.adjudicator, address, {"note": "late"}).status_code == 409
