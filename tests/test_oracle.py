"""The oracle: a server that is always right. Every score under 100 % is then the harness's fault.

200 items, a number in each question, four options of which exactly one ends in 对, keys A to D in turn, 8 genres, a PNG
each, on a real socket. `python -m keju` runs as a user would run it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from making import png
from servers.fake_openai import Answer, Asked, FakeServer, completion, error

N = 200
NUMBER = re.compile(r"编号(\d+)")
RIGHT = re.compile(r"([A-D])[).:：、][^\n]*对")


@dataclass
class Oracle:
    """How the server behaves now; tests change it between runs."""

    mode: str = "bare"
    delay: float = 0.0
    asked: list[int] = field(default_factory=list)
    images: dict[int, str] = field(default_factory=dict)

    def __call__(self, request: Asked) -> Answer:
        body = request.json
        texts = [part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text"]
        text = "\n".join(texts)
        number = int(NUMBER.search(text)[1])  # type: ignore[index]
        self.asked.append(number)
        for part in body["messages"][-1]["content"]:
            if part["type"] == "image_url":
                data = part["image_url"]["url"].partition(",")[2]
                self.images[number] = hashlib.sha256(base64.b64decode(data)).hexdigest()
        if self.mode == "fail" and number % 10 == 3:
            return error(500, "boom")
        if self.mode == "filter" and number % 10 == 3:
            return error(400, "content_filter: The response was filtered. answer must not be A", "content_filter")
        label = RIGHT.search(text)[1]  # type: ignore[index]
        reply = {"verbose": f"答案：{label}", "ok": f"ANSWER: {label}"}.get(self.mode, label)
        return completion(reply, delay_s=self.delay)


@dataclass
class Rig:
    folder: Path
    benchmark: Path
    server: FakeServer
    oracle: Oracle

    def command(self, *more: str) -> list[str]:
        return [
            *(sys.executable, "-m", "keju", "run", str(self.benchmark), "-m", "openai-compatible/mock"),
            *("--base-url", self.server.base_url, "-o", str(self.folder / "runs"), "--json", "--no-check-media"),
            *("--attempts", "1", *more),
        ]

    def run(self, *more: str) -> tuple[int, dict[str, Any], str]:
        """Exit code, the leaderboard's row, and stderr; `self.oracle.asked` holds what this run asked."""
        self.oracle.asked.clear()
        done = subprocess.run(self.command(*more), capture_output=True, text=True, encoding="utf-8", check=False)
        assert "Traceback" not in done.stderr, done.stderr
        row = json.loads(done.stdout)["tables"][0]["rows"][0] if done.stdout else {}
        return done.returncode, row, done.stderr

    def edit(self, number: int, change: Any) -> None:
        path = self.benchmark / f"{number:04d}.md"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def make(folder: Path) -> Path:
    """The oracle's benchmark in the TCO layout."""
    folder.mkdir(parents=True)
    labels = ["id,genre"]
    for i in range(N):
        options = ["京剧错", "黄梅戏错", "越剧错", "川剧错"]
        options[i % 4] = options[i % 4].replace("错", "对")
        lines = [
            f"图中是什么剧种？编号{i}",
            *(f"({label}) {text}" for label, text in zip("ABCD", options, strict=True)),
        ]
        name = f"{i:04d}"
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / f"{name}.txt").write_text("ABCD"[i % 4], encoding="utf-8")
        (folder / f"{name}.png").write_bytes(png(i, 64))
        labels.append(f"{name},genre{i % 8}")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    oracle = Oracle()
    with FakeServer(oracle) as server:
        yield Rig(tmp_path, make(tmp_path / "oracle"), server, oracle)


@pytest.mark.parametrize(
    ("mode", "protocol"),
    [("bare", "tco"), ("bare", "tco-strict"), ("ok", "tco"), ("verbose", "robust"), ("ok", "robust")],
)
def test_the_right_letter_scores_one_however_it_is_said(rig: Rig, mode: str, protocol: str) -> None:
    rig.oracle.mode = mode
    code, row, _ = rig.run("--protocol", protocol)
    assert (code, row["accuracy"], row["n"], row["valid_response_rate"]) == (0, 1.0, N, 1.0)
    assert sorted(rig.oracle.asked) == list(range(N))


def test_the_picture_arrives_byte_for_byte(rig: Rig) -> None:
    rig.run()
    for i in range(N):
        assert rig.oracle.images[i] == hashlib.sha256((rig.benchmark / f"{i:04d}.png").read_bytes()).hexdigest()


def test_failed_calls_are_not_answers_and_heal(rig: Rig) -> None:
    """20 of 200 calls die: both denominators, exit code 3; then exactly those 20 are asked again."""
    rig.oracle.mode = "fail"
    code, row, said = rig.run()
    assert code == 3
    assert (row["answered"], row["failed"], row["n"]) == (180, 20, N)
    assert (row["accuracy_answered"], row["accuracy"]) == (1.0, 0.9)
    assert "20 of 200" in said
    rig.oracle.mode = "bare"
    code, row, _ = rig.run()
    assert (code, row["accuracy"]) == (0, 1.0)
    assert sorted(rig.oracle.asked) == [i for i in range(N) if i % 10 == 3]


