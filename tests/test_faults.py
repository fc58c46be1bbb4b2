"""Faults: a server that fails in every way, a process that is killed again and again, media that fail while sent."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from rig import exam
from rig.measured import MODEL, MockServer

from keju.errors import CallFailed
from keju.items import Medium
from keju.models.endpoint import Endpoint
from keju.models.openai_compatible import OpenAICompatible
from keju.models.request_body import Base64, Body
from keju.prompts import Generation, Prompt, Text
from making import png

ITEMS, IN_FLIGHT, KILLS = 1000, 64, 10
FAULTS = ("429:0.05", "500:0.02", "hang:0.01")
MOST_MB = 400
LARGE = png() + bytes(8 << 20)
"""A picture that no socket's buffers take whole."""


def peak_mb(pid: int) -> float:
    """Most memory the process held since it began its program; 0 where it is gone.

    Not `ru_maxrss` of `wait4`: that also counts what this process held when it forked.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


class Examination:
    """`keju run` in processes of its own, as a user would run it."""

    def __init__(self, folder: Path, server: MockServer) -> None:
        self.server, self.runs, self.peak_mb = server, folder / "runs", 0.0
        asked = ["run", str(folder / "exam"), "-m", f"openai-compatible/{MODEL}", "--base-url", server.base_url]
        how = ["--concurrency", str(IN_FLIGHT), "--timeout", "4", "-o", str(self.runs), "--json", "--no-check-media"]
        self._command = [sys.executable, "-m", "keju", *asked, *how]
        self._said = folder / "said"

    def start(self) -> subprocess.Popen[bytes]:
        with self._said.open("wb") as file:
            return subprocess.Popen(self._command, stdout=file, stderr=subprocess.STDOUT)

    def end(self, process: subprocess.Popen[bytes]) -> int:
        """The exit code; the peak of its memory is noted."""
        while process.poll() is None:
            self.peak_mb = max(self.peak_mb, peak_mb(process.pid))
            time.sleep(0.02)
        return process.returncode

    def kill_after(self, requests: int) -> None:
        """Run until the server has seen so many more requests, then kill -9."""
        until = self.server.seen()["requests"] + requests
        process = self.start()
        while self.server.seen()["requests"] < until:
            assert process.poll() is None, self.said
            self.peak_mb = max(self.peak_mb, peak_mb(process.pid))
            time.sleep(0.01)
        process.kill()
        assert self.end(process) == -signal.SIGKILL

    @property
    def said(self) -> str:
        return self._said.read_text(encoding="utf-8")

    @property
    def records(self) -> list[dict[str, Any]]:
        path = next(self.runs.rglob("records.jsonl"))
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def examination(tmp_path: Path) -> Iterator[Examination]:
    with MockServer(0.05, FAULTS) as server:
        exam.write(tmp_path / "exam", ITEMS)
        yield Examination(tmp_path, server)
    shutil.rmtree(tmp_path / "exam")  # 1.6 GB


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the rig reads /proc")
def test_a_thousand_pictures_through_faults_and_ten_kills(examination: Examination) -> None:
    """5 % 429, 2 % 500, 1 % hang, killed ten times at random: every item answered once, in bounded memory."""
    draw = random.Random(7)
    for _ in range(KILLS):
        examination.kill_after(draw.randrange(90))
    assert examination.end(examination.start()) == 0, examination.said

    records, seen = examination.records, examination.server.seen()
    assert sorted(record["id"] for record in records) == [f"{number:04d}" for number in range(1, ITEMS + 1)]
    assert {record["status"] for record in records} == {"answered"}
    answers = {int(record["id"]): record["text"] for record in records}
    assert answers == {number: exam.answer(number, MODEL) for number in answers}
    row = json.loads(examination.said[examination.said.index("{") :])["tables"][0]["rows"][0]
    assert row["accuracy"] == pytest.approx(exam.expected(ITEMS, MODEL))
    faults = seen["requests"] - seen["outcomes"]["answered"]
    assert set(seen["outcomes"]) == {"answered", "429", "500", "hang"}
    assert seen["requests"] <= ITEMS + KILLS * IN_FLIGHT + faults
    assert seen["peak"] <= IN_FLIGHT
    assert 0 < examination.peak_mb < MOST_MB


Talk = Callable[[socket.socket, threading.Event], None]
"""What a server does with a connection; the event says that the client has given up."""


@contextmanager
def serving(talk: Talk) -> Iterator[str]:
    """The base URL of a server that takes one connection and behaves like `talk`."""
    over = threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):  # the client may leave first
            talk(connection, over)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serve, args=(listener,))
        server.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            over.set()
            server.join()


def failure(talk: Talk, timeout: float = 60.0) -> CallFailed:
    """How one attempt fails that sends a large picture to a server that behaves like `talk`."""
    parts = (Medium("image", "1.png", data=LARGE), Text("题"))
    prompt = Prompt("0001", parts, Generation(10), "generate", "zh-Hans", "", "题", {"A": "生", "B": "旦"})

    async def attempt(base_url: str) -> CallFailed:
        model = OpenAICompatible("fake/m", model="m", base_url=base_url, timeout=timeout)
        with pytest.raises(CallFailed) as caught:
            await model.answer(prompt)
        await model.close()
        return caught.value

    with serving(talk) as base_url:
        return asyncio.run(attempt(base_url))


def test_a_server_that_takes_nothing_in_ends_with_the_attempts_time() -> None:
    """A black hole: the connection stands, the picture does not leave."""

    def ignore(_: socket.socket, over: threading.Event) -> None:
        over.wait(60)

    began = time.monotonic()
    failed = failure(ignore, timeout=0.5)
    assert (failed.kind, failed.retryable) == ("timeout", True)
    assert time.monotonic() - began < 10


def test_a_server_that_trickles_ends_with_the_attempts_time() -> None:
    """A slow loris: there is always one more byte, and never a reply."""

    def trickle(connection: socket.socket, over: threading.Event) -> None:
        while not connection.recv(1 << 20).endswith(b"]}"):
            pass
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
        while not over.wait(0.02):
            connection.sendall(b" ")

    failed = failure(trickle, timeout=1.0)
    assert (failed.kind, failed.retryable) == ("timeout", True)


def test_a_server_that_hangs_up_while_the_picture_is_sent_is_asked_again() -> None:
    def hang_up(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(1000)

    failed = failure(hang_up)
    assert (failed.kind, failed.retryable) == ("connection", True)


def test_a_server_that_answers_while_the_picture_is_sent_is_heard_or_asked_again() -> None:
    """A proxy refuses a large body at once and closes: never an answer, never a wait until the timeout."""

    def refuse(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge")

    began = time.monotonic()
    failed = failure(refuse)
    assert failed.status == 413 or (failed.kind, failed.retryable) == ("connection", True)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("difference", [-3, 3])
def test_a_picture_that_changes_while_it_is_sent_fails_as_a_medium(difference: int) -> None:
    """Its length was announced; what else was sent is no request."""
    picture = Medium("image", "1.png", data=png())

    async def send(base_url: str) -> None:
        endpoint = Endpoint(base_url, "chat/completions", who="fake/m", key=None, timeout=5)
        try:
            async with endpoint.post(Body([b'"', Base64(picture, picture.size + difference), b'"'])):
                pass
        finally:
            await endpoint.close()

    def swallow(connection: socket.socket, _: threading.Event) -> None:
        while connection.recv(1 << 20):
            pass

    with serving(swallow) as base_url, pytest.raises(CallFailed, match=r"1\.png changed while it was sent") as caught:
        asyncio.run(send(base_url))
    assert caught.value.kind == "medium"


def test_a_file_that_changed_has_another_digest(tmp_path: Path) -> None:
    path = tmp_path / "1.png"
    medium = Medium("image", "1.png", path)
    for number, content in enumerate((b"one", b"two", b"three")):
        path.write_bytes(content)
        os.utime(path, ns=(number, number))
        assert medium.sha256 == hashlib.sha256(content).hexdigest()
        assert medium.identity == medium.sha256[:16]
    path.unlink()
    assert medium.identity == "absent"
