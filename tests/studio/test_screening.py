"""Screening: votes, rules, ties, conflicts of interest, agreement."""

from __future__ import annotations

import pytest
from building import asset, client_of, person, project

from keju.studio import screening
from keju.studio.founding import found
from keju.studio.models import Asset, Assignment, Batch, Event, Role

CRITERIA = {"include_if": ["whole", "sharp"], "exclude_if": ["backstage"]}


@pytest.fixture
def home():
    return project(settings=CRITERIA)


@pytest.fixture
def people(home):
    return [person(home, role) for role in (Role.AUTHOR, Role.EXPERT, Role.FORMATTER)]


def vote(client, batch, decision: str, **told):
    """One vote as the page sends it: open it, answer it."""
    path = f"/projects/{batch.project.slug}/screening/{batch.pk}/vote"
    page = client.get(path).content.decode()
    pk = page.partition('name="assignment" value="')[2].partition('"')[0]
    data = {"assignment": pk, "decision": decision, "token": pk, "visible_ms": "1200", **told}
    if decision == "exclude":
        data.setdefault("reasons", "backstage")
    return client.post(path, data)


def opened(home, owner, *, votes=3, rule="majority", assets=1, uploader=None):
    made = [asset(home, uploader or owner) for _ in range(assets)]
    return screening.open_round(home, owner, "round", votes, rule, made), made


@pytest.mark.parametrize(
    ("rule", "decisions", "state"),
    [
        ("majority", ["include", "include", "exclude"], "selected"),
        ("majority", ["exclude", "include", "exclude"], "rejected"),
        ("unanimous", ["include", "include", "exclude"], "rejected"),
        ("unanimous", ["include", "include", "include"], "selected"),
        ("majority", ["include", "exclude"], "candidate"),
    ],
)
def test_votes_decide_by_the_rule_once_all_are_in(home, owner, people, rule, decisions, state):
    batch, [made] = opened(home, owner, votes=len(decisions), rule=rule)
    for user, decision in zip(people, decisions, strict=False):
        made.refresh_from_db()
        assert made.state == "candidate"
        assert vote(client_of(user), batch, decision).status_code == 302
    made.refresh_from_db()
    assert made.state == state
    assert Event.objects.filter(verb__startswith="screened").count() == (state != "candidate")


def test_the_owner_settles_a_tie_and_nothing_else(home, owner, people):
    batch, [made, clear] = opened(home, owner, votes=2, assets=2)
    for user, decision in zip(people, ("include", "exclude"), strict=False):
        client = client_of(user)
        vote(client, batch, decision)
        vote(client, batch, "exclude")
    boss, path = client_of(owner), f"/projects/{home.slug}/screening/{batch.pk}"
    assert "Ties for you to settle" in boss.get(path).content.decode()
    boss.post(f"{path}/settle/{made.pk}", {"decision": "include"})
    boss.post(f"{path}/settle/{clear.pk}", {"decision": "include"})
    made.refresh_from_db()
    clear.refresh_from_db()
    assert (made.state, clear.state) == ("selected", "rejected")
    assert Event.objects.get(verb="screened include").actor == owner
    assert "Ties for you to settle" not in boss.get(path).content.decode()


def test_nobody_screens_their_own_uploads(home, owner, people):
    author = people[0]
    batch, _made = opened(home, owner, uploader=author)
    assert batch.assignments.count() == 2  # three may screen, one of them uploaded it
    page = client_of(author).get(f"/projects/{home.slug}/screening/{batch.pk}/vote").content.decode()
    assert "Nothing waits for you" in page


def test_one_person_alone_screens_their_own_in_single_user_mode():
    home = project(settings={**CRITERIA, "single_user": True})
    alone = person(home, Role.OWNER, Role.AUTHOR)
    batch, [made] = opened(home, alone, votes=1)
    assert vote(client_of(alone), batch, "include").status_code == 302
    made.refresh_from_db()
    assert made.state == "selected"


