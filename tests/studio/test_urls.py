"""Every address × every person × reading and writing: the policy decides, nothing hidden shows, and nothing breaks.

The addresses are those that Django itself knows, so a page that is added is walked through as well.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from building import client_of, person
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from walking import ask, change_what_is_hidden, hidden_from
from worlds import PAGES, PROJECT_PAGES, ROLES, Address, World, visits

from keju.studio.models import Item, Role
from keju.studio.policy import Verb, may
from keju.studio.signing_in import new_link
from keju.studio.standing import past_of, past_with_asset, roles_of

OPEN_TO_ALL = {"sign-in", "sign-out", "by-link", "set_language"}
FOR_ONESELF = {"home", "project-new", "account", "password", "tokens", "token-revoke"}
"""Outside projects: for whoever is signed in; what is theirs alone."""
ON_ITEM: dict[str, tuple[Verb, ...]] = {
    **dict.fromkeys(("item-edit", "item-draft", "item-discard", "item-checks", "item-restore"), (Verb.WRITE,)),
    **dict.fromkeys(("item-comment", "item-settle"), (Verb.SEE_KEY, Verb.COMMENT)),
    **dict.fromkeys(("item-history", "item-waive"), (Verb.SEE_KEY,)),
    "item-move": (Verb.SUBMIT,),
}
"""What else one must be allowed on the item itself."""
WRITE_WHEN_READ = {"work", "batch", "screen", "sitting"}
"""Looking for work hands it out, and the server's clock starts when a question is opened."""


def expected(world: World, user: User, page: Address, item: Item, method: str) -> bool:
    """Whether the policy opens this page to this person, to read it or to send its form."""
    roles = roles_of(user, world.project)
    if page.verb is Verb.SEE_MEDIA:
        return bool(roles) and bool(item.image and may(page.verb, roles, past_with_asset(user, item.image)))
    if page.verb is None or not may(page.verb, roles):
        return False
    if page.verb is Verb.CANCEL:
        return Role.OWNER in roles or user == world.job.started_by
    if page.name == "asset" and not may(Verb.SEE_ASSETS, roles, past_with_asset(user, world.picture)):
        return False
    if page.name == "asset" and method == "post" and not may(Verb.UPLOAD, roles):
        return False
    past = past_of(user, world.dispute.item if page.name.startswith("dispute") else item)
    if page.name == "item-waive" and not (past.reviewing or Role.OWNER in roles):
        return False
    if page.name == "dispute-draft":
        return bool(may(Verb.ADJUDICATE, roles, past))
    if page.name == "dispute":
        settles = bool(may(Verb.ADJUDICATE, roles, past))
        return settles or (method == "get" and bool(may(Verb.SEE_KEY, roles, past)))
    return all(may(verb, roles, past) for verb in ON_ITEM.get(page.name, ()))


def test_every_page_of_a_project_names_what_one_must_be_allowed():
    assert len(PROJECT_PAGES) >= 80
    assert [page.route for page in PROJECT_PAGES if page.verb is None] == []
    outside = {page.name for page in PAGES} - {page.name for page in PROJECT_PAGES}
    assert outside == OPEN_TO_ALL | FOR_ONESELF


PEOPLE = [*ROLES, "participant"]


@pytest.mark.parametrize("who", PEOPLE)
def test_each_person_comes_exactly_as_far_as_the_policy_lets_them(world: World, who: str) -> None:
    user = world.people[who]
    client, wrong = client_of(user), []
    for page, item, path in visits(world, PROJECT_PAGES, who):
        for method in ("get", "post"):
            opens = expected(world, user, page, item, method)
            seen = ask(client, method, path)
            if opens and (seen.status == 403 or seen.status >= 500):
                wrong.append(f"{method} {path} is refused with {seen.status}")
            if not opens and (seen.status not in {403, 404, 405} or seen.written):
                wrong.append(f"{method} {path} is open: {seen.status}, {seen.written}")
            if method == "get" and seen.written and page.name not in WRITE_WHEN_READ:
                wrong.append(f"reading {path} writes {seen.written}")
    assert wrong == []


@pytest.mark.parametrize("who", PEOPLE)
def test_a_task_is_opened_and_answered_by_its_person_alone(world: World, who: str) -> None:
    client = client_of(world.people[who])
    for name, task in world.tasks.items():
        if name not in {who, "participant"}:
            for method in ("get", "post"):
                seen = ask(client, method, f"/projects/{world.project.slug}/work/{task.pk}", {"decision": "pass"})
                assert (seen.status, seen.written) in [(404, []), (403, [])], (name, method)


def test_people_outside_the_project_are_told_that_there_is_nothing(world: World) -> None:
    admin = person(None)
    admin.is_superuser = admin.is_staff = True
    admin.save()
    for user in (person(None), admin):
        client = client_of(user)
        for _page, _item, path in visits(world, PROJECT_PAGES, ""):
            for method in ("get", "post"):
                seen = ask(client, method, path)
                assert seen.status in {404, 405}, (path, method)
                assert seen.written == []


def test_whoever_is_not_signed_in_is_sent_to_sign_in(world: World) -> None:
    pages = [page for page in PAGES if page.name not in OPEN_TO_ALL]
    for _page, _item, path in visits(world, pages, ""):
        for method in ("get", "post"):
            seen = ask(Client(), method, path)
            assert seen.status == 405 or seen.location.startswith("/sign-in"), (path, method)
            assert seen.written == []


def test_no_form_is_taken_without_its_token(world: World) -> None:
    """Cross-site requests: as the owner, to whom every address is open, and as the participant."""
    for who in ("owner", "participant"):
        client = Client(enforce_csrf_checks=True)
        client.force_login(world.people[who], backend="django.contrib.auth.backends.ModelBackend")
        for page, _item, path in visits(world, PAGES, who):
            seen = ask(client, "post", path)
            assert seen.status in {403, 405}, path
            assert seen.written == [], page.name


