"""Jobs: long work goes on without its page, is told of by a row, and is never done twice at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from building import client_of, person, project
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.utils import timezone, translation
from playwright.sync_api import expect
from test_import import zipped
from test_release import CONFIG, accepted, prepared

from keju.studio import job_work, jobs
from keju.studio import release_builder as builder
from keju.studio.intake import Refused
from keju.studio.models import Item, Job, Release, Role
from keju.studio.store import place
from keju.studio.workflow import NotAllowed

TABLE = "id,question,A,B,answer\n" + "".join(f"q{at},第{at}题？,生,旦,B\n" for at in range(40))


@pytest.fixture
def home():
    return project("custom", languages=["zh-Hans"])


@pytest.fixture
def held(monkeypatch):
    """Work that waits: an event that lets it go on, and what it was told of its progress."""
    go, begun = threading.Event(), threading.Event()

    def work(_job, _folder, tell):
        tell(1, 3)
        begun.set()
        assert go.wait(30)
        tell(3, 3)
        return {"new": 3}

    monkeypatch.setattr(jobs, "WORK", dict.fromkeys(Job.Kind, work))
    yield go, begun
    go.set()
    for thread in threading.enumerate():
        if "job" in thread.name:
            thread.join(30)


def table(name="questions.csv"):
    return SimpleUploadedFile(name, TABLE.encode())


def test_a_job_says_what_it_does_and_what_became_of_it(home, owner):
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    job.refresh_from_db()
    assert (job.state, job.report["new"], job.started_by) == ("done", 40, owner)
    assert job.ended_at is not None
    assert not jobs.folder_of(job).exists()
    assert Item.objects.filter(project=home).count() == 40


def test_a_mistake_of_its_user_is_told_in_words_and_the_upload_is_gone(home, owner):
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=SimpleUploadedFile("a.json", b"{}"))
    job.refresh_from_db()
    assert job.state == "failed"
    assert "a.json" in job.report["failed"]["en"]
    assert not jobs.folder_of(job).exists()


def test_a_fault_of_ours_is_written_down_and_raised(home, owner, monkeypatch):
    def work(_job, _folder, _tell):
        raise ZeroDivisionError

    monkeypatch.setattr(jobs, "WORK", {Job.Kind.RUNS: work})
    with pytest.raises(ZeroDivisionError):
        jobs.start(home, owner, Job.Kind.RUNS, "import")
    job = Job.objects.get()
    assert (job.state, job.report) == ("failed", {})
    page = client_of(owner).get(f"/projects/{home.slug}/import").content.decode()
    assert "The studio failed at this; whoever runs the server finds why in its log." in page


def test_the_reports_of_others_are_in_the_language_of_whoever_started_it(home, owner):
    client_of(owner).post(
        f"/projects/{home.slug}/import",
        {"what": "benchmark", "name": "nothing"},
        headers={"accept-language": "zh-hans"},
    )
    assert not Job.objects.exists()  # the form itself refuses a name that is not offered
    with translation.override("zh-hans"):
        job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", name="nothing")
    job.refresh_from_db()
    assert job.language == "zh-hans"
    assert "没有" in job.report["failed"]["zh-hans"]


def test_only_the_last_job_on_a_subject_is_kept(home, owner):
    first = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    second = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    assert list(Job.objects.values_list("pk", flat=True)) == [second.pk]
    assert first.pk != second.pk
    second.refresh_from_db()
    assert second.report["same"] == 40


@pytest.mark.django_db(transaction=True)
def test_two_same_jobs_at_once_are_refused_and_two_subjects_are_not(home, owner, held, settings):
    settings.JOB_THREADS = True
    go, begun = held
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", name="x")
    assert begun.wait(30)
    with pytest.raises(jobs.Busy):
        jobs.start(home, owner, Job.Kind.RUNS, "import", name="y")
    with pytest.raises(jobs.Busy):
        jobs.again(Job.objects.get(pk=job.pk), owner)
    jobs.start(home, owner, Job.Kind.RELEASE, "release:1", release=1)
    jobs.dismiss(job)
    assert Job.objects.filter(pk=job.pk).exists()  # one that is under way stays
    answer = client_of(owner).post(f"/projects/{home.slug}/import", {"what": "benchmark", "name": "teahouse"})
    assert answer.status_code == 422
    assert "under way" in answer.content.decode()
    go.set()
    finished(job)


def finished(job, state="done"):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with suppress(OperationalError):  # a data base in memory lets nobody read what another thread is writing
            found = Job.objects.get(pk=job.pk)
            if found.state != "running":
                assert found.state == state, found.report
                return found
        time.sleep(0.05)
    pytest.fail("the job does not end")


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_process_is_gone_is_interrupted_and_can_be_started_again(home, owner, held, settings):
    settings.JOB_THREADS = True
    go, begun = held
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    assert begun.wait(30)
    Job.objects.update(alive_at=timezone.now() - timedelta(minutes=5))  # as a process leaves it that was killed
    found = jobs.last_of(home, "import")
    assert found.state == "interrupted"
    assert (jobs.folder_of(job) / "questions.csv").is_file()  # for the next attempt
    begun.clear()
    jobs.again(found, owner)
    assert begun.wait(30)
    go.set()  # the first thread lives on: what it says is no longer heard
    assert finished(job).report == {"new": 3}


@pytest.mark.django_db(transaction=True)
def test_while_its_process_lives_a_job_that_says_nothing_is_not_taken_for_dead(
    home, owner, held, settings, monkeypatch
):
    settings.JOB_THREADS = True
    monkeypatch.setattr(jobs, "SIGN", 0.1)
    go, begun = held
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", name="x")
    assert begun.wait(30)
    before = Job.objects.get(pk=job.pk).alive_at
    until = time.monotonic() + 20
    while Job.objects.get(pk=job.pk).alive_at == before:
        assert time.monotonic() < until
        time.sleep(0.05)
    go.set()
    finished(job)


def test_the_release_page_builds_in_a_job_and_says_what_stood_in_the_way(home, owner):
    author = person(home, Role.AUTHOR)
    items = accepted(home, author)
    release = prepared(home, owner)
    place(items[3].image.sha256).unlink()
    browser = client_of(owner)
    form = {name: value for name, value in CONFIG.items() if name != "canary"}
    page = browser.post(f"/projects/{home.slug}/releases/{release.pk}", {**form, "then": "build"}, follow=True)
    assert page.context["job"].state == "failed"
    assert items[3].code in page.content.decode()


def test_what_changed_while_a_release_was_built_is_not_released_unseen(home, owner, monkeypatch):
    accepted(home, person(home, Role.AUTHOR))
    release = prepared(home, owner)

    def meanwhile(*_):
        Release.objects.filter(pk=release.pk).update(config={**release.config, "title": "Another"})

    with pytest.raises(NotAllowed, match="changed while"):
        builder.build(release, owner, meanwhile)
    release.refresh_from_db()
    assert (release.state, release.config["title"]) == ("prepared", "Another")
    assert not builder.folder_of(release).exists()


def test_a_release_that_was_thrown_away_while_it_was_built_stays_away(home, owner):
    accepted(home, person(home, Role.AUTHOR))
    release = prepared(home, owner)

    def meanwhile(*_):
        if there := Release.objects.filter(pk=release.pk).first():
            builder.discard(there, owner)

    with pytest.raises(NotAllowed, match="thrown away"):
        builder.build(release, owner, meanwhile)
    with pytest.raises(NotAllowed, match="thrown away"):
        job_work.WORK[Job.Kind.RELEASE](
            Job(project=home, started_by=owner, told={"release": release.pk}), Path(), lambda *_: None
        )


def test_an_upload_that_is_gone_is_asked_for_again(home, owner, tmp_path):
    job = Job(project=home, started_by=owner, told={"file": "set.zip"})
    with pytest.raises(Refused, match="upload it again"):
        job_work.WORK[Job.Kind.BENCHMARK](job, tmp_path, lambda *_: None)


def test_only_owners_come_near_jobs_that_others_started(home, owner):
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    for other in (person(home, Role.AUTHOR), person(home, Role.PARTICIPANT)):
        browser = client_of(other)
        assert browser.get(f"/projects/{home.slug}/jobs/{job.pk}").status_code == 403
        for verb in ("cancel", "again", "dismiss"):
            assert browser.post(f"/projects/{home.slug}/jobs/{job.pk}/{verb}").status_code == 403
    elsewhere = project()
    stranger = person(elsewhere, Role.OWNER)
    assert client_of(stranger).get(f"/projects/{elsewhere.slug}/jobs/{job.pk}").status_code == 404


def test_an_import_is_seen_to_go_on_and_survives_a_reload(home, owner, held, settings, open_as):
    settings.JOB_THREADS = True
    go, begun = held
    page = open_as(owner, f"/projects/{home.slug}/import")
    page.set_input_files("input[type=file]", {"name": "q.csv", "mimeType": "text/csv", "buffer": TABLE.encode()})
    page.get_by_role("button", name="Take it in").click()
    expect(page.locator("progress")).to_be_visible()
    assert begun.wait(30)
    page.reload()
    expect(page.get_by_text("1 / 3")).to_be_visible()
    expect(page.get_by_role("button", name="Take it in")).to_have_count(0)
    go.set()
    expect(page.get_by_role("heading", name="Taken in")).to_be_visible()  # nobody asked for it
    expect(page.get_by_role("button", name="Take it in")).to_be_visible()


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_an_interrupted_import_that_goes_on_where_it_was(tmp_path):
    """Two real processes on one data folder: the first dies in the midst of an import."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("KEJU_", "DJANGO_"))}
    stems = ("".join(chr(0x4E00 + (at * 37 + place * 911) % 5000) for place in range(8)) for at in range(300))
    many = "id,question,A,B,answer\n" + "".join(f"q{at},{stem}？,生,旦,B\n" for at, stem in enumerate(stems))
    (tmp_path / "set.zip").write_bytes(zipped({"set/q.csv": many.encode()}).read())
    data = tmp_path / "data"
    with studio(data, environment) as (browser, started):
        python(PREPARE, data, environment)
        token = csrf(browser.get("projects/opera/import"))
        with (tmp_path / "set.zip").open("rb") as file:
            sent = {"csrfmiddlewaretoken": token, "what": "benchmark"}
            browser.post("projects/opera/import", data=sent, files={"file": file})
        wait(60, lambda: re.search(r"[1-9]\d* / 300", browser.get("projects/opera/import").text))
        started.kill()
    taken, state = python(COUNT, data, environment).split()
    assert (state, 0 < int(taken) < 300) == ("running", True)
    with studio(data, environment) as (browser, _started):
        page = browser.get("projects/opera/import")
        assert "The server stopped while this was under way" in page.text
        again = re.findall(r'action="/(projects/opera/jobs/\d+/again)"', page.text)[0]
        browser.post(again, data={"csrfmiddlewaretoken": csrf(page)})
        wait(120, lambda: "/again" not in (text := browser.get("projects/opera/import").text) and "Taken in" in text)
    report = json.loads(python(REPORT, data, environment))
    assert report["same"] >= int(taken)
    assert report["new"] + report["same"] == 300


