"""Every address of the API × every person: the policy decides there as on the pages, and nothing hidden shows.

The addresses are those that the API itself describes; one that has no entry here fails the first test.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from building import client_of, content, person, png
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from walking import ask, change_what_is_hidden, hidden_from
from worlds import ITEMS, ROLES, World, addresses

from keju.studio.models import Assignment, Item
from keju.studio.policy import Verb, may
from keju.studio.standing import past_of, past_with_asset, roles_of
from keju.studio.tokens import new_token
from keju.studio.views.api import api

PEOPLE = [*ROLES, "participant"]
NEEDS: dict[tuple[str, str], tuple[Verb, ...]] = {
    ("GET", "/projects"): (),
    ("GET", "/projects/{slug}/items"): (Verb.SEE_PROJECT,),
    ("POST", "/projects/{slug}/items"): (Verb.WRITE,),
    ("GET", "/projects/{slug}/items/{code}"): (Verb.SEE_PROJECT, Verb.SEE_KEY),
    ("PUT", "/projects/{slug}/items/{code}"): (Verb.WRITE,),
    ("POST", "/projects/{slug}/items/{code}/submit"): (Verb.SUBMIT,),
    ("GET", "/projects/{slug}/work"): (Verb.SEE_PROJECT,),
    ("GET", "/projects/{slug}/work/{number}"): (Verb.SEE_PROJECT,),
    ("GET", "/projects/{slug}/terms"): (Verb.SEE_PROJECT,),
    ("GET", "/projects/{slug}/assets"): (Verb.SEE_ASSETS,),
    ("POST", "/projects/{slug}/assets"): (Verb.UPLOAD,),
    ("GET", "/projects/{slug}/media/{sha256}"): (Verb.SEE_MEDIA,),
    ("GET", "/projects/{slug}/releases"): (Verb.MANAGE,),
    ("GET", "/projects/{slug}/releases/{version}/zip"): (Verb.MANAGE,),
}
"""Method and address → what one must be allowed; where the address names an item or a picture, on that."""
ABSENT = {404, 405, 409, 422}
"""Open to this person, but this item is in no state for it, or the release of this world was never built."""


def described() -> set[tuple[str, str]]:
    paths = api.get_openapi_schema()["paths"]
    return {(method.upper(), path.removeprefix("/api")) for path, methods in paths.items() for method in methods}


def test_every_address_of_the_api_says_here_what_one_must_be_allowed() -> None:
    assert described() == set(NEEDS)
    routes = {one.route for one in addresses() if one.namespace == "studio-api"}
    assert len(routes) == len({path for _method, path in NEEDS}) + 2  # its root, and its description


def calls(world: World, who: str) -> Iterator[tuple[tuple[str, str], Item, str]]:
    """(address, item, path) of every call that is tried."""
    task = world.tasks.get(who, world.tasks["expert"])
    for needed in NEEDS:
        per_item = "{code}" in needed[1] or "{sha256}" in needed[1]
        for name in ITEMS if per_item else ITEMS[:1]:
            item = world.items[name]
            told = {"slug": world.project.slug, "code": item.code, "number": task.pk, "version": "1.0.0"}
            yield needed, item, "/api" + needed[1].format(**told, sha256=item.image.sha256 if item.image else "")


def expected(world: World, user: User, needs: tuple[str, str], item: Item, who: str) -> bool:
    roles = roles_of(user, world.project)
    if needs[1].endswith("{number}") and not Assignment.objects.filter(
        pk=world.tasks.get(who, world.tasks["expert"]).pk, user=user, state="taken"
    ).exclude(batch__kind="baseline"):
        return False
    if "{sha256}" in needs[1]:
        return bool(roles and item.image and may(Verb.SEE_MEDIA, roles, past_with_asset(user, item.image)))
    past = past_of(user, item) if "{code}" in needs[1] else None
    return all(may(verb, roles, past) for verb in NEEDS[needs])


def body_of(needs: tuple[str, str], item: Item) -> dict[str, Any]:
    """What is sent, such that it would be taken from whoever may send it."""
    if needs == ("POST", "/projects/{slug}/assets"):
        return {"data": {"file": SimpleUploadedFile("a.png", png(), "image/png")}}
    sent = {"content": content(2).model_dump(), "base_version": item.version}
    return {"data": json.dumps(sent), "content_type": "application/json"}


def tried(client: Client, needs: tuple[str, str], item: Item, path: str) -> Any:
    if needs[0] == "GET":
        return ask(client, "get", path)
    return ask(client, needs[0].lower(), path, **body_of(needs, item))


def program(user: User) -> Client:
    return Client(headers={"authorization": f"Bearer {new_token(user, 'walk')}"})


@pytest.mark.parametrize("who", PEOPLE)
def test_each_program_comes_exactly_as_far_as_the_policy_lets_its_person(world: World, who: str) -> None:
    user = world.people[who]
    client, wrong, opened = program(user), [], 0
    for needs, item, path in calls(world, who):
        opens = expected(world, user, needs, item, who)
        seen = tried(client, needs, item, path)
        written = [sql for sql in seen.written if "apitoken" not in sql]
        opened += opens
        if opens and not (seen.status in {200, 201} or seen.status in ABSENT):
            wrong.append(f"{needs[0]} {path} is refused with {seen.status}: {seen.text[:200]}")
        if not opens and (seen.status not in {403, 404} or written):
            wrong.append(f"{needs[0]} {path} is open: {seen.status}, {written}")
        if needs[0] == "GET" and written:
            wrong.append(f"reading {path} writes {written}")
    assert wrong == []
    assert opened >= 1


def test_whoever_may_is_let_in(world: World) -> None:
    """The walk above would pass where everything is absent: these come through."""
    owner, author = world.people["owner"], world.people["author"]
    expect = {(method, path) for method, path in NEEDS if not path.endswith(("{number}", "/zip"))}
    through = set()
    for user, who in ((owner, "owner"), (author, "author")):
        client = program(user)
        through |= {needs for needs, item, path in calls(world, who) if tried(client, needs, item, path).status < 300}
    assert expect - through == set()


def test_people_outside_and_those_not_signed_in_are_told_nothing(world: World) -> None:
    stranger = person(None)
    stranger.is_superuser = True
    stranger.save()
    for client, told in ((program(stranger), {404}), (Client(), {401})):
        for needs, item, path in calls(world, ""):
            if needs != ("GET", "/projects"):
                seen = tried(client, needs, item, path)
                assert (seen.status in told, [s for s in seen.written if "apitoken" not in s]) == (True, []), path
    assert ask(program(stranger), "get", "/api/projects").text == "[]"
    assert ask(Client(), "get", "/api/projects").status == 401


def test_a_browser_s_session_writes_nothing_without_its_token(world: World) -> None:
    for who in ("owner", "author"):
        client = Client(enforce_csrf_checks=True)
        client.force_login(world.people[who], backend="django.contrib.auth.backends.ModelBackend")
        for needs, item, path in calls(world, who):
            if needs[0] != "GET":
                seen = tried(client, needs, item, path)
                assert (seen.status, seen.written) == (403, []), path


def everything(client: Client, world: World, who: str) -> dict[str, str]:
    """Everything that this person's program reads, with other ways of asking for lists."""
    found = {}
    for needs, _item, path in calls(world, who):
        if needs[0] == "GET":
            searched = [f"{path}?state=accepted", f"{path}?limit=500", f"{path}?offset=2"]
            for asked in (path, *(searched if needs[1].endswith(("items", "assets")) else [])):
                found[asked] = ask(client, "get", asked).text
    return found


