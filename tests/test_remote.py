"""Benchmarks in an object store: read like a folder, their media fetched once and only where they are needed."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from command_line import Keju, in_process
from keju import api, digests
from keju.errors import BadFile, CallFailed, Misuse, RunStopped
from keju.formats.media import MediaFolder
from keju.models.model import Fake
from keju.remote import Remote, is_url
from keju.runs.asking import Session
from making import benchmark, png
from servers.hub import Hub, serving
from servers.s3 import bucket

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
keju = pytest.fixture(in_process)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty."""
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def exam(tmp_path: Path) -> Path:
    """Six items in keju's own form."""
    (tmp_path / "made").mkdir()
    api.convert(benchmark(6, folder=tmp_path / "made", name="exam", bilingual=True), "jsonl", tmp_path / "exam")
    return tmp_path / "exam"


@pytest.fixture
def memory(exam: Path) -> Iterator[Any]:
    """A store in this process that holds the exam, which its bytes counts as they are fetched."""
    store = fsspec.filesystem("memory")
    store.put(str(exam), "/bucket/exam", recursive=True)
    yield store
    store.rm("/bucket", recursive=True)


def fetched(cache: Path) -> list[Path]:
    return sorted(path for path in (cache / "media").rglob("*") if path.is_file() and path.suffix == ".png")


def answers(name: str = "fake/model") -> Fake:
    return Fake(lambda prompt: "B" if prompt.media[0].read() else "C", name=name)


def test_an_address_is_no_path() -> None:
    assert [is_url(p) for p in ("s3://b/x", "hf://datasets/a/b", "C:/x", "a/b", "hf:a/b", Path("s3://b"))] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_it_is_the_same_benchmark_and_no_medium_is_fetched_to_read_it(memory: Any, exam: Path, cache: Path) -> None:
    there, here = api.load("memory://bucket/exam"), api.load(exam)
    assert [m.exists for item in there for m in item.media] == [True] * 6
    assert [m.size for item in there for m in item.media] == [m.size for item in here for m in item.media]
    assert (there.name, there.problems) == (here.name, ())
    assert there.card["source"]["url"] == "memory://bucket/exam"
    assert fetched(cache) == []
    assert there.fingerprint == here.fingerprint
    assert len(fetched(cache)) == 6


