"""Handing out work: order, idle tasks, double submits, what a browser may claim."""

from datetime import timedelta

import pytest
from building import person
from django.utils import timezone
from working import CHANGE, PASS, RATED, choose, items, judge, opened, team

from keju.studio import queue
from keju.studio.models import Assignment, Batch, Response, Role
from keju.studio.queue import Closed, answer_of, hand_out, submit, take_next
from keju.studio.reviewing import answer

LATE = timedelta(hours=13)


def age(task, by=LATE):
    Assignment.objects.filter(pk=task.pk).update(opened_at=timezone.now() - by)


def test_a_task_that_was_begun_comes_first_and_is_not_given_to_another():
    crew = team()
    [made] = items(crew, 1)
    batch = opened(crew, "reannotate")
    first = take_next(batch, crew.annotators[0])
    assert first.item == made
    assert take_next(batch, crew.annotators[0]) == first
    assert take_next(batch, crew.annotators[1]) is None


def test_an_idle_task_goes_to_another_and_the_late_answer_is_refused_in_words():  # AN-05
    crew = team()
    items(crew, 1)
    batch = opened(crew, "reannotate", policy={"idle_minutes": 60})
    first, second = crew.annotators[:2]
    task = take_next(batch, first)
    age(task, timedelta(minutes=120))
    assert take_next(batch, second) == task
    with pytest.raises(Closed, match="someone else"):
        submit(task, first, {"answer": 0, "confidence": 3})
    submit(task, second, {"answer": 1, "confidence": 3})


def test_an_idle_task_that_was_made_for_a_person_stays_theirs():
    crew = team()
    items(crew, 1)
    named, other = crew.annotators[:2]
    batch = opened(crew, "reannotate", persons=[named])
    task = take_next(batch, named)
    age(task)
    assert take_next(batch, other) is None
    task.refresh_from_db()
    assert (task.user, task.state, task.named) == (named, "open", True)
    assert take_next(batch, named) == task


def test_the_same_form_sent_twice_is_one_answer():  # AN-13
    crew = team()
    first, second = items(crew, 2)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    for _ in range(2):
        answer(task, crew.annotators[0], {"answer": 2, "confidence": 3}, key="k1")
    assert Response.objects.filter(assignment=task).count() == 1
    assert Response.objects.filter(assignment__item__in=[first, second]).count() == 1


def test_two_tabs_leave_one_answer_that_stands_and_keep_the_other():
    crew = team()
    items(crew, 1)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    answer(task, crew.annotators[0], {"answer": 2, "confidence": 3}, key="tab one")
    answer(task, crew.annotators[0], {"answer": 1, "confidence": 5}, key="tab two")
    assert answer_of(task)["answer"] == 1
    assert task.responses.count() == 2
    assert task.responses.filter(superseded_by__isnull=True).count() == 1


def test_a_review_that_is_decided_takes_no_second_tab():
    crew = team()
    items(crew, 1, "in_review")
    task = judge(opened(crew, "review"), crew.experts[0], PASS, key="tab one")
    with pytest.raises(Closed, match="moved on"):
        answer(task, crew.experts[0], CHANGE, key="tab two")


def test_the_browser_cannot_claim_more_time_than_passed_by_the_server():
    crew = team()
    items(crew, 1)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    age(task, timedelta(seconds=90))
    submit(task, crew.annotators[0], {"answer": 0, "confidence": 3}, visible_ms=10**9)
    task.refresh_from_db()
    assert 90_000 <= task.visible_ms < 120_000
    assert task.submitted_at > task.opened_at


@pytest.mark.parametrize("told", [-5, "many", None, True, 1.5])
def test_a_time_that_is_none_is_not_kept(told):
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    submit(task, crew.annotators[0], {"answer": 0, "confidence": 3}, visible_ms=told)
    task.refresh_from_db()
    assert task.visible_ms is None


def test_each_annotator_meets_the_items_in_an_order_of_their_own_that_tells_no_key():  # AN-07
    crew = team(annotators=2)
    made = items(crew, 24)
    batch = opened(crew, "rate", people=2)
    orders = []
    for user in crew.annotators:
        order = []
        while task := take_next(batch, user):
            order.append(task.item_id)
            submit(task, user, RATED)
        orders.append(order)
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(one.pk for one in made)
    assert orders[0] != orders[1]
    keys = {one.pk: one.current.content.key for one in made}
    assert all([keys[pk] for pk in order] != sorted(keys.values()) for order in orders)


def test_nobody_gets_an_item_that_they_wrote_or_two_places_of_one_item():
    crew = team(annotators=0)
    items(crew, 2)
    both = person(crew.project, Role.ANNOTATOR, Role.AUTHOR)
    from building import item

    own = item(crew.project, both, state="accepted")
    batch = opened(crew, "rate", people=2)
    seen = []
    while task := take_next(batch, both):
        seen.append(task.item_id)
        submit(task, both, RATED)
    assert own.pk not in seen
    assert len(seen) == len(set(seen)) == 2


def test_what_is_handed_out_twice_is_there_once():
    crew = team()
    [made] = items(crew, 1)
    batch = Batch.objects.create(project=crew.project, kind="reannotate", name="x", created_by=crew.owner)
    task = {"batch": batch, "item": made, "revision": made.current, "user": crew.annotators[0]}
    assert hand_out([Assignment(**task)]) == 1
    assert hand_out([Assignment(**task)]) == 0


def test_a_closed_round_takes_no_answer_and_gives_no_task():
    from keju.studio.closing import close

    crew = team()
    items(crew, 2)
    batch = opened(crew, "reannotate")
    task = take_next(batch, crew.annotators[0])
    close(batch, crew.owner)
    batch.refresh_from_db()
    assert take_next(batch, crew.annotators[0]) is None
    with pytest.raises(Closed):
        submit(task, crew.annotators[0], {"answer": 0, "confidence": 3})


def test_two_people_who_reach_for_one_task_at_once_do_not_both_get_it(monkeypatch):
    crew = team()
    items(crew, 1)
    batch = opened(crew, "reannotate")
    first, second = crew.annotators[:2]
    waiting = queue._waiting

    def late(batch, user):
        rows = waiting(batch, user)
        if user == second:
            monkeypatch.setattr(queue, "_waiting", waiting)
            assert take_next(batch, first)  # between the look and the grip of the second
        return rows

    monkeypatch.setattr(queue, "_waiting", late)
    assert take_next(batch, second) is None
    assert batch.assignments.get().user == first


def test_somebody_who_lost_their_role_answers_nothing_more():
    crew = team()
    items(crew, 1)
    task = take_next(opened(crew, "reannotate"), crew.annotators[0])
    crew.project.memberships.filter(user=crew.annotators[0]).update(roles=["expert"])
    with pytest.raises(Closed, match="role"):
        submit(task, crew.annotators[0], {"answer": 0, "confidence": 3})


def test_a_round_with_named_people_shares_the_work_evenly():
    crew = team(annotators=3)
    items(crew, 9)
    batch = opened(crew, "reannotate", persons=crew.annotators)
    loads = [batch.assignments.filter(user=user).count() for user in crew.annotators]
    assert loads == [3, 3, 3]
    choose(batch, crew.annotators[0], {})
    assert batch.assignments.filter(state="done").count() == 3
