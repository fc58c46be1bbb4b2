"""A job that is cancelled stops between two steps: what was done is whole, the rest is not begun, and the log tells."""

from __future__ import annotations

from html import unescape

import pytest
from building import client_of, person, project
from django.core.files.uploadedfile import SimpleUploadedFile
from playwright.sync_api import expect
from test_jobs import TABLE, finished, held, table  # noqa: F401 # `held` is a fixture
from test_release import accepted, prepared

from keju.studio import jobs, release_builder
from keju.studio.journal import first_broken
from keju.studio.models import Event, Item, Job, Membership, Role
from keju.studio.views.releases import _subject


@pytest.fixture
def home():
    return project("custom", languages=["zh-Hans"])


@pytest.fixture
def cancelled_at(monkeypatch):
    """`cancelled_at(number, user)`: whatever runs from now on is cancelled by that person before its step `number`."""
    monkeypatch.setattr(jobs, "_TOLD", 0.0)
    noted = jobs._Progress.__call__

    def begin(number, user):
        steps = iter(range(10_000))

        def step(progress, done, total):
            if next(steps) == number:
                jobs.cancel(Job.objects.get(state="running"), user)
            noted(progress, done, total)

        monkeypatch.setattr(jobs._Progress, "__call__", step)

    return begin


def deed(home):
    return Event.objects.filter(project=home).order_by("seq").last()


def test_a_cancelled_import_keeps_whole_items_and_the_rest_is_not_begun(home, owner, cancelled_at):
    cancelled_at(7, owner)
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    job.refresh_from_db()
    assert (job.state, job.cancelled_by, job.done, job.total) == ("cancelled", owner, 7, 40)
    items = Item.objects.filter(project=home)
    assert sorted(item.code for item in items) == [f"q{at}" for at in range(7)]
    assert all(item.current and len(item.current.content.options) == 2 for item in items)
    assert not jobs.folder_of(job).exists()
    assert (deed(home).verb, deed(home).object, deed(home).actor) == ("cancel", "benchmark:questions.csv", owner)
    assert first_broken(home) is None
    page = client_of(owner).get(f"/projects/{home.slug}/import").content.decode()
    assert f"{owner} cancelled it." in page
    assert "Take it in" in page


def test_a_cancelled_release_leaves_the_one_that_was_built_before(home, owner, author, cancelled_at):
    accepted(home, author)
    release = prepared(home, owner)
    release_builder.build(release, owner)
    built = (release_builder.folder_of(release) / "release.zip").read_bytes()
    steps = []
    release_builder.build(release, owner, lambda *step: steps.append(step))
    cancelled_at(len(steps) - 1, owner)  # the last: all is written, and not yet in its place
    job = jobs.start(home, owner, Job.Kind.RELEASE, _subject(release), release=release.pk, name="1.0.0")
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert (release_builder.folder_of(release) / "release.zip").read_bytes() == built
    assert [each.name for each in release_builder.folder_of(release).parent.iterdir()] == [str(release.pk)]
    release.refresh_from_db()
    assert release.state == "built"
    assert (deed(home).verb, deed(home).object) == ("cancel", "release:1.0.0")


def test_what_is_over_is_not_cancelled(home, owner):
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    page = client_of(owner).post(f"/projects/{home.slug}/jobs/{job.pk}/cancel", follow=True)
    assert "This is over already." in page.content.decode()
    job.refresh_from_db()
    assert (job.state, job.cancelled_by) == ("done", None)


def test_a_subject_is_free_again_when_its_job_was_cancelled(home, owner, cancelled_at, monkeypatch):
    cancelled_at(3, owner)
    jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    cancelled_at(-1, owner)
    again = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=table())
    again.refresh_from_db()
    assert (again.state, again.report["same"], again.report["new"]) == ("done", 3, 37)


@pytest.mark.django_db(transaction=True)
def test_whoever_started_it_cancels_it_even_when_they_own_the_project_no_more(home, owner, held, settings):  # noqa: F811
    settings.JOB_THREADS = True
    go, begun = held
    job = jobs.start(home, owner, Job.Kind.BENCHMARK, "import", name="x")
    assert begun.wait(30)
    Membership.objects.filter(user=owner).update(roles=[Role.AUTHOR])
    address = f"/projects/{home.slug}/jobs/{job.pk}"
    assert client_of(person(home, Role.EXPERT)).post(f"{address}/cancel").status_code == 403
    assert Job.objects.get(pk=job.pk).cancelled_by is None
    browser = client_of(owner)
    assert "Cancel" in browser.get(address).content.decode()
    assert browser.post(f"{address}/cancel").headers["Location"] == f"/projects/{home.slug}/"
    go.set()
    assert finished(job, "cancelled").cancelled_by == owner


def test_the_button_cancels_in_a_browser(home, owner, held, settings, open_as):  # noqa: F811
    settings.JOB_THREADS = True
    go, begun = held
    page = open_as(owner, f"/projects/{home.slug}/import")
    page.set_input_files("input[type=file]", {"name": "q.csv", "mimeType": "text/csv", "buffer": TABLE.encode()})
    page.get_by_role("button", name="Take it in").click()
    assert begun.wait(30)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("it stops at its next step")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    go.set()
    expect(page.get_by_text("Items that were taken in until then stay")).to_be_visible()


# What failed is told to each reader in their language


def page_of(owner, home, language):
    return client_of(owner).get(f"/projects/{home.slug}/import", headers={"accept-language": language}).content.decode()


def test_a_reader_is_told_in_their_language_what_failed_and_where(home, owner):
    jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=SimpleUploadedFile("问题.json", b"{}"))
    said = {
        "en": ("“问题.json” could not be taken in.", "问题.json: no benchmark that keju knows."),
        "zh-hans": ("未能导入“问题.json”", "问题.json：其中没有 keju 认识的题库。"),
        "zh-hant": ("未能匯入「问题.json」", "其中沒有 keju 認識的題庫。"),
    }
    for language, (sentence, reason) in said.items():
        page = unescape(page_of(owner, home, language))
        assert sentence in page
        assert reason in page


def test_a_reason_that_is_a_phrase_is_read_in_either_language(home, owner, monkeypatch):
    from keju.errors import BadFile
    from keju.phrase import Phrase

    def work(*_):
        raise BadFile(Phrase("the third row is cut off", "第三行不完整"))

    monkeypatch.setattr(jobs, "WORK", {Job.Kind.BENCHMARK: work})
    jobs.start(home, owner, Job.Kind.BENCHMARK, "import", name="x")
    assert "the third row is cut off" in page_of(owner, home, "en")
    assert "第三行不完整" in page_of(owner, home, "zh-hans")


def test_the_problems_of_an_import_are_read_in_either_language(home, owner):
    rows = "id,question,A,B,answer\nq1,第一题？,生,旦,B\n,第二题？,生,旦,A\n"
    jobs.start(home, owner, Job.Kind.BENCHMARK, "import", upload=SimpleUploadedFile("a.csv", rows.encode()))
    assert "the row has no id" in page_of(owner, home, "en")
    chinese = page_of(owner, home, "zh-hans")
    assert "该行没有编号" in chinese
    assert "the row has no id" not in chinese
