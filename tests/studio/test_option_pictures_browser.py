"""Pictures of options in Chromium: uploaded, pasted, dropped, chosen, moved with their option, taken out."""

from __future__ import annotations

import pytest
from building import asset, item, png
from playwright.sync_api import expect
from test_assets import wav
from test_editor_browser import kept

from keju.studio.models import Draft, Item

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GIVE = """([selector, name, kind, type, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const how = kind === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(how);
}"""


def option(page, index):
    return page.locator(f".option-row[data-index='{index}']")


def held(page):
    """The digests that the first four options hold."""
    return [page.locator(f"[name=asset_{index}]").input_value() for index in range(4)]


def test_pictures_are_set_in_each_way_move_with_their_option_and_are_saved(home, author, open_as):
    there = asset(home, author, png())
    made = item(home, author)
    page = open_as(author, f"/projects/{home.slug}/items/{made.pk}/edit")
    upload = {"name": "a.png", "mimeType": "image/png", "buffer": png(900, 600)}
    option(page, 0).locator("summary").click()
    option(page, 0).locator("input[type=file]").set_input_files(upload)
    expect(option(page, 0).locator(".preview img")).to_be_visible()
    page.evaluate(GIVE, ["[name=option_1_en]", "b.png", "paste", "image/png", list(png(901, 600))])
    expect(option(page, 1).locator(".preview img")).to_be_visible()
    page.evaluate(GIVE, [".option-row[data-index='2']", "c.png", "drop", "image/png", list(png(902, 600))])
    expect(option(page, 2).locator(".preview img")).to_be_visible()
    option(page, 3).locator("summary").focus()
    page.keyboard.press("Enter")  # opens it: the key is not taken for “next field”
    option(page, 3).get_by_role("button", name="Choose").click()
    option(page, 3).locator(f".media-choices [data-sha256='{there.sha256}']").click()
    expect(option(page, 3).locator(".preview img")).to_be_visible()
    before = held(page)
    assert len(set(before)) == 4
    assert before[3] == there.sha256
    assert page.locator("[name=image]").input_value() == str(made.image_id)  # the question's own is as it was

    option(page, 0).get_by_role("button", name="Down").click()
    assert held(page) == [before[1], before[0], *before[2:]]
    expect(option(page, 0).locator(f".preview img[src$='{before[1]}']")).to_be_visible()
    option(page, 2).locator("summary").click()
    option(page, 2).get_by_role("button", name="Take out").click()
    expect(option(page, 2).locator(".preview img")).to_have_count(0)
    kept(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**/items/{made.pk}")
    expect(page.locator(".item-options img")).to_have_count(3)
    found = Item.objects.get(pk=made.pk).current.content
    assert [each.asset for each in found.options] == [before[1], before[0], None, before[3]]


def test_a_draft_brings_the_pictures_back(home, author, open_as):
    made = item(home, author)
    address = f"/projects/{home.slug}/items/{made.pk}/edit"
    page = open_as(author, address)
    page.evaluate(GIVE, ["[name=option_1_en]", "b.png", "paste", "image/png", list(png(901, 600))])
    expect(option(page, 1).locator(".preview img")).to_be_visible()
    kept(page)
    assert Draft.objects.get().body["fields"]["asset_1"] == held(page)[1]
    page.goto(address)
    expect(option(page, 1).locator(".preview img")).to_be_visible()


def test_a_clip_for_an_option_is_refused_in_words_and_one_pasted_is_the_questions(home, author, open_as):
    page = open_as(author, f"/projects/{home.slug}/items/new")
    page.evaluate(GIVE, [".option-row[data-index='0']", "a.wav", "drop", "audio/wav", list(wav())])
    expect(option(page, 0).locator(".notes")).to_have_text("An option can be a picture, not a clip.")
    assert held(page)[0] == ""
    page.evaluate(GIVE, ["[name=option_0_en]", "a.wav", "paste", "audio/wav", list(wav())])
    expect(page.locator(".medium[data-kind=audio] .preview audio")).to_be_visible()
