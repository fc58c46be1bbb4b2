"""`tools/studio_screens.py all` leaves out no page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from building import client_of
from django.urls import resolve
from walking import ask
from worlds import PAGES, ROLES, World, visits


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    yield
    for name in ("studio_screens", "studio_states", "studio_teahouse"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("tools")
def test_every_page_that_somebody_can_read_is_photographed_as_somebody_sees_it(world: World) -> None:
    import studio_screens
    import studio_states

    readable: set[str] = set()
    taken = {resolve(state.path.partition("?")[0]).url_name for state in _opened(studio_states.answered(world))}
    for who in [*ROLES, "participant"]:
        client = client_of(world.people[who])
        pictures = dict(studio_screens.pages_of(world, who, [])) if who in {"owner", *studio_screens.OWN} else {}
        for page, _item, path in visits(world, PAGES, who):
            if page.name in readable and (page.name in taken or pictures.get(page.name) != path):
                continue
            seen = ask(client, "get", path)
            if seen.status == 200 and "<html" in seen.text[:200]:
                readable.add(page.name)
                if pictures.get(page.name) == path:
                    taken.add(page.name)
    assert len(readable) >= 40
    assert readable - taken == set()


def _opened(states):
    """Those that are opened, with an address of the studio."""
    return [state for state in states if state.sent is None and state.path != "/nowhere"]
