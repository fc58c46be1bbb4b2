"""Progress: the figures are right, and each sees what is theirs to see."""

import re
from datetime import timedelta

import pytest
from building import client_of, item, person, project
from django.urls import reverse
from django.utils import timezone, translation
from scipy import stats

from keju.results.table import Column, Table
from keju.studio import journal, progress
from keju.studio.charts import Series, bar, columns
from keju.studio.drawing import Draw, freeze
from keju.studio.models import Finding, Role, Term
from keju.studio.queue import submit, take_next
from keju.studio.tables import shown

COUNTS = {"draft": 4, "in_review": 3, "accepted": 6, "excluded": 1}


@pytest.fixture
def home():
    made = project()
    author = person(made, Role.AUTHOR)
    genres = list(made.terms.filter(kind=Term.Kind.GENRE).order_by("code"))
    number = 0
    for state, count in COUNTS.items():
        for _ in range(count):
            number += 1
            item(made, author, state=state, key=number % 4, genre=genres[number % 3 == 0])
    item(made, author, reserve=True)
    return made


def by(table, key):
    return {str(row[key]): row for row in table.rows}


def test_states_add_up_and_leave_the_reserve_out(home):
    rows = by(progress.states(home), "state")
    assert {name: row["n"] for name, row in rows.items() if row["n"]} == {
        "draft": 4,
        "in review": 3,
        "accepted": 6,
        "excluded": 1,
    }
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)


def test_the_chi_square_of_a_balance_is_scipys(home):
    benchmark = progress.live(home)
    table = next(t for t in progress.balances(home, benchmark) if t.name == "by_genre")
    counts = [row["n"] for row in table.rows]
    expected = stats.chisquare(counts)
    assert sum(counts) == 13  # excluded and reserve items are not counted
    told = re.search(r"χ² = ([\d.]+), df = 1, p = ([\d.]+\d)", table.notes[1])
    assert float(told[1]) == pytest.approx(expected.statistic, abs=0.005)
    assert float(told[2]) == pytest.approx(expected.pvalue, abs=0.0005)
    assert [row["value"] for row in table.rows] == ["Kunqu", "Peking"]
    for row in table.rows:
        interval = stats.binomtest(row["n"], 13).proportion_ci(method="wilson")
        assert row["interval"] == pytest.approx(tuple(interval))


