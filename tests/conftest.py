"""Fixtures that every test may use. Tests that read the shared data folder are marked `shared` and skip without it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("keju", deadline=None)  # a busy machine is no fault of the code under test
settings.load_profile("keju")

SHARED = Path(os.environ.get("KEJU_SHARED", Path(__file__).parents[2] / "shared"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    absent = pytest.mark.skip(reason="the shared data folder is not here (set KEJU_SHARED)")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(absent)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared data folder; use it only in tests marked `shared`."""
    return SHARED


def bug_cases(group: str) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: the real failures of other tools in `group` (`1-extraction`, …)."""
    path = SHARED / "cases" / "bug-cases.jsonl"
    if not path.is_file():
        return []
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in cases if case["group"] == group]