@pytest.mark.parametrize("who", [who for who in PEOPLE if who != "owner"])
def test_nothing_that_one_must_not_see_changes_a_byte_of_any_answer(world: World, who: str) -> None:
    hidden, client = hidden_from(world, world.people[who]), program(world.people[who])
    assert hidden
    before = everything(client, world, who)
    with transaction.atomic():
        change_what_is_hidden(hidden)
        after = everything(client, world, who)
        transaction.set_rollback(True)
    assert {path for path in before if before[path] != after[path]} == set()
    assert "-SECRET" not in "\n".join(after.values()) or world.items["blind 0"] not in hidden


@pytest.mark.parametrize("who", ["annotator", "blind expert", "participant"])
def test_the_blind_find_no_id_and_no_file_name_of_what_they_answer(world: World, who: str) -> None:
    user = world.people[who]
    items = [item for item in world.items.values() if past_of(user, item).blind]
    assert len(items) >= 3
    text = "\n".join(everything(client_of(user), world, who).values())
    for item in items:
        assert f'"{item.code}"' not in text
        assert item.image
        assert item.image.name not in text


ODD_ASKED = ("limit=-1&offset=-9", f"limit={'9' * 30}", "offset=NaN", "state=%00", f"state={'戏' * 900}")
ODD_SENT = ("", "[]", "null", "{", '{"content": {"options": 7}}', '{"content": {"stem": {"en": "\\u0000"}}}')


@pytest.mark.parametrize("who", ["owner", "annotator"])
def test_no_answer_breaks_whatever_is_sent(world: World, who: str) -> None:
    client = program(world.people[who])
    for needs, _item, path in calls(world, who):
        method = needs[0].lower()
        for odd in ODD_ASKED if method == "get" else ODD_SENT:
            if method == "get":
                seen = ask(client, "get", f"{path}?{odd}")
            else:
                seen = ask(client, method, path, odd, content_type="application/json")
            assert seen.status < 500, (path, odd)
