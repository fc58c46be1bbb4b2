"""Uploading: what is kept, what is refused and in which words, who gets the bytes, and ranges of them."""

from __future__ import annotations

import io
import struct
import wave
import zipfile
import zlib
from pathlib import Path

import pytest
from building import asset, client_of, content, item, person, png, project
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from keju.studio.models import Asset, Assignment, Batch, Event, Finding, Role, Source
from keju.studio.store import place

CLIPS = Path(__file__).parents[2] / "src/keju/demo/teahouse/media/audios"


def upload(home, user, data: bytes, name: str = "still.png", **fields):
    """The answer to an upload as a program sends it."""
    file = SimpleUploadedFile(name, data, content_type="image/png")  # what a browser says is never believed
    return client_of(user).post(f"/projects/{home.slug}/assets/upload", {"file": file, **fields})


def photograph(seed: int = 0, size: tuple[int, int] = (1280, 720)) -> Image.Image:
    """Large shapes that differ from seed to seed, as photographs do."""
    small = Image.effect_noise((8, 6), 120).convert("RGB") if seed < 0 else Image.new("RGB", (8, 6))
    for at in range(48):
        value = zlib.crc32(bytes([seed % 256, at]))
        small.putpixel((at % 8, at // 8), (value & 255, value >> 8 & 255, value >> 16 & 255))
    return small.resize(size, Image.Resampling.BICUBIC)


def encoded(picture: Image.Image, kind: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def wav(seconds: float = 2.0) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", (n * 37 % 2000) * 8) for n in range(int(8000 * seconds))))
    return buffer.getvalue()


def test_an_upload_is_kept_by_its_digest_with_what_was_measured(home, author):
    data = encoded(photograph(1, (800, 600)))
    told = upload(home, author, data, "赵云.png").json()
    made = Asset.objects.get(pk=told["id"])
    assert (made.sha256, told["kind"], told["name"]) == (told["sha256"], "image", "赵云.png")
    assert (made.mime, made.size, made.measured["width"], made.measured["height"]) == ("image/png", len(data), 800, 600)
    assert place(made.sha256).read_bytes() == data
    assert client_of(author).get(told["url"]).getvalue() == data
    assert Event.objects.filter(project=home, verb="upload", actor=author).count() == 1


def test_the_profile_s_criteria_are_looked_at_and_warned_of(home, author):
    warnings = upload(home, author, encoded(photograph(1, (800, 600)))).json()["warnings"]
    assert any("800 × 600" in text for text in warnings)
    assert set(Finding.objects.values_list("rule", flat=True)) >= {"I101"}
    assert upload(home, author, encoded(photograph(1, (1280, 720)))).json()["warnings"] != warnings


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "SVG"),
        ("a.png", b"<?xml version='1.0'?>\n<svg/>", "SVG"),
        ("a.png", b"<!DOCTYPE html><html><body>403</body></html>", "web page"),
        ("a.png", b"%PDF-1.7\n", "PDF"),
        ("a.zip", b"PK\x03\x04" + bytes(40), "archive"),
        ("a.gif", encoded(Image.new("RGB", (40, 40)), "GIF"), "Save it as PNG"),
        ("a.png", b"hello", "no picture or clip"),
        ("a.png", b"", "empty"),
        ("cut.png", encoded(photograph(2))[:9000], "damaged"),
        ("script.png", encoded(photograph(3)) + b"<script>alert(1)</script>", "at the same time"),
        ("php.jpg", encoded(photograph(4), "JPEG", comment=b"<?php system($_GET[0]); ?>"), "at the same time"),
        ("film.mp4", b"\0\0\0\x18ftypmp42" + bytes(20) + b"hdlr" + bytes(8) + b"vide" + bytes(20), "video"),
    ],
)
def test_what_is_no_plain_picture_or_clip_is_refused_in_words(home, author, name, data, words):
    answer = upload(home, author, data, name)
    assert answer.status_code in (400, 422), answer.content
    if data:  # Django drops an empty file of a form
        assert words in answer.json()["error"]
    assert not Asset.objects.exists()


