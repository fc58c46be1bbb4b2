"""The documentation holds: its examples print what they show, its links lead somewhere, and it names what there is."""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from command_line import actions
from keju.cli import COMMANDS
from keju.formats import FORMATS
from keju.formats.outputs import READERS
from keju.models.catalogue import providers
from keju.models.dialects import DIALECTS
from keju.protocols import PARSERS, builtin_protocols, extract, load_protocol
from keju.protocols.extraction import Reason
from keju.records import STAGES, Status
from keju.results.published import published_names
from scripts import loaded

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
RUN = [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES]
README = pytest.param(ROOT / "README.md", id="README.md", marks=pytest.mark.embedded)  # it shows `keju demo`
TEXT = {page.relative_to(ROOT / "docs").as_posix(): page.read_text(encoding="utf-8") for page in PAGES}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """`tools/docs.py`, which is no package."""
    return loaded("tools/docs.py")


@pytest.mark.skipif(sys.platform == "win32", reason="the examples are written for a POSIX shell")
@pytest.mark.parametrize("document", [*RUN, README])
def test_every_example_prints_what_the_page_shows(document: Path, tool: ModuleType) -> None:
    assert not "".join(tool.differences(document)), f"run: python tools/docs.py {document.relative_to(ROOT)}"


def test_the_tool_finds_a_stale_output_and_leaves_other_commands_alone(tool: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```text a.txt\n甲\n```\n\n```console\n$ cat a.txt\n乙\n```\n\n```console\n$ pip install x\n```\n")
    assert tool.main(["--check", str(page)]) == 1
    assert tool.main([str(page)]) == 0
    assert "$ cat a.txt\n甲\n```" in page.read_text()
    assert "$ pip install x\n```" in page.read_text()
    assert tool.main(["--check", str(page)]) == 0


def test_the_tool_stops_at_a_command_that_fails_unless_it_says_so(tool: ModuleType) -> None:
    with pytest.raises(tool.BrokenExample, match="exit code 2"):
        tool.rendered("```console\n$ keju score nowhere\n```\n")
    shown = tool.rendered('```console\n$ keju score nowhere 2>/dev/null; echo "exit code $?"\n```\n')
    assert shown.endswith("exit code 2\n```\n")


def test_a_command_may_go_on_in_the_next_line(tool: ModuleType) -> None:
    assert tool.rendered("```console\n$ echo a \\\n  b\n```\n") == "```console\n$ echo a \\\n  b\na b\n```\n"


@pytest.mark.parametrize("document", [*RUN, pytest.param(ROOT / "README.md", id="README.md")])
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.partition("#")
        there = document.parent / name if name else document
        assert there.exists(), target
        assert not anchor or anchor in _anchors(there.read_text(encoding="utf-8")), target


def _anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ("benchmarks.md", FORMATS),
        ("protocols.md", [*builtin_protocols(), *PARSERS, *get_args(Reason)]),
        ("models.md", [*(p.name for p in providers()), *DIALECTS]),
        ("runs.md", [*get_args(Status), *STAGES]),
        ("results.md", [*READERS, *published_names()]),
    ],
)
def test_a_page_names_all_that_there_is_of_its_kind(document: str, names: list[str]) -> None:
    assert [name for name in names if f"`{name}`" not in TEXT[document]] == []


def test_every_command_is_shown() -> None:
    everything = "\n".join(TEXT.values())
    assert [name for name in COMMANDS if f"keju {name}" not in everything] == []


def test_every_command_and_option_that_is_shown_exists(capsys: pytest.CaptureFixture[str]) -> None:
    from keju.cli import main

    known = {}
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        told = capsys.readouterr().out
        for action in actions(told):
            with pytest.raises(SystemExit):
                main([name, action, "--help"])
            told += capsys.readouterr().out
        known[name] = set(re.findall(r"--[a-z][\w-]*", told))
    for page, text in TEXT.items():
        shown = "".join(re.findall(r"^```(?:console|sh)\n.*?^```$", text, re.DOTALL | re.MULTILINE))
        for name, rest in re.findall(r"^(?:\$ )?keju (\w+)(?![\w:])((?:\\\n|[^\n|])*)", shown, re.MULTILINE):
            assert name in COMMANDS, f"{page}: keju {name}"
            assert set(re.findall(r"(?<= )--[a-z][\w-]*", rest)) <= known[name], f"{page}: keju {name}{rest}"
        inline = set(re.findall(r"`(--[a-z][\w-]*)", text))
        assert inline <= set().union(*known.values()), page


def test_every_open_case_of_the_parsers_is_as_the_table_says() -> None:
    """The table stands in `protocols.md`; its first row describes its reply in words."""
    rows = re.findall(
        r"^\| (`[^|]+`[^|]*) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| [^|]+ \|$", TEXT["protocols.md"], re.M
    )
    replies = {f"`{reply}`": reply for reply in re.findall(r"`([^`]+)`", "".join(row[0] for row in rows))}
    replies["`B` with a space before and a newline after"] = " B\n"
    options = {"A": "Sheng", "B": "Dan", "C": "Jing", "D": "Chou"}
    multi_tw = load_protocol("multi-tw")
    assert len(rows) > 15
    for shown, *said in rows:
        reply = replies[shown]
        found = [extract(reply, options, parser).label or "–" for parser in ("strict", "anchored", "robust")]
        first = multi_tw.extract(reply, options, item_id="1")
        found.insert(2, "draw" if first.drawn else first.label or "–")
        assert found == said, reply


def test_every_embedded_model_is_listed_with_its_licence() -> None:
    import tomllib

    known = tomllib.loads(files("keju.models").joinpath("weights.toml").read_text(encoding="utf-8"))
    parts = {**known.pop("libraries"), **known}
    text = TEXT["models.md"].lower()
    for name, part in parts.items():
        assert name.split("-")[0] in text, name
        assert part["licence"].split(" (")[0].lower() in text, name
