"""The editor in Chromium: keys, pasting, input methods, offline, two windows."""

import json

import pytest
from building import client_of, item, person, png, project
from playwright.sync_api import expect

from keju.studio.models import Draft, Item, Role, Term

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def home():
    made = project(languages=["zh-Hans", "en"])
    for code in ("semantic", "category"):
        Term.objects.create(project=made, kind="strategy", code=code, label={"en": code.title()})
    return made


def text_of(page, name):
    return page.locator(f"[name={json.dumps(name)}]").input_value()


def kept(page):
    expect(page.locator("#status")).to_have_attribute("data-state", "saved")


PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


def test_an_item_is_written_by_keyboard_alone_and_the_next_one_opens(home, author, open_as):
    page = open_as(author, f"/projects/{home.slug}/items/new")
    page.locator("[name='stem_zh-Hans']").click()
    page.evaluate(PASTE, "3. 图中是哪个行当？\nA. 生\nB. 旦\nC. 净\nD. 丑\n答案：C")
    expect(page.locator("[name='option_3_zh-Hans']")).to_have_value("丑")
    assert text_of(page, "stem_zh-Hans") == "图中是哪个行当？"
    assert page.locator("[name=key]:checked").get_attribute("value") == "2"
    page.locator("[name='option_2_zh-Hans']").focus()
    page.keyboard.press("Alt+ArrowUp")
    assert [text_of(page, f"option_{n}_zh-Hans") for n in range(4)] == ["生", "净", "旦", "丑"]
    assert page.locator("[name=key]:checked").get_attribute("value") == "1"
    assert page.evaluate("document.activeElement.name") == "option_1_zh-Hans"
    page.keyboard.press("Alt+Digit4")
    assert page.locator("[name=key]:checked").get_attribute("value") == "3"
    page.locator("[name=key]").first.focus()
    page.keyboard.press("2")
    assert page.locator("[name=key]:checked").get_attribute("value") == "1"
    page.locator("[name=stem_en]").fill("Which role?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[name=locator_seq]")).to_have_value("2")
    made = Item.objects.get(project=home)
    assert [option.text["zh-Hans"] for option in made.current.content.options] == ["生", "净", "旦", "丑"]
    assert (made.code, made.current.content.key) == ("0001", 1)