def test_a_picture_that_is_an_archive_too_is_refused(home, author):
    behind = io.BytesIO()
    with zipfile.ZipFile(behind, "w") as archive:
        archive.writestr("payload.js", "alert(1)")
    answer = upload(home, author, encoded(photograph(5)) + behind.getvalue())
    assert "archive" in answer.json()["error"]


def test_a_picture_that_unpacks_to_gigabytes_is_refused_before_it_does(home, author):
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(bytes(10**6)))
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")
    answer = upload(home, author, bomb)
    assert answer.status_code == 422
    assert "60000 × 60000" in answer.json()["error"]


def test_two_gigabytes_are_refused_before_a_byte_is_read(home, author):
    class Body:
        def read(self, *size):
            raise AssertionError("the body was read")

        readline = read

    answer = client_of(author).generic(
        "POST",
        f"/projects/{home.slug}/assets/upload",
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(2 * 2**30),
        **{"wsgi.input": Body()},
    )
    assert answer.status_code == 413
    assert "larger than 200 MB" in answer.json()["error"]


def test_a_file_over_the_limit_is_refused_though_the_form_is_within_it(home, author, settings):
    settings.UPLOAD_LIMIT = 10_000
    answer = upload(home, author, encoded(photograph(6)))
    assert answer.status_code == 422
    assert "larger" in answer.json()["error"]


def test_an_upload_needs_the_token_of_the_form(home, author):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(author, backend="django.contrib.auth.backends.ModelBackend")
    file = SimpleUploadedFile("a.png", encoded(photograph(7)))
    assert client.post(f"/projects/{home.slug}/assets/upload", {"file": file}).status_code == 403


def test_the_same_file_again_is_here_already_and_used_by(home, author):
    data = encoded(photograph(8))
    first = upload(home, author, data, "one.png")
    made = Asset.objects.get(pk=first.json()["id"])
    used = item(home, author, image=made)
    again = upload(home, person(home, Role.EXPERT), data, "two.png")
    assert (first.status_code, again.status_code, again.json()["id"]) == (201, 200, made.pk)
    assert used.code in again.json()["warnings"][0]
    assert Asset.objects.filter(sha256=made.sha256).count() == 1


def test_an_option_counts_as_use(home, author):
    told = upload(home, author, encoded(photograph(9))).json()
    body = content()
    body.options[2].asset = told["sha256"]
    used = item(home, author, content=body)
    assert used.code in upload(home, author, encoded(photograph(9))).json()["warnings"][0]


def test_a_smaller_copy_is_warned_of_and_another_picture_is_not(home, author):
    first = upload(home, author, encoded(photograph(10))).json()
    copy = upload(home, author, encoded(photograph(10).resize((1024, 576)), "JPEG", quality=60), "copy.jpg").json()
    other = upload(home, author, encoded(photograph(11)), "other.png").json()
    assert any(f"#{first['id']}" in text for text in copy["warnings"])
    assert not any("nearly the same" in text for text in other["warnings"])


def test_names_lose_folders_and_marks_that_turn_writing_around(home, author):
    told = upload(home, author, encoded(photograph(12)), "..\\..\\gpj.\u202eevil.png").json()
    assert told["name"] == "gpj.evil.png"


def test_a_clip_is_known_by_its_sound(home, author):
    clip = next(CLIPS.glob("*.mp3")).read_bytes()
    told = upload(home, author, clip, "01.mp3").json()
    made = Asset.objects.get(pk=told["id"])
    assert (made.kind, made.mime) == ("audio", "audio/mpeg")
    assert made.measured["duration_s"] > 1


def test_a_form_without_scripts_uploads_many_at_once_and_comes_back(home, author):
    files = [SimpleUploadedFile(f"{n}.png", encoded(photograph(20 + n))) for n in range(3)]
    answer = client_of(author).post(f"/projects/{home.slug}/assets/upload", {"file": files}, HTTP_ACCEPT="text/html")
    assert answer.status_code == 302
    assert Asset.objects.filter(project=home).count() == 3


@pytest.mark.parametrize("role", [Role.FORMATTER, Role.ANNOTATOR, Role.ADJUDICATOR, Role.PARTICIPANT])
def test_others_may_not_upload(home, role):
    assert upload(home, person(home, role), encoded(photograph(1))).status_code == 403


