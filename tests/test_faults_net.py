"""Faults of the network and the clock: what servers and wires do to a call, and what becomes of the run.

Every one on a real socket. `docs/faults.md` lists them with what keju does.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from command_line import Keju, exam, in_process
from keju.errors import CallFailed, RunStopped
from keju.models.openai_compatible import OpenAICompatible
from keju.prompts import Generation, Prompt, Text
from keju.records import Reply
from keju.runs import engine
from servers.fake_openai import Answer, Asked, FakeServer, completion
from test_faults import Talk, serving

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

PROMPT = Prompt("0001", (Text("题"),), Generation(10), "generate", "zh-Hans", "", "题", {"A": "生", "B": "旦"})
B = json.dumps(completion("B")["json"]).encode()


def asked_at(base_url: str, timeout: float = 5.0) -> Reply:
    async def attempt() -> Reply:
        model = OpenAICompatible("fake/m", model="m", base_url=base_url, timeout=timeout)
        try:
            return await model.answer(PROMPT)
        finally:
            await model.close()

    return asyncio.run(attempt())


def answered(talk: Talk, timeout: float = 5.0) -> Reply:
    """The reply that one attempt gets from a server that behaves like `talk`."""
    with serving(talk) as base_url:
        return asked_at(base_url, timeout)


def sends(*pieces: bytes) -> Talk:
    """A server that reads the request and sends these bytes."""

    def talk(connection: socket.socket, _: threading.Event) -> None:
        while not connection.recv(1 << 16).endswith(b"}"):
            pass
        for piece in pieces:
            connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)

    return talk


def http(body: bytes, *headers: str, length: int | None = None) -> bytes:
    lines = ("HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {length or len(body)}", *headers)
    return "\r\n".join((*lines, "", "")).encode() + body


# Bodies that are broken: the attempt failed, and another may be made

PACKED = gzip.compress(B)
BROKEN = {
    "ends in the middle of its body": http(B[:40], length=len(B)),
    "gzip that is cut": http(PACKED[:40], "Content-Encoding: gzip"),
    "gzip that is damaged": http(PACKED[:20] + b"xxxx" + PACKED[24:], "Content-Encoding: gzip"),
    "says gzip and is none": http(B, "Content-Encoding: gzip"),
    "gzip that does not say so": http(PACKED),
    "JSON that is no UTF-8": http(B.replace(b'"B"', b'"\xff\xfe"')),
    "brackets of 100,000 levels": http(b"[" * 100_000 + b"]" * 100_000),
    "a text of 100,000 digits as a number": http(b'{"choices": ' + b"9" * 100_000 + b"}"),
    "10,000 headers": http(B, *(f"X-{n}: {n}" for n in range(10_000))),
    "a header of a megabyte": http(B, "X-Large: " + "x" * (1 << 20)),
    "nothing": b"",
    "the bytes of TLS": b"\x15\x03\x01\x00\x02\x02\x46",
    "no HTTP": b"220 mail.example.org ESMTP\r\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_reply_is_a_failed_call_and_is_asked_again(name: str) -> None:
    with pytest.raises(CallFailed) as caught:
        answered(sends(BROKEN[name]))
    assert caught.value.retryable
    assert caught.value.kind in ("bad-reply", "connection")
    assert len(str(caught.value)) < 500


# Odd, and yet a reply

ODD = {
    "NaN among its figures": B.replace(b'"prompt_tokens": 20', b'"prompt_tokens": NaN'),
    "a key twice, of which the last counts": b'{"choices": [], ' + B[1:],
    "white space of a megabyte": b" " * (1 << 20) + B,
    "a mark of UTF-8": b"\xef\xbb\xbf" + B,
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_reply_is_read(name: str) -> None:
    assert answered(sends(http(ODD[name]))).text == "B"


def test_a_reply_in_whole_gzip_is_read() -> None:
    assert answered(sends(http(PACKED, "Content-Encoding: gzip"))).text == "B"


# Too much

HUGE = """
import asyncio, json, sys
from keju.errors import CallFailed
from keju.models.openai_compatible import OpenAICompatible
sys.path.insert(0, sys.argv[1])
from test_faults_net import PROMPT, asked_at
try:
    print(len(asked_at(sys.argv[2], 60).text))
except CallFailed as error:
    print(error)
from pathlib import Path
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


