"""Uploads over the limit: the answer is in words, in the reader's language, and nothing of them is stored."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from building import client_of, person, project

from keju.studio.models import Role
from keju.studio.oversized import limit

HEADERS = {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.mark.parametrize(
    ("language", "words"), [("en", "larger than 200 MB"), ("zh-hans", "大于 200 MB"), ("zh-hant", "大於 200 MB")]
)
def test_people_get_a_page_and_programs_json_in_their_language(language, words):
    home = project()
    browser = client_of(person(home, Role.OWNER))

    def sent(path, accept):
        how = {"CONTENT_LENGTH": str(2 * 2**30), "HTTP_ACCEPT": accept, "HTTP_ACCEPT_LANGUAGE": language}
        return browser.generic("POST", path, content_type=HEADERS["Content-Type"], **how)

    page = sent(f"/projects/{home.slug}/import", "text/html")
    assert page.status_code == 413
    assert words in page.content.decode()
    assert "<h1>" in page.content.decode()
    assert words in sent(f"/projects/{home.slug}/assets/upload", "application/json").json()["error"]
    assert words in sent(f"/api/projects/{home.slug}/assets", "*/*").json()["detail"]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_an_import_that_is_too_large_is_not_even_sent(open_as, settings):
    settings.UPLOAD_LIMIT = 1000
    home = project()
    page = open_as(person(home, Role.OWNER), f"/projects/{home.slug}/import")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "set.zip", "mimeType": "application/zip", "buffer": bytes(5000)})
    page.get_by_role("button", name="Take it in").click()
    assert "folder for imports" in chooser.evaluate("field => field.validationMessage")
    assert sent == []
    chooser.set_input_files({"name": "set.zip", "mimeType": "application/zip", "buffer": b"small"})
    assert chooser.evaluate("field => field.validationMessage") == ""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A studio as people start it, in a process of its own: (port, process id, folder of its temporary files)."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "tmp").mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}
    command = [sys.executable, "-m", "keju", "studio", "--data", folder / "data", "--port", "0"]
    environment["TMPDIR"] = str(folder / "tmp")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        port = re.search(r":(\d+)/", started.stdout.readline())
        assert port
        yield int(port[1]), started.pid, folder / "tmp"
        started.send_signal(signal.SIGINT)


def asked(port: int, length: int, body: bytes, times: int, **headers: str) -> tuple[int, str]:
    """The answer to a request that says `length` and sends `body` so many times."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest("POST", "/projects/opera/import")
    for name, value in {**HEADERS, "Content-Length": str(length), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    for _ in range(times):
        connection.send(body)
    answer = connection.getresponse()
    told = answer.read().decode()
    connection.close()
    return answer.status, told


def test_the_server_answers_a_whole_upload_of_two_gigabytes_in_words_and_stores_nothing(server):
    port, pid, folder = server
    sizes = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            sizes.append(held(pid))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        portion = bytes(2**22)
        status, told = asked(port, 2**31, portion, 2**31 // len(portion), Accept="text/html")
    finally:
        over.set()
        watching.join()
    assert status == 413
    assert "larger than 200 MB" in told
    assert max(sizes) - min(sizes) < 200 * 2**20  # bytes of memory
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 2**20


def held(pid: int) -> int:
    """Bytes of memory of a process."""
    try:
        return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0]) * 1024
    except (OSError, IndexError):
        return 0


def test_who_asks_before_sending_is_told_at_once(server):
    status, told = asked(server[0], 2**31, b"", 0, Expect="100-continue", Accept="application/json")
    assert status == 413
    assert "larger than 200 MB" in told


def test_the_connection_serves_on_after_a_refusal(server):
    connection = http.client.HTTPConnection("127.0.0.1", server[0], timeout=60)
    size = limit() + 1
    for _ in range(2):
        connection.request("POST", "/projects/opera/import", bytes(size), {**HEADERS, "Accept": "text/html"})
        answer = connection.getresponse()
        assert (answer.status, "larger than" in answer.read().decode()) == (413, True)
    connection.request("GET", "/sign-in")
    assert connection.getresponse().status == 200
    connection.close()


def test_a_chunked_upload_without_a_length_is_refused_as_well(server):
    connection = http.client.HTTPConnection("127.0.0.1", server[0], timeout=60)
    portion = bytes(2**22)
    try:
        connection.request(
            "POST",
            "/projects/opera/import",
            (portion for _ in range(limit() // len(portion) + 2)),
            {**HEADERS, "Accept": "application/json"},
            encode_chunked=True,
        )
        assert connection.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # where it ends is not known, so that the server does not wait for it
    finally:
        connection.close()
