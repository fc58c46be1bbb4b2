"""Fixtures that every test may use. Tests that read the shared data folder are marked `shared` and skip without it."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from real_failures import SHARED

# Not the user's own: what tests digest and transcribe is none of his. Set on import, so that workers inherit it.
os.environ.setdefault("KEJU_CACHE", str(Path(__file__).parents[1] / ".keju-cache"))
settings.register_profile("keju", deadline=None)  # a busy machine is no fault of the code under test
settings.load_profile("keju")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that no worker ends alone; those that open a browser last: its loop stays in the process."""
    browsing = {item.path for item in items if {"browser", "playwright"} & set(getattr(item, "fixturenames", ()))}
    for item in items:
        if item.path in browsing:
            item.add_marker(pytest.mark.flaky(reruns=1))  # a browser on a busy machine may miss a deadline once
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path in browsing, item.path not in slow, -tests[item.path], item.path))
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


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """The system's Chromium, which needs no sandbox in a container."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium")
    return {"executable_path": chromium, "args": ["--no-sandbox"]}
