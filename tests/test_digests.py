"""Digests are taken once for all processes, and no cache, whatever became of it, makes one wrong."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keju import digests
from keju.items import Medium

Take = Callable[[Path], str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache file of this test; what was just written may be kept at once."""
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(digests, "_SETTLED_NS", -1)
    in_another_process()
    return tmp_path / "cache" / "digests"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files whose bytes were digested."""
    seen: list[str] = []

    def noted(file: object, name: str) -> object:
        seen.append(getattr(file, "name", ""))
        return real(file, name)

    real = hashlib.file_digest
    monkeypatch.setattr("keju.items.hashlib.file_digest", noted)
    return seen


def in_another_process() -> None:
    """Forget what only this process knows."""
    digests._kept(digests._folder()).flush()
    digests._kept.cache_clear()
    digests._KNOWN.clear()


def picture(folder: Path, data: bytes = b"picture", name: str = "0001.png") -> Medium:
    (folder / name).write_bytes(data)
    return Medium("image", name, folder / name)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_file_is_read_once_for_all_processes(tmp_path: Path, read: list[str]) -> None:
    medium = picture(tmp_path)
    assert medium.sha256 == medium.sha256 == sha256(b"picture")
    in_another_process()
    assert medium.sha256 == sha256(b"picture")
    assert read == [str(medium.path)]


def test_what_was_read_to_be_sent_is_not_read_for_its_digest(tmp_path: Path, read: list[str]) -> None:
    medium = picture(tmp_path)
    assert b"".join(medium.portions(3)) == b"picture"
    in_another_process()
    assert medium.sha256 == sha256(b"picture")
    assert read == []


def test_a_relative_path_and_an_absolute_one_name_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[str]
) -> None:
    assert picture(tmp_path).sha256
    in_another_process()
    monkeypatch.chdir(tmp_path)
    assert Medium("image", "0001.png", Path("0001.png")).sha256 == sha256(b"picture")
    assert len(read) == 1


def test_another_content_of_the_same_length_and_time_is_seen(tmp_path: Path) -> None:
    medium = picture(tmp_path)
    assert medium.path
    before = medium.path.stat()
    assert medium.sha256 == sha256(b"picture")
    in_another_process()
    time.sleep(0.05)  # a tick of the system's clock
    medium.path.write_bytes(b"PICTURE")
    os.utime(medium.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert medium.sha256 == sha256(b"PICTURE")


def test_a_file_put_in_the_place_of_another_is_seen(tmp_path: Path) -> None:
    medium, other = picture(tmp_path), picture(tmp_path, b"another", "other.png")
    assert medium.path
    assert other.path
    before = medium.path.stat()
    assert medium.sha256 == sha256(b"picture")
    in_another_process()
    os.utime(other.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.path.replace(medium.path)
    assert medium.sha256 == sha256(b"another")


def test_a_file_that_was_just_written_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path, read: list[str]
) -> None:
    """It could be written again within the same tick of the file system's clock."""
    monkeypatch.setattr(digests, "_SETTLED_NS", 2_000_000_000)
    medium = picture(tmp_path)
    assert medium.sha256
    in_another_process()
    assert not cache.exists()
    assert medium.sha256
    assert len(read) == 2


@pytest.mark.parametrize(
    "left",
    [b"", b"\0\xff" * 5000, b"{}\n", b"\n" * 200, b"x" * 106 + b"\n", b"0" * 32 + b" " + b"0" * 64 + b" 00000000\n"],
    ids=["empty", "binary", "json", "lines", "line", "unchecked"],
)
def test_what_is_no_cache_is_passed_over_and_written_on(
    tmp_path: Path, cache: Path, read: list[str], left: bytes
) -> None:
    cache.parent.mkdir()
    cache.write_bytes(left)
    medium = picture(tmp_path)
    in_another_process()
    assert medium.sha256 == sha256(b"picture")
    in_another_process()
    assert medium.sha256 == sha256(b"picture")
    assert len(read) == 1


@pytest.mark.parametrize("place", ["file", "folder", "no home"])
def test_without_a_place_for_the_cache_digests_are_taken_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path, place: str
) -> None:
    if place == "file":
        cache.parent.write_bytes(b"")
    elif place == "folder":
        cache.mkdir(parents=True)
    else:
        monkeypatch.setenv("KEJU_CACHE", "~nobody-of-this-name/cache")
    in_another_process()
    medium = picture(tmp_path)
    assert medium.sha256 == sha256(b"picture")
    in_another_process()
    assert medium.sha256 == sha256(b"picture")


@given(
    flips=st.lists(st.tuples(st.integers(0, 999), st.integers(1, 255)), max_size=4),
    cut=st.integers(0, 999),
    torn=st.integers(0, 999),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_to_the_cache_makes_a_digest_wrong(
    tmp_path: Path, cache: Path, flips: list[tuple[int, int]], cut: int, torn: int
) -> None:
    """Bytes changed at random places, and any stretch taken out or doubled."""
    media = [picture(tmp_path, b"%d" % number, f"{number}.png") for number in range(3)]
    assert all(medium.sha256 for medium in media)
    in_another_process()
    kept = bytearray(cache.read_bytes())
    for at, mask in flips:
        kept[at % len(kept)] ^= mask
    cache.write_bytes(bytes(kept[: cut % len(kept)] + kept[torn % len(kept) :]))
    assert [medium.sha256 for medium in media] == [sha256(b"%d" % number) for number in range(3)]


def test_the_cache_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(digests, "_LARGEST", 3000)
    for number in range(100):
        assert picture(tmp_path, b"%d" % number, f"{number}.png").sha256 == sha256(b"%d" % number)
    in_another_process()
    assert cache.stat().st_size > 10_000
    assert Medium("image", "99.png", tmp_path / "99.png").sha256 == sha256(b"99")
    assert cache.stat().st_size <= 3000
    assert list(cache.parent.iterdir()) == [cache]


def test_processes_that_write_at_once_do_not_lose_or_spoil_lines(tmp_path: Path, cache: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from keju import digests; digests._SETTLED_NS = -1\n"
        "from keju.items import Medium\n"
        "for file in sorted(Path(sys.argv[1]).glob(f'{sys.argv[2]}-*')): Medium('image', file.name, file).sha256\n"
    )
    for writer in range(3):
        for number in range(150):
            picture(tmp_path, b"%d-%d" % (writer, number), f"{writer}-{number}.png")
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen([*command, str(writer)]) for writer in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    lines = [line for line in cache.read_bytes().split(b"\n") if line]
    assert len(lines) == 450
    assert {line[33:97].decode() for line in lines} == {
        sha256(b"%d-%d" % (writer, number)) for writer in range(3) for number in range(150)
    }
