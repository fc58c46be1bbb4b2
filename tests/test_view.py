"""`keju view`: the report over HTTP, for this computer, following runs that go on and touching none of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from filelock import FileLock

from command_line import Keju, exam, in_process
from keju.errors import BadFile, Misuse
from keju.items import Medium
from keju.reports import to_html
from keju.reports.item_browser import embed_items
from keju.reports.live import SHARE, Gallery, Live, live
from keju.reports.serving import Server
from keju.results.leaderboard import leaderboard
from keju.results.scores import score
from keju.runs.watching import Sight, Watch
from making import png
from marked_runs import items, run
from servers.fake_openai import FakeServer, completion

keju = pytest.fixture(in_process)
opera = pytest.fixture(exam)

KEY = "sk-only-for-this-test"


@dataclass
class Site:
    """A server under test, and what it answers."""

    server: Server

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
        host, port = self.server.server_address[:2]
        connection = HTTPConnection(str(host), int(port), timeout=30)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def state(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.ask("/state")[1])
        return told


@contextmanager
def serving(live: Live, gallery: Gallery | None = None, host: str = "127.0.0.1") -> Iterator[Site]:
    with Server(host, 0, live, gallery or Gallery()) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Site(server)
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def viewing(*arguments: object, cwd: Path) -> Iterator[str]:
    """`keju view` in a process of its own, on any free port; its address."""
    command = [sys.executable, "-m", "keju", "view", *map(str, arguments), "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


class Fixed(Watch):
    """Runs whose state is what a test says."""

    def __init__(self, version: str = "1") -> None:
        super().__init__([])
        self.version = version

    def look(self) -> Sight:
        return Sight(self.version, 1, 3, 8)


def ready(version: str = "1", build: Any = lambda version: f"page {version}") -> Live:
    live = Live(Fixed(version), build)
    live.make()
    return live


# who may ask, and for what


@pytest.mark.parametrize("host", ["localhost", "localhost:8471", "127.0.0.1:9", "[::1]:8471", "10.0.0.7:8471"])
def test_a_browser_on_its_way_to_this_server_is_answered(host: str) -> None:
    with serving(ready()) as site:
        assert site.ask("/state", Host=host)[0].status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8471", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_a_foreign_name_that_leads_here_gets_nothing(host: str) -> None:
    with serving(ready()) as site:
        for path in ("/", "/state", "/media/x"):
            answer, content = site.ask(path, Host=host)
            assert answer.status == 421
            assert b"page" not in content
            assert b"8" not in content


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/media/../../../etc/passwd", "/media/%2e%2e%2fetc%2fpasswd", "//etc/passwd", "/media/"],
)
def test_no_path_leads_to_a_file(path: str) -> None:
    with serving(ready()) as site:
        assert site.ask(path)[0].status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(method: str) -> None:
    with serving(ready()) as site:
        assert site.ask("/", method)[0].status == 501


def test_only_media_of_items_are_served_whole_and_in_part(tmp_path: Path) -> None:
    picture = tmp_path / "一 1.png"
    picture.write_bytes(png())
    (tmp_path / "key.txt").write_text("secret")
    gallery = Gallery()
    address = "/" + gallery.address(Medium("image", "一 1.png", picture))
    assert tmp_path.name not in address
    size = len(png())
    with serving(ready(), gallery) as site:
        answer, content = site.ask(address)
        assert (answer.status, content, answer.headers["Content-Type"]) == (200, png(), "image/png")
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
        for wanted, part in (("bytes=0-9", png()[:10]), ("bytes=10-", png()[10:]), ("bytes=-4", png()[-4:])):
            answer, content = site.ask(address, Range=wanted)
            assert (answer.status, content) == (206, part)
        assert site.ask(address, Range="bytes=0-9")[0].headers["Content-Range"] == f"bytes 0-9/{size}"
        assert site.ask(address, Range=f"bytes={size}-")[0].status == 416
        assert site.ask(address, Range=f"bytes={'9' * 5000}-")[1] == png()
        assert site.ask(address, "HEAD")[1] == b""
        picture.unlink()
        answer, content = site.ask(address)
        assert answer.status == 404
        assert tmp_path.name.encode() not in content


def test_a_medium_that_is_something_else_is_no_page(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_text("<script>alert(1)</script>")
    gallery = Gallery()
    address = "/" + gallery.address(Medium("image", "a.png", file))
    with serving(ready(), gallery) as site:
        answer, _ = site.ask(address)
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_port_that_is_taken_is_named() -> None:
    with serving(ready()) as site, pytest.raises(Misuse, match=f"port {site.server.server_address[1]}.*--port"):
        Server("127.0.0.1", int(site.server.server_address[1]), site.server.live, Gallery())


@pytest.mark.parametrize(("host", "port"), [("no such host", 0), ("127.0.0.1", 70_000), ("." * 300, 0)])
def test_an_address_that_is_none_is_a_message(keju: Keju, opera: Path, host: str, port: int) -> None:
    keju("run", opera, "-m", "baseline/random", "-o", "runs")
    code, _, said = keju("view", "runs", "--host", host, "--port", port)
    assert code == 2
    assert "--port" in said


def test_without_a_run_it_says_so(keju: Keju, tmp_path: Path) -> None:
    code, out, said = keju("view", tmp_path, "--port", "0")
    assert (code, out) == (2, "")
    assert str(tmp_path) in said


# what it costs


def test_a_page_is_made_once_a_change_and_not_again_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("keju.reports.live.time.monotonic", lambda: now)
    made: list[str] = []

    def build(version: str) -> str:
        nonlocal now
        made.append(version)
        now += 3  # seconds that it takes
        return version

    live = Live(watch := Fixed("1"), build)
    live.make()
    now += 60
    assert [live.page(), live.page()] == ["1", "1"]
    watch.version = "2"
    now += 2
    assert [live.page(), live.state()["page"]] == ["2", "2"]
    watch.version = "3"
    now += 2
    assert [live.page(), live.state()["page"]] == ["2", "2"], "too early"
    now += 3 * SHARE
    assert live.state()["page"] == "3"
    assert live.page() == "3"
    assert made == ["1", "2", "3"]


def test_runs_that_cannot_be_read_just_now_leave_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("keju.reports.live.time.monotonic", lambda: now)

    def build(version: str) -> str:
        if version == "2":
            raise BadFile("runs/a/records.jsonl:3: not a record")
        return version

    live = Live(watch := Fixed("1"), build)
    live.make()
    for version, page, error in (("2", "1", "runs/a/records.jsonl:3: not a record"), ("3", "3", None)):
        watch.version = version
        now += 60
        assert live.page() == page
        assert live.state()["error"] == error
        assert live.state()["page"] == page, "a reader that loads the page again and again would never rest"


def test_a_look_counts_what_is_new_and_what_was_put_aside(keju: Keju, opera: Path, tmp_path: Path) -> None:
    keju("run", opera, "-m", "baseline/random", "-o", "runs", "--limit", 3)
    watch = Watch([tmp_path / "runs"])
    first = watch.look()
    assert (first.runs, first.records, first.items) == (1, 3, 3)
    assert watch.look() == first
    keju("run", opera, "-m", "baseline/random", "-o", "runs")
    second = watch.look()
    assert (second.runs, second.records, second.items) == (1, 8, 8)
    (records,) = (tmp_path / "runs").rglob("records.jsonl")
    lines = records.read_bytes().splitlines(keepends=True)
    records.unlink()
    records.write_bytes(b"".join(lines[:2]) + b'{"torn')
    assert watch.look().records == 2
    assert len({first.version, second.version, watch.look().version}) == 3


# what the page may load


def test_the_policy_lets_the_page_load_from_its_own_server_only(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(png())
    of = [replace(one, media=(Medium("image", "a.png", picture),)) for one in items("AB")]
    scores = [score(run(of, "AB"))]
    shown = live(embed_items(scores, address=Gallery().address), "1")
    page = to_html([leaderboard(scores)], items=shown, served=True)
    policy = page.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert all(one.startswith("'sha256-") for one in parts.pop("script-src").split())
    assert parts == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "'self'",
        "media-src": "'self'",
        "connect-src": "'self'",
    }
    assert "data:image" not in page
    assert str(tmp_path) not in page


# over a run that goes on


@contextmanager
def running(exam: Path, cwd: Path, server: FakeServer, *options: str) -> Iterator[None]:
    """`keju run` in a process of its own; waits for its end."""
    told = ("--base-url", server.base_url, "-o", "runs", "--concurrency", "1", *options)
    command = [sys.executable, "-m", "keju", "run", str(exam), "-m", "openai/fake", *told]
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield
    finally:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said.decode()


def until(met: Any, seconds: float = 30) -> None:
    """Wait until a condition is met."""
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)


def test_the_page_grows_with_the_run_and_the_reader_stays_where_he_is(opera: Path, tmp_path: Path) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    pytest.importorskip("altair")
    binary = next((p for p in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(p).exists()), None)
    with ExitStack() as opened, FakeServer([completion("A")]) as server, sync.sync_playwright() as play:
        with running(tmp_path / opera, tmp_path, server, "--limit", "1"):
            pass
        server.answers = [completion("A", delay_s=0.6)]
        try:
            browser = play.chromium.launch(executable_path=binary, args=["--no-sandbox"])
        except sync.Error:
            pytest.skip("no Chromium on this computer")
        url = opened.enter_context(viewing("runs", cwd=tmp_path))
        page = browser.new_page(viewport={"width": 1000, "height": 600})
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(urlsplit(request.url).path))
        page.goto(f"{url}#item=0001&order=hardest")
        bar, panel = page.locator("#live p").first, page.locator("#items-panel h3")
        sync.expect(bar.locator(".en")).to_have_text("1 of 1 items asked; runs: 1")
        sync.expect(panel).to_have_text("0001")
        page.locator("#items-panel img").evaluate("image => image.decode()")
        page.check("#zh", force=True)
        page.evaluate("scrollTo(0, 400)")
        with running(tmp_path / opera, tmp_path, server):
            sync.expect(bar.locator(".zh")).to_have_text(re.compile("^已问 [2-7] / 8 题；运行：1$"), timeout=30_000)
        sync.expect(bar.locator(".zh")).to_have_text("已问 8 / 8 题；运行：1", timeout=30_000)
        sync.expect(page.locator("#items-list i:not(.pending)")).to_have_count(8, timeout=30_000)
        sync.expect(panel).to_have_text("0001")
        assert page.evaluate("location.hash") == "#item=0001&order=hardest"
        assert page.is_checked("#zh")
        until(lambda: page.evaluate("scrollY") == 400)
        assert said == []
        assert {path.split("/")[1] for path in asked} == {"", "state", "media"}
        assert KEY not in page.content()
        browser.close()


def test_a_run_is_not_disturbed_by_looking_on(keju: Keju, opera: Path, tmp_path: Path) -> None:
    """Another process holds the lock and is in the middle of a line."""
    keju("run", opera, "-m", "baseline/random", "-o", "runs")
    folder = next((tmp_path / "runs").rglob("run.json")).parent
    with FileLock(folder / "run.lock"), (folder / "records.jsonl").open("ab") as writing:
        writing.write(b'{"id": "00')
        writing.flush()
        before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir()}
        with viewing("runs", "--no-items", cwd=tmp_path) as url:
            for path in ("", "state"):
                with urlopen(url + path, timeout=60) as answer:
                    assert answer.status == 200
        assert {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir()} == before
