"""The interface in three languages: no message is left out, none is stale, and the right one is chosen."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation
from tests.studio import building

from keju.script import script_of
from keju.studio.models import Role
from keju.studio.wording import in_a_row
from scripts import loaded

pytest.importorskip("babel", reason="a tool of developers")


@pytest.fixture(scope="module")
def messages() -> ModuleType:
    return loaded("tools/messages.py")


def test_every_message_is_translated_and_every_catalogue_is_fresh(
    messages: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert messages.main(check=True) == 0, capsys.readouterr().out


def test_each_catalogue_is_in_its_own_script(messages: ModuleType) -> None:
    hans = messages.simplified(messages.collected())
    hant = messages.traditional(messages.collected(), hans)
    for catalogue, wrong in ((hans, "hant"), (hant, "hans")):
        texts = [m.string if isinstance(m.string, str) else m.string[0] for m in catalogue if m.id]
        assert [text for text in texts if script_of(text) == wrong] == []


def test_messages_are_found_in_code_and_in_templates(messages: ModuleType) -> None:
    found = {one.text for one in messages.collected()}
    assert {"Your role in this project does not include this.", "Skip to the content", "owner"} <= found
    plural = next(one for one in messages.collected() if one.text == "%(n)s item")
    assert plural.plural == "%(n)s items"


def test_an_f_string_as_a_message_is_refused(
    messages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "views.py").write_text('_(f"hello {name}")', encoding="utf-8")
    monkeypatch.setattr(messages, "STUDIO", tmp_path)
    with pytest.raises(SystemExit, match="f-string"):
        messages.collected()


@pytest.mark.parametrize(
    ("asked", "tag", "words"),
    [
        ("zh-CN", "zh-hans", "登录"),
        ("zh-Hans", "zh-hans", "登录"),
        ("zh-Hans-CN,zh;q=0.9", "zh-hans", "登录"),
        ("zh-TW", "zh-hant", "登入"),
        ("zh-Hant", "zh-hant", "登入"),
        ("zh-HK,zh;q=0.8,en;q=0.5", "zh-hant", "登入"),
        ("en-GB", "en", "Sign in"),
        ("fr", "en", "Sign in"),
    ],
)
def test_the_browsers_language_is_answered_in(asked: str, tag: str, words: str) -> None:
    page = Client(headers={"accept-language": asked}).get("/sign-in")
    assert page["Content-Language"] == tag
    assert f'<html lang="{tag}">' in page.content.decode()
    assert words in page.content.decode()


def test_the_switch_is_kept_and_beats_the_browser() -> None:
    project = building.project()
    browser = building.client_of(building.person(project, Role.OWNER))
    address = f"/projects/{project.slug}/releases"
    assert "Prepare a release" in browser.get(address).content.decode()
    browser.post(reverse("set_language"), {"language": "zh-hant", "next": address})
    page = browser.get(address, headers={"accept-language": "en"}).content.decode()
    assert "準備發布" in page
    assert "准备发布" not in page


def test_reasons_of_the_policy_come_in_the_readers_language() -> None:
    from keju.studio.policy import NO_ROLE

    with translation.override("zh-hans"):
        assert str(NO_ROLE.reason) == "您在本项目中的角色没有此项权限。"
    with translation.override("en"):
        assert str(NO_ROLE.reason) == "Your role in this project does not include this."


def test_words_of_an_imported_benchmark_have_the_chinese_names_that_keju_knows() -> None:
    from dataclasses import replace

    import keju
    from keju.studio import importer

    project = building.project()
    teahouse = keju.load("teahouse")
    importer.take(project, building.person(project, Role.OWNER), replace(teahouse, items=teahouse.items[:1]), None)
    with translation.override("zh-hans"):
        assert "脸谱象征" in {str(term) for term in project.terms.filter(kind="question_type")}
    with translation.override("zh-hant"):
        assert "臉譜象徵" in {str(term) for term in project.terms.filter(kind="question_type")}


@pytest.mark.parametrize(("language", "row"), [("en", "甲, 乙"), ("zh-hans", "甲、乙"), ("zh-hant", "甲、乙")])
def test_names_stand_in_a_row_as_the_language_sets_them(language: str, row: str) -> None:
    with translation.override(language):
        assert in_a_row(["甲", "乙"]) == row