def test_a_link_that_is_unknown_used_or_a_robots_look_signs_nobody_in(world: World) -> None:
    token = new_link(world.people["expert"])
    client = Client()
    assert client.get(f"/enter/{token}").status_code == 200
    assert "_auth_user_id" not in client.session
    assert client.post(f"/enter/{token}").headers["Location"] == "/"
    assert client.session["_auth_user_id"] == str(world.people["expert"].pk)
    for spent in (token, "unknown", "x" * 500):
        other = Client()
        assert other.post(f"/enter/{spent}").headers["Location"] == "/sign-in"
        assert "_auth_user_id" not in other.session


# Nothing that is hidden shows: the same pages, to the byte, whatever the key is


CHANGING = re.compile(
    r'x-csrftoken": "\w+"|name="(?:csrfmiddlewaretoken|key|token|seed)" value="[^"]*"'
    r'|draft=[\w-]+|data-target="new:[^"]*"'
)
"""What differs from one loading of a page to the next."""


def everything(world: World, who: str) -> dict[str, str]:
    """Every page that this person can read: path → text without what is random."""
    client, found = client_of(world.people[who]), {}
    for page, _item, path in visits(world, PROJECT_PAGES, who):
        searched = [path + "?q=B&key=B&sort=key"] if page.name in {"items", "assets", "aid-media", "work"} else []
        for asked in (path, *searched):
            found[asked] = CHANGING.sub("", ask(client, "get", asked).text)
    return found


@pytest.mark.parametrize("who", [who for who in PEOPLE if who != "owner"])
def test_nothing_that_one_must_not_see_changes_a_byte_of_any_page(world: World, who: str) -> None:
    user = world.people[who]
    hidden = hidden_from(world, user)
    assert hidden
    before = everything(world, who)
    with transaction.atomic():
        change_what_is_hidden(hidden)
        after = everything(world, who)
        transaction.set_rollback(True)
    assert {path for path in before if before[path] != after[path]} == set()
    shown = "\n".join(after.values())
    assert not re.search("RATIONALE-SECRET|STRATEGY-SECRET|REASON-SECRET", shown)
    if world.items["blind 0"] in hidden:
        assert "COMMENT-SECRET" not in shown


@pytest.mark.parametrize("who", ["annotator", "blind expert", "participant"])
def test_the_blind_see_neither_ids_nor_states_nor_file_names_of_what_they_answer(world: World, who: str) -> None:
    items = [item for item in world.items.values() if past_of(world.people[who], item).blind]
    assert len(items) >= 3
    text = "\n".join(everything(world, who).values())
    for item in items:
        assert item.code not in re.sub(r'"[^"]*"', "", text), item.code
        assert item.image
        assert item.image.name not in text


# Odd parameters


ODD_NUMBERS = ("-1", "9" * 30, "9" * 5000, "²", "NaN", "1e999")
ODD = ("", "\x00", "<script>alert(1)</script>", "' OR 1=1 --", "戏" * 900, "[]", *ODD_NUMBERS)


class Forms(HTMLParser):
    """The forms of a page: (method, address, names of fields)."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page, self.found = page, []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "form":
            self.found.append((told.get("method") or "get", told.get("action") or self.page, set()))
        if tag in {"input", "select", "textarea", "button"} and told.get("name") and self.found:
            self.found[-1][2].add(told["name"])


def forms_of(world: World, who: str) -> dict[tuple[str, str], set[str]]:
    """Every form on every page that this person can open."""
    client, found = client_of(world.people[who]), {}
    for page, _item, path in visits(world, PROJECT_PAGES, who):
        if page.name.startswith(("screening-close", "item-move")):
            continue
        for method, action, names in Forms(path, ask(client, "get", path).text).found:
            if action.startswith(("/projects", path)):
                found.setdefault((method.lower(), action), set()).update(names)
    return found


def odd_values(names: set[str], shift: int) -> dict[str, str]:
    """Each field odd in another way; which way changes with `shift`."""
    return {name: ODD[(at + shift) % len(ODD)] for at, name in enumerate(sorted(names))}


@pytest.mark.parametrize("who", ["owner", "expert", "annotator", "adjudicator", "participant"])
def test_no_form_breaks_whatever_is_sent(world: World, who: str) -> None:
    client = client_of(world.people[who])
    forms = forms_of(world, who)
    assert len(forms) >= (1 if who == "participant" else 2)
    for (method, action), names in forms.items():
        for shift in range(len(ODD) if len(names) < 4 else 3):
            seen = ask(client, method, action, odd_values(names, shift))
            assert seen.status < 500, (action, shift)
            assert "<script>alert(1)" not in seen.text


@pytest.mark.parametrize("who", ["owner", "annotator"])
def test_no_page_breaks_whatever_its_address_says(world: World, who: str) -> None:
    client = client_of(world.people[who])
    names = {"page", "sort", "q", "state", "from", "to", "person", "since", "kind", "source", "draft", "verify", "verb"}
    for page, _item, path in visits(world, PROJECT_PAGES, who):
        if "pk>" in page.route:
            for pk in ("0", "9" * 30):
                seen = ask(client, "get", re.sub(r"/\d+", f"/{pk}", path))
                assert seen.status in {302, 403, 404, 405}, path
        for shift in (0, 4):
            seen = ask(client, "get", f"{path}?{urlencode(odd_values(names, shift))}")
            assert seen.status < 500, (path, shift)
            assert "<script>alert(1)" not in seen.text
