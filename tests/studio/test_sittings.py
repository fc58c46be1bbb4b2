"""The human baseline: the frozen sample, the way through the questions, the clock, figures and files."""

import re
from datetime import timedelta

import pytest
from building import asset, client_of, content, item, person, project
from django.urls import reverse
from django.utils import timezone, translation

from keju.items import LABELS
from keju.people.sheets import read_sheets
from keju.reports.csv import to_csv
from keju.results.columns import METHOD
from keju.results.table import Table
from keju.studio import sittings
from keju.studio.closing import close
from keju.studio.journal import first_broken
from keju.studio.models import Assignment, Batch, Event, Membership, Response, Role, Term
from keju.studio.queue import Closed
from keju.studio.saving import Edit, save
from keju.studio.sitting_results import answers, exam_of, finished, sitting_tables
from keju.studio.sittings import Measured, answer, consent, current, draw, invite
from keju.studio.tables import shown

KEY = 1
RIGHT, WRONG = LABELS[KEY], LABELS[0]


@pytest.fixture
def home():
    """A project with ten accepted items of two genres, and its owner."""
    made = project()
    owner = person(made, Role.OWNER)
    genres = {term.code: term for term in made.terms.filter(kind=Term.Kind.GENRE)}
    picture = asset(made, owner)
    for number in range(10):
        genre = genres["peking" if number < 6 else "kunqu"]
        item(made, owner, state="accepted", key=KEY, image=picture, genre=genre)
    return made


@pytest.fixture
def owner(home):
    return Membership.objects.get(project=home).user


@pytest.fixture
def batch(home, owner):
    return draw(home, owner, "Pilot", 5)


def sit(participant, labels, *, language=""):
    """Answer every question with the next of `labels`."""
    consent(participant, language)
    for label in labels:
        assert answer(participant, current(participant).pk, label, Measured(visible_ms=0))


def enter(batch, owner, group="expert"):
    """A participant, and a browser that came in by the link."""
    made = invite(batch, owner, group)[0]
    client = client_of(made.participant.user)
    client.logout()
    client.post(reverse("by-link", args=[made.token]))
    return made, client


def agree(made, client):
    client.post(at(made.participant.batch, "sitting-consent"), {"agree": "yes"})
    made.participant.refresh_from_db()


def at(batch, name="sitting"):
    return reverse(name, args=[batch.project.slug, batch.pk])


def test_the_sample_keeps_the_shares_of_labels_and_is_the_one_that_the_command_line_draws(home, batch):
    from keju.people.sample import draw_sample
    from keju.studio.benchmarks import benchmark_of

    exam = exam_of(batch)
    everything = benchmark_of(home, sittings.eligible(home))
    assert [one.id for one in exam] == list(draw_sample(everything, 5, ("genre",), 0))
    assert sorted(one.labels["genre"] for one in exam) == ["kunqu"] * 2 + ["peking"] * 3


def test_a_sample_stays_what_it_was_when_items_change_later(home, owner, batch):
    before = exam_of(batch)
    for made in home.items.all():
        edit = Edit(content(key=3, stem=f"改 {made.code}"), made.image)
        save(made, owner, edit, base_version=made.version)
        item(home, owner, state="accepted", image=made.image)
    participant = invite(batch, owner, "expert")[0].participant
    consent(participant)
    assert exam_of(Batch.objects.get(pk=batch.pk)).items == before.items
    assert current(participant).revision.number == 1


def test_only_accepted_items_outside_the_reserve_can_be_drawn(home, owner):
    item(home, owner, state="draft")
    item(home, owner, state="accepted", reserve=True)
    assert len(sittings.eligible(home)) == 10


def test_no_question_is_shown_before_consent(batch, owner):
    made, client = enter(batch, owner)
    page = client.get(at(batch)).content.decode()
    assert 'name="agree"' in page
    assert 'name="answer"' not in page
    with pytest.raises(Closed):
        current(made.participant)
    with pytest.raises(Closed):
        answer(made.participant, batch.assignments.first().pk, RIGHT, Measured())


def test_a_link_opens_the_sitting_again_and_again_where_it_was_left(batch, owner):
    made, client = enter(batch, owner)
    agree(made, client)
    first = current(made.participant)
    client.post(at(batch, "sitting-answer"), {"assignment": first.pk, "answer": RIGHT})
    client.logout()
    again = client.post(reverse("by-link", args=[made.token]), follow=True)
    assert again.redirect_chain[-1][0] == at(batch)
    assert "Question 2 of 5" in again.content.decode()


