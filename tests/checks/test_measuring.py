"""Measuring: each file once, on all cores, none of them trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.checks.media_making import encoded, exam, found, mp3, scene, tone, wave

from keju.checks import check, measuring, workers
from keju.checks.clips import read_clip
from keju.checks.measuring import MeasuredClip, MeasuredImage, measure
from keju.checks.pictures import BYTES, read_picture
from keju.items import Medium


def test_facts_come_in_the_order_of_the_items_as_if_measured_here(tmp_path: Path) -> None:
    files = {f"{n}.png": encoded(scene(n)) for n in range(6)} | {"a.wav": wave(tone(0.5, 8000, [440]), 8000)}
    done: list[tuple[int, int]] = []
    measured = list(measure(exam(tmp_path, files), 3, lambda *counts: done.append(counts)))
    assert [each.file for each in measured] == list(files)
    for each in measured:
        if isinstance(each, MeasuredImage):
            assert each.picture == read_picture(files[each.file])
        else:
            assert each.clip == read_clip(files[each.file])
    assert done == [(n, 7) for n in range(1, 8)]


def test_a_file_that_many_items_share_is_measured_once(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": encoded(scene(1)), "b.png": encoded(scene(2))})
    first, second = benchmark.items
    more = [replace(first, id=f"more{n}", split=("train", "val")[n % 2]) for n in range(4)]
    measured = list(measure(replace(benchmark, items=(first, second, *more))))
    assert [each.items for each in measured] == [("a", "more0", "more1", "more2", "more3"), ("b",)]
    assert measured[0].splits == ("train", "val")


def test_media_inside_another_file_are_measured_too(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": encoded(scene(1))})
    inside = Medium("image", "a.png", data=encoded(scene(2)))
    (measured,) = measure(replace(benchmark, items=(replace(benchmark.items[0], media=(inside, inside)),)))
    assert isinstance(measured, MeasuredImage)
    assert measured.picture == read_picture(inside.read())


def test_a_medium_that_is_not_there_is_left_to_the_rules_on_files(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": encoded(scene(1))})
    (tmp_path / "a.png").unlink()
    assert list(measure(benchmark)) == []


def test_without_the_decoders_one_note_says_what_was_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = exam(tmp_path, {"a.png": b""})
    monkeypatch.setattr(measuring, "find_spec", lambda name: None if name == "av" else object())
    notes = [finding for finding in check(benchmark) if "keju[checks]" in finding.remedy]
    assert [(note.code, note.severity) for note in notes] == [("F000", "note")]


# Nobody's files are trusted


def hostile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str) -> None:
    """Workers whose decoder of pictures first does `what` with the bytes."""
    module = tmp_path / "hostile_worker.py"
    module.write_text(
        textwrap.dedent(
            f"""
            import os, time
            from keju.checks import worker
            whole = worker.read_picture
            def read(data):
                if b"hostile" in data:
                    {what}
                return whole(data)
            worker.read_picture = read
            worker.main()
            """
        )
    )
    monkeypatch.setattr(workers, "COMMAND", (sys.executable, str(module)))


@pytest.mark.parametrize("what", ["os.kill(os.getpid(), 11)", "os._exit(0)", "raise ZeroDivisionError"])
def test_a_file_that_kills_the_decoder_is_a_finding_and_the_others_are_checked(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile(monkeypatch, tmp_path, what)
    files = {f"{n}.png": encoded(scene(n)) for n in range(8)}
    files["3.png"] += b"hostile"
    files["4.png"] += b"hostile"
    findings = found(exam(tmp_path / "exam", files), jobs=2)
    assert [(f.file, f.code, f.severity) for f in findings] == [("3.png", "I005", "error"), ("4.png", "I005", "error")]
    assert "died" in findings[0].message


def test_a_file_that_takes_too_long_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile(monkeypatch, tmp_path, "time.sleep(60)")
    monkeypatch.setattr(workers, "SECONDS", 1.0)
    files = {"0.png": encoded(scene(0)) + b"hostile", "1.png": encoded(scene(1))}
    (finding,) = found(exam(tmp_path / "exam", files), jobs=1)
    assert (finding.file, finding.code) == ("0.png", "I005")
    assert "1 s" in finding.message


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux only")
def test_a_decoder_that_asks_for_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile(monkeypatch, tmp_path, "bytearray(8 * 2**30)")
    files = {"0.png": encoded(scene(0)) + b"hostile", "1.png": encoded(scene(1))}
    assert [(f.file, f.code) for f in found(exam(tmp_path / "exam", files))] == [("0.png", "I005")]


def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": b"", "b.wav": b""})
    for item in benchmark:
        with (tmp_path / item.media[0].name).open("wb") as file:
            file.truncate(BYTES + 1)  # takes no room on the disk
    assert [finding.code for finding in found(benchmark)] == ["I004", "A004"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nobody is kept from reading here")
def test_a_file_that_may_not_be_read_is_a_finding(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {"a.png": encoded(scene(1))})
    (tmp_path / "a.png").chmod(0)
    (finding,) = found(benchmark)
    assert (finding.code, "Permission" in finding.message) == ("I001", True)


def test_a_worker_that_cannot_start_says_how_to_find_out_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from keju.errors import Misuse

    monkeypatch.setattr(workers, "COMMAND", (sys.executable, "-c", "raise SystemExit(3)"))
    with pytest.raises(Misuse, match="did not start"):
        list(measure(exam(tmp_path, {"a.png": encoded(scene(1))})))


def test_workers_end_with_the_measuring(tmp_path: Path) -> None:
    benchmark = exam(tmp_path, {f"{n}.png": encoded(scene(n)) for n in range(6)})
    before = _workers()
    running = measure(benchmark, 2)
    next(running)
    assert _workers() > before
    running.close()  # type: ignore[attr-defined]
    assert _workers() == before


def _workers() -> int:
    """Worker processes of this process, those of other tests included."""
    line = ["ps", "--ppid", str(os.getpid()), "-o", "args="]
    return subprocess.run(line, capture_output=True, text=True, check=False).stdout.count("keju.checks.worker")


def test_a_script_without_a_main_guard_may_check(tmp_path: Path) -> None:
    exam(tmp_path, {"a.png": b""})
    script = f"""