def test_weeks_are_counted_by_the_log_up_to_this_one(home, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(journal.timezone, "now", lambda: now - timedelta(weeks=3))
    journal.record(home, None, "pass_all", "item:0001")
    monkeypatch.undo()
    rows = progress.weeks(home).rows
    assert [row["accepted"] for row in rows] == [1, 0, 0, 0]
    assert [row["begun"] for row in rows] == [0, 0, 0, 15]
    assert progress.weeks(project()).rows == ()


def test_agreement_stands_in_one_table_with_kappa(home):
    raters = [person(home, Role.ANNOTATOR) for _ in range(2)]
    batch = freeze(home, person(home, Role.OWNER), Draw("reannotate", "First", people=1, persons=raters))
    for number, assignment in enumerate(batch.assignments.order_by("order")):
        key = assignment.revision.content.key
        task = take_next(batch, assignment.user)
        key = task.revision.content.key
        wrong = number == 0
        submit(task, task.user, {"answer": (key + wrong) % 4, "problem": "", "confidence": 5})
    table = progress.agreements(home)[0]
    assert table.title == "Agreement: First"
    rows = by(table, "coefficient")
    assert rows["Raw agreement (Po)"]["value"] == pytest.approx(5 / 6)
    assert rows["Cohen's kappa"]["value"] < 5 / 6


def test_agreement_of_screeners_is_fleiss_kappa(home):
    people = [person(home, Role.EXPERT) for _ in range(2)]
    batch = home.batches.create(kind="screen", name="Pictures", created_by=people[0], policy={"votes": 2})
    for number, picture in enumerate(home.assets.all()[:4]):
        for place, user in enumerate(people):
            task = batch.assignments.create(asset=picture, user=user, state="taken", opened_at=timezone.now())
            decision = "include" if number + place < 2 else "exclude"
            submit(task, user, {"decision": decision})
    (table,) = progress.agreements(home)
    assert table.title == "Agreement of screeners: Pictures"
    assert table.rows[0]["observed"] == 0.75
    assert table.rows[0]["value"] == pytest.approx((0.75 - 0.53125) / (1 - 0.53125))  # 3 of 8 votes include


def test_agreement_of_screeners_who_all_say_the_same_is_undefined_in_either_language(home):
    people = [person(home, Role.EXPERT) for _ in range(2)]
    batch = home.batches.create(kind="screen", name="Pictures", created_by=people[0], policy={"votes": 2})
    for picture in home.assets.all()[:2]:
        for user in people:
            task = batch.assignments.create(asset=picture, user=user, state="taken", opened_at=timezone.now())
            submit(task, user, {"decision": "include"})
    (table,) = progress.agreements(home)
    note = table.rows[0]["note"]
    assert (str(note), note.zh) == ("undefined: every vote is the same", "无定义：所有票都相同")


def test_load_is_what_waits_and_what_is_done(home):
    raters = [person(home, Role.ANNOTATOR)]
    batch = freeze(home, person(home, Role.OWNER), Draw("rate", "First", people=1, persons=raters))
    task = take_next(batch, raters[0])
    submit(task, raters[0], {"clarity": 5, "plausibility": 4, "appropriateness": 5}, visible_ms=0)
    take_next(batch, raters[0])
    (row,) = progress.load(home).rows
    assert (row["waiting"], row["begun"], row["done"]) == (4, 1, 1)


def test_findings_are_counted_by_rule_the_gravest_first(home):
    made = home.items.first()
    for rule, severity, state in (("Q2", "warning", "open"), ("Q1", "error", "waived"), ("Q2", "warning", "fixed")):
        Finding.objects.create(project=home, item=made, rule=rule, severity=severity, message={}, state=state)
    rows = progress.findings(home).rows
    assert [(row["rule"], row["open"], row["fixed"], row["waived"]) for row in rows] == [
        ("Q1", 0, 0, 1),
        ("Q2", 1, 1, 0),
    ]


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.PARTICIPANT])
def test_everyone_sees_progress_and_only_owners_keys_and_people(home, role):
    page = client_of(person(home, role)).get(reverse("dashboard", args=[home.slug])).content.decode()
    assert "Items by state" in page
    assert ("People&#x27;s work" in page) == (role is Role.OWNER)
    assert ('<h2 id="t-answers">Keys' in page) == (role is Role.OWNER)
    assert ("Items by genre" in page) == (role is not Role.ANNOTATOR)


def test_an_empty_project_has_a_dashboard():
    empty = project()
    page = client_of(person(empty, Role.OWNER)).get(reverse("dashboard", args=[empty.slug]))
    assert page.status_code == 200
    assert "nan" not in page.content.decode().lower().replace("nano", "")


def test_charts_are_drawn_without_style_or_script_and_to_scale():
    drawn = bar(0.25, (0.2, 0.4), 0.5, most=0.5)
    assert 'width="50.00%"' in drawn
    assert 'x1="40.00%" x2="80.00%"' in drawn
    assert "style=" not in drawn
    weeks = columns(["11-02", "<b>"], [Series("begun", "begun", (1, 2)), Series("done", "done", (0, 1))])
    assert "<b>" not in weeks
    assert 'height="120.0"' in weeks
    assert 'height="60.0"' in weeks


def test_tables_speak_the_language_of_the_interface():
    table = progress.states(project())
    with translation.override("zh-hant"):
        assert shown(table).title == "題目：按狀態"
    with translation.override("zh-hans"):
        assert shown(table).title == "题目：按状态"


def test_a_coefficient_gets_a_bar_with_its_limits_and_several_shares_get_none():
    numbers = [Column(key, key, "number") for key in ("value", "low", "high")]
    row = {"value": 0.5, "low": 0.25, "high": 0.75}
    assert 'x1="31.25%" x2="93.75%"' in shown(Table("t", "T", tuple(numbers), (row,))).rows[0].bar
    shares = (Column("a", "A", "share"), Column("b", "B", "share"))
    assert not shown(Table("t", "T", shares, ({"a": 0.5, "b": 0.5},))).bars