def test_a_paste_can_be_undone(home, author, open_as):
    page = open_as(author, f"/projects/{home.slug}/items/new")
    page.locator("[name=stem_en]").click()
    page.evaluate(PASTE, "Which?\n(A) one\n(B) two")
    expect(page.locator("[name=option_1_en]")).to_have_value("two")
    expect(page.locator("[data-index='2']")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[name=stem_en]")).to_have_value("")
    expect(page.locator("[data-index='2']")).to_be_visible()


def test_the_enter_that_ends_a_composition_submits_nothing(home, author, open_as):
    made = item(home, author)
    page = open_as(author, f"/projects/{home.slug}/items/{made.pk}/edit")
    field = page.locator("[name='option_0_zh-Hans']")
    field.click()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "laosheng", "selectionStart": 8, "selectionEnd": 8})
    page.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
        {key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true, cancelable: true}))"""
    )
    session.send("Input.insertText", {"text": "老生"})
    assert page.url.endswith("/edit")
    page.keyboard.press("Enter")  # a plain Enter goes on to the next field
    assert page.url.endswith("/edit")
    assert page.evaluate("document.activeElement.name") == "option_0_en"
    assert "老生" in field.input_value()
    assert "\n" not in field.input_value()
    assert made.revisions.count() == 1


def test_ten_seconds_offline_lose_no_keystroke(home, author, open_as):
    made = item(home, author)
    page = open_as(author, f"/projects/{home.slug}/items/{made.pk}/edit")
    page.locator("[name=stem_en]").fill("before")
    kept(page)
    page.context.set_offline(True)
    page.locator("[name=stem_en]").press_sequentially(" and while the line was down", delay=300)
    expect(page.locator("#status")).to_have_attribute("data-state", "failed")
    page.wait_for_timeout(2000)
    page.context.set_offline(False)
    kept(page)
    typed = "before and while the line was down"
    assert Draft.objects.get(user=author).body["fields"]["stem_en"] == typed
    assert (
        client_of(author).get(f"/projects/{home.slug}/items/{made.pk}/edit").context["form"]["stem_en"].value() == typed
    )
    assert page.evaluate("localStorage.length") == 0


def test_text_that_reached_no_server_is_back_after_a_crash_of_the_window(home, author, open_as):
    made = item(home, author)
    path = f"/projects/{home.slug}/items/{made.pk}/edit"
    page = open_as(author, path)
    page.route("**/draft", lambda route: route.abort())
    page.locator("[name=stem_en]").fill("only in this browser")
    expect(page.locator("#status")).to_have_attribute("data-state", "failed")
    again = page.context.new_page()
    page.close()
    again.goto(path)
    expect(again.locator("[name=stem_en]")).to_have_value("only in this browser")
    kept(again)
    assert Draft.objects.get(user=author).body["fields"]["stem_en"] == "only in this browser"


def test_what_was_saved_comes_back_from_no_browsers_copy(home, author, open_as):
    made = item(home, author)
    path = f"/projects/{home.slug}/items/{made.pk}/edit"
    page = open_as(author, path)
    page.route("**/draft", lambda route: route.abort())
    page.locator("[name=stem_en]").fill("the last word")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**/items/{made.pk}")
    page.goto(path)
    expect(page.locator("[name=stem_en]")).to_have_value("the last word")
    assert page.locator("#status").get_attribute("data-state") is None
    made.refresh_from_db()
    assert made.revisions.count() == 2


def test_two_windows_on_one_item_overwrite_nothing(home, author, open_as):
    owner = person(home, Role.OWNER)
    made = item(home, author)
    path = f"/projects/{home.slug}/items/{made.pk}/edit"
    first, second = open_as(author, path), open_as(owner, path)
    first.locator("[name=stem_en]").fill("first")
    second.locator("[name=option_0_en]").fill("second")
    first.get_by_role("button", name="Save", exact=True).click()
    first.wait_for_url(f"**/items/{made.pk}")
    second.get_by_role("button", name="Save", exact=True).click()
    expect(second.get_by_role("alert")).to_contain_text("saved this item while you were writing")
    expect(second.locator("[name=stem_en]")).to_have_value("first")
    expect(second.locator("[name=option_0_en]")).to_have_value("second")
    made.refresh_from_db()
    assert made.current.content.stem["en"] == "first"
    assert made.current.content.options[0].text["en"] != "second"
    second.get_by_role("button", name="Save", exact=True).click()
    second.wait_for_url(f"**/items/{made.pk}")
    made.refresh_from_db()
    assert (made.current.content.stem["en"], made.current.content.options[0].text["en"]) == ("first", "second")


def test_where_both_changed_the_same_one_chooses(home, author, open_as):
    owner = person(home, Role.OWNER)
    made = item(home, author)
    path = f"/projects/{home.slug}/items/{made.pk}/edit"
    first, second = open_as(author, path), open_as(owner, path)
    for page, word in ((first, "first"), (second, "second")):
        page.locator("[name=stem_en]").fill(word)
        page.locator("[name=key]").nth(3 if page is first else 2).check()
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_load_state()
    assert second.locator("[name=key]:checked").get_attribute("value") == "2"
    expect(second.locator("[name=stem_en]")).to_have_value("second")
    second.get_by_role("row", name="Question").get_by_role("button", name="Take theirs").click()
    second.get_by_role("row", name="Right option").get_by_role("button", name="Take theirs").click()
    expect(second.locator("[name=stem_en]")).to_have_value("first")
    assert second.locator("[name=key]:checked").get_attribute("value") == "3"


def test_a_picture_from_the_clipboard_becomes_the_items(home, author, open_as):
    page = open_as(author, f"/projects/{home.slug}/items/new")
    page.locator("[name=stem_en]").click()
    page.evaluate(
        """bytes => { const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([new Uint8Array(bytes)], "clip.png", { type: "image/png" }));
        document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true })); }""",
        list(png(320, 200)),
    )
    expect(page.locator(".medium[data-kind=image] .preview img")).to_be_visible()
    assert page.locator("[name=image]").input_value() == str(home.assets.get().pk)


def test_a_picture_is_uploaded_and_taken_out_and_the_checks_follow(home, author, open_as):
    page = open_as(author, f"/projects/{home.slug}/items/new")
    page.locator("[name=stem_en]").fill("Which role?")
    expect(page.locator("#checks")).to_contain_text("there is not a picture")
    image = page.locator(".medium[data-kind=image]")
    image.locator("input[type=file]").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": png()})
    expect(image.locator(".preview img")).to_be_visible()
    expect(page.locator("#checks")).not_to_contain_text("there is not a picture")
    image.get_by_role("button", name="Choose").click()
    expect(image.locator(".media-choices button")).to_have_count(1)
    image.get_by_role("button", name="Take out").click()
    expect(page.locator("#checks")).to_contain_text("there is not a picture")


def test_a_draft_in_the_other_script_is_read_before_it_is_saved(author, open_as):
    home = project("multi-tw", languages=["zh-Hant", "zh-Hans"])
    writer = person(home, Role.AUTHOR)
    page = open_as(writer, f"/projects/{home.slug}/items/new")
    page.locator("[name='stem_zh-Hans']").fill("这是什么戏？")
    page.get_by_role("button", name="Draft from Simplified").click()
    expect(page.locator("[name='stem_zh-Hant']")).to_have_value("這是什麼戲？")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note")).to_contain_text("Read the drafted text first")
    assert not Item.objects.filter(project=home).exists()
    page.locator("[name='read_zh-Hant']").check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/items/*")
    expect(page.get_by_role("heading", level=1)).to_contain_text("0001")
