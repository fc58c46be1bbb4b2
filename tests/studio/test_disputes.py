"""Disputes: who may see and settle them, what a decision needs, where the item goes, who takes its place."""

import pytest
from building import client_of, content, item, person
from django.urls import reverse
from working import REJECT, choose, items, judge, opened, state_of, team, term

from keju.studio.closing import close
from keju.studio.disputing import Ruling, decide
from keju.studio.journal import first_broken
from keju.studio.models import Dispute, Event, Item, Role, Term
from keju.studio.reviewing import advance
from keju.studio.workflow import NotAllowed


def disputed(crew, number=1, **fields):
    """Items on which the first annotator chose another option than the key."""
    made = items(crew, number, **fields)
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {one.pk: (one.current.content.key + 1) % 4 for one in made})
    close(batch, crew.owner)
    return list(Dispute.objects.order_by("pk"))


def ruling(crew, dispute, decision, *, agreed=None, **more):
    everyone = dispute.participants if agreed is None else agreed
    reason = term(crew, Term.Kind.EXCLUSION_REASON) if decision == "exclude" else None
    category, evidence = term(crew, Term.Kind.DISPUTE_CATEGORY), term(crew, Term.Kind.EVIDENCE)
    return Ruling(decision, category, evidence, "what the picture shows", everyone, reason=reason, **more)


@pytest.mark.parametrize(
    ("decision", "state"),
    [("keep", "accepted"), ("change_key", "accepted"), ("reword", "revise"), ("exclude", "excluded")],
)
def test_each_decision_moves_the_item_and_is_written_down(decision, state):
    crew = team()
    [dispute] = disputed(crew)
    decide(dispute, crew.adjudicator, ruling(crew, dispute, decision, key=2 if decision == "change_key" else None))
    dispute.refresh_from_db()
    assert state_of(dispute.item) == state
    assert (dispute.decision, dispute.third_expert) == (decision, crew.adjudicator)
    assert dispute.agreed == dispute.participants
    assert dispute.closed_at is not None
    event = Event.objects.filter(project=crew.project, verb="decide").get()
    assert event.data["decision"] == decision
    assert first_broken(crew.project) is None


def test_a_new_key_is_a_new_revision_and_the_old_one_is_kept():
    crew = team()
    [dispute] = disputed(crew)
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "change_key", key=3))
    made = Item.objects.get(pk=dispute.item_id)
    dispute.refresh_from_db()
    assert made.current == dispute.result
    assert (made.current.number, made.current.content.key, made.current.author) == (2, 3, crew.adjudicator)
    assert made.current.content.options[3].strategy is None
    assert dispute.revision.content.key == 0


@pytest.mark.parametrize("key", [None, 0, 4, -1])
def test_a_new_key_must_be_another_option(key):
    crew = team()
    [dispute] = disputed(crew)  # the key is 0
    with pytest.raises(NotAllowed):
        decide(dispute, crew.adjudicator, ruling(crew, dispute, "change_key", key=key))
    assert state_of(dispute.item) == "disputed"


def test_without_everyones_agreement_only_exclusion_is_left():
    crew = team()
    [dispute] = disputed(crew)
    for decision in ("keep", "reword"):
        with pytest.raises(NotAllowed, match="excluded"):
            decide(dispute, crew.adjudicator, ruling(crew, dispute, decision, agreed=[crew.author.pk]))
    assert state_of(dispute.item) == "disputed"
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "exclude", agreed=[crew.author.pk]))
    dispute.refresh_from_db()
    assert dispute.agreed == [crew.author.pk]


def test_the_third_expert_is_neither_author_nor_re_annotator_nor_rater():
    crew = team()
    [dispute] = disputed(crew)
    for party in (crew.author, crew.annotators[0]):
        membership = crew.project.memberships.get(user=party)
        membership.roles = [*membership.roles, Role.ADJUDICATOR]
        membership.save()
        with pytest.raises(NotAllowed):
            decide(dispute, party, ruling(crew, dispute, "keep"))
    with pytest.raises(NotAllowed):
        decide(dispute, crew.owner, ruling(crew, dispute, "keep"))
    assert state_of(dispute.item) == "disputed"


def test_a_dispute_is_settled_once():
    crew = team()
    [dispute] = disputed(crew)
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "keep"))
    with pytest.raises(NotAllowed, match="settled already"):
        decide(dispute, crew.adjudicator, ruling(crew, dispute, "exclude"))
    assert state_of(dispute.item) == "accepted"


def test_an_excluded_item_is_replaced_from_the_reserve_and_both_are_on_record():
    crew = team()
    kunqu = Term.objects.get(project=crew.project, code="kunqu")
    items(crew, 1, reserve=True, code="R1")
    items(crew, 1, reserve=True, code="R2", genre=kunqu)
    [dispute] = disputed(crew, code="0007", genre=kunqu)
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "exclude"))
    gone, heir = Item.objects.get(code="0007"), Item.objects.get(code="R2")
    assert (gone.state, gone.excluded_reason.code) == ("excluded", "one")
    assert not heir.reserve  # the one that is like it
    assert Item.objects.get(code="R1").reserve
    promoted = Event.objects.get(project=crew.project, verb="promote")
    assert (promoted.object, promoted.data) == ("item:R2", {"takes_the_place_of": "0007"})
    assert Event.objects.get(project=crew.project, verb="decide").data["replaced_by"] == "R2"


