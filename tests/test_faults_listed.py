"""Each test that `docs/faults.md` and `SECURITY.md` name is there: a claim without one is a claim of nobody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
THERE = {
    *(
        name
        for file in TESTS.rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.M)
    ),
    *(file.name for file in TESTS.rglob("test_*.py")),
}


@pytest.mark.parametrize("document", ["docs/faults.md", "docs/zh/faults.md", "SECURITY.md"])
def test_each_test_that_a_page_names_is_there(document: str) -> None:
    named = re.findall(r"`(test_[\w.]+)`", (ROOT / document).read_text("utf-8"))
    assert len(named) > 20
    assert [name for name in named if name not in THERE] == []


@pytest.mark.parametrize("document", ["docs/faults.md", "docs/zh/faults.md", "SECURITY.md"])
def test_each_row_names_a_test_or_a_command(document: str) -> None:
    rows = [line for line in (ROOT / document).read_text("utf-8").split("\n") if line.startswith("| ")]
    bare = [
        row
        for row in rows
        if not re.search(r"`(test_[\w.]+|make \w+)`", row) and not re.match(r"\| (fault|harm|who|故障) \|", row)
    ]
    assert bare == []