def test_there_is_no_way_back_and_a_second_tab_cannot_answer_twice(batch, owner):
    made, client = enter(batch, owner)
    agree(made, client)
    first = current(made.participant)
    client.post(at(batch, "sitting-answer"), {"assignment": first.pk, "answer": RIGHT})
    again = client.post(at(batch, "sitting-answer"), {"assignment": first.pk, "answer": WRONG}, follow=True)
    assert "your first answer stands" in again.content.decode()
    assert [one.data["answer"] for one in Response.objects.filter(assignment=first)] == [RIGHT]


def test_what_is_ticked_is_kept_before_it_is_handed_in(batch, owner):
    made, client = enter(batch, owner)
    agree(made, client)
    first = current(made.participant)
    assert client.post(at(batch, "sitting-choose"), {"assignment": first.pk, "answer": "C"}).status_code == 200
    assert re.search(r'value="C" required checked', client.get(at(batch)).content.decode())
    assert not Response.objects.filter(assignment=first).exists()


@pytest.mark.parametrize("sent", [{"answer": "E"}, {"answer": "<script>"}, {"answer": ""}, {}])
def test_what_is_none_of_the_options_is_no_answer(batch, owner, sent):
    made, client = enter(batch, owner)
    agree(made, client)
    client.post(at(batch, "sitting-answer"), {"assignment": current(made.participant).pk, **sent})
    assert not Response.objects.exists()


def test_one_can_go_on_without_an_answer_and_it_counts_as_wrong(batch, owner):
    made, client = enter(batch, owner)
    agree(made, client)
    client.post(at(batch, "sitting-answer"), {"assignment": current(made.participant).pk, "skip": "yes"})
    for _ in range(4):
        answer(made.participant, current(made.participant).pk, RIGHT, Measured())
    people = next(table for table in sitting_tables(batch) if table.name == "people")
    assert (people.rows[0]["correct"], people.rows[0]["blank"]) == (4, 1)


def test_nobody_answers_for_another_participant(batch, owner):
    mine, client = enter(batch, owner)
    theirs = invite(batch, owner, "expert")[0].participant
    for one in (mine.participant, theirs):
        consent(one)
    client.post(at(batch, "sitting-answer"), {"assignment": current(theirs).pk, "answer": RIGHT})
    assert not Response.objects.exists()


@pytest.mark.parametrize("name", ["dashboard", "items", "sittings", "audit"])
def test_a_participant_sees_nothing_else_of_the_project(batch, owner, name):
    _, client = enter(batch, owner)
    assert client.get(reverse(name, args=[batch.project.slug])).status_code == 403


def test_the_results_are_the_owners(batch, owner):
    _, participant = enter(batch, owner)
    author = client_of(person(batch.project, Role.AUTHOR))
    for client in (participant, author):
        assert client.get(at(batch, "sitting-results")).status_code == 403
        assert client.get(at(batch, "sitting-answers")).status_code == 403


def test_a_question_is_byte_for_byte_the_same_whatever_the_key_is(home, owner, batch):
    pages = set()
    made, client = enter(batch, owner)
    agree(made, client)
    revision = current(made.participant).revision
    for key in range(4):
        revision.body = {**revision.body, "key": key}
        revision.save()
        page = client.get(at(batch)).content.decode()
        pages.add(re.sub(r'csrfmiddlewaretoken" value="\w+"|x-csrftoken": "\w+"', "", page))
    assert len(pages) == 1
    page = pages.pop()
    assert "看脸谱" not in page  # the rationale
    assert revision.item.code not in re.sub(r"[0-9a-f]{64}", "", page)


def test_the_server_is_the_authority_on_the_clock(batch, owner):
    """A browser that claims ten hours, of a question that was open for a moment."""
    participant = invite(batch, owner, "expert")[0].participant
    consent(participant)
    first = current(participant)
    claim = {"visible_ms": 36_000_000, "media": {"first_play_ms": 9_000_000, "plays": 1, "heard_s": 36_000.0}}
    answer(participant, first.pk, RIGHT, Measured.model_validate(claim))
    first.refresh_from_db()
    most = (first.submitted_at - first.opened_at) / timedelta(milliseconds=1)
    assert 0 <= first.visible_ms <= most
    assert first.media["heard_s"] * 1000 <= most
    assert first.media["first_play_ms"] <= most


