"""Pictures and clips in Chromium: seeking, choosing, dropping and pasting files, voting by keyboard, copying a link."""

from __future__ import annotations

import io
import wave

import pytest
from building import asset, person, png, project

from keju.studio import screening
from keju.studio.models import Asset, Response, Role

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DROP = """
([name, bytes]) => {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
  document.getElementById("upload").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
}
"""
PASTE = """
([name, bytes]) => {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
  document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true }));
}
"""


def long_clip() -> bytes:
    """110 s, the length of an average clip of Multi-TW."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(range(256)) * (110 * 8000 * 2 // 256))
    return buffer.getvalue()


def test_a_clip_can_be_played_from_the_middle(open_as):
    home = project()
    author = person(home, Role.AUTHOR)
    facts = {"seconds": 110.0, "duration_s": 110.0, "kbits": 128.0, "rate": 8000}
    clip = asset(home, author, long_clip(), kind="audio", mime="audio/wav", measured=facts)
    page = open_as(author, f"/projects/{home.slug}/assets/{clip.pk}")
    ready = (
        "new Promise(d => { const a = document.getElementById('clip'); a.readyState ? d() : a.onloadedmetadata = d })"
    )
    page.evaluate(ready)
    assert page.evaluate("document.getElementById('clip').seekable.end(0)") == pytest.approx(110, abs=0.5)
    page.evaluate(
        "new Promise(done => { const a = document.getElementById('clip'); a.onseeked = done; a.currentTime = 90 })"
    )
    assert page.evaluate("document.getElementById('clip').currentTime") == pytest.approx(90, abs=0.5)


def test_files_are_chosen_dropped_and_pasted_and_each_tells_what_became_of_it(open_as):
    home = project()
    author = person(home, Role.AUTHOR)
    problems = []
    page = open_as(author, f"/projects/{home.slug}/assets")
    page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.set_input_files(
        "#files",
        [
            {"name": "one.png", "mimeType": "image/png", "buffer": png()},
            {"name": "drawing.svg", "mimeType": "image/png", "buffer": b"<svg><script>alert(1)</script></svg>"},
        ],
    )
    page.evaluate(DROP, ["two.png", list(png())])
    page.evaluate(PASTE, ["three.png", list(png())])
    page.locator("#uploads li.refused", has_text="SVG").wait_for()
    for name in ("one.png", "two.png", "three.png"):
        page.locator("#uploads li:not(.refused)", has_text=name).locator("a").wait_for()
    page.locator(".thumbs li", has_text="three.png").wait_for()  # the list shows them without being asked
    assert sorted(Asset.objects.values_list("name", flat=True)) == ["one.png", "three.png", "two.png"]
    assert [text for text in problems if "422" not in text] == []  # a refusal is told, and is no other error


def test_a_file_over_the_limit_is_not_even_sent(open_as, settings):
    settings.UPLOAD_LIMIT = 1000
    home = project()
    author = person(home, Role.AUTHOR)
    page = open_as(author, f"/projects/{home.slug}/assets")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.set_input_files("#files", [{"name": "huge.wav", "mimeType": "audio/wav", "buffer": bytes(5000)}])
    page.locator("#uploads li.refused", has_text="not sent").wait_for()
    assert sent == []


def test_a_screener_votes_by_keyboard(open_as):
    home = project(settings={"include_if": ["whole"], "exclude_if": ["backstage"]})
    owner, expert = person(home, Role.OWNER), person(home, Role.EXPERT)
    made = [asset(home, owner) for _ in range(2)]
    batch = screening.open_round(home, owner, "round", 1, "majority", made)
    page = open_as(expert, f"/projects/{home.slug}/screening/{batch.pk}/vote")
    page.keyboard.press("1")
    page.get_by_text("You have screened 1").wait_for()
    page.keyboard.press("n")
    page.keyboard.type("12 people backstage")  # digits in a note are no votes
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.get_by_text("Nothing waits").wait_for()
    votes = [(vote.data["decision"], vote.data["note"]) for vote in Response.objects.order_by("pk")]
    assert votes == [("include", ""), ("exclude", "12 people backstage")]
    assert all(vote.assignment.visible_ms > 0 for vote in Response.objects.select_related("assignment"))


def test_an_invitation_is_copied_with_a_click(open_as):
    home = project()
    owner = person(home, Role.OWNER)
    page = open_as(owner, f"/projects/{home.slug}/people")
    page.fill("#id_name", "guest")
    page.check("input[name=roles][value=author]")
    page.get_by_role("button", name="Make a link").click()
    page.locator("[data-copy]").click()
    page.locator("[data-copy]", has_text="Copied").wait_for()
    assert "/enter/" in page.input_value("#new-link")