def test_a_content_filter_is_never_read_as_an_answer(rig: Rig) -> None:
    rig.oracle.mode = "filter"
    code, row, _ = rig.run("--protocol", "robust")
    assert code == 3
    assert (row["answered"], row["blocked"], row["failed"]) == (180, 20, 0)
    assert row["accuracy"] == 0.9
    assert len(rig.oracle.asked) == N


def test_nothing_changed_asks_nothing(rig: Rig) -> None:
    rig.run()
    code, row, _ = rig.run()
    assert (code, row["accuracy"], rig.oracle.asked) == (0, 1.0, [])


def test_killed_on_the_way_only_the_calls_in_flight_are_repeated(rig: Rig) -> None:
    rig.oracle.delay = 0.05
    rig.oracle.asked.clear()
    process = subprocess.Popen(rig.command("--concurrency", "8"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(rig.oracle.asked) >= 120)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = len(rig.oracle.asked)
    code, row, _ = rig.run("--concurrency", "8")
    assert (code, row["accuracy"]) == (0, 1.0)
    assert before + len(rig.oracle.asked) <= N + 8


def test_reversed_options_are_refused_by_name(rig: Rig) -> None:
    rig.run("--limit", "20")

    def reverse(text: str) -> str:
        question, *options = text.splitlines()
        texts = [line.split(" ", 1)[1] for line in options]
        return "\n".join([question, *(f"({c}) {t}" for c, t in zip("ABCD", reversed(texts), strict=True))])

    rig.edit(7, reverse)
    code, _, said = rig.run("--limit", "20")
    assert code == 4
    assert "item 0007" in said
    assert rig.oracle.asked == []


def test_another_image_byte_is_refused_by_name(rig: Rig) -> None:
    rig.run("--limit", "20")
    (rig.benchmark / "0005.png").write_bytes(png(999, 64))
    code, _, said = rig.run("--limit", "20")
    assert code == 4
    assert "item 0005" in said
    assert "bytes" in said
    assert rig.oracle.asked == []


def test_another_prompt_word_is_refused_by_name(rig: Rig, tmp_path: Path) -> None:
    from keju.protocols import load_protocol

    mine = tmp_path / "mine.toml"
    shipped = Path(sys.modules[load_protocol.__module__].__file__ or "").parent / "builtin" / "tco.toml"
    text = re.sub(r"^name = .*$", 'name = "mine"', shipped.read_text(encoding="utf-8"), flags=re.MULTILINE)
    mine.write_text(text, encoding="utf-8")
    assert rig.run("--limit", "5", "--protocol", str(mine))[0] == 0
    mine.write_text(text.replace("请仅回答", "请只回答"), encoding="utf-8")
    code, _, said = rig.run("--limit", "5", "--protocol", str(mine))
    assert code == 4
    assert "protocol.templates" in said
    assert rig.oracle.asked == []


def test_shuffled_options_carry_their_key_along(rig: Rig) -> None:
    code, row, _ = rig.run("--variant", "shuffle=7")
    assert (code, row["accuracy"]) == (0, 1.0)


def test_reported_times_are_the_wall_and_the_calls_apart(rig: Rig) -> None:
    """50 ms at the server: each call says about 50 ms, the wall is far less than their sum."""
    rig.oracle.delay = 0.05
    rig.run("--concurrency", "16")
    folder = next((rig.folder / "runs").rglob("run.json")).parent
    session = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sessions"][-1]
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    calls = sorted(record["stages"]["infer"] for record in records)
    assert calls[0] >= 0.05
    assert session["wall_s"] < sum(calls) / 4
    assert session["peak_in_flight"] == 16
    assert rig.server.peak == 16
    size = (folder / "records.jsonl").stat().st_size + (folder / "items.jsonl").stat().st_size
    assert size / N < 1024


def test_two_processes_do_not_write_one_folder(rig: Rig) -> None:
    rig.oracle.delay = 0.05
    codes: list[int] = []

    def go() -> None:
        codes.append(subprocess.run(rig.command(), capture_output=True, check=False).returncode)

    threads = [threading.Thread(target=go) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [0, 4]
    folder = next((rig.folder / "runs").rglob("run.json")).parent
    lines = (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) == N


def test_ctrl_c_ends_cleanly_and_the_run_goes_on(rig: Rig) -> None:
    rig.oracle.delay = 0.05
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits it ignored
    process = subprocess.Popen(
        rig.command("--concurrency", "4"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    signal.signal(signal.SIGINT, before)
    wait_until(lambda: len(rig.oracle.asked) >= 40)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "interrupted" in said
    assert rig.run()[0] == 0


def test_a_wrong_key_costs_a_few_requests_and_gives_no_accuracy(tmp_path: Path) -> None:
    """AP-07."""
    asked: list[int] = []

    def refuse(request: Asked) -> Answer:
        asked.append(request.number)
        return error(401, "Incorrect API key", "invalid_api_key")

    with FakeServer(refuse) as server:
        rig = Rig(tmp_path, make(tmp_path / "oracle"), server, Oracle())
        code, row, said = rig.run("--concurrency", "64")
    assert code == 3
    assert len(asked) <= 8
    assert row["accuracy"] is None
    assert "key" in said