def test_it_reads_again_without_fetching_what_it_has(memory: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = api.load("memory://bucket/exam").fingerprint
    monkeypatch.setattr(type(memory), "get_file", None)
    assert api.load("memory://bucket/exam").fingerprint == first


def test_a_run_fetches_what_it_asks_once_and_its_report_finds_the_pictures(
    memory: Any, exam: Path, cache: Path, tmp_path: Path
) -> None:
    some = api.load("memory://bucket/exam").select(limit=3)
    there = api.run(some, answers(), out=tmp_path / "there")
    here = api.run(api.load(exam).select(limit=3), answers(), out=tmp_path / "here")
    assert len(fetched(cache)) == 3
    assert [there.records[i].media for i in sorted(there.records)] == [
        here.records[i].media for i in sorted(here.records)
    ]
    assert all(record.stages["load"] > 0 for record in there.records.values())
    root = json.loads((there.folder / "run.json").read_text("utf-8"))["benchmark"]["root"]
    again = api.load(root)
    assert [m.read() for item in again.select(limit=3) for m in item.media] == [png(n) for n in (1, 2, 3)]


def test_a_picture_that_goes_between_its_fetch_and_its_use_cannot_be_read(
    memory: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium = next(m for item in api.load("memory://bucket/exam") for m in item.media)
    fetch = Remote.fetched

    def gone(self: Remote) -> Path:
        place = fetch(self)
        place.unlink()
        return place

    monkeypatch.setattr(Remote, "fetched", gone)
    for use in (medium.read, medium.head, medium.file, lambda: medium.sha256, lambda: list(medium.portions(10))):
        with pytest.raises(CallFailed, match="cannot be read"):
            use()


def test_a_run_goes_on_where_the_pictures_were_fetched_by_others(
    memory: Any, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered is known by digest; it is not fetched to see whether it changed."""
    loaded = api.load("memory://bucket/exam")
    api.run(loaded.select(limit=4), answers(), out=tmp_path / "runs")
    shutil.rmtree(cache / "media")
    run = api.run(loaded, answers(), out=tmp_path / "runs")
    assert run.complete
    assert len(fetched(cache)) == 2


def test_a_changed_object_is_another(memory: Any, exam: Path, cache: Path, tmp_path: Path) -> None:
    before = api.load("memory://bucket/exam")
    api.run(before, answers(), out=tmp_path / "runs")
    memory.pipe_file("/bucket/exam/media/0001.png", png(99))
    after = api.load("memory://bucket/exam")
    assert after["0001"].media[0].read() == png(99)
    assert before["0001"].media[0].read() == png(1), "it was fetched when it was so"
    assert after.root != before.root
    with pytest.raises(Exception, match="item 0001: the bytes of its picture or clip differ"):
        api.run(after, answers(), out=tmp_path / "runs")


def test_an_object_that_changes_after_it_was_listed_is_not_asked(memory: Any, cache: Path, tmp_path: Path) -> None:
    loaded = api.load("memory://bucket/exam")
    memory.pipe_file("/bucket/exam/media/0002.png", png(98))
    memory.rm("/bucket/exam/media/0003.png")
    run = api.run(loaded, answers(), out=tmp_path / "runs")
    told = {i: record.error["message"] for i, record in run.records.items() if record.error}
    assert sorted(told) == ["0002", "0003"]
    assert "has changed since the benchmark was read" in told["0002"]
    assert "no such bucket, folder or file" in told["0003"]
    assert run.records["0002"].media == ("absent",)
    assert run.records["0003"].attempts == 1


def test_names_stay_below_the_address(memory: Any) -> None:
    rows = [json.loads(line) for line in memory.cat_file("/bucket/exam/items.jsonl").splitlines()]
    memory.pipe_file("/bucket/secret.png", png(7))
    rows[0]["media"][0] = {"kind": "image", "name": "../../secret.png"}
    rows[1]["media"][0] = {"kind": "image", "name": "/bucket/secret.png"}
    memory.pipe_file("/bucket/exam/items.jsonl", "\n".join(map(json.dumps, rows)).encode())
    loaded = api.load("memory://bucket/exam")
    assert [(p.item, p.code) for p in loaded.problems] == [("0001", "path_escape"), ("0002", "path_escape")]
    assert not loaded["0001"].media[0].exists


def test_a_name_in_another_unicode_form_is_found(memory: Any) -> None:
    rows = [json.loads(line) for line in memory.cat_file("/bucket/exam/items.jsonl").splitlines()]
    rows[0]["media"][0]["name"] = "media/" + normalize("NFC", "é.png")
    memory.pipe_file("/bucket/exam/items.jsonl", "\n".join(map(json.dumps, rows)).encode())
    memory.pipe_file("/bucket/exam/media/" + normalize("NFD", "é.png"), png(7))
    loaded = api.load("memory://bucket/exam")
    assert loaded["0001"].media[0].read() == png(7)
    assert [p.code for p in loaded.problems] == ["unicode_form"]


def test_the_commands_take_an_address(memory: Any, keju: Keju, tmp_path: Path) -> None:
    code, out, err = keju("describe", "memory://bucket/exam")
    assert (code, err) == (0, ""), err
    assert "exam" in out
    code, out, err = keju("check", "memory://bucket/exam")
    assert code in (0, 1), err
    assert "I0" not in out, "a picture could not be read"
    assert keju("convert", "memory://bucket/exam", "copy", "--to", "jsonl")[0] == 0
    copy = api.load(tmp_path / "copy")
    assert copy.fingerprint == api.load("memory://bucket/exam").fingerprint
    assert keju("run", "memory://bucket/exam", "-m", "baseline/always-a", "-o", "runs")[0] == 0
    code, out, err = keju("score", "runs", "--benchmark", "memory://bucket/exam")
    assert code == 0, err
    code, out, err = keju("run", "memory://bucket/exam", "-m", "openai/gpt-4o", "--dry-run")
    assert (code, "6 requests" in out) == (0, True), err


def test_parquet_and_single_files_are_read(memory: Any, exam: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    api.convert(api.load(exam), "parquet", tmp_path / "parquet")
    memory.put(str(tmp_path / "parquet"), "/bucket/hub", recursive=True)
    expected = api.load(exam).fingerprint
    assert api.load("memory://bucket/hub").fingerprint == expected
    (file,) = (path for path in memory.find("/bucket/hub") if path.endswith(".parquet"))
    assert api.load(f"memory:/{file}").fingerprint == expected
    assert api.load("memory://bucket/exam/items.jsonl").fingerprint == expected


def test_the_hub_is_a_store_too_and_is_looked_at_again(
    exam: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub", reason="the extra `hub` is not installed")
    hub = Hub({path.relative_to(exam).as_posix(): path.read_bytes() for path in exam.rglob("*") if path.is_file()})
    with serving(hub) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        there = api.load("hf://datasets/exams/opera")
        first, second, *_ = (medium for item in there for medium in item.media)
        assert first.read() == png(1)
        changed = next(name for name, data in hub.files.items() if data == png(2))
        hub.files[changed] = png(9)
        with pytest.raises(CallFailed, match="has changed since the benchmark was read"):
            second.read()
        assert not any("/tree/" in path for path in hub.asked[-2:])  # a folder of thousands is listed once


def test_a_file_address_is_a_path(exam: Path) -> None:
    assert api.load(exam.as_uri()).root == exam
    with pytest.raises(BadFile, match="no such file"):
        api.load((exam / "nothing").as_uri())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("memory://bucket/nothing", "no such bucket, folder or file"),
        ("memory://bucket/other", "no items.jsonl and no Parquet file there.*keju convert"),
        ("nonsense://bucket/exam", "Protocol not known"),
        ("sftp://me:secret@host/exam", "no password may stand in an address"),
    ],
)
def test_what_is_not_there_is_said(memory: Any, address: str, message: str) -> None:
    memory.pipe_file("/bucket/other/readme.txt", b"?")
    with pytest.raises(Misuse, match=message) as caught:
        api.load(address)
    assert "secret" not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gcsfs", None)
    with pytest.raises(Misuse, match="pip install gcsfs"):
        api.load("gs://bucket/exam")


def test_a_cache_that_cannot_be_written_stops_the_run(
    memory: Any, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = api.load("memory://bucket/exam")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "file"))
    medium = loaded["0001"].media[0].at_home()
    with pytest.raises(RunStopped, match="KEJU_CACHE"):
        medium.read()


def test_a_medium_travels_without_its_bytes_and_finds_its_place_on_another_machine(
    memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    medium = api.load("memory://bucket/exam")["0001"].media[0]
    sent = pickle.dumps(medium)
    monkeypatch.setenv("KEJU_CACHE", str(tmp_path / "there"))
    there = pickle.loads(sent).at_home()
    assert there.path is not None
    assert there.path.is_relative_to(tmp_path / "there")
    assert (there.read(), there.exists, there.mime) == (png(1), True, "image/png")
    assert b"".join(there.portions(7)) == png(1)
    assert digests.known(there.stamp) == there.sha256
    assert not list((tmp_path / "there").rglob("*.part"))


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    with bucket() as store:
        yield store


class TestS3:
    def test_a_benchmark_in_a_bucket_is_read_and_asked(self, s3: Any, exam: Path, cache: Path, tmp_path: Path) -> None:
        s3.put(str(exam), "bucket/exam", recursive=True)
        there = api.load("s3://bucket/exam")
        assert fetched(cache) == []
        run = api.run(there, answers(), out=tmp_path / "runs")
        assert run.complete
        assert len(fetched(cache)) == 6
        assert there.fingerprint == api.load(exam).fingerprint
        s3.pipe_file("bucket/exam/media/0001.png", png(50))
        changed = api.load("s3://bucket/exam")
        assert changed["0001"].media[0].read() == png(50)
        assert changed["0002"].media[0].path == there["0002"].media[0].path

    def test_what_the_store_refuses_is_said(self, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(BadFile, match="no such bucket, folder or file"):
            api.load("s3://nobucket/exam")
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        with pytest.raises(BadFile, match=r"cannot be reached.*Check the network"):
            api.load("s3://bucket/exam")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        with pytest.raises(BadFile, match=r"access was refused.*AWS_ACCESS_KEY_ID"):
            api.load("s3://bucket/exam")
        fsspec.get_filesystem_class("s3").clear_instance_cache()


def test_fetching_holds_no_other_call(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fetch takes a while; they go on side by side."""
    real, busy, most = Remote.fetched, [], [0]

    def slow(self: Remote) -> Path:
        import time

        busy.append(self.url)
        most[0] = max(most[0], len(busy))
        time.sleep(0.05)
        busy.remove(self.url)
        return real(self)

    loaded = api.load("memory://bucket/exam")
    monkeypatch.setattr(Remote, "fetched", slow)
    model = Fake(lambda prompt: "A", concurrency=6)
    asyncio.run(api.arun(loaded, model, out=tmp_path, session=Session(check_media=False)))
    assert most[0] > 2


def test_a_folder_without_a_list_of_a_store_is_like_any(exam: Path) -> None:
    found = MediaFolder(exam, within=("media",)).find("image", "0001.png")
    assert found.medium.remote is None
    with pytest.raises(CallFailed):
        MediaFolder(exam).find("image", "no.png").medium.file()
