"""Faults of the disk: full, read-only, limited. Each command says where and why, and leaves nothing that looks whole.

`docs/faults.md` lists them. A small file system is mounted where the tests run as root; elsewhere those skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_line import exam, shell
from keju import api
from keju.formats import load
from keju.runs.reading import open_run
from making import benchmark
from mutating import contents
from release.filled import toml as release_toml
from servers.fake_openai import FakeServer, completion

opera = pytest.fixture(exam)

Mount = Callable[..., Path]
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "run": (("run", "opera", "-m", "baseline/always-a", "-o", "{}/runs"), "with -o"),
    "report": (("report", "runs", "-o", "{}/report"), "name another folder"),
    "convert jsonl": (("convert", "opera", "--to", "jsonl", "{}/out"), "cannot be written"),
    "convert parquet": (("convert", "opera", "--to", "parquet", "{}/out"), "cannot be written"),
    "convert vlmevalkit": (("convert", "opera", "--to", "vlmevalkit", "{}/out"), "cannot be written"),
    "check --html": (("check", "opera", "--html", "{}/page.html"), "cannot be written"),
    "check --fix --into": (("check", "opera", "--fix", "--into", "{}/fixed"), "cannot be repaired"),
    "describe": (("describe", "opera", "-o", "{}/about"), "name another folder"),
    "release --init": (("release", "opera", "--init", "--config", "{}/release.toml"), "cannot be written"),
    "human sample": (("human", "sample", "opera", "-n", "4", "-o", "{}/sitting"), "cannot be written"),
    "latency": (("latency", "opera", "-m", "baseline/always-a", "-o", "{}/latency"), "with -o"),
    "studio": (("studio", "--data", "{}/studio"), "cannot be used as the studio's data folder"),
}
WHOLE = {"run.json", "items.jsonl", "records.jsonl", "report.html", "page.html", "release.toml", "sitting.json"}
"""Files that would pass for the whole of what was asked for."""


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts a small file system of its own: full, or read-only."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root mounts a file system")
    mounted: list[Path] = []

    def small(kilobytes: int, *, read_only: bool = False, fill: bool = False) -> Path:
        place = tmp_path / "small"
        place.mkdir()
        options = f"size={kilobytes}k" + (",ro" if read_only else "")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted: {done.stderr.decode().strip()}")
        mounted.append(place)
        if fill:
            with (place / "fill").open("wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
        return place

    yield small
    for place in mounted:
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def ran(opera: Path, tmp_path: Path) -> Path:
    """A folder with a benchmark, a run of it and the settings of a release."""
    assert shell("run", "opera", "-m", "baseline/always-a", cwd=tmp_path).returncode == 0
    (tmp_path / "release.toml").write_text(release_toml(), encoding="utf-8")
    return tmp_path


def told(done: subprocess.CompletedProcess[bytes], remedy: str) -> str:
    """What a command said that could not write; never a traceback."""
    said = done.stderr.decode()
    assert done.returncode in (2, 3), said
    assert "Traceback" not in said
    assert remedy in said
    return said


@pytest.mark.parametrize("name", COMMANDS)
def test_a_read_only_folder_is_told_and_nothing_is_begun(mount: Mount, ran: Path, name: str) -> None:
    place = mount(256, read_only=True)
    line, remedy = COMMANDS[name]
    said = told(shell(*(part.format("small") for part in line), cwd=ran), remedy)
    assert "Read-only file system" in said
    assert "small" in said
    assert contents(place) == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_told_and_leaves_nothing_that_looks_whole(mount: Mount, ran: Path, name: str) -> None:
    place = mount(16, fill=True)
    line, remedy = COMMANDS[name]
    said = told(shell(*(part.format("small") for part in line), cwd=ran), remedy)
    assert "No space left on device" in said
    assert "small" in said
    left = {path: content for path, content in contents(place).items() if content and path != "fill"}
    assert {Path(path).name for path in left} & WHOLE == set()
    assert not any(".part" in path or ".png" in path for path in left)


def test_a_release_on_a_full_disk_is_none(mount: Mount, ran: Path) -> None:
    """Nothing under the name that was asked for; keys that were kept back before stay as they were."""
    pytest.importorskip("mlcroissant", reason="the extra `release` is not installed")
    api.convert(benchmark(8, name="opera"), "jsonl", ran / "plain")
    line = ("release", "plain", "--config", "release.toml", "-o")
    done = shell(*line, "whole", cwd=ran)
    if done.returncode != 0:
        pytest.skip(f"the benchmark is not fit to be released: {done.stdout.decode()[:300]}")
    place = mount(64)
    said = told(shell(*line, "small/out", cwd=ran), "cannot be written")
    assert "small/out: cannot be written: No space left on device" in said
    assert contents(place) == {}


def test_secret_keys_of_a_release_survive_a_full_disk(mount: Mount) -> None:
    """The salt of an earlier release is written anew, whole or not at all: without it no key can be proved."""
    from keju.errors import BadFile
    from keju.release.content import kept_salt

    place, made = mount(16), benchmark(8)
    kept = place / "keys.json"
    salt = kept_salt(made, [None], kept)  # type: ignore[list-item]
    before = kept.read_bytes()
    assert kept.stat().st_mode & 0o777 == 0o600
    (place / "fill").write_bytes(bytes(8 << 10))
    with pytest.raises(BadFile, match=r"keys\.json: cannot be written: No space left"):
        kept_salt(benchmark(800), [None], kept)  # type: ignore[list-item]
    assert kept.read_bytes() == before
    assert json.loads(before)["salt"] == salt


def test_a_disk_that_fills_up_keeps_every_reply_and_goes_on_when_there_is_room(mount: Mount, ran: Path) -> None:
    """Replies of 8 kB on a disk of 60 kB: what was paid for is kept, the torn last line is dropped, each item once."""
    place = mount(60)
    with FakeServer([completion("好" * 2700 + "A")]) as server:
        line = ("run", "opera", "-m", "openai-compatible/x", "--base-url", server.base_url, "--no-check-media")
        full = shell(*line, "--concurrency", "1", "-o", "small/runs", cwd=ran)
        assert full.returncode == 3
        said = full.stderr.decode()
        assert "records.jsonl: No space left on device" in said
        assert "Traceback" not in said
        asked = len(server.requests)
        assert 1 < asked < 8
        kept = len(open_run(next(place.rglob("run.json")).parent).records)
        assert kept == asked - 1
        shutil.copytree(place / "runs", ran / "roomy")
        assert shell(*line, "-o", "roomy", cwd=ran).returncode == 0
        assert len(server.requests) - asked == 8 - kept
    rows = [json.loads(row) for row in next((ran / "roomy").rglob("records.jsonl")).read_text("utf-8").splitlines()]
    assert sorted(row["id"] for row in rows) == [f"{n:04d}" for n in range(1, 9)]


def test_repairs_on_a_full_disk_put_everything_back(mount: Mount, ran: Path) -> None:
    place = mount(256)
    shutil.copytree(ran / "opera", place / "opera")
    for number in range(1, 9):
        (place / "opera" / f"{number:04d}.txt").write_text("ab"[number % 2], encoding="utf-8")
    before = contents(place / "opera")
    free = shutil.disk_usage(place).free
    (place / "fill").write_bytes(bytes(free - 8192))
    said = told(shell("check", "small/opera", "--fix", cwd=ran), "No space left on device")
    assert contents(place / "opera") == before
    assert [path.name for path in place.iterdir() if path.name not in ("opera", "fill")] == [], said
    (place / "fill").unlink()
    assert shell("check", "small/opera", "--fix", cwd=ran).returncode in (0, 1)
    assert load(place / "opera").items != ()


def test_a_read_only_benchmark_is_run_scored_and_reported(mount: Mount, ran: Path) -> None:
    """Benchmarks lie on shared, read-only disks: only where results go must be writable."""
    place = mount(512)
    shutil.copytree(ran / "opera", place / "opera")
    shutil.copytree(ran / "runs", place / "runs")
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    before = contents(place)
    for line in (
        "check small/opera",
        "describe small/opera",
        "run small/opera -m baseline/always-b -o there",
        "score small/runs --items",
        "compare small/runs there",
        "report small/runs there -o report",
        "convert small/opera copy --to jsonl",
    ):
        done = shell(*line.split(), cwd=ran)
        assert done.returncode in (0, 1), done.stderr.decode()
        assert b"Traceback" not in done.stderr
    assert contents(place) == before


def test_a_backup_on_a_full_disk_leaves_no_file(mount: Mount, ran: Path) -> None:
    pytest.importorskip("django", reason="the extra `studio` is not installed")
    begun = subprocess.Popen(
        [sys.executable, "-m", "keju", "studio", "--data", "st", "--port", "0", "--json"],
        cwd=ran,
        stdout=subprocess.PIPE,
    )
    assert begun.stdout is not None
    begun.stdout.readline()
    begun.terminate()
    begun.wait(30)
    begun.stdout.close()
    place = mount(4, fill=True)
    told(shell("studio", "--data", "st", "--backup", "small/b.zip", cwd=ran), "cannot be written")
    assert set(contents(place)) == {"fill"}
    assert shell("studio", "--data", "st", "--backup", "b.zip", cwd=ran).returncode == 0


def test_a_cache_that_cannot_be_written_is_done_without(mount: Mount, ran: Path) -> None:
    mount(256, read_only=True)
    done = shell("run", "opera", "-m", "baseline/always-b", cwd=ran, env={"KEJU_CACHE": str(ran / "small")})
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
