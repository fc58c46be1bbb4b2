"""The cache of fetched media: bounded, least recently used first, and nobody loses what is being read."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keju import caches
from keju.errors import Misuse
from keju.remote import Remote, of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
HOUR = 3600.0
SIZE = 100_000
GB = 10**9


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty, looked through whenever something comes."""
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def store() -> Iterator[Any]:
    store = fsspec.filesystem("memory")
    for n in range(12):
        store.pipe_file(f"/bucket/{n}.png", bytes([n]) * SIZE)
    yield store
    store.rm("/bucket", recursive=True)


def medium(store: Any, n: int) -> Remote:
    return of(f"memory://bucket/{n}.png", store.info(f"/bucket/{n}.png"))


def fetched(store: Any, n: int, *, ago: float = 0.0) -> Path:
    """Medium `n` on this machine, last used so many seconds ago."""
    place = medium(store, n).fetched()
    os.utime(place, (time.time() - ago,) * 2)
    return place


def limited(monkeypatch: pytest.MonkeyPatch, files: float) -> None:
    monkeypatch.setenv("KEJU_CACHE_MEDIA_GB", f"{files * SIZE / GB:.9f}")


def test_what_was_used_least_recently_leaves_when_there_is_too_much(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 5)
    old = [fetched(store, n, ago=HOUR * (9 - n)) for n in range(5)]
    medium(store, 0).fetched()  # a use: it was the oldest
    new = medium(store, 5).fetched()
    assert [place.is_file() for place in old] == [True, False, False, True, True], "a tenth of the limit becomes free"
    assert new.is_file()
    assert old[1] == medium(store, 1).fetched()
    assert old[1].read_bytes() == bytes([1]) * SIZE, "what left is fetched again"


def test_what_was_used_a_moment_ago_stays_beyond_the_limit(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 2)
    assert all(place.is_file() for place in [fetched(store, n) for n in range(8)])


@pytest.mark.parametrize("limit", ["none", ""])
def test_without_a_limit_or_with_the_generous_default_nothing_leaves(
    store: Any, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setenv("KEJU_CACHE_MEDIA_GB", limit)
    assert all(place.is_file() for place in [fetched(store, n, ago=HOUR) for n in range(8)])


@pytest.mark.parametrize("limit", ["much", "-1", "nan", "inf"])
def test_a_limit_that_is_none_is_named(store: Any, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("KEJU_CACHE_MEDIA_GB", limit)
    with pytest.raises(Misuse, match=f"KEJU_CACHE_MEDIA_GB is '{limit}': write a number of gigabytes, or none"):
        medium(store, 0).fetched()


def test_remains_of_a_killed_process_leave_too(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 3)
    remains = fetched(store, 0).with_suffix(".png.99.1.part")
    remains.write_bytes(b"x" * 3 * SIZE)
    os.utime(remains, (time.time() - HOUR,) * 2)
    medium(store, 1).fetched()
    assert not remains.exists()


@pytest.mark.skipif(sys.platform == "win32" or getattr(os, "geteuid", lambda: 1)() == 0, reason="nothing is read-only")
def test_a_cache_that_can_only_be_read_is_read(store: Any) -> None:
    place = fetched(store, 0, ago=HOUR)
    place.parent.parent.chmod(0o555)
    try:
        assert medium(store, 0).fetched().read_bytes() == bytes(SIZE)
    finally:
        place.parent.parent.chmod(0o755)


def test_a_file_never_leaves_between_its_use_and_its_reading(
    store: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process makes room all the time, while this one uses files that are old enough to leave."""
    limited(monkeypatch, 2)
    places = [fetched(store, n, ago=HOUR) for n in range(12)]
    code = (
        "from keju import caches; from pathlib import Path; import sys, time; end = time.time() + 3\n"
        "print('ready', flush=True)\n"
        "while time.time() < end: caches._came.clear(); caches.came(Path(sys.argv[1]), 1)"
    )
    emptying = subprocess.Popen([sys.executable, "-c", code, str(cache / "media")], stdout=subprocess.PIPE)
    with emptying:
        assert emptying.stdout
        emptying.stdout.readline()
        used, again = 0, 0
        while emptying.poll() is None:
            for n, place in enumerate(places):
                again += not place.is_file()
                assert medium(store, n).fetched().read_bytes() == bytes([n]) * SIZE
                os.utime(place, (time.time() - HOUR,) * 2)
                used += 1
    assert 0 < again <= used, "nothing left meanwhile"


def test_threads_that_look_through_the_folder_together_disturb_nobody(
    store: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, 4)
    places = [fetched(store, n, ago=HOUR * (20 - n)) for n in range(12)]
    threads = [threading.Thread(target=caches.came, args=(cache / "media", SIZE)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [n for n, place in enumerate(places) if not place.is_file()]
    assert left == list(range(len(left))), "the oldest first"
    assert 8 <= len(left) <= 9
