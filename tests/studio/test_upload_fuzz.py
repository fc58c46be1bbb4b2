"""Whatever is uploaded, under whatever name: taken or refused in words, nothing breaks, and nothing lies elsewhere."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from functools import cache
from pathlib import Path

import pytest
from building import client_of, person, png, project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from test_assets import CLIPS, wav

from keju.studio.models import Asset, Job, Project, Role
from keju.studio.store import place

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
BOUNDARY = "----x7MA4YWxkTrZu0gW"


@cache
def seeds() -> list[bytes]:
    """Small files of every kind that is taken, and of some that are not."""
    picture, zipped, table = Image.effect_mandelbrot((48, 32), (-3, -2.5, 2, 2.5), 30), io.BytesIO(), io.BytesIO()
    made = [png(64, 48), wav(0.2), min(CLIPS.glob("*.mp3"), key=lambda path: path.stat().st_size).read_bytes()[:20_000]]
    for kind in ("JPEG", "WEBP", "GIF", "BMP", "TIFF"):
        buffer = io.BytesIO()
        picture.save(buffer, kind)
        made.append(buffer.getvalue())
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("set/q.csv", "id,question,A,B,answer\nq1,题目？,生,旦,B\n")
        archive.writestr("../../evil.csv", "id,question,A,B,answer\n")
    with zipfile.ZipFile(table, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    texts = ("id,question,A,B,answer\nq1,题目？,生,旦,B\n", '{"id": "q1"}\n', "<svg/>", "%PDF-1.7\n", "ID3\x04")
    return [*made, zipped.getvalue(), table.getvalue(), *(text.encode() for text in texts)]


HEADS = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff\xe0",
    b"ID3\x04\0\0",
    b"\xff\xfb\x90",
    b"RIFF\x24\0\0\0WAVEfmt ",
    b"PK\x03\x04",
)


@st.composite
def files(draw) -> bytes:
    """Random bytes, random bytes behind a real head, or a real file that was changed, cut or joined to another."""
    way = draw(st.sampled_from(("random", "head", "changed", "changed", "changed")))
    if way == "random":
        return draw(st.binary(max_size=400))
    if way == "head":
        return draw(st.sampled_from(HEADS)) + draw(st.binary(max_size=400))
    data = bytearray(draw(st.sampled_from(seeds())))
    for _ in range(draw(st.integers(0, 12))):
        at = draw(st.integers(0, min(len(data), 300) - 1)) if data else 0
        change = draw(st.sampled_from(("flip", "cut", "number", "add")))
        if change == "cut":
            del data[draw(st.integers(0, len(data))) :]
        elif change == "number":  # sizes and counts that lie
            data[at : at + 4] = draw(
                st.sampled_from((b"\xff" * 4, bytes(4), struct.pack(">I", 2**31), b"\0\0\xff\xff"))
            )
        elif change == "add":
            data += draw(st.one_of(st.binary(max_size=40), st.sampled_from(seeds())))
        elif data:
            data[at] = draw(st.integers(0, 255))
    return bytes(data)


PARTS = st.sampled_from(
    (
        *(
            "..",
            ".",
            "/",
            "\\",
            "C:",
            "~",
            "\0",
            "\u202e",
            "\u200f",
            "\u2066",
            "\ufeff",
            "\n",
            "\r",
            '"',
            ";",
            "*",
            " ",
        ),
        *("%2e%2e%2f", "&#47;", "<b>", "?", "戏", "𠮷", "e\u0301", "a" * 300, "戏" * 120, "con", "nul."),
        *(".png", ".csv", ".zip", ".xlsx", ".jsonl"),
    )
)
NAMES = st.lists(st.one_of(PARTS, st.text(max_size=4)), min_size=1, max_size=8).map("".join)
NAMES = NAMES.filter(lambda name: len(name.encode("utf-8", "replace")) < 900)  # no system has longer ones


def posted(client, path, data: bytes, name: str, **how):
    """A form as a browser that takes no care of names sends it."""
    told = name.encode("utf-8", "replace").replace(b'"', b"%22").replace(b"\r", b"").replace(b"\n", b"")
    fields = b"".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in how.pop("fields", {}).items()
    )
    head = b'Content-Disposition: form-data; name="file"; filename="' + told + b'"\r\nContent-Type: image/png\r\n\r\n'
    body = fields + f"--{BOUNDARY}\r\n".encode() + head + data + f"\r\n--{BOUNDARY}--\r\n".encode()
    return client.post(path, body, content_type=f"multipart/form-data; boundary={BOUNDARY}", **how)


@pytest.fixture
def data(tmp_path, settings) -> Path:
    """The data folder of the studio, in one that holds nothing else."""
    folder = tmp_path / "outside" / "data"
    folder.mkdir(parents=True)
    for name in ("MEDIA_STORE", "RELEASE_STORE", "IMPORT_FOLDER", "JOB_FOLDER"):
        setattr(settings, name, folder / name.lower())
    (tmp_path / "outside" / "passing").mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "outside" / "passing"
    return folder


def nothing_elsewhere(data: Path) -> None:
    """Every file is that of a picture or clip that was taken, by its digest."""
    there = {path for path in data.parents[1].rglob("*") if path.is_file()}
    assert there == {place(sha256) for sha256 in Asset.objects.values_list("sha256", flat=True)}


@FEW
@given(content=files(), name=NAMES)
def test_pictures_and_clips(home: Project, author, data: Path, content: bytes, name: str) -> None:
    path = f"/projects/{home.slug}/assets/upload"
    answer = posted(client_of(author), path, content, name)
    told = json.loads(answer.content)
    assert answer.status_code in {200, 201, 400, 422}, (answer.status_code, told)
    if answer.status_code < 300:
        made = Asset.objects.get(pk=told["id"])
        assert place(made.sha256).read_bytes() == content
        assert not {*"/\\\0\u202e"} & {*made.name}
        assert 0 < len(made.name) <= 200
        assert client_of(author).get(told["page"]).status_code == 200
    else:
        assert len(told["error"]) > 20
    assert posted(client_of(author), path, content, name, headers={"accept": "text/html"}).status_code == 302
    program = posted(client_of(author), f"/api/projects/{home.slug}/assets", content, name)
    assert program.status_code in {200, 201, 403, 422}, program.content
    assert client_of(author).get(f"/projects/{home.slug}/assets").status_code == 200
    nothing_elsewhere(data)


@FEW
@given(content=files(), name=NAMES, what=st.sampled_from(("benchmark", "runs")))
def test_imports(data: Path, content: bytes, name: str, what: str) -> None:
    home = project("custom", languages=["zh-Hans"])
    client = client_of(person(home, Role.OWNER))
    answer = posted(client, f"/projects/{home.slug}/import", content, name, fields={"what": what})
    assert answer.status_code in {302, 422}, answer.content
    page = client.get(f"/projects/{home.slug}/import")
    assert page.status_code == 200
    if answer.status_code == 302:
        job = Job.objects.get(project=home)
        assert job.state in {"done", "failed"}
        assert job.state == "done" or len(next(iter(job.report["failed"].values()))) > 20
    nothing_elsewhere(data)


def test_a_name_that_no_system_can_have_is_refused(home: Project, author, owner, data: Path) -> None:
    for client, path in ((client_of(author), "assets/upload"), (client_of(owner), "import")):
        answer = posted(client, f"/projects/{home.slug}/{path}", png(64, 48), "戏" * 500 + ".png")
        assert answer.status_code == 400
        assert len(answer.content) > 20
    nothing_elsewhere(data)


@FEW
@given(content=files(), name=NAMES)
def test_answer_sheets_and_consents(home: Project, author, data: Path, content: bytes, name: str) -> None:
    client = client_of(author)
    assert posted(client, f"/projects/{home.slug}/items/answers", content, name).status_code == 200
    answer = posted(client, f"/projects/{home.slug}/sources/new", content, name, fields={"title": "Archive"})
    assert answer.status_code in {200, 302, 422}