from pathlib import Path
from keju.benchmark import Benchmark
from keju.items import Item, Medium, Wording
from keju.checks import check
media = (Medium("image", "a.png", Path({str(tmp_path)!r}) / "a.png"),)
item = Item("a", {{"en": Wording("en", "q", {{"A": "1", "B": "2"}})}}, "A", media)
print([f.code for f in check(Benchmark("b", (item,))) if f.code == "I002"])
"""
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "['I002']\n", done.stderr


@settings(max_examples=60)
@given(st.data())
def test_no_bytes_make_the_decoders_raise(data: st.DataObject) -> None:
    """Whole files with some bytes changed, cut out or put in: they become facts that a line of JSON can carry."""
    form = data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "wav", "mp3"]))
    if form == "wav":
        whole = wave(tone(0.1, 8000, [440]), 8000)
    else:
        whole = _MP3 if form == "mp3" else encoded(scene(1, 48, 32), form)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        cut = data.draw(st.integers(0, 4))
        whole = whole[:at] + data.draw(st.binary(max_size=4)) + whole[at + cut :]
    for read in (read_picture, read_clip):
        facts = read(whole)
        json.dumps(asdict(facts), allow_nan=False)


_MP3 = mp3(tone(0.2, 44100, [440]), 44100, 64)


def test_clips_are_measured_as_such(tmp_path: Path) -> None:
    (measured,) = measure(exam(tmp_path, {"a.mp3": _MP3}))
    assert isinstance(measured, MeasuredClip)
    assert measured.clip.kbits == 64
