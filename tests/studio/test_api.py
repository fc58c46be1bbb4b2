"""The REST API: who gets in, what each sees, that blindness holds there, and that nothing is overwritten."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from tests.studio import building

from keju.studio.models import ApiToken, Assignment, Batch, Item, Project, Role
from keju.studio.queue import hand_out, take_next
from keju.studio.tokens import new_token


class Program:
    """A program that holds someone's token."""

    def __init__(self, user: User) -> None:
        self.client = Client(headers={"authorization": f"Bearer {new_token(user, 'test')}"})

    def get(self, path: str) -> Any:
        return self.client.get(f"/api{path}")

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self.client.generic(method, f"/api{path}", json.dumps(body or {}), content_type="application/json")


def body_of(item: Item, **changed: Any) -> dict[str, Any]:
    assert item.current is not None
    content = {**item.current.body, **changed}
    return {"content": content, "image": item.image.sha256 if item.image else None, "base_version": item.version}


def blind_task(home: Project, item: Item, reader: User, kind: str = "reannotate") -> Assignment:
    batch = Batch.objects.create(project=home, kind=kind, name="round", targets=[item.pk], created_by=item.author)
    hand_out([Assignment(batch=batch, item=item, revision=item.current, blind=True, step="answer")])
    task = take_next(batch, reader)
    assert task is not None
    return task


def test_nobody_comes_in_without_a_token_or_with_a_wrong_one(home: Project, author: User) -> None:
    assert Client().get("/api/projects").status_code == 401
    assert Client(headers={"authorization": "Bearer nonsense"}).get("/api/projects").status_code == 401
    program = Program(author)
    assert [row["slug"] for row in program.get("/projects").json()] == [home.slug]
    author.is_active = False
    author.save()
    assert program.get("/projects").status_code == 401


def test_a_token_is_kept_as_a_digest_shown_once_and_can_be_revoked(author: User) -> None:
    browser = building.client_of(author)
    page = browser.post("/tokens", {"name": "notebook"})
    token = page.context["made"]
    kept = ApiToken.objects.get()
    assert token in page.content.decode()
    assert token not in browser.get("/tokens").content.decode()
    assert kept.digest != token
    program = Client(headers={"authorization": f"Bearer {token}"})
    assert program.get("/api/projects").status_code == 200
    kept.refresh_from_db()
    assert kept.used_on == timezone.now().date()
    stranger = building.client_of(building.person(None))
    assert stranger.post(f"/tokens/{kept.pk}/revoke").status_code == 404
    browser.post(f"/tokens/{kept.pk}/revoke")
    assert program.get("/api/projects").status_code == 401


