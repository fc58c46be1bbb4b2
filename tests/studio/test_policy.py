"""Who may do what."""

from itertools import product

import pytest

from keju.studio.models import Role
from keju.studio.policy import ROLES, Past, Verb, fit_together, may

JUDGING = [Verb.REVIEW_EXPERT, Verb.REVIEW_LINGUISTIC, Verb.REVIEW_FORMATTING, Verb.REVIEW_EQUIVALENCE, Verb.REANNOTATE]


@pytest.mark.parametrize(("verb", "role"), list(product(ROLES, Role)))
def test_a_role_without_a_past_may_do_what_the_table_says_and_nothing_else(verb, role):
    assert bool(may(verb, {role})) == (role in ROLES[verb])


@pytest.mark.parametrize("verb", [*JUDGING, Verb.RATE, Verb.ADJUDICATE])
@pytest.mark.parametrize("past", [Past(authored=True), Past(revised=True)])
def test_nobody_judges_an_item_that_they_wrote_or_revised(verb, past):
    everyone = set(Role) - {Role.PARTICIPANT}
    assert not may(verb, everyone, past)
    relaxed = may(verb, everyone, past, single_user=True)
    assert relaxed
    assert relaxed.reason


@pytest.mark.parametrize("past", [Past(assigned=True), Past(commented=True), Past(revised=True)])
def test_a_re_annotator_has_had_nothing_to_do_with_the_item(past):
    assert not may(Verb.REANNOTATE, {Role.ANNOTATOR}, past)


@pytest.mark.parametrize("past", [Past(reannotated=True), Past(rated=True), Past(disputing=True), Past(authored=True)])
def test_the_adjudicator_is_a_third_person(past):
    assert not may(Verb.ADJUDICATE, {Role.ADJUDICATOR}, past)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("single_user", [False, True])
def test_whoever_answers_blind_never_sees_the_key(role, single_user):
    assert not may(Verb.SEE_KEY, {role}, Past(blind=True, authored=True, reviewing=True), single_user=single_user)


def test_whoever_started_a_job_stops_it_and_owners_stop_any():
    assert may(Verb.CANCEL, {Role.AUTHOR}, Past(started=True))
    assert may(Verb.CANCEL, {Role.OWNER}, Past())
    assert not may(Verb.CANCEL, set(Role) - {Role.OWNER, Role.PARTICIPANT}, Past(authored=True))
    assert not may(Verb.CANCEL, {Role.PARTICIPANT}, Past(started=True))


def test_a_participant_can_be_nothing_else():
    assert not fit_together({Role.PARTICIPANT, Role.EXPERT})
    assert not may(Verb.WRITE, {Role.PARTICIPANT, Role.AUTHOR})
    assert may(Verb.SIT, {Role.PARTICIPANT})


@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.SUBMIT])
def test_people_change_and_submit_their_own_items_and_owners_any(verb):
    assert not may(verb, {Role.AUTHOR, Role.EXPERT, Role.LINGUIST}, Past(reviewing=True))
    assert may(verb, {Role.AUTHOR}, Past(authored=True))
    assert may(verb, {Role.LINGUIST}, Past(revised=True))
    assert may(verb, {Role.OWNER}, Past())
