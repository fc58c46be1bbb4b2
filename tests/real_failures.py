"""The real failures of other tools that lie in the shared data folder, as parameters of tests."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("KEJU_SHARED", Path(__file__).parents[2] / "shared"))


def bug_cases(group: str) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: the real failures of other tools in `group` (`1-extraction`, …)."""
    path = SHARED / "cases" / "bug-cases.jsonl"
    if not path.is_file():
        return []
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in cases if case["group"] == group]