@contextmanager
def studio(data, environment):
    """A server as people start it, on its own port: (a browser that is signed in, its process)."""
    command = [sys.executable, "-m", "keju", "studio", "--data", data, "--port", "0", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as started:
        try:
            told = json.loads(started.stdout.readline())
            with httpx.Client(base_url=told["address"], follow_redirects=True, timeout=60) as browser:
                browser.post(told["sign_in"], data={"csrfmiddlewaretoken": csrf(browser.get(told["sign_in"]))})
                yield browser, started
        finally:
            started.kill()


def csrf(page):
    return re.findall(r'csrfmiddlewaretoken" value="(\w+)"', page.text)[0]


def wait(seconds, until):
    """What `until` gives, as soon as it is true."""
    end = time.monotonic() + seconds
    while not (found := until()):
        assert time.monotonic() < end, "too slow"
        time.sleep(0.1)
    return found


def python(code, data, environment):
    done = subprocess.run(
        [sys.executable, "-c", SET_UP + code, str(data)], check=False, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


SET_UP = """
import os, sys
os.environ["KEJU_STUDIO_DATA"], os.environ["DJANGO_SETTINGS_MODULE"] = sys.argv[1], "keju.studio.settings"
import django
django.setup()
from django.contrib.auth.models import User
from keju.studio.models import Item, Job, Membership, Project
"""
PREPARE = """
home = Project.objects.create(slug="opera", title="Opera", profile="custom", languages=["zh-Hans"])
Membership.objects.create(project=home, user=User.objects.get(is_superuser=True), roles=["owner"])
"""
COUNT = "print(Item.objects.count(), *Job.objects.values_list('state', flat=True))"
REPORT = "import json; print(json.dumps(Job.objects.get().report))"