# The bytes


def url(home, made) -> str:
    return f"/projects/{home.slug}/media/{made.sha256}"


@pytest.fixture
def clip(home, author):
    return asset(home, author, wav(), kind="audio", mime="audio/wav", name="clip.wav")


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-", 0, None),
        ("bytes=100-199", 100, 200),
        ("bytes=-50", -50, None),
        ("bytes=31000-99999999", 31000, None),
    ],
)
def test_a_range_gets_its_bytes_and_no_others(home, author, clip, asked, first, last):
    answer = client_of(author).get(url(home, clip), HTTP_RANGE=asked)
    data = wav()
    assert answer.status_code == 206
    assert answer.getvalue() == data[first:last]
    start = first % len(data)
    assert answer["Content-Range"] == f"bytes {start}-{min(last or len(data), len(data)) - 1}/{len(data)}"
    assert int(answer["Content-Length"]) == len(data[first:last])


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=5-3", "bytes=-0"])
def test_a_range_that_is_not_there_is_said_not_to_be(home, author, clip, asked):
    answer = client_of(author).get(url(home, clip), HTTP_RANGE=asked)
    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{len(wav())}")


@pytest.mark.parametrize("asked", ["", "bytes=0-1,5-6", "items=1-2", "bytes=-"])
def test_anything_else_gets_the_whole(home, author, clip, asked):
    answer = client_of(author).get(url(home, clip), HTTP_RANGE=asked)
    assert (answer.status_code, answer.getvalue(), answer["Accept-Ranges"]) == (200, wav(), "bytes")


def test_media_run_nothing_and_are_cached_for_nobody_else(home, author, clip):
    answer = client_of(author).get(url(home, clip))
    assert answer["Content-Type"] == "audio/wav"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert answer["Cache-Control"].startswith("private")
    assert "clip" not in answer["Content-Disposition"]
    assert client_of(author).get(url(home, clip), HTTP_IF_NONE_MATCH=answer["ETag"]).status_code == 304
    answer.close()


def assigned(made, user, kind: str, blind: bool = True):
    batch = Batch.objects.create(project=made.project, kind=kind, name="x", created_by=made.author)
    Assignment.objects.create(batch=batch, item=made, revision=made.current, user=user, blind=blind)


@pytest.mark.parametrize(("role", "kind"), [(Role.PARTICIPANT, "baseline"), (Role.ANNOTATOR, "reannotate")])
def test_blind_people_get_only_the_media_of_their_tasks(home, author, role, kind):
    mine, option, other = asset(home, author), asset(home, author), asset(home, author)
    body = content()
    body.options[0].asset = option.sha256
    made = item(home, author, image=mine, content=body)
    user = person(home, role)
    client = client_of(user)
    assert [client.get(url(home, each)).status_code for each in (mine, option, other)] == [403, 403, 403]
    assigned(made, user, kind)
    answers = [client.get(url(home, each)) for each in (mine, option, other)]
    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert client.get(f"/projects/{home.slug}/assets").status_code == 403
    assert client.get(f"/projects/{home.slug}/assets/{mine.pk}").status_code == 403
    for answer in answers:  # last: it closes the connection to the data base as well
        answer.close()


def test_an_expert_who_answers_blind_does_not_see_the_page_of_that_picture(home, author):
    made = item(home, author)
    expert = person(home, Role.EXPERT, Role.ANNOTATOR)
    page = f"/projects/{home.slug}/assets/{made.image.pk}"
    assert client_of(expert).get(page).status_code == 200
    assigned(made, expert, "reannotate")
    assert client_of(expert).get(page).status_code == 403


def test_people_outside_the_project_are_told_there_is_nothing(home, author):
    made = asset(home, author)
    outsider = person(project(), Role.OWNER)
    assert client_of(outsider).get(url(home, made)).status_code == 404
    assert client_of(outsider).get(f"/projects/{home.slug}/media/{made.sha256}/small").status_code == 404
    other = project()
    insider = person(other, Role.OWNER)
    assert client_of(insider).get(f"/projects/{other.slug}/media/{made.sha256}").status_code == 404


