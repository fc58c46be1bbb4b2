"""Nothing that others wrote commands the terminal: names, questions, labels, keys and settings of any file, shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import Keju, in_process, shell
from making import png

keju = pytest.fixture(in_process)

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
"""Sets a terminal's title, clears it, turns the text: as ESC, as C1, by the marks of direction."""
COMMANDING = set("\x1b\x07\x9b\u202e\x00\x08\x7f")


def row(number: int, **changes: Any) -> dict[str, Any]:
    wording = {"question": f"图{EVIL}中？", "options": {"A": f"生{EVIL}", "B": "旦", "C": f"{EVIL}净"}}
    return {
        "id": f"{number}{EVIL}",
        "wordings": {"zh-Hans": wording},
        "answer": "A",
        "media": [{"kind": "image", "name": f"{number}{EVIL}.png"}, {"kind": "image", "name": f"gone{EVIL}.png"}],
        "labels": {f"genre{EVIL}": f"京剧{EVIL}", "level": EVIL},
        "split": f"test{EVIL}",
    } | changes


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "exam"
    folder.mkdir()
    rows = [row(1), row(2), row(3, answer=None)]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "benchmark.json").write_text(json.dumps({"name": f"opera{EVIL}", "title": EVIL}), encoding="utf-8")
    for number in (1, 2):
        (folder / f"{number}{EVIL}.png").write_bytes(png(number))
    return folder


LINES = (
    "check exam",
    "describe exam",
    "split exam --by level",
    "convert exam out --to tco",
    "convert exam out2 --to vlmevalkit",
    "run exam -m baseline/always-a",
    "score runs --items --invalid --bias --by level",
    "compare runs runs",
    "report runs -o report",
    "run exam -m baseline/always-b --split nowhere",
    "run exam -m baseline/always-b --where level=x",
    "human sample exam -n 1 -o sitting",
    "release exam --init",
    "latency exam -m baseline/always-a -o measured",
)


def commanded(said: str) -> str:
    """The first place in which a terminal would be commanded."""
    at = next((n for n, char in enumerate(said) if char in COMMANDING), None)
    return "" if at is None else repr(said[max(0, at - 80) : at + 40])


def test_a_benchmark_cannot_command_the_terminal(keju: Keju, hostile: Path) -> None:
    for line in LINES:
        _, out, err = keju(*line.split())
        assert commanded(out + err) == "", line
        assert "Traceback" not in err


def rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


FAULTY: dict[str, tuple[str, bytes]] = {
    "check": (f"e{EVIL}.csv", f"id,question,A,B,answer\n1{EVIL},?,a,b,Z{EVIL}\n".encode()),
    "describe": ("items.jsonl", json.dumps(row(1, answer=f"X{EVIL}")).encode()),
    "run -m baseline/always-a": (f"a{EVIL}.jsonl", b"{broken"),
    "score": ("records.jsonl", f'{{"{EVIL}": 1}}'.encode()),
    "check --settings": ("s.toml", b'"\\u001b[2J" = 1\n'),
    "run exam -m": ("m.toml", b'model = "a/b"\n"\\u001b[2J" = 1\n'),
    "run exam -m baseline/always-a --protocol": ("p.toml", b'"\\u001b[2J" = 1\n'),
    "run exam -m baseline/always-a --prices": ("c.toml", b'["\\u001b[2J"]\n'),
    "agreement": ("r.csv", f"id,{EVIL},a\n1,2,3{EVIL}\n".encode()),
}


@pytest.mark.parametrize("command", FAULTY)
def test_an_error_about_a_file_cannot_command_the_terminal(keju: Keju, hostile: Path, command: str) -> None:
    name, content = FAULTY[command]
    Path(name).write_bytes(content)
    words = command.split()
    at = 1 if command in ("run -m baseline/always-a",) else len(words)
    _, out, err = keju(*words[:at], name, *words[at:])
    assert commanded(out + err) == ""
    assert "Traceback" not in err


def test_json_for_a_program_holds_every_character_as_it_is(keju: Keju, hostile: Path) -> None:
    keju("run", hostile, "-m", "baseline/always-a")
    _, out, _ = keju("score", "runs", "--items", "--json")
    told = {row["id"] for table in json.loads(out)["tables"] for row in table["rows"] if "id" in row}
    assert f"1{EVIL}" in told


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("script"), reason="needs `script` for a terminal")
@pytest.mark.parametrize(
    "line", ["check exam", "run exam -m baseline/always-a", "score runs --items", "score runs --json"]
)
def test_on_a_terminal_only_what_colours_and_moves_is_a_control(hostile: Path, tmp_path: Path, line: str) -> None:
    shell("run", "exam", "-m", "baseline/always-a", cwd=tmp_path)
    command = f"{sys.executable} -m keju {line}"
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    said = re.sub(r"\x1b\[(?:[0-9;]*m|\?25[lh]|[0-9]*[AK])|\r", "", done.stdout.decode("utf-8"))
    assert commanded(said) == ""
