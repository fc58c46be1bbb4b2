"""`keju release` as its users see it: begin, be told what is missing, fill in, release, verify."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from command_line import Keju, in_process
from keju.errors import BadFile
from keju.release import read_settings
from keju.release.prose import QUESTIONS
from release.filled import toml

keju = pytest.fixture(in_process)


def test_init_writes_a_file_to_fill_in_that_reads_back_and_is_never_overwritten(keju: Keju) -> None:
    code, out, _ = keju("release", "teahouse", "--init")
    assert code == 0
    assert "fill in the fields marked *" in out
    text = Path("release.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)["datasheet"]) == set(QUESTIONS)
    assert "为什么制作本题库" in text
    assert read_settings(Path("release.toml")).license == "CC-BY-4.0"
    code, _, err = keju("release", "teahouse", "--init")
    assert code == 2
    assert "is there already" in err


def test_an_unfilled_file_blocks_and_says_what_to_write(keju: Keju) -> None:
    keju("release", "teahouse", "--init")
    code, out, _ = keju("release", "teahouse", "-o", "out")
    assert code == 1
    assert "the datasheet does not answer: What can a score on it not show?" in out
    assert "write a sentence or more after `limitations =` in [datasheet]" in out
    assert "not released" in out
    assert not Path("out").exists()
    code, out, _ = keju("release", "teahouse", "-o", "out", "--lang", "zh")
    assert "请在 [datasheet] 的 limitations 后写一两句话" in out


def test_a_filled_file_releases_and_verify_finds_what_is_changed_later(keju: Keju) -> None:
    pytest.importorskip("mlcroissant")
    Path("release.toml").write_text(toml(), encoding="utf-8")
    code, out, _ = keju("release", "teahouse", "-o", "out", "--withhold-keys", "test", "--training", "chat")
    assert code == 0, out
    assert "released in out:" in out
    assert "out.keys.json (keep it secret)" in out
    assert keju("release", "--verify", "out")[:2] == (0, "out: nothing is wrong with it\n")
    Path("out/LICENSE").write_text("mine", encoding="utf-8")
    code, out, _ = keju("release", "--verify", "out", "--json")
    assert code == 1
    assert [(each["code"], each["file"]) for each in json.loads(out)["findings"]] == [("R501", "LICENSE")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("teahouse",), "say what to do"),
        (("teahouse", "--verify", "out"), "leave BENCHMARK out"),
        (("teahouse", "-o", "out"), "--init writes one"),
        (("--verify", "nowhere"), "no such folder"),
    ],
)
def test_misuse_is_told_in_a_line(keju: Keju, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = keju("release", *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = Teahouse", "not TOML"),
        ("titel = 'x'", "unknown field 'titel'"),
        ("version = 1.0", 'must be a text between quotes, not 1.0; write "1.0"'),
        ("keywords = 'opera'", "must be a list of texts"),
        ("creators = 'Mei'", r"begins with \[\[creators\]\]"),
        ("[[sources]]\nwhat = 'x'", "needs name"),
        ("[datasheet]\nmood = 'fine'", r"\[datasheet\] has no 'mood'"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_field(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "release.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=message):
        read_settings(file)