def test_a_session_writes_only_with_its_csrf_token(home: Project, author: User) -> None:
    item = building.item(home, author)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(author, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get("/api/projects").status_code == 200
    path = f"/api/projects/{home.slug}/items/{item.code}/submit"
    assert browser.post(path).status_code == 403
    assert Item.objects.get().state == "draft"


def test_people_outside_the_project_are_told_it_is_not_there(home: Project, author: User) -> None:
    building.item(home, author)
    program = Program(building.person(building.project(), Role.OWNER))
    for path in ("items", "terms", "assets", "work", "releases"):
        assert program.get(f"/projects/{home.slug}/{path}").status_code == 404


def test_an_author_reads_own_items_whole_and_others_by_state(home: Project, author: User) -> None:
    own = building.item(home, author)
    other = building.item(home, building.person(home, Role.AUTHOR))
    rows = {row["id"]: row for row in Program(author).get(f"/projects/{home.slug}/items").json()["items"]}
    assert rows[own.code]["question"]["key"] == "B"
    assert rows[other.code]["question"] is None
    assert rows[other.code]["version"] is None
    assert Program(author).get(f"/projects/{home.slug}/items/{other.code}").status_code == 403


def test_what_a_re_annotator_gets_is_the_same_to_the_byte_whatever_the_key(home: Project, author: User) -> None:
    reader = building.person(home, Role.ANNOTATOR)
    item = building.item(home, author, state="accepted", key=0)
    task = blind_task(home, item, reader)
    program, answers = Program(reader), set()
    for key in range(4):
        assert task.revision is not None
        body = building.content(key, stem="这是什么？")
        task.revision.body = {**body.model_dump(), "rationale": {"en": f"because {key}"}}
        task.revision.save()
        answers.add(program.get(f"/projects/{home.slug}/work/{task.pk}").content)
    assert len(answers) == 1
    told = json.loads(answers.pop())["question"]
    assert told["options"][0]["text"]["zh-Hans"] == "生"
    assert [told[name] for name in ("key", "rationale", "code", "revision")] == [None] * 4
    assert all(option["strategy"] is None for option in told["options"])


def test_who_answers_an_item_blind_finds_it_nowhere_else(home: Project, author: User) -> None:
    reader = building.person(home, Role.ANNOTATOR, Role.EXPERT)
    item = building.item(home, author, state="accepted")
    blind_task(home, item, reader)
    program = Program(reader)
    assert program.get(f"/projects/{home.slug}/items").json() == {"count": 0, "items": []}
    assert program.get(f"/projects/{home.slug}/items/{item.code}").status_code == 404
    assert program.send("PUT", f"/projects/{home.slug}/items/{item.code}", body_of(item)).status_code == 404
    names = [asset["sha256"] for asset in program.get(f"/projects/{home.slug}/assets").json()]
    assert item.image is not None
    assert item.image.sha256 not in names
    picture = program.get(f"/projects/{home.slug}/media/{item.image.sha256}")
    assert b"".join(picture.streaming_content).startswith(b"\x89PNG")


def test_tasks_that_are_not_begun_or_not_ones_own_are_not_there(home: Project, author: User) -> None:
    reader, other = (building.person(home, Role.ANNOTATOR) for _ in range(2))
    task = blind_task(home, building.item(home, author, state="accepted"), reader)
    assert Program(other).get(f"/projects/{home.slug}/work/{task.pk}").status_code == 404
    Assignment.objects.update(state="open")
    assert Program(reader).get(f"/projects/{home.slug}/work").json() == []


def test_a_participant_gets_nothing(home: Project, author: User) -> None:
    item = building.item(home, author, state="accepted")
    program = Program(building.person(home, Role.PARTICIPANT))
    for path in ("items", f"items/{item.code}", "terms", "assets", "work", "releases"):
        assert program.get(f"/projects/{home.slug}/{path}").status_code == 403
    assert item.image is not None
    assert program.get(f"/projects/{home.slug}/media/{item.image.sha256}").status_code == 403


def test_an_item_is_begun_changed_and_submitted(home: Project, author: User) -> None:
    program = Program(author)
    picture = SimpleUploadedFile("a.png", building.png(), "image/png")
    asset = program.client.post(f"/api/projects/{home.slug}/assets", {"file": picture}).json()
    assert asset["new"] is True
    body = {
        "content": building.content(2).model_dump(),
        "image": asset["sha256"],
        "labels": {"genre": "peking", "question_type": "role", "difficulty": "easy"},
    }
    made = program.send("POST", f"/projects/{home.slug}/items", body)
    assert made.status_code == 201, made.content
    item = Item.objects.get()
    assert (made.json()["id"], item.code) == ("0001", "0001")
    assert made.json()["question"]["key"] == "C"
    assert item.genre is not None
    assert item.genre.code == "peking"
    changed = program.send("PUT", f"/projects/{home.slug}/items/0001", body_of(item, key=3))
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    handed_in = program.send("POST", f"/projects/{home.slug}/items/0001/submit")
    assert handed_in.status_code == 200, handed_in.content
    assert handed_in.json()["state"] == "in_review"


def test_an_old_version_overwrites_nothing(home: Project, author: User) -> None:
    item = building.item(home, author)
    program = Program(author)
    first = body_of(item, key=0)
    assert program.send("PUT", f"/projects/{home.slug}/items/{item.code}", first).status_code == 200
    late = program.send("PUT", f"/projects/{home.slug}/items/{item.code}", body_of(item, key=3))
    assert late.status_code == 409
    assert late.json()["version"] == 2
    assert late.json()["question"]["key"] == "A"
    assert Item.objects.get().current.content.key == 0  # type: ignore[union-attr]


def test_what_may_not_be_changed_is_not(home: Project, author: User) -> None:
    item = building.item(home, author, state="accepted")
    path = f"/projects/{home.slug}/items/{item.code}"
    assert Program(author).send("PUT", path, body_of(item, key=0)).status_code == 409
    other = Program(building.person(home, Role.AUTHOR))
    assert other.send("PUT", path, body_of(item, key=0)).status_code == 403
    assert other.send("POST", f"{path}/submit").status_code == 403
    assert Item.objects.get().current.number == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"image": "f" * 64}, "no such picture"),
        ({"labels": {"genre": "nonsense"}}, "vocabulary has no"),
        ({"labels": {"colour": "red"}}, "no label"),
        ({"content": {"options": [], "key": 2}}, "not there"),
        ({"content": {"unknown": 1}}, "extra_forbidden"),
    ],
)
def test_nonsense_is_refused_with_the_reason(home: Project, author: User, changed: dict[str, Any], reason: str) -> None:
    body = {"content": building.content().model_dump(), **changed}
    refused = Program(author).send("POST", f"/projects/{home.slug}/items", body)
    assert refused.status_code == 422
    assert reason in refused.content.decode()
    assert not Item.objects.exists()


def test_openapi_describes_it_and_asks_nothing_of_other_servers(author: User) -> None:
    told = Client().get("/api/openapi.json").json()
    assert "/api/projects/{slug}/items/{code}" in told["paths"]
    assert Client().get("/api/docs").status_code == 404