def reply_and_peak(talk: Talk) -> tuple[str, float]:
    """What a process of its own says of a huge reply, and the most memory that it held, in MB."""
    with serving(talk) as base_url:
        command = [sys.executable, "-c", HUGE, str(Path(__file__).parent), base_url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, peak = done.stdout.strip().splitlines()
    return said, int(peak) / 1024


LARGE = b'{"choices": [{"message": {"content": "' + b"x" * (100 << 20) + b'"}}]}'


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip bomb"])
def test_a_reply_of_100_mb_is_refused_at_32_in_bounded_memory(packed: bool) -> None:
    """32 MiB are more than any reply; whoever sends more has gone wrong, or means harm."""
    body = gzip.compress(LARGE, 1) if packed else LARGE

    def talk(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(1 << 16)
        connection.sendall(http(body, *(["Content-Encoding: gzip"] if packed else [])))

    said, peak = reply_and_peak(talk)
    assert "the reply is larger than 32 MiB" in said
    assert peak < 300


def test_a_stream_that_never_ends_is_cut_off() -> None:
    event = b"data: " + json.dumps({"choices": [{"delta": {"content": "x" * 60_000}}]}).encode() + b"\n\n"

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        while not over.is_set():
            connection.sendall(event)

    with pytest.raises(CallFailed, match="larger than 32 MiB"):
        answered(talk, timeout=60)


# No connection


@contextmanager
def never_accepting() -> Iterator[str]:
    """A listener whose queue is full: the next connection is neither taken nor refused."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(8):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse where the queue is full")
def test_a_black_hole_ends_with_the_attempts_time() -> None:
    with never_accepting() as base_url:
        began = time.monotonic()
        with pytest.raises(CallFailed) as caught:
            asked_at(base_url, timeout=0.5)
        assert (caught.value.kind, caught.value.retryable) == ("timeout", True)
        assert time.monotonic() - began < 10


def test_connecting_takes_15_seconds_at_most_however_long_a_reply_may_take() -> None:
    endpoint = OpenAICompatible("fake/m", model="m", base_url="http://127.0.0.1:9/v1", timeout=3600)._endpoint
    assert endpoint._timeout.sock_connect == 15


def test_https_to_a_server_without_it_stops_the_run() -> None:
    """It would fail for every item alike."""
    with FakeServer([completion("B")]) as server, pytest.raises(RunStopped, match="no safe connection"):
        asked_at(server.base_url.replace("http:", "https:"))


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_so_that_the_key_goes_nowhere_else(status: int) -> None:
    with FakeServer([completion("A")]) as other:
        away = {"status": status, "headers": {"Location": f"{other.base_url}/chat/completions"}, "json": {}}
        with FakeServer([away]) as server, pytest.raises(RunStopped, match="Check the model's name and the base URL"):
            asked_at(server.base_url)
        assert (len(server.requests), len(other.requests)) == (1, 0)


def test_a_circle_of_redirects_is_one_call() -> None:
    with FakeServer([{"status": 302, "headers": {"Location": "/v1/chat/completions"}, "json": {}}]) as server:
        with pytest.raises(RunStopped):
            asked_at(server.base_url)
        assert len(server.requests) == 1


# What becomes of the run


TROUBLE: list[Answer] = [
    {"raw": PACKED[:40], "headers": {"Content-Encoding": "gzip"}},
    {"raw": b"[" * 100_000},
    {"raw": b'{"choices": [{"message": {"content": "\xff"}}]}'},
    {**completion("B"), "cut": 20},
    {"close": True},
    {"status": 502, "text": "<html><title>Bad gateway</title></html>"},
]


def test_a_run_through_every_fault_has_each_item_once(keju: Keju, opera: Path) -> None:
    """One attempt an item: those that met a fault are asked again by the same command, the others never."""

    def answer(asked: Asked) -> Answer:
        return TROUBLE[asked.number] if asked.number < len(TROUBLE) else completion("B")

    with FakeServer(answer) as server:
        line = ("run", opera, "-m", "openai-compatible/m", "--base-url", server.base_url, "--no-check-media")
        code, _, said = keju(*line, "--attempts", "1", "--concurrency", "1")
        assert code == 3
        assert f"{len(TROUBLE)} of 8 items have no answer; run the same command again" in said
        assert len(server.requests) == 8
        code, out, _ = keju(*line, "--json")
        assert (code, len(server.requests)) == (0, 8 + len(TROUBLE))
    rows = [json.loads(row) for row in next(Path("runs").rglob("records.jsonl")).read_text("utf-8").splitlines()]
    assert sorted(row["id"] for row in rows) == [f"{n:04d}" for n in range(1, 9)]
    assert json.loads(out)["tables"][0]["rows"][0]["n"] == 8


# Clocks


@pytest.mark.parametrize("jump", [3600.0, -3600.0], ids=["an hour forward", "an hour back"])
def test_a_clock_that_jumps_changes_no_time_that_is_measured(
    keju: Keju, opera: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """The clock is set while the calls are under way: stages and wall time come from a clock that nobody can set."""
    off = 0.0
    true_time, true_now = time.time, datetime.now

    class Now(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return true_now(tz).fromtimestamp(true_time() + off, tz)

    def answer(asked: Asked) -> Answer:
        nonlocal off
        off += jump
        if asked.number == 2:
            return {"status": 429, "headers": {"Retry-After": "0.05"}, "json": {}}
        return completion("B", delay_s=0.02)

    monkeypatch.setattr(time, "time", lambda: true_time() + off)
    monkeypatch.setattr(time, "time_ns", lambda: int((true_time() + off) * 1e9))
    monkeypatch.setattr(engine, "datetime", Now)
    began = time.monotonic()
    with FakeServer(answer) as server:
        code, _, said = keju("run", opera, "-m", "openai-compatible/m", "--base-url", server.base_url)
    took = time.monotonic() - began
    assert code == 0, said
    folder = next(Path("runs").rglob("run.json")).parent
    (session,) = json.loads((folder / "run.json").read_text("utf-8"))["sessions"]
    assert 0 < session["wall_s"] <= took
    for row in map(json.loads, (folder / "records.jsonl").read_text("utf-8").splitlines()):
        assert all(0 <= seconds <= took for seconds in row["stages"].values())
        assert row["stages"]["infer"] >= 0.02


def test_errors_of_a_black_hole_reach_the_user_in_words(keju: Keju, opera: Path) -> None:
    """The command that meets it says what it waited for, and leaves a folder that the next one goes on with."""
    with never_accepting() as base_url:
        line = (
            "run",
            opera,
            "-m",
            "openai-compatible/m",
            "--base-url",
            base_url,
            "--timeout",
            "0.3",
            "--attempts",
            "1",
        )
        code, _, said = keju(*line, "--concurrency", "8")
    assert code == 3
    assert "8 × openai-compatible/m: no whole reply from http://127.0.0.1" in said
    assert "Traceback" not in said
