"""Lists in pages: no page grows with the project, and every row is on one of them."""

from __future__ import annotations

import re

import pytest
from building import client_of, person, project
from test_queries import grow, rows
from walking import ask
from worlds import PROJECT_PAGES, World, visits

from keju.studio.models import Item, ModelMark, ModelRun, Release, ReleaseItem, Role

MOST = 60  # rows of the longest page, that of pictures
LINK = re.compile(r'href="(/projects/[\w-]+/(?:items|assets|disputes|work|sources)/\d+)(?:["/?])')


@pytest.mark.parametrize("who", ["owner", "author", "expert", "annotator", "adjudicator"])
def test_no_page_grows_with_the_project(world: World, who: str) -> None:
    there = rows(world.project)
    for time in range(12):
        grow(world.project, there, time)
    assert Item.objects.filter(project=world.project).count() > 3 * MOST
    client, long = client_of(world.people[who]), {}
    for _page, _item, path in visits(world, PROJECT_PAGES, who):
        seen = ask(client, "get", path)
        links = {kind: set() for kind in ("items", "assets", "disputes", "work", "sources")}
        for link in LINK.findall(seen.text) if seen.status == 200 else ():
            links[link.split("/")[3]].add(link)
        if (most := max(map(len, links.values()))) > MOST:
            long[path] = most
    assert long == {}


@pytest.fixture
def many(home, owner, author):
    """So many items, each tried by a model and each in a release that is out."""
    items = Item.objects.bulk_create(Item(project=home, code=f"{at:04}", author=author) for at in range(120))
    run = ModelRun.objects.create(project=home, model="baseline/random", protocol="tco", taken_by=owner)
    marks = (ModelMark(run=run, item=one, label="A", correct=at % 2 == 0) for at, one in enumerate(items))
    ModelMark.objects.bulk_create(marks)
    return [one.code for one in items]


def every_row(client, path):
    """The links to items on all pages of a list, in order, found by its own links from one page to the next."""
    found, asked = [], ""
    while asked is not None:
        page = client.get(path + asked).content.decode()
        found += re.findall(r'/items/\d+">(\w+)</a>', page)
        onwards = re.search(r'rel="next" href="([^"]+)"', page)
        asked = onwards[1].replace("&amp;", "&") if onwards else None
    return found


def test_every_item_that_models_tried_is_on_one_page_hardest_first(home, owner, many):
    found = every_row(client_of(owner), f"/projects/{home.slug}/models")
    assert found == [*many[1::2], *many[::2]]


def test_every_revision_of_a_release_is_on_one_page(home, owner, author, many):
    from building import item

    pinned = item(home, author, state="released", code="pinned").current
    release = Release.objects.create(
        project=home, version="1.0.0", built_by=owner, state="frozen", config={"title": "T"}, report={"items": 120}
    )
    pins = [ReleaseItem(release=release, item=home.items.get(code=code), revision=pinned) for code in many]
    ReleaseItem.objects.bulk_create(pins)
    assert every_row(client_of(owner), f"/projects/{home.slug}/releases/{release.pk}") == many


def test_a_page_that_is_not_there_is_the_nearest_one_and_the_rest_of_the_address_stays(home, owner, many):
    client = client_of(owner)
    for asked, number in (("99", 3), ("-1", 3), ("x", 1), ("2", 2)):
        page = client.get(f"/projects/{home.slug}/items", {"page": asked, "sort": "-code"}).content.decode()
        assert f"{number} / 3" in page
        assert "sort=-code" in page
    assert client_of(person(project(), Role.OWNER)).get(f"/projects/{home.slug}/models").status_code == 404