def test_what_only_its_uploader_could_screen_is_left_out_and_said(home, owner):
    author = person(home, Role.AUTHOR)
    asset(home, author)
    asset(home, owner)
    told = {"name": "first", "votes": 1, "rule": "majority"}
    page = client_of(owner).post(f"/projects/{home.slug}/screening", told, follow=True).content.decode()
    assert "1 candidate was left out" in page
    assert len(Batch.objects.get().targets) == 1


def test_a_round_wants_no_more_votes_than_there_are_people(home, owner, people):
    asset(home, owner)
    answer = client_of(owner).post(f"/projects/{home.slug}/screening", {"name": "x", "votes": 4, "rule": "majority"})
    assert answer.status_code == 422
    assert "Only 3 people" in answer.content.decode()


def test_a_candidate_is_in_one_open_round_at_a_time(home, owner, people):
    opened(home, owner)
    answer = client_of(owner).post(f"/projects/{home.slug}/screening", {"name": "x", "votes": 2, "rule": "majority"})
    assert "no candidates" in answer.content.decode()


def test_excluding_needs_a_reason_and_a_vote_needs_a_side(home, owner, people):
    batch, _made = opened(home, owner)
    client = client_of(people[0])
    assert vote(client, batch, "exclude", reasons="").status_code == 422
    assert vote(client, batch, "perhaps").status_code == 422
    assert vote(client, batch, "exclude", reasons="", note="糊").status_code == 302


def test_criteria_are_those_of_the_round_and_others_are_dropped(home, owner, people):
    batch, _made = opened(home, owner)
    vote(client_of(people[0]), batch, "include", met=["whole", "invented"])
    [response] = Assignment.objects.get(user=people[0]).responses.all()
    assert response.data["met"] == ["whole"]
    home.settings = {**CRITERIA, "include_if": ["changed"]}
    home.save()
    assert "whole" in client_of(people[1]).get(f"/projects/{home.slug}/screening/{batch.pk}/vote").content.decode()


def test_a_vote_is_changed_while_the_round_is_open_and_decides_anew(home, owner, people):
    batch, [made] = opened(home, owner, votes=1)
    client = client_of(people[0])
    vote(client, batch, "include")
    mine = Assignment.objects.get(user=people[0])
    path = f"/projects/{home.slug}/screening/{batch.pk}/vote"
    assert "checked" not in client.get(f"{path}/{mine.pk}").content.decode()
    client.post(path, {"assignment": mine.pk, "decision": "exclude", "reasons": "backstage", "token": "second"})
    made.refresh_from_db()
    assert (made.state, screening.reasons_against(made), mine.responses.count()) == ("rejected", ["backstage"], 2)
    assert "backstage" in client_of(owner).get(f"/projects/{home.slug}/assets/{made.pk}").content.decode()
    client_of(owner).post(f"/projects/{home.slug}/screening/{batch.pk}/close")
    client.post(path, {"assignment": mine.pk, "decision": "include", "token": "third"})
    made.refresh_from_db()
    assert made.state == "rejected"


def test_the_same_click_twice_is_one_vote(home, owner, people):
    batch, _made = opened(home, owner, votes=2, assets=2)
    client = client_of(people[0])
    client.get(f"/projects/{home.slug}/screening/{batch.pk}/vote")
    mine = Assignment.objects.get(user=people[0])
    for _ in range(2):
        path = f"/projects/{home.slug}/screening/{batch.pk}/vote"
        client.post(path, {"assignment": mine.pk, "decision": "include", "token": "once"})
    assert mine.responses.count() == 1


def test_nobody_votes_in_another_s_name(home, owner, people):
    batch, _made = opened(home, owner)
    client_of(people[0]).get(f"/projects/{home.slug}/screening/{batch.pk}/vote")
    theirs = Assignment.objects.get(user=people[0])
    path = f"/projects/{home.slug}/screening/{batch.pk}/vote"
    assert client_of(people[1]).post(path, {"assignment": theirs.pk, "decision": "include"}).status_code == 404
    assert client_of(people[1]).get(f"{path}/{theirs.pk}").status_code == 404


