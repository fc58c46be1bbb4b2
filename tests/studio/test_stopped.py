"""Where there is no page: what is said of it, in the reader's language, and a way on."""

from __future__ import annotations

import pytest
from building import client_of, person, project
from django.test import Client

from keju.studio.models import Role


def stopped(answer, status, *words):
    text = answer.content.decode()
    assert answer.status_code == status
    assert [word for word in (*words, 'class="button" href="/"') if word not in text] == []


@pytest.mark.parametrize(
    ("language", "words"), [("en", "too old"), ("zh-hans", "此表单打开太久"), ("zh-hant", "此表單開啟太久")]
)
def test_a_form_without_its_token_is_refused_in_the_readers_language(language, words):
    home = project()
    client = Client(enforce_csrf_checks=True, headers={"accept-language": language})
    client.force_login(person(home, Role.OWNER), backend="django.contrib.auth.backends.ModelBackend")
    stopped(client.post(f"/projects/{home.slug}/settings"), 403, words, f'<html lang="{language}">')


def test_what_is_not_there_not_allowed_or_not_understood_says_so_and_leads_on():
    home = project()
    client = client_of(person(home, Role.ANNOTATOR))
    stopped(client.get("/nowhere"), 404, "no such page")
    stopped(client.get(f"/projects/{home.slug}/settings"), 403, "Your role")
    owner = client_of(person(home, Role.OWNER))
    page = owner.get(f"/projects/{home.slug}/items/{'9' * 30}", headers={"accept": "text/html"})
    assert page.status_code in {400, 404}
    stopped(page, page.status_code)


def test_a_fault_of_the_studio_is_told_in_the_readers_language(monkeypatch):
    def broken(*_args):
        raise RuntimeError("broken")

    home = project()
    client = client_of(person(home, Role.OWNER))
    client.raise_request_exception = False
    monkeypatch.setattr("keju.studio.views.releases.builder.chosen", broken)
    page = client.get(f"/projects/{home.slug}/releases", headers={"accept-language": "zh-Hans"})
    stopped(page, 500, "服务器日志")
    assert "RuntimeError" not in page.content.decode()
