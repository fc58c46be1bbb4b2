"""The documentation's site: whole in both languages, strict, no network; its reference tells what the code has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import keju
from keju.checks import RULES
from keju.cli import COMMANDS
from keju.formats import FORMATS
from keju.models.catalogue import presets, providers
from keju.phrase import in_chinese
from keju.protocols import builtin_protocols
from keju.records import Record
from scripts import loaded

pytest.importorskip("zensical", reason="the site's tools are not installed (group docs)")
ROOT = Path(__file__).parents[1]
ALONE = {"quickstart"}
"""Pages that are in the Chinese site only."""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """`tools/site.py`, which is no package."""
    return loaded("tools/site.py")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as `make docs` builds it."""
    target = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, str(ROOT / "tools" / "site.py"), str(target)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return target


def text_of(site: Path, page: str) -> str:
    return (site / page / "index.html").read_text(encoding="utf-8")


def test_every_page_is_in_both_languages_and_each_leads_to_the_other(site: Path) -> None:
    english = {path.parent.relative_to(site).as_posix() for path in site.rglob("index.html")}
    chinese = {page.removeprefix("zh").strip("/") or "." for page in english if page.split("/")[0] == "zh"}
    english = {page for page in english if page.split("/")[0] != "zh"}
    assert chinese == english | ALONE
    assert '<html lang="zh"' in text_of(site, "zh/models")
    assert 'href="../zh/models/"' in text_of(site, "models")
    assert 'href="../../models/" hreflang="en"' in text_of(site, "zh/models")
    assert re.search(r'href="\.\./\.\./(\./)?" hreflang="en" class', text_of(site, "zh/quickstart"))  # the first page


def test_a_page_without_chinese_says_so_in_the_chinese_site_alone(site: Path) -> None:
    told = {path for path in site.rglob("*.html") if "本页还没有中文" in path.read_text(encoding="utf-8")}
    assert site / "zh" / "architecture" / "index.html" in told
    assert site / "zh" / "limits" / "index.html" not in told
    assert all(path.is_relative_to(site / "zh") for path in told)


def test_the_reference_tells_every_command_and_option(site: Path) -> None:
    import argparse

    text = text_of(site, "reference/commands")
    for name in COMMANDS:
        assert f'id="keju-{name}"' in text
        parser = argparse.ArgumentParser()
        import_module(f"keju.cli.{name}").add_arguments(parser)
        for action in parser._actions:
            assert [each for each in action.option_strings[-1:] if each != "--help" and each not in text] == []


def test_the_reference_tells_every_rule_in_the_language_of_the_site(site: Path) -> None:
    english, chinese = text_of(site, "reference/rules"), text_of(site, "zh/reference/rules")
    for rule in RULES.values():
        assert f'id="{rule.code.lower()}"' in english
        assert f'id="{rule.code.lower()}"' in chinese
        first = re.split(r"[\W_]", in_chinese(rule.title))[0]
        assert first in chinese


def test_the_reference_tells_all_that_is_shipped(site: Path) -> None:
    protocols, served = text_of(site, "reference/protocols"), text_of(site, "reference/providers")
    assert [name for name in builtin_protocols() if f'id="{name}"' not in protocols] == []
    assert [each.name for each in (*providers(), *presets()) if each.name not in served] == []
    assert [name for name in FORMATS if f"<code>{name}</code>" not in text_of(site, "reference/formats")] == []


def test_the_reference_tells_every_public_name_and_every_field_of_a_record(site: Path) -> None:
    face = text_of(site, "reference/python") + text_of(site, "reference/stored")
    names = [name for name in keju.__all__ if name not in ("stats", "KejuError")]  # errors stand there as a tree
    assert [name for name in names if f'id="keju{name.lower()}"' not in face] == []
    assert "KejuError" in face
    statistics = text_of(site, "reference/statistics")
    assert [name for name in keju.stats.__all__ if f'id="kejustats{name.lower()}"' not in statistics] == []
    assert [name for name in Record.__slots__ if f"<code>{name}</code>" not in face] == []


def test_links_that_lead_nowhere_and_things_loaded_from_elsewhere_are_found(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<h1 id="a">A</h1><a href="#a"><a href="#b"><a href="other/"><a href="https://example.org/">'
        '<img src="gone.png"><link rel="stylesheet" href="https://example.org/font.css">'
    )
    assert sorted(tool.dangling(tmp_path)) == [
        "index.html: #b leads nowhere",
        "index.html: gone.png leads nowhere",
        "index.html: https://example.org/font.css is loaded from elsewhere",
        "index.html: other/ leads nowhere",
    ]


def test_a_page_that_the_navigation_lacks_or_misnames_ends_the_build(tool: ModuleType) -> None:
    pages = dict.fromkeys(tool.titles("zh"), "中文")
    faults = tool.misnamed({**pages, "new.md": "新"}, "zh")
    assert "the navigation (zh) lacks new.md" in faults
    assert any("is wrong about the language of architecture.md" in fault for fault in faults)
    assert "the navigation (en) names limits.md, which is no page" in tool.misnamed({"index.md": ""}, "en")


def test_a_broken_link_ends_the_build_and_leaves_the_site_as_it_was(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    with (tmp_path / "docs" / "limits.md").open("a", encoding="utf-8") as page:
        page.write("\n[away](nothing.md), [away](checks.md#nothing)\n")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "DOCS", tmp_path / "docs")
    tool.written.cache_clear()
    for name in ("zensical.toml", "zensical.zh.toml", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "kept").touch()
    assert tool.main([str(tmp_path / "site")]) == 1
    said = capsys.readouterr().err
    assert "page does not exist" in said
    assert "anchor does not exist" in said
    assert (tmp_path / "site" / "kept").exists()
    tool.written.cache_clear()


def test_a_link_that_leads_out_of_the_docs_goes_to_the_repository(tool: ModuleType) -> None:
    source = ROOT / "docs" / "zh" / "checks.md"
    led = partial(tool._linked, source=source, page="checks.md", language="zh")
    assert led("[x](../../README.md)") == f"[x]({tool.REPOSITORY}/blob/main/README.md)"
    assert led("[x](../architecture.md#words)") == "[x](architecture.md#words)"
    assert led("[x](../checks.md)") == '<a href="../checks/">x</a>'  # the English page of the same name
    with pytest.raises(tool.Broken, match=r"gone\.md"):
        led("[x](../../gone.md)")


def test_lines_of_chinese_are_joined_without_a_blank(tool: ModuleType) -> None:
    source = ROOT / "docs" / "zh" / "checks.md"
    assert tool._linked("查一遍，\n说清楚。\nkeju 不改\n", source, "checks.md", "zh") == "查一遍，说清楚。\nkeju 不改\n"


# in a browser


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site behind a server of its own."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("language", "sought", "found"),
    [("", "bootstrap", "Results"), ("zh/", "一致性", "评分者一致吗"), ("zh/", "闭着眼睛", "看成绩")],
)
def test_search_finds_words_in_either_language_and_asks_nobody_else(
    language: str, sought: str, found: str, browser: Any, address: str
) -> None:
    page = browser.new_context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/{language}", wait_until="networkidle")  # the search has its index
    page.keyboard.press("/")
    page.keyboard.type(sought)
    page.get_by_role("option").filter(has_text=found).first.wait_for(timeout=30_000)
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    page.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page_name", ["", "zh/", "reproduce/", "zh/reference/rules/", "reference/python/"])
def test_no_page_is_wider_than_its_window(page_name: str, width: int, browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(f"{address}/{page_name}")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
    context.close()
