"""The command line between programs and on bad days: pipes, colours, locales, full disks, hostile names and replies."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import Keju, exam, in_process, shell
from keju import api
from keju.benchmark import Benchmark
from keju.formats import load
from keju.models.model import Fake
from keju.runs.reading import open_run
from making import benchmark
from servers.fake_openai import FakeServer, completion

ESCAPE = "\x1b["


keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)


def test_piped_output_has_no_escape_codes(opera: Path, tmp_path: Path) -> None:
    shell("run", "opera", "-m", "baseline/random", cwd=tmp_path)
    for line in ("score runs --items", "models", "protocols", "run opera -m baseline/random"):
        done = shell(*line.split(), cwd=tmp_path)
        assert done.returncode == 0
        assert ESCAPE.encode() not in done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs `script` for a terminal")
@pytest.mark.skipif(not shutil.which("script"), reason="needs `script` for a terminal")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_gets_colour_unless_it_is_refused(opera: Path, tmp_path: Path, no_color: str) -> None:
    command = f"{sys.executable} -m keju run opera -m baseline/always-a"
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": no_color, "COLUMNS": "200"}
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    coloured = re.search(rb"\x1b\[[0-9;]*3[0-7]m", done.stdout)
    assert bool(coloured) == (not no_color)
    assert b"25.0 %" in done.stdout


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m keju models --json | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("asked", ["keju models", "keju", "keju --help", "keju --version"])
def test_output_that_cannot_be_written_is_told(tmp_path: Path, asked: str) -> None:
    command = [sys.executable, "-m", *asked.split()]
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, cwd=tmp_path, env=buffered, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr == f"{asked}: output: No space left on device\n"


def test_pl_07_a_bare_locale_loads_runs_and_prints_chinese_alike(opera: Path, tmp_path: Path) -> None:
    """The same bytes in a C locale as in a UTF-8 one."""
    shown = []
    for locale in ("C", "C.UTF-8"):
        bare = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
        for line in (
            f"run opera -m baseline/always-a -o runs-{locale}",
            f"report runs-{locale} -o report-{locale} --lang zh",
            f"convert opera copy-{locale} --to jsonl",
        ):
            assert shell(*line.split(), cwd=tmp_path, env=bare).returncode == 0
        shown.append(shell("score", f"runs-{locale}", "--by", "genre", "--lang", "zh", cwd=tmp_path, env=bare).stdout)
    assert "排行榜" in shown[0].decode("utf-8")
    assert shown[0] == shown[1]
    assert (tmp_path / "copy-C" / "items.jsonl").read_bytes() == (
        tmp_path / "copy-C.UTF-8" / "items.jsonl"
    ).read_bytes()
    assert "准确率" in (tmp_path / "report-C" / "report.html").read_text(encoding="utf-8")


# disks, hostile names and replies


def small_disk(kilobytes: int) -> Callable[[], None]:
    """For a child process: no file may grow beyond so many kilobytes."""

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, kilobytes << 10))

    return limit


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes")
def test_a_disk_that_is_full_from_the_start_is_told(opera: Path, tmp_path: Path) -> None:
    line = ("run", "opera", "-m", "baseline/always-a")
    done = shell(*line, cwd=tmp_path, preexec_fn=small_disk(1))
    assert done.returncode == 2
    assert b"runs/opera/baseline__always-a.tco cannot be written: File too large" in done.stderr
    assert list(tmp_path.rglob("*.part")) == []
    assert shell(*line, cwd=tmp_path).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes")
def test_rn_27_a_disk_that_fills_up_stops_the_calls_and_loses_nothing(opera: Path, tmp_path: Path) -> None:
    """Replies of 4 kB, room for two or three: those are kept, the last is torn, the rest is not paid for."""
    with FakeServer([completion("好" * 1400 + "A")]) as server:
        line = ("run", "opera", "-m", "openai-compatible/x", "--base-url", server.base_url, "--no-check-media")
        done = shell(*line, "--concurrency", "1", "--json", cwd=tmp_path, preexec_fn=small_disk(10))
        assert done.returncode == 3
        assert re.search(rb"stopped: .*records\.jsonl.*File too large", done.stderr)
        assert b"Traceback" not in done.stderr
        asked = len(server.requests)
        assert 2 <= asked < 8
        kept = len(open_run(next(tmp_path.rglob("run.json")).parent).records)
        assert kept == asked - 1
        assert shell(*line, cwd=tmp_path).returncode == 0
        assert len(server.requests) - asked == 8 - kept


HOSTILE = ("\x1b[31mred\x1b[0m\x07\x1b]0;title\x07", "[bold]A[/bold] [/] [link=x]", "B\r\n\x00\x7f\ttab", "=A\u202e")


def test_replies_cannot_command_the_terminal_or_break_a_table(tmp_path: Path, opera: Path) -> None:
    """Escape codes, markup, control characters: shown as text, kept as they came."""
    with FakeServer(lambda asked: completion(HOSTILE[asked.number % 4])) as server:
        line = ("run", "opera", "-m", "openai-compatible/[red]m[/] x", "--base-url", server.base_url)
        assert shell(*line, "--no-check-media", cwd=tmp_path).returncode == 0
    done = shell("score", "runs", "--items", cwd=tmp_path)
    text = done.stdout.decode("utf-8")
    assert done.returncode == 0
    assert not set(text) & set("\x1b\x07\x00\x7f\r\u202e")
    assert "[bold]A[/bold] [/] [link=x]" in text
    assert "openai-compatible/[red]m[/] x" in text
    assert {record.text for record in open_run(next(tmp_path.rglob("run.json")).parent).records.values()} == set(
        HOSTILE
    )
    assert shell("report", "runs", cwd=tmp_path).returncode == 0


def test_a_servers_message_cannot_command_the_terminal(keju: Keju, opera: Path) -> None:
    for status in (500, 401):
        with FakeServer([{"status": status, "json": {"error": {"message": "\x1b]0;owned\x07 \u202edne"}}}]) as server:
            line = ("run", opera, "-m", f"openai-compatible/{status}", "--base-url", server.base_url, "--attempts", "1")
            code, _, err = keju(*line)
        assert code == 3
        assert "owned" in err
        assert not set(err) & set("\x1b\x07\u202e")


def test_names_cannot_leave_their_folder(tmp_path: Path) -> None:
    """Ids, models and benchmarks called `..` or with slashes make folders and files below the ones that were named."""
    ids = ("../x", "..", "CON", "a/b", "[/]", "x ")
    items = [replace(item, id=name) for item, name in zip(benchmark(6), ids, strict=True)]
    made = Benchmark("../../up", tuple(items))
    (tmp_path / "in").mkdir()
    run = api.run(made, Fake(lambda prompt: "A", name="x/../../.."), protocol="tco", out=tmp_path / "in" / "runs")
    for format in ("tco", "jsonl", "multi-tw"):
        api.convert(made, format, tmp_path / "in" / format)
        assert {item.id for item in load(tmp_path / "in" / format, format=format)} == set(ids)
    assert run.complete
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"runs", "tco", "jsonl", "multi-tw"}


def test_a_run_folder_can_be_moved_and_copied(opera: Path, tmp_path: Path) -> None:
    shell("run", "opera", "-m", "baseline/always-a", cwd=tmp_path)
    shutil.copytree(tmp_path / "runs", tmp_path / "elsewhere" / "deep")
    shutil.rmtree(tmp_path / "runs")
    shutil.rmtree(tmp_path / "opera")
    done = shell("score", "elsewhere", cwd=tmp_path)
    assert done.returncode == 0
    assert "25.0 %" in done.stdout.decode("utf-8")


DAMAGE = {
    "items.jsonl": ["", "{", '{"id": "1"}\n', "[]\n"],
    "run.json": ["", "{", "[]", "null", '{"schema": 1}', '{"schema": 99}'],
    "records.jsonl": ["{\n{\n", "[]\n[]\n", '{"id": "0001"}\n{"id": "0002"}\n', '{"id":"1","status":"odd"}\n{}\n'],
}


@pytest.mark.parametrize(("name", "content"), [(name, text) for name, texts in DAMAGE.items() for text in texts])
def test_a_damaged_run_folder_names_the_file(keju: Keju, opera: Path, name: str, content: str) -> None:
    """Marking it and asking on both say which file; neither changes a record."""
    keju("run", opera, "-m", "baseline/always-a")
    folder = Path("runs/opera/baseline__always-a.tco")
    records = (folder / "records.jsonl").read_bytes()
    (folder / name).write_text(content, encoding="utf-8")
    code, _, err = keju("score", "runs")
    assert code == 2
    assert name in err or "holds no items" in err
    code, _, err = keju("run", opera, "-m", "baseline/always-a")
    assert code == 0 or name in err
    assert name == "records.jsonl" or (folder / "records.jsonl").read_bytes() == records