@pytest.mark.parametrize("sent", ["", "no json", '{"visible_ms": -5}', '{"visible_ms": 1e99}', '{"media": 3}', "[]"])
def test_an_answer_is_not_lost_for_timings_that_make_no_sense(batch, owner, sent):
    made, client = enter(batch, owner)
    agree(made, client)
    first = current(made.participant)
    client.post(at(batch, "sitting-answer"), {"assignment": first.pk, "answer": RIGHT, "measured": sent})
    first.refresh_from_db()
    assert (first.state, first.visible_ms) == (Assignment.State.DONE, None)


def test_a_question_is_opened_once_however_often_its_page_is_loaded(batch, owner):
    made, client = enter(batch, owner)
    agree(made, client)
    opened = current(made.participant).opened_at
    client.get(at(batch))
    assert current(made.participant).opened_at == opened


def test_an_idle_question_stays_its_participants(batch, owner):
    """They may come back next week."""
    from keju.studio.queue import give_back_idle

    participant = invite(batch, owner, "expert")[0].participant
    consent(participant)
    first = current(participant)
    Assignment.objects.filter(pk=first.pk).update(opened_at=timezone.now() - timedelta(days=7))
    give_back_idle(batch)
    assert current(participant).pk == first.pk


def test_the_language_is_chosen_once_for_all_questions(batch, owner):
    _made, client = enter(batch, owner)
    client.post(at(batch, "sitting-consent"), {"agree": "yes", "language": "en"})
    client.post(at(batch, "sitting-consent"), {"agree": "yes", "language": "zh-Hans"})
    page = client.get(at(batch)).content.decode()
    assert "Which role type is this?" in page
    assert "是什么行当" not in page


def test_groups_are_set_beside_each_other_and_only_those_who_finished_count(batch, owner):
    first, second = (one.participant for one in invite(batch, owner, "expert", 2))
    novice, unfinished = (one.participant for one in invite(batch, owner, "non-expert", 2))
    sit(first, [RIGHT] * 5)
    sit(second, [RIGHT] * 4 + [WRONG])
    sit(novice, [RIGHT] * 2 + [WRONG] * 3)
    sit(unfinished, [WRONG] * 3)
    rows = {row["evaluator"]: row for row in sitting_tables(batch)[0].rows}
    assert {name: row["accuracy"] for name, row in rows.items()} == {"expert": 0.9, "non-expert": 0.4}
    assert rows["expert"]["participants"] == 2
    assert [one.participant for one in finished(batch)] == [first, second, novice]


def test_closing_ends_it_and_counts_nobody_who_had_not_finished(batch, owner):
    made, client = enter(batch, owner)
    sit(made.participant, [RIGHT] * 3)
    close(batch, owner)
    assert "closed" in client.get(at(batch)).content.decode()
    with pytest.raises(Closed):
        invite(Batch.objects.get(pk=batch.pk), owner, "expert")
    client.logout()
    client.post(reverse("by-link", args=[made.token]))
    assert client.get(at(batch)).status_code == 302
    assert finished(batch) == []


def test_a_new_link_ends_the_old_one(batch, owner):
    made, client = enter(batch, owner)
    again = sittings.invite_again(made.participant, owner)
    client.logout()
    client.post(reverse("by-link", args=[made.token]))
    assert client.get(at(batch)).status_code == 302
    client.post(reverse("by-link", args=[again.token]))
    assert client.get(at(batch)).status_code == 200


def test_links_are_shown_once_and_no_token_is_stored(batch, owner):
    client = client_of(owner)
    page = client.post(at(batch, "sitting-invite"), {"group": "expert", "number": 2})
    tokens = re.findall(r"/enter/([\w-]+)", page.content.decode())
    assert len(set(tokens)) == 2
    assert page["Cache-Control"] == "no-store"
    assert not re.findall(r"/enter/[\w-]+", client.get(at(batch, "sitting-results")).content.decode())
    assert not [event for event in Event.objects.all() if any(token in str(event.data) for token in tokens)]


