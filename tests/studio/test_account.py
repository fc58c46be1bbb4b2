"""One's account: a password where one wants one, what a new link is good for, who is locked out."""

from __future__ import annotations

import re

import pytest
from building import client_of, item, person, project
from django.contrib.auth.models import User
from django.test import Client

from keju.studio import sittings
from keju.studio.models import Event, Role
from keju.studio.signing_in import new_link

WORDS = "a-quiet-teahouse"


def by_link(user: User) -> Client:
    client = Client()
    assert client.post(f"/enter/{new_link(user)}").status_code == 302
    return client


def set_to(client: Client, words: str, **more: str):
    return client.post("/account/password", {"new_password1": words, "new_password2": words, **more})


def signs_in(user: User, words: str) -> bool:
    Client().get("/sign-in")
    return Client().post("/sign-in", {"username": user.username, "password": words}).status_code == 302


def test_whoever_has_no_password_sets_one_and_signs_in_with_it():
    user = person(project(), Role.EXPERT)
    client = by_link(user)
    assert 'href="/account"' in client.get("/").content.decode()
    assert 'href="/account/password"' in client.get("/account").content.decode()
    assert "old_password" not in client.get("/account/password").content.decode()
    assert set_to(client, WORDS).headers["Location"] == "/account"
    assert client.get("/account").status_code == 200  # this session goes on
    assert signs_in(user, WORDS)


def test_a_change_asks_for_the_old_one_and_ends_the_other_sessions():
    user = person(project(), Role.EXPERT)
    set_to(by_link(user), WORDS)
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        client.post("/sign-in", {"username": user.username, "password": WORDS})
    assert set_to(here, "another-teahouse").status_code == 200
    assert set_to(here, "another-teahouse", old_password="wrong").status_code == 200
    assert signs_in(user, WORDS)
    assert set_to(here, "another-teahouse", old_password=WORDS).status_code == 302
    assert not signs_in(user, WORDS)
    assert signs_in(user, "another-teahouse")
    assert elsewhere.get("/account").headers["Location"].startswith("/sign-in")


def test_whoever_lost_it_gets_a_new_link_from_the_owner_and_sets_another_once():
    home = project()
    owner, user = person(home, Role.OWNER), person(home, Role.EXPERT)
    set_to(by_link(user), WORDS)
    desk = client_of(owner)
    membership = home.memberships.get(user=user)
    page = desk.post(f"/projects/{home.slug}/people/{membership.pk}/link", follow=True).content.decode()
    address = re.search(r"http://testserver(/enter/[\w-]+)", page)
    assert address is not None
    assert address[1] not in desk.get(f"/projects/{home.slug}/people").content.decode()  # shown once
    assert Event.objects.filter(project=home, verb="link").exists()
    client = Client()
    client.post(address[1])
    assert set_to(client, "found-again-teahouse").status_code == 302
    assert signs_in(user, "found-again-teahouse")
    assert set_to(client, "and-again-teahouse").status_code == 200  # from now on the old one is asked for
    assert signs_in(user, "found-again-teahouse")


def test_no_owner_makes_a_link_for_somebody_of_another_project_and_is_told_why():
    home, other = project(), project()
    owner, user = person(home, Role.OWNER), person(home, Role.EXPERT)
    other.memberships.create(user=user, roles=["author"])
    membership = home.memberships.get(user=user)
    page = client_of(owner).get(f"/projects/{home.slug}/people/{membership.pk}").content.decode()
    assert "works in other projects too" in page
    assert client_of(owner).post(f"/projects/{home.slug}/people/{membership.pk}/link").status_code == 403


@pytest.mark.parametrize("words", ["short", "password123", "person-name-itself"])
def test_a_password_that_is_easily_guessed_is_refused(words):
    user = person(project(), Role.EXPERT, name="person-name-itself")
    assert set_to(by_link(user), words).status_code == 200
    assert not signs_in(user, words)


@pytest.mark.parametrize(
    ("language", "words"), [("zh-Hans", "设置密码"), ("zh-Hant", "設定密碼"), ("en", "Set a password")]
)
def test_the_pages_are_in_the_reader_s_language(language, words):
    client = by_link(person(project(), Role.EXPERT))
    for path in ("/account", "/account/password"):
        assert words in client.get(path, headers={"accept-language": language}).content.decode()


def test_whoever_guesses_is_locked_out_in_words_and_others_of_the_same_address_are_not(settings):
    settings.AXES_ENABLED = True
    user, other = person(project(), Role.EXPERT), person(project(), Role.EXPERT)
    for one in (user, other):
        set_to(by_link(one), WORDS)
    for _ in range(5):
        locked = Client().post(
            "/sign-in", {"username": user.username, "password": "guess"}, headers={"accept-language": "zh-Hant"}
        )
    assert locked.status_code == 429
    assert "嘗試次數過多" in locked.content.decode()
    assert not signs_in(user, WORDS)
    assert signs_in(other, WORDS)
    assert by_link(user).get("/account").status_code == 200  # a link is no password


def test_a_participant_s_page_leads_nowhere_but_on():
    home = project()
    owner = person(home, Role.OWNER)
    item(home, owner, state="accepted")
    batch = sittings.draw(home, owner, "Pilot", 1)
    seat = sittings.invite(batch, owner, "expert")[0].participant
    page = client_of(seat.user).get(f"/projects/{home.slug}/sittings/{batch.pk}").content.decode()
    assert 'href="/account"' not in page
