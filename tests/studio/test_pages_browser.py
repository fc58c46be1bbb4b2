"""Pages in a browser: a silent console, nothing for the checker of accessibility to find, a menu that keys reach."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from building import client_of
from worlds import PROJECT_PAGES, furnished, visits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FILES = ("media", "thumbnail", "audit-export", "sitting-answers", "release-zip", "source-consent", "aid-", "job")
CHECKED = ("project", "items", "item", "settings", "members", "batches", "batch", "batch-new", "work", "screening")
CHECKED += ("audit", "dashboard", "sittings", "sitting-results", "disputes", "terms-kind", "releases")


@pytest.fixture
def here():
    return furnished()


def readable(world, who, client):
    """(name, path) of the pages that this person can read."""
    seen = set()
    for page, _item, path in visits(world, PROJECT_PAGES, who):
        if page.name not in seen and not page.name.startswith(FILES) and client.get(path).status_code == 200:
            seen.add(page.name)
            yield page.name, path


def test_no_page_of_the_owner_complains_in_the_console_or_is_hard_to_reach(here, open_as):
    """`open_as` fails where the console has an error or a warning."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = open_as(here.people["owner"], "/account")
    client, checked, faults = client_of(here.people["owner"]), set(), []
    for name, path in readable(here, "owner", client):
        page.goto(path)
        if name in CHECKED:
            checked.add(name)
            found = axe.Axe().run(page).response["violations"]
            faults += [f"{name}: {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
    assert checked == set(CHECKED)
    assert "\n".join(faults) == ""


@pytest.mark.parametrize("who", ["expert", "annotator", "adjudicator", "participant"])
def test_what_the_others_work_with_is_silent_and_reachable_too(here, open_as, who):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    task = here.tasks.get(who)
    home = f"/projects/{here.project.slug}"
    paths = {
        "participant": f"{home}/sittings/{here.rounds['baseline'].pk}",
        "adjudicator": f"{home}/disputes/{here.dispute.pk}",
    }
    page = open_as(here.people[who], paths.get(who) or f"{home}/work/{task.pk}")
    assert page.locator("main").inner_text()
    found = axe.Axe().run(page).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    if who in {"expert", "annotator"}:
        page.fill("#note", "typed, so that htmx and autosave have something to do")
        page.locator("#drafted[data-state=saved]").wait_for()


@pytest.mark.parametrize("who", ["owner", "expert", "annotator", "adjudicator", "participant"])
def test_no_page_is_wider_than_a_phone(here, open_as, who):
    page = open_as(here.people[who], "/account", viewport={"width": 390, "height": 844})
    wide, seen = [], 0
    for name, path in readable(here, who, client_of(here.people[who])):
        page.goto(path)
        seen += 1
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 390:
            wide.append((name, width))
    assert seen
    assert wide == []


def test_times_are_in_the_readers_zone_and_written_alike(here, open_as):
    page = open_as(here.people["owner"], f"/projects/{here.project.slug}/rounds", timezone_id="Pacific/Kiritimati")
    day = page.locator("time").first
    at = datetime.fromisoformat(day.get_attribute("datetime")).astimezone(ZoneInfo("Pacific/Kiritimati"))
    assert day.inner_text() == f"{at:%Y-%m-%d}"
    page.goto(f"/projects/{here.project.slug}/items/{here.items['draft'].pk}")
    moment = page.locator("time").first
    at = datetime.fromisoformat(moment.get_attribute("datetime")).astimezone(ZoneInfo("Pacific/Kiritimati"))
    assert moment.inner_text() == f"{at:%Y-%m-%d %H:%M}"


def test_the_menu_is_grouped_reached_by_keys_and_as_wide_as_the_window(here, open_as):
    page = open_as(here.people["owner"], f"/projects/{here.project.slug}/")
    top = page.locator("nav.project li a")
    assert top.all_inner_texts() == ["Items", "Work", "Results", "Releases", "Project"]
    assert page.locator("nav.below").count() == 0
    for _ in range(4):  # the skip link, the brand, the project, the first group
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Work"
    page.keyboard.press("Enter")
    page.wait_for_url("**/work")
    below = page.locator("nav.below li a")
    assert below.all_inner_texts() == ["My work", "Screening", "Rounds of work", "Disputes"]
    assert page.locator("nav.below [aria-current=page]").inner_text() == "My work"
    assert page.locator("nav.project [aria-current]").inner_text() == "Work"
    height = page.locator("header.bar").bounding_box()["height"]
    assert height < 60  # one line
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for link in [*top.all(), *below.all()]:
        assert link.bounding_box()["x"] + link.bounding_box()["width"] <= 390


def test_whoever_has_few_pages_has_them_in_one_line(here, open_as):
    page = open_as(here.people["annotator"], f"/projects/{here.project.slug}/work")
    assert page.locator("nav.project li a").all_inner_texts() == ["Items", "My work", "Disputes", "Progress"]
    assert page.locator("nav.below").count() == 0
