"""Every test of the studio may use the data base; builders are in `building`."""

from __future__ import annotations

import os

import pytest
from building import client_of, person, project
from django.db import transaction
from django.utils import translation
from playwright.sync_api import expect

from keju.studio.models import Role

expect.set_options(timeout=15_000)  # milliseconds; two cores that run two browsers are slow
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright runs a loop in the thread of the test


@pytest.fixture(autouse=True)
def _store(settings, tmp_path):
    """Folders of media, releases and imports for this test alone."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.RELEASE_STORE = tmp_path / "releases"
    settings.IMPORT_FOLDER = tmp_path / "incoming"
    settings.JOB_FOLDER = tmp_path / "jobs"


@pytest.fixture(scope="module")
def _furnished(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all tests here: each undoes what it does."""
    from django.conf import settings
    from worlds import furnished

    before, settings.MEDIA_STORE = settings.MEDIA_STORE, tmp_path_factory.mktemp("world")
    with django_db_blocker.unblock(), transaction.atomic():
        yield furnished()
        transaction.set_rollback(True)
    settings.MEDIA_STORE = before


@pytest.fixture
def world(_furnished, settings):
    settings.MEDIA_STORE = _furnished.store
    return _furnished


@pytest.fixture(autouse=True)
def _database(db):
    """Every test may use the data base; one that asks for `transactional_db` or `live_server` gets real commits."""


@pytest.fixture(autouse=True)
def _language():
    """A test's last request leaves its language to nobody."""
    yield
    translation.deactivate()


@pytest.fixture
def home():
    """A project; a module whose tests need another has a `home` of its own."""
    return project()


@pytest.fixture
def owner(home):
    return person(home, Role.OWNER)


@pytest.fixture
def author(home):
    return person(home, Role.AUTHOR)


UNREACHED = ("Failed to load resource", "htmx:sendError", "htmx:afterRequest", "htmx:responseError")
"""What the console says of a request that was refused or never arrived."""


@pytest.fixture
def open_as(browser, live_server):
    """`open_as(user, path)`: a page of a new browser window in which `user` is signed in.

    The test fails where the browser's console has an error or a warning, such as of a style that the policy of content
    refuses. What says that a request was refused or the connection cut is left out: tests do that on purpose.
    """
    contexts, complaints = [], []

    def heard(message):
        if message.type in {"error", "warning"} and not message.text.startswith(UNREACHED):
            complaints.append(f"{message.location.get('url')}: {message.text}")

    def opened(user, path, **how):
        context = browser.new_context(base_url=live_server.url, locale="en-GB", **how)
        contexts.append(context)
        cookie = client_of(user).cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
