"""A round never hangs in silence: who could do nothing of it is named, and so is what waits for nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest
from building import asset, client_of, person
from working import REJECT, choose, items, judge, opened, team

from keju.studio.drawing import NotForThem
from keju.studio.models import Assignment, Batch, Dispute, Item, Role
from keju.studio.policy import Past
from keju.studio.queue import take_next
from keju.studio.staffing import lacking, stuck
from keju.studio.standing import past_of, pasts_apart, pasts_of

ROUND = {"name": "round", "share": "100", "seed": "1", "people": "1", "idle_hours": "12"}


def open_page(crew, kind, **told):
    return client_of(crew.owner).post(f"/projects/{crew.project.slug}/rounds/new/{kind}", {**ROUND, **told})


def test_a_rating_for_people_who_still_answer_the_items_blind_is_refused_by_name():
    crew = team()
    items(crew, 3)
    both = crew.annotators[:2]
    opened(crew, "reannotate", persons=both)
    refused = open_page(crew, "rate", persons=[one.pk for one in both])
    assert refused.status_code == 422
    told = refused.content.decode()
    assert all(one.username in told for one in both)
    assert "round" in told
    assert "answered first, or choose other people" in told
    assert not Batch.objects.filter(kind="rate").exists()
    assert open_page(crew, "rate", persons=[crew.annotators[2].pk]).status_code == 302
    assert all(take_next(Batch.objects.get(kind="reannotate"), one) for one in both)


def test_once_they_have_answered_the_same_people_rate():
    crew = team()
    items(crew, 2)
    batch = opened(crew, "reannotate", persons=crew.annotators[:1])
    choose(batch, crew.annotators[0], {})
    assert take_next(opened(crew, "rate", persons=crew.annotators[:1]), crew.annotators[0])


def test_a_re_annotation_for_people_who_rate_the_items_is_refused_with_the_reason():
    crew = team()
    items(crew, 2)
    opened(crew, "rate", persons=crew.annotators[:1])
    with pytest.raises(NotForThem, match="worked on this item before"):
        opened(crew, "reannotate", persons=crew.annotators[:1])
    told = open_page(crew, "reannotate", persons=[crew.annotators[0].pk]).content.decode()
    assert crew.annotators[0].username in told
    assert "would wait in vain" in told


def test_whoever_is_to_answer_an_item_blind_is_given_its_rating_only_afterwards():
    crew = team(annotators=1)
    items(crew, 2)
    blind = opened(crew, "reannotate", persons=crew.annotators)
    rate = opened(crew, "rate")
    assert take_next(rate, crew.annotators[0]) is None
    choose(blind, crew.annotators[0], {})
    assert take_next(rate, crew.annotators[0]) is not None


def test_in_single_user_mode_nothing_stands_in_the_way():
    crew = team(single_user=True)
    items(crew, 2)
    opened(crew, "reannotate", persons=crew.annotators[:1])
    assert opened(crew, "rate", persons=crew.annotators[:1])


@pytest.mark.parametrize("kind", ["reannotate", "rate"])
def test_fewer_people_than_a_round_wants_are_told(kind):
    crew = team(annotators=2)
    items(crew, 3)
    answer = open_page(crew, kind, people="3")
    assert answer.status_code == 302
    batch = Batch.objects.get()
    page = client_of(crew.owner).get(f"/projects/{crew.project.slug}/rounds/{batch.pk}").content.decode()
    assert "3 tasks wait for somebody who may do them and is not here" in page
    person(crew.project, Role.ANNOTATOR)
    assert lacking(batch) == []


def test_an_item_whose_only_expert_wrote_it_is_told():
    crew = team([{"name": "expert", "verb": "review expert"}], experts=1)
    crew.author = crew.experts[0]
    items(crew, 1, "in_review")
    batch = opened(crew, "review")
    [told] = lacking(batch)
    assert told.startswith("1 task waits for somebody")
    assert "domain expert" in told
    person(crew.project, Role.EXPERT)
    assert lacking(batch) == []


def test_a_role_that_nobody_has_is_told_before_its_turn_comes():
    crew = team([{"name": "expert", "verb": "review expert"}, {"name": "words", "verb": "review linguistic"}])
    crew.project.memberships.filter(user=crew.linguist).delete()
    items(crew, 1, "in_review")
    assert [text for text in lacking(opened(crew, "review")) if "linguist" in text]


def test_tasks_of_a_named_person_who_lost_the_role_are_told_by_name():
    crew = team()
    items(crew, 2)
    batch = opened(crew, "reannotate", persons=crew.annotators[:1])
    crew.project.memberships.filter(user=crew.annotators[0]).update(roles=["author"])
    assert [text for text in lacking(batch) if crew.annotators[0].username in text and "2 tasks" in text]


def test_a_round_that_everyone_can_do_says_nothing_and_a_closed_one_neither():
    crew = team()
    items(crew, 4)
    batch = opened(crew, "reannotate", people=2)
    assert lacking(batch) == []
    Batch.objects.update(closed_at="2026-01-01T00:00Z")
    batch.refresh_from_db()
    crew.project.memberships.exclude(user=crew.owner).delete()
    assert lacking(batch) == []


def test_candidates_that_get_fewer_votes_than_asked_are_counted():
    crew = team(experts=1)  # who screen: the author, the expert, the formatter
    asset(crew.project, crew.author)
    asset(crew.project, crew.owner)
    page = client_of(crew.owner).post(
        f"/projects/{crew.project.slug}/screening", {"name": "r", "votes": "3", "rule": "majority"}, follow=True
    )
    assert "1 candidate gets fewer votes than you asked for" in page.content.decode()


def test_a_dispute_that_nobody_may_settle_is_told_to_the_owner_alone():
    crew = team([{"name": "expert", "verb": "review expert"}])
    crew.project.memberships.filter(user=crew.adjudicator).update(roles=["adjudicator", "expert"])
    items(crew, 1, "in_review")
    judge(opened(crew, "review"), crew.adjudicator, REJECT | {"checklist": []})
    dispute = Dispute.objects.get()
    path = f"/projects/{crew.project.slug}/disputes"
    assert stuck(crew.project, [dispute]) == [dispute]
    assert "Nobody here may settle 1 dispute" in client_of(crew.owner).get(path).content.decode()
    assert "Nobody here may settle" not in client_of(crew.author).get(path).content.decode()
    person(crew.project, Role.ADJUDICATOR)
    assert stuck(crew.project, [dispute]) == []
    assert "Nobody here may settle" not in client_of(crew.owner).get(path).content.decode()


def test_the_past_with_many_items_is_asked_for_in_one_go(django_assert_max_num_queries):
    crew = team([{"name": "expert", "verb": "review expert"}])
    made = items(crew, 5, "in_review")
    judge(opened(crew, "review"), crew.experts[0], REJECT | {"checklist": []})
    whole = list(Item.objects.select_related("image", "audio"))
    for user in (crew.experts[0], crew.author, crew.linguist):
        with django_assert_max_num_queries(5):
            pasts = pasts_of(user, whole)
        assert pasts == {item.pk: past_of(user, item) for item in whole}
        theirs = list(Assignment.objects.filter(user=user).select_related("item"))
        apart = {task.pk: past_of(user, task.item, but=task) for task in theirs}
        assert pasts_apart(user, theirs) == apart
    pasts, (disputed,) = pasts_of(crew.author, made), {dispute.item_id for dispute in Dispute.objects.all()}
    written = Past(authored=True, revised=True, uploaded=True)
    assert pasts == {item.pk: replace(written, disputing=item.pk == disputed) for item in made}
    assert Assignment.objects.count() >= 5