def test_a_thumbnail_is_made_once(home, author, monkeypatch):
    made = asset(home, author, encoded(photograph(13)))
    client, small = client_of(author), f"{url(home, made)}/small"
    with Image.open(io.BytesIO(client.get(small).getvalue())) as thumbnail:
        assert (thumbnail.format, max(thumbnail.size)) == ("WEBP", 320)
    monkeypatch.setattr("keju.studio.thumbnails._draw", lambda *_: pytest.fail("drawn again"))
    assert client.get(small).getvalue()


# The page of one


def test_the_file_s_name_is_shown_to_authors_and_to_no_reviewer(home, author):
    made = asset(home, author, name="answer-is-dan.png")
    item(home, author, image=made)
    for path in (f"/projects/{home.slug}/assets", f"/projects/{home.slug}/assets/{made.pk}"):
        assert "answer-is-dan" in client_of(author).get(path).content.decode()
        for role in (Role.EXPERT, Role.FORMATTER, Role.ADJUDICATOR, Role.LINGUIST):
            assert "answer-is-dan" not in client_of(person(home, role)).get(path).content.decode()


def test_what_comes_again_with_a_source_gets_it_where_it_has_none(home, author):
    first, second = (Source.objects.create(project=home, title=title) for title in ("长生殿", "牡丹亭"))
    data = encoded(photograph(1))
    upload(home, author, data)
    for source in (first, second):
        assert upload(home, author, data, source=source.pk).status_code == 200
    assert Asset.objects.get().source == first
    assert Event.objects.filter(project=home, verb="describe", data={"fields": ["source"]}).count() == 1


def test_source_derivation_details_and_transcript_are_kept(home, author):
    source = Source.objects.create(project=home, title="长生殿")
    scan = asset(home, author)
    clip = asset(home, author, wav(), kind="audio", mime="audio/wav", measured={"seconds": 2.0})
    page = f"/projects/{home.slug}/assets/{clip.pk}"
    told = {"source": source.pk, "details": "Role: Dan\n年份：1957", "derivation": "cut", "transcript_zh-Hans": "你好"}
    assert client_of(author).post(page, told).status_code == 302
    clip.refresh_from_db()
    assert (clip.source, clip.details) == (source, {"Role": "Dan", "年份": "1957"})
    assert clip.transcript == {"zh-Hans": "你好"}
    bad = client_of(author).post(page, {"details": "no colon here", "derived_from": scan.pk})
    assert bad.status_code == 422  # a clip is not made from a picture, and the line has no colon
    assert "no colon" in bad.content.decode()


def test_nothing_is_derived_from_what_was_made_from_it(home, author):
    scan = asset(home, author)
    restored = asset(home, author, derived_from=scan)
    answer = client_of(author).post(f"/projects/{home.slug}/assets/{scan.pk}", {"derived_from": restored.pk})
    assert answer.status_code == 422
    assert "made from this" in answer.content.decode()


def test_a_finding_is_let_stand_only_with_a_reason_and_stays_so(home, author):
    told = upload(home, author, encoded(photograph(14, (800, 600)))).json()
    owner = client_of(person(home, Role.OWNER))
    found = Finding.objects.get(rule="I101")
    path = f"/projects/{home.slug}/assets/{told['id']}/findings/{found.pk}"
    owner.post(path, {"reason": " "})
    found.refresh_from_db()
    assert found.state == "open"
    owner.post(path, {"reason": "only print there is"})
    found.refresh_from_db()
    assert (found.state, found.reason) == ("waived", "only print there is")
    assert client_of(author).post(path, {"reason": "x"}).status_code == 403


def test_another_threshold_closes_what_it_no_longer_finds_without_decoding(home, author, monkeypatch):
    from keju.studio import quality

    told = upload(home, author, encoded(photograph(15, (800, 600)))).json()
    home.settings = {"thresholds": {"I101": {"long": 640, "short": 480}}}
    home.save()
    made = Asset.objects.get(pk=told["id"])
    place(made.sha256).unlink()
    quality.look(made)
    assert Finding.objects.get(rule="I101").state == "fixed"


def test_a_picture_made_by_a_builder_is_listed(home, author):
    asset(home, author, png())
    assert "1 picture" in client_of(author).get(f"/projects/{home.slug}/assets").content.decode()
