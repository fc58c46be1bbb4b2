"""Every test of the studio may use the data base; builders are in `building`."""

from __future__ import annotations

import os

import pytest
from building import client_of
from django.utils import translation
from playwright.sync_api import expect

expect.set_options(timeout=15_000)  # milliseconds; two cores that run two browsers are slow
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright runs a loop in the thread of the test


@pytest.fixture(autouse=True)
def _store(settings, tmp_path):
    """Folders of media, releases and imports for this test alone."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.RELEASE_STORE = tmp_path / "releases"
    settings.IMPORT_FOLDER = tmp_path / "incoming"


@pytest.fixture(autouse=True)
def _database(db):
    """Every test may use the data base; one that asks for `transactional_db` or `live_server` gets real commits."""


@pytest.fixture(autouse=True)
def _language():
    """A test's last request leaves its language to nobody."""
    yield
    translation.deactivate()


@pytest.fixture
def open_as(browser, live_server):
    """`open_as(user, path)`: a page of a new browser window in which `user` is signed in."""
    contexts = []

    def opened(user, path, **how):
        context = browser.new_context(base_url=live_server.url, locale="en-GB", **how)
        contexts.append(context)
        cookie = client_of(user).cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page = context.new_page()
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
