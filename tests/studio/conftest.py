"""Every test of the studio may use the data base; builders are in `building`."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _store(settings, tmp_path):
    """A store of media for this test alone."""
    settings.MEDIA_STORE = tmp_path / "media"


@pytest.fixture(autouse=True)
def _database(db):
    """Every test may use the data base; one that asks for `transactional_db` or `live_server` gets real commits."""
