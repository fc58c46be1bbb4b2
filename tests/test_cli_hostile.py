"""What users, shells and file systems do to the command line: each is answered in words, nothing hangs or is lost."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from command_line import Keju, exam, in_process
from keju.checks import workers
from keju.items import Medium
from making import png

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

READERS = [
    ("check",),
    ("describe",),
    ("split",),
    ("convert", "--to", "jsonl", "out"),
    ("score",),
    ("report",),
    ("view",),
]


def asked(command: tuple[str, ...], source: object) -> list[object]:
    """A command with its source in the place where it takes one."""
    return [*command[:-1], source, command[-1]] if command[0] == "convert" else [*command, source]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_pipe_is_refused_and_not_waited_for(keju: Keju, tmp_path: Path, command: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    code, _, said = keju(*asked(command, "pipe"))
    assert code == 2
    assert "write it into a file" in said


@pytest.mark.parametrize("command", READERS, ids=lambda command: command[0])
def test_a_name_that_no_file_can_have_is_not_there(keju: Keju, command: tuple[str, ...]) -> None:
    code, _, said = keju(*asked(command, "x" * 5000))
    assert code == 2
    assert "no such file" in said or "does not exist" in said


def test_an_empty_name_is_not_the_folder_one_stands_in(
    keju: Keju, opera: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell gives it for a variable that is not set."""
    monkeypatch.chdir(opera)
    code, _, said = keju("describe", "")
    assert code == 2
    assert "no such file or folder" in said


def test_what_the_user_says_goes_before_what_the_study_says(keju: Keju, opera: Path) -> None:
    Path("study.toml").write_text(
        '[study]\nbenchmarks = ["opera"]\nmodels = ["baseline/random"]\nlimit = 7\nout = "far"\n', encoding="utf-8"
    )
    code, out, _ = keju("run", "study.toml", "--limit", 2, "-o", "near", "--json")
    assert code == 0
    assert json.loads(out)["tables"][0]["rows"][0]["n"] == 2
    assert Path("near").is_dir()
    assert not Path("far").exists()
    _, out, _ = keju("run", "study.toml", "--json")
    assert json.loads(out)["tables"][0]["rows"][0]["n"] == 7
    assert Path("far").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups of this kind")
def test_ctrl_c_is_for_the_command_and_not_for_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would each print a traceback; they end when their input does."""
    told = "import os; print('ready', flush=True); open('group', 'w').write(str(os.getpgid(0)))"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "COMMAND", (sys.executable, "-c", told))
    with workers.Worker(30) as worker:
        worker.facts(Medium("image", "a.png", data=png()))
    assert int(Path("group").read_text()) != os.getpgid(0)


@pytest.mark.parametrize("share", ["nan", "5", "-2", "inf"])
def test_a_share_that_no_difference_can_have_is_refused(keju: Keju, share: str) -> None:
    code, _, said = keju("compare", "runs", "--at-least", share)
    assert (code, "five points are 0.05" in said) == (2, True)


def test_an_unknown_option_is_told_with_the_usage_of_its_command(keju: Keju) -> None:
    code, _, said = keju("describe", "teahouse", "--charts", "svg")
    assert (code, "usage: keju describe" in said, "unrecognized arguments: --charts svg" in said) == (2, True, True)


def test_what_was_asked_for_in_vain_is_told_with_what_there_is(keju: Keju, opera: Path, tmp_path: Path) -> None:
    code, _, said = keju("run", opera, "-m", "baseline/random", "--where", "nolabel=1")
    assert (code, "no item of" in said, "has the label 'nolabel'; there is " in said) == (2, True, True)
    (tmp_path / "empty").mkdir()
    code, _, said = keju("score", tmp_path / "empty")
    assert (code, "no run of keju lies in" in said) == (2, True)
    code, _, said = keju("human", "sample", opera, "-n", "1000", "-o", tmp_path / "sample")
    assert (code, "Choose a number of those" in said) == (2, True)


def test_a_protocol_for_runs_that_say_theirs_is_refused(keju: Keju, opera: Path, tmp_path: Path) -> None:
    assert keju("run", opera, "-m", "baseline/random", "-o", tmp_path / "runs")[0] == 0
    code, _, said = keju("score", tmp_path / "runs", "--protocol", "multi-tw")
    assert (code, "choose a parser" in said) == (2, True)