def test_screeners_see_neither_file_names_nor_others_votes(home, owner, people):
    made = asset(home, owner, name="answer-is-dan.png")
    batch = screening.open_round(home, owner, "round", 3, "majority", [made])
    vote(client_of(people[1]), batch, "exclude", note="hidden note")
    page = client_of(people[2]).get(f"/projects/{home.slug}/screening/{batch.pk}/vote").content.decode()
    assert "answer-is-dan" not in page
    assert "hidden note" not in page
    assert client_of(people[2]).get(f"/projects/{home.slug}/screening/{batch.pk}").status_code == 403


def test_agreement_is_fleiss_kappa_of_the_votes(home, owner, people):
    from statsmodels.stats.inter_rater import fleiss_kappa

    from keju.studio.queue import submit, take_next

    batch, _made = opened(home, owner, assets=12)
    table = []
    for number in range(12):
        votes = ["include" if divisor else "exclude" for divisor in (number % 4, (number + 1) % 4, number % 3)]
        table.append([votes.count("include"), votes.count("exclude")])
        for user, decision in zip(people, votes, strict=True):
            submit(take_next(batch, user), user, {"decision": decision})
    found = screening.agreement(screening.tallies(batch))
    assert found.value == pytest.approx(fleiss_kappa(table))
    assert found.interval.low < found.value < found.interval.high
    page = client_of(owner).get(f"/projects/{home.slug}/screening/{batch.pk}").content.decode()
    assert f"{found.value:.3f}" in page
    assert f"{found.observed:.3f}" in page


def test_unanimous_votes_leave_kappa_undefined_in_words(home, owner, people):
    batch, _made = opened(home, owner, assets=2)
    for user in people:
        for _ in range(2):
            vote(client_of(user), batch, "include")
    page = client_of(owner).get(f"/projects/{home.slug}/screening/{batch.pk}").content.decode()
    assert "every vote is the same" in page
    assert "nan" not in page.lower().replace("finance", "")


def test_closing_early_decides_by_the_votes_that_are_in(home, owner, people):
    batch, [first, second] = opened(home, owner, assets=2)
    vote(client_of(people[0]), batch, "include")
    client_of(owner).post(f"/projects/{home.slug}/screening/{batch.pk}/close")
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("selected", "candidate")
    assert not batch.assignments.filter(state__in=["open", "taken"]).exists()
    assert second in screening.candidates(home)


def test_a_round_of_the_paper_s_size_opens_at_once(home, owner, people, django_assert_max_num_queries):
    made = Asset.objects.bulk_create(
        Asset(project=home, sha256=f"{n:064}", kind="image", mime="image/png", size=1, name="x", uploaded_by=owner)
        for n in range(2500)
    )
    for _ in range(5):
        person(home, Role.EXPERT)
    with django_assert_max_num_queries(500):  # SQLite takes so many values a statement; far fewer than one a row
        batch = screening.open_round(home, owner, "all", 8, "majority", made)
    assert batch.assignments.count() == 20_000


def test_criteria_are_read_in_the_screener_s_language_and_kept_by_their_codes():
    owner = person(None)
    home = found("criteria", "Criteria", "tco", owner)
    screener = person(home, Role.EXPERT)
    made = asset(home, owner)
    batch = screening.open_round(home, owner, "round", 1, "majority", [made])
    client = client_of(screener)
    path = f"/projects/criteria/screening/{batch.pk}/vote"
    for language, words in (
        ("zh-Hant", "服飾不完整"),
        ("zh-Hans", "服饰不完整"),
        ("en", "Part of the costume is missing"),
    ):
        page = client.get(path, headers={"accept-language": language}).content.decode()
        assert words in page
        assert 'value="Part of the costume is missing"' in page
    mine = Assignment.objects.get(user=screener)
    told = {"assignment": mine.pk, "decision": "exclude", "reasons": ["Part of the costume is missing", "another"]}
    client.post(path, told)
    assert mine.responses.get().data["reasons"] == ["Part of the costume is missing"]
    report = client_of(owner).get(f"/projects/criteria/screening/{batch.pk}", headers={"accept-language": "zh-Hant"})
    assert "服飾不完整" in report.content.decode()