def test_ids_are_never_renumbered():  # pitfall 22
    crew = team()
    before = [item(crew.project, crew.author, state="accepted", code=f"{at:04}") for at in range(1, 4)]
    batch = opened(crew, "reannotate")
    choose(batch, crew.annotators[0], {before[1].pk: 3})
    close(batch, crew.owner)
    [dispute] = Dispute.objects.all()
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "exclude"))
    assert list(Item.objects.filter(project=crew.project).values_list("code", flat=True)) == ["0001", "0002", "0003"]


def test_without_a_reserve_the_exclusion_stands_and_says_so():
    crew = team()
    [dispute] = disputed(crew)
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "exclude"))
    assert Event.objects.get(project=crew.project, verb="decide").data["replaced_by"] is None


def test_a_reviewers_rejection_that_is_overruled_puts_the_item_back_into_review():
    crew = team([{"name": "expert", "verb": "review expert"}], experts=2)
    [made] = items(crew, 1, "in_review")
    batch = opened(crew, "review")
    judge(batch, crew.experts[0], REJECT | {"checklist": []})
    dispute = Dispute.objects.get()
    decide(dispute, crew.adjudicator, ruling(crew, dispute, "keep"))
    assert state_of(made) == "in_review"
    advance(batch)
    from keju.studio.queue import take_next

    assert take_next(batch, crew.experts[0]) is None  # a party does not judge it again while another can
    judge(batch, crew.experts[1], {"decision": "pass"})
    assert state_of(made) == "accepted"


def test_an_item_in_two_disputes_stays_until_both_are_settled():
    crew = team()
    [first] = disputed(crew)
    second = Dispute.objects.create(
        item=first.item, revision=first.revision, cause="rating", participants=[crew.author.pk]
    )
    decide(first, crew.adjudicator, ruling(crew, first, "keep"))
    assert state_of(first.item) == "disputed"
    decide(second, crew.adjudicator, ruling(crew, second, "keep"))
    assert state_of(first.item) == "accepted"


def test_an_exclusion_settles_the_other_dispute_too():
    crew = team()
    [first] = disputed(crew)
    second = Dispute.objects.create(
        item=first.item, revision=first.revision, cause="rating", participants=[crew.author.pk]
    )
    decide(first, crew.adjudicator, ruling(crew, first, "exclude"))
    second.refresh_from_db()
    assert second.decision == "exclude"


def test_in_single_user_mode_one_person_does_it_all_and_the_conflict_is_on_record():
    crew = team(annotators=0, single_user=True)
    alone = person(crew.project, *(set(Role) - {Role.PARTICIPANT}))
    made = item(crew.project, alone, state="accepted", content=content(1))
    batch = opened(crew, "reannotate")
    choose(batch, alone, {made.pk: 2})
    close(batch, alone)
    [dispute] = Dispute.objects.all()
    decide(dispute, alone, ruling(crew, dispute, "keep"))
    assert state_of(made) == "accepted"
    assert Event.objects.get(project=crew.project, verb="answer").data["conflict"]
    assert Event.objects.get(project=crew.project, verb="decide").data["conflict"]


# Pages


def test_pages_of_a_dispute():
    crew = team()
    [dispute] = disputed(crew)
    slug = crew.project.slug
    where = reverse("dispute", args=[slug, dispute.pk])
    client = client_of(crew.adjudicator)
    assert "1 dispute waits for you" in client.get(reverse("work", args=[slug])).content.decode()
    assert dispute.item.code in client.get(reverse("disputes", args=[slug])).content.decode()
    page = client.get(where).content.decode()
    assert crew.author.username in page
    assert crew.annotators[0].username in page
    told = {
        "category": term(crew, "dispute_category").pk,
        "evidence": term(crew, "evidence").pk,
        "decision": "keep",
        "note": "seen",
        "agreed": [crew.author.pk],
    }
    refused = client.post(where, told)
    assert refused.status_code == 422
    assert "Not everyone agrees" in refused.content.decode()
    for missing in ("category", "evidence", "note", "decision"):
        assert client.post(where, {name: value for name, value in told.items() if name != missing}).status_code == 422
    assert client.post(where, {**told, "decision": "exclude", "agreed": []}).status_code == 422  # without a reason
    done = client.post(where, {**told, "agreed": dispute.participants}, follow=True)
    assert "is now “accepted”" in done.content.decode()
    assert client.post(where, {**told, "agreed": dispute.participants}).status_code == 403


def test_parties_see_the_dispute_and_cannot_settle_it_and_others_do_not_see_it():
    crew = team()
    [dispute] = disputed(crew)
    where = reverse("dispute", args=[crew.project.slug, dispute.pk])
    for party in (crew.author, crew.annotators[0]):
        assert client_of(party).get(where).status_code == 200
        assert client_of(party).post(where, {"decision": "keep"}).status_code == 403
    for other in (crew.annotators[1], crew.linguist, crew.experts[0]):
        assert client_of(other).get(where).status_code == 403
    assert client_of(person(None)).get(where).status_code == 404


def test_somebody_who_still_answers_the_item_blind_does_not_see_its_dispute():
    crew = team()
    [made] = items(crew, 1)
    label, ratings = opened(crew, "reannotate"), opened(crew, "rate", people=3)
    choose(label, crew.annotators[0], {made.pk: 3})
    from keju.studio.queue import take_next

    assert take_next(ratings, crew.annotators[0])
    close(label, crew.owner)
    where = reverse("dispute", args=[crew.project.slug, Dispute.objects.get().pk])
    assert client_of(crew.annotators[0]).get(where).status_code == 403
    close(ratings, crew.owner)
    assert client_of(crew.annotators[0]).get(where).status_code == 200