def test_the_file_of_answers_is_read_by_keju_human_import(batch, owner, tmp_path):
    first, novice = (invite(batch, owner, group)[0].participant for group in ("expert", "non-expert"))
    sit(first, [RIGHT, None, RIGHT, WRONG, RIGHT])
    sit(novice, [WRONG] * 5)
    file = tmp_path / "answers.csv"
    file.write_text(to_csv(answers(batch)), encoding="utf-8", newline="")
    ids = [one.id for one in exam_of(batch)]
    sheets = {sheet.group: sheet for sheet in read_sheets(file, ids)}
    told = dict(zip(ids, [RIGHT, None, RIGHT, WRONG, RIGHT], strict=True))
    assert dict(sheets["expert"].written) == {one: label for one, label in told.items() if label}
    assert sheets["non-expert"].person == novice.user.profile.pseudonym


def test_imported_runs_are_marked_on_the_items_that_are_still_as_people_see_them(home, batch, owner, tmp_path):
    from keju import api
    from keju.studio.model_marks import take_runs

    api.run(exam_of(batch), "baseline/always-b", out=tmp_path)
    take_runs(home, owner, tmp_path)
    sit(invite(batch, owner, "expert")[0].participant, [RIGHT] * 3 + [WRONG] * 2)
    rows = {row["evaluator"]: row for row in sitting_tables(batch)[0].rows}
    assert rows["expert"]["accuracy"] == 0.6
    assert (rows["baseline/always-b"]["n"], rows["baseline/always-b"]["accuracy"]) == (5, 1.0)
    changed, frozen = sittings.frozen(batch)[0]
    save(changed, owner, Edit(content(key=3, stem="改"), frozen.image), base_version=changed.version)
    rows = {row["evaluator"]: row for row in sitting_tables(batch)[0].rows}
    assert rows["baseline/always-b"]["n"] == 4


def test_every_deed_is_in_the_log(home, batch, owner):
    sit(invite(batch, owner, "expert")[0].participant, [RIGHT] * 5)
    close(batch, owner)
    verbs = [event.verb for event in Event.objects.filter(project=home) if event.verb != "create"]
    assert verbs == ["draw", "invite", "consent", *["answer"] * 5, "close"]
    assert first_broken(home) is None


def test_the_owner_draws_and_sees_pages_for_every_state(home, owner):
    client = client_of(owner)
    address = reverse("sittings", args=[home.slug])
    assert "10 items are accepted" in client.get(address).content.decode()
    refused = client.post(address, {"name": "All", "size": 11, "seed": 0})
    assert "Only 10 items" in refused.content.decode()
    drawn = client.post(
        address, {"name": "Pilot", "size": 4, "seed": 3, "labels": ["genre"], "consent": "My own words."}
    )
    batch = Batch.objects.get()
    assert drawn.url == at(batch, "sitting-results")
    participant = invite(batch, owner, "expert")[0].participant
    assert "My own words." in client_of(participant.user).get(at(batch)).content.decode()
    sit(participant, [RIGHT] * 4)
    page = client.get(drawn.url).content.decode()
    assert "People and models on the same items" in page
    assert "100.0 %" in page
    assert client.get(at(batch, "sitting-answers")).content.decode("utf-8-sig").startswith("person,group,number,item")


@pytest.mark.parametrize(
    ("language", "names"),
    [("en", {"Chinese, Simplified", "English"}), ("zh-hans", {"简体中文", "英文"}), ("zh-hant", {"簡體中文", "英文"})],
)
def test_the_table_of_the_sample_names_languages_as_its_reader_does(home, owner, language, names):
    home.items.filter(pk__in=home.items.values("pk")[:4]).update(original_language="en")
    drawn = draw(home, owner, "Both", 5, labels=["original_language"])
    client = client_of(owner)
    client.cookies["django_language"] = language
    cells = set(re.findall(r"<td[^>]*>([^<]*)</td>", client.get(at(drawn, "sitting-results")).content.decode()))
    assert names <= cells
    assert not {"zh-Hans", "en"} & cells


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["two-way bootstrap interval", "Wilson score interval", "–"]),
        ("zh-hans", ["双向自助法区间", "威尔逊得分区间", "–"]),
    ],
)
def test_tables_name_the_methods_of_intervals_in_full(home, owner, language, names):
    rows = [{"interval_method": method} for method in ("two-way bootstrap", "wilson", None)]
    with translation.override(language):
        assert [row.cells[0].text for row in shown(Table("t", "T", (METHOD,), tuple(rows))).rows] == names
