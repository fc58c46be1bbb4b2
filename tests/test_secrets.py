"""A key is planted, the server echoes it in every way it can, and every file and word that keju leaves is searched."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin
from urllib.request import urlopen

import pytest

from keju import api
from keju.runs.reading import open_run
from making import benchmark, wav
from release.filled import toml
from servers.fake_openai import Answer, Asked, FakeServer, completion, error

KEY = "sk-Pl4nted/3+Key=0aB1cD2eF3gH4iJ5kL6mN7oP8"
HALF = len(KEY) // 2
FORMS = {
    "whole": KEY,
    "in base64": b64encode(KEY.encode()).decode().rstrip("="),
    "its header in base64": b64encode(f"Bearer {KEY}".encode()).decode().rstrip("="),
    "in a URL": quote(KEY, safe=""),
    "its first half": KEY[:HALF],
    "its second half": KEY[HALF:],
}


def escaped(text: str) -> str:
    """As JSON may write it: every character by its number."""
    return "".join(f"\\u{ord(char):04x}" for char in text)


def in_pieces(text: str) -> list[Any]:
    """A stream whose parts hold the text three characters at a time."""
    parts = [text[at : at + 3] for at in range(0, len(text), 3)]
    return [*({"choices": [{"delta": {"content": part}}]} for part in parts), {"choices": [{"finish_reason": "stop"}]}]


def echo(asked: Asked) -> Answer:
    """The header of the request, in another place and form from one call to the next."""
    told = asked.headers.get("Authorization", "no key")
    key = told.removeprefix("Bearer ")
    packed = b64encode(told.encode()).decode()
    raw = f'{{"choices": [{{"message": {{"content": "B {escaped(key)}"}}, "finish_reason": "stop"}}]}}'
    ways: list[Answer] = [
        completion(f"B {told}"),
        {"json": {**completion("B")["json"], "model": key, "id": key}},
        {"raw": raw.encode()},
        {"sse": [*in_pieces(f"B {key}"), "[DONE]"]},
        completion("B", headers={"X-Echo": told, "Set-Cookie": f"k={key}", "Location": f"/?k={quote(key)}"}),
        completion(f"B {packed} {quote(key, safe='')} {key[:HALF]} … {key[HALF:]}"),
        error(400, f"cannot read {told} of {quote(key, safe='')}", code=key),
        {"status": 500, "text": f"<html><title>{told}</title>{packed}"},
        {"raw": f"no JSON but {told}".encode()},
        {"status": 422, "raw": f'{{"detail": [{{"msg": "{escaped(told)}", "input": {{"k": "{key}"}}}}]}}'.encode()},
        {"json": {"error": {"message": f"{key[:6]}…: {told}", "code": 500}}},
        {"close": True},
    ]
    if "transcriptions" in asked.path:
        return {"json": {"text": f"你好 {told}"}}
    return ways[asked.number % len(ways)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A benchmark of twelve items with pictures, one of clips, and the key in a file of its own."""
    (tmp_path / "made").mkdir()
    api.convert(benchmark(12, folder=tmp_path / "made", name="opera"), "jsonl", tmp_path / "opera")
    rows = [json.loads(row) for row in (tmp_path / "opera" / "items.jsonl").read_text("utf-8").splitlines()[:2]]
    (tmp_path / "clips").mkdir()
    with (tmp_path / "clips" / "items.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            (tmp_path / "clips" / f"{row['id']}.wav").write_bytes(wav(0.5, level=9000))
            file.write(json.dumps({**row, "media": [{"kind": "audio", "name": f"{row['id']}.wav"}]}) + "\n")
    (tmp_path / "key").write_text(KEY, encoding="ascii")
    (tmp_path / "key").chmod(0o600)
    return tmp_path


class Work:
    """Commands of a user who has the key; what they say is kept."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.said: dict[str, bytes] = {}
        homes = {name: str(place / "home") for name in ("HOME", "XDG_CACHE_HOME", "KEJU_CACHE", "TMPDIR")}
        (place / "home").mkdir()
        self._environment = {**os.environ, **homes, "MY_KEY": KEY, "PYTHONASYNCIODEBUG": "1"}

    def __call__(self, *line: object) -> int:
        command = [sys.executable, "-X", "dev", "-m", "keju", *map(str, line)]
        done = subprocess.run(command, cwd=self.place, env=self._environment, capture_output=True, check=False)
        self.said[" ".join(map(str, line))] = done.stdout + done.stderr
        for word in (b"Traceback", b"usage:"):
            assert word not in done.stderr, done.stderr.decode()
        return done.returncode

    def python(self, code: str) -> str:
        """What a script of theirs prints."""
        command = [sys.executable, "-X", "dev", "-c", code]
        done = subprocess.run(command, cwd=self.place, env=self._environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        self.said[code] = done.stdout + done.stderr
        return done.stdout.decode().strip()

    def served(self, *line: object) -> dict[str, bytes]:
        """Every page of a server that a command starts, and all that these pages name, by address."""
        command = [sys.executable, "-X", "dev", "-m", "keju", *map(str, line)]
        pages: dict[str, bytes] = {}
        with subprocess.Popen(
            command, cwd=self.place, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as started:
            assert started.stdout
            first = started.stdout.readline()
            root, waiting = json.loads(first)["url"], {"", "state"}
            while waiting:
                address = waiting.pop()
                with urlopen(urljoin(root, address), timeout=60) as answer:
                    pages[address] = b"%r\n" % answer.getheaders() + answer.read()
                named = re.findall(r'["\'](media/\w+)["\']', pages[address].decode("utf-8", "replace"))
                waiting |= set(named) - pages.keys()
            started.terminate()
            rest, errors = started.communicate(timeout=30)
        self.said |= {" ".join(map(str, line)): first + rest + errors, **pages}
        return pages

    def found(self) -> list[str]:
        """Where a form of the key stands: in a file, in a member of an archive, in what a command said."""
        texts = {**self.said, **{str(path): path.read_bytes() for path in self.place.rglob("*") if path.is_file()}}
        del texts[str(self.place / "key")]
        opened = ((name, inner) for name, content in texts.items() for inner in (content, *members(content)))
        return [f"{form} in {name}" for name, text in opened for form, told in FORMS.items() if told.encode() in text]


def members(content: bytes) -> Iterator[bytes]:
    """What is packed in a zip (a workbook, a backup) or a gzip."""
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield (inner := archive.read(name))
                yield from members(inner)
    elif content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)


def test_the_search_finds_a_key_that_lies_about(place: Path) -> None:
    work = Work(place)
    (place / "log.gz").write_bytes(gzip.compress(KEY.encode()))
    with zipfile.ZipFile(place / "book.xlsx", "w") as archive:
        archive.writestr("a.xml", FORMS["in base64"])
    work.said["a command"] = KEY[HALF:].encode()
    assert {found.partition(" in ")[0] for found in work.found()} >= {"whole", "in base64", "its second half"}


@pytest.mark.timeout(300)  # fourteen commands in processes of their own, in Python's development mode
def test_a_planted_key_is_in_nothing_that_keju_leaves(place: Path) -> None:
    """Run, mark, report, convert, measure, transcribe: by variable, by file and by model file."""
    work = Work(place)
    with FakeServer(echo) as server:
        at = ("--base-url", server.base_url)
        run = ("run", "opera", "-m", "openai-compatible/m", *at, "--attempts", "1", "--concurrency", "1")
        assert work(*run, "--key-env", "MY_KEY") == 3
        assert work(*run, "--key-file", "key", "-o", "filed", "--stream") == 3
        (place / "m.toml").write_text(
            f'model = "openai-compatible/m"\nbase_url = "{server.base_url}"\nkey_file = "key"\n', encoding="utf-8"
        )
        (place / "study.toml").write_text(
            '[study]\nout = "studied"\nbenchmarks = ["opera"]\nmodels = ["m.toml"]\n', encoding="utf-8"
        )
        work("run", "study.toml", "--attempts", "2")
        work("latency", "opera", "-m", "m.toml", "-o", "measured", "--levels", "1", "--repeats", "1", "--limit", "6")
        (place / "ear.toml").write_text((place / "m.toml").read_text("utf-8"), encoding="utf-8")
        work("transcribe", "clips", "--transcriber", "ear.toml", "-o", "said.jsonl", "--attempts", "1")
        assert "transcriptions" in server.requests[-1].path
        assert all(asked.headers.get("Authorization") == f"Bearer {KEY}" for asked in server.requests)
        assert len(server.requests) > 40
    for line in (
        "score runs filed studied --items --invalid --parsers",
        "report runs filed studied -o report",
        "compare runs filed --common",
        "check opera --html page.html --runs runs",
        "describe opera -o about",
        "convert opera copy --to parquet",
        "convert clips heard --to jsonl",
        "score runs --json",
    ):
        work(*line.split())
    for made in ("report/report.html", "report/report.xlsx", "page.html", "about", "copy", "measured", "said.jsonl"):
        assert (place / made).exists(), made
    assert work.found() == []
    reply = open_run(next((place / "runs").rglob("run.json")).parent).records["0001"]
    assert (reply.text, reply.warnings) == (
        "B Bearer [key hidden]",
        ("the reply held the API key, which was taken out: [key hidden]",),
    )


IMPORT = """
import os, sys
from pathlib import Path
from keju.studio import serving
serving.set_up(Path("data"))
from django.contrib.auth.models import User
from keju import api
from keju.studio import importer, model_marks
from keju.studio.models import Finding, Project
owner = User.objects.create(username="owner")
home = Project.objects.create(slug="opera", title="Opera", profile="custom", languages=["zh-Hans"])
report = importer.take(home, owner, api.load("opera"))
made = model_marks.take_runs(home, owner, Path("runs"))
print(len(report.new), sum(run.marks.count() for run in made.runs), Finding.objects.count() > 0)
"""


@pytest.mark.timeout(300)  # nine commands in processes of their own, in Python's development mode
def test_a_planted_key_is_in_no_release_no_page_that_is_served_and_no_backup_of_a_studio(place: Path) -> None:
    """Replies that echo the key are shown, transcripts that do are published, and runs are taken into the studio."""
    pytest.importorskip("mlcroissant")
    work = Work(place)
    with FakeServer(echo) as server:
        at = ("--base-url", server.base_url, "--key-env", "MY_KEY")
        assert work("run", "opera", "-m", "openai-compatible/m", *at, "--attempts", "1", "--concurrency", "1") == 3
        (place / "ear.toml").write_text(
            f'model = "openai-compatible/m"\nbase_url = "{server.base_url}"\nkey_file = "key"\n', encoding="utf-8"
        )
        work("transcribe", "clips", "--transcriber", "ear.toml", "-o", "said.jsonl", "--attempts", "1")
    (place / "release.toml").write_text(toml(), encoding="utf-8")
    heard = map(json.loads, (place / "said.jsonl").read_text("utf-8").splitlines())
    labels = [{"id": row["items"][0], "heard": row["text"]} for row in heard]
    (place / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)), encoding="utf-8")
    assert work("release", "opera", "--labels", "labels.jsonl", "-o", "out") == 0
    assert "[key hidden]" in (place / "out" / "items" / "items.jsonl").read_text("utf-8")  # it was there to be found
    pages = work.served("view", "runs", "--port", "0", "--no-browser", "--json")
    assert any(b"[key hidden]" in page for page in pages.values())
    assert work.python(IMPORT) == "12 6 True"  # half of the calls fail
    assert work("studio", "--data", "data", "--backup", "kept.zip") == 0
    assert (place / "kept.zip").stat().st_size > 10_000
    assert work.found() == []


@pytest.mark.parametrize("status", [302, 401, 403, 404])
def test_a_refusal_that_stops_the_run_shows_no_key(place: Path, status: int) -> None:
    def refuse(asked: Asked) -> Answer:
        told = asked.headers["Authorization"]
        return {
            **error(status, f"refused: {told} {quote(told)}"),
            "headers": {"Location": f"http://127.0.0.1:9/?{told}"},
        }

    work = Work(place)
    with FakeServer(refuse) as server:
        line = ("run", "opera", "-m", "openai-compatible/m", "--base-url", server.base_url, "--key-env", "MY_KEY")
        assert work(*line) == 3
    assert work.found() == []
    assert b"[key hidden]" in next(iter(work.said.values()))


def test_a_word_that_stands_for_no_key_is_no_secret(place: Path) -> None:
    """Servers without keys are asked with `EMPTY` or `x`; a reply that holds it is left as it is."""
    work = Work(place)
    (place / "key").write_text("B", encoding="ascii")
    with FakeServer([completion("答案：B")]) as server:
        line = ("run", "opera", "-m", "openai-compatible/m", "--base-url", server.base_url, "--key-file", "key")
        assert work(*line) == 0
    records = open_run(next(place.rglob("run.json")).parent).records
    assert {record.text for record in records.values()} == {"答案：B"}
