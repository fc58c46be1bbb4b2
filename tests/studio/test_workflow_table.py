"""Every state × verb × role: what `transition` does, and that everything else is refused."""

from itertools import product

import pytest
from building import item, person, project

from keju.studio.models import Event, Finding, Item, Role
from keju.studio.policy import ROLES, Verb
from keju.studio.workflow import MOVES, NotAllowed, transition

S = Item.State
TABLE = {
    "submit": ({S.DRAFT, S.REVISE}, S.IN_REVIEW, Verb.SUBMIT),
    "withdraw": ({S.IN_REVIEW}, S.DRAFT, Verb.SUBMIT),
    "ask_changes": ({S.IN_REVIEW, S.ACCEPTED}, S.REVISE, None),
    "pass_all": ({S.IN_REVIEW}, S.ACCEPTED, None),
    "dispute": ({S.IN_REVIEW, S.ACCEPTED, S.RELEASED}, S.DISPUTED, None),
    "keep": ({S.DISPUTED}, S.ACCEPTED, Verb.ADJUDICATE),
    "resume": ({S.DISPUTED}, S.IN_REVIEW, Verb.ADJUDICATE),
    "rework": ({S.DISPUTED}, S.REVISE, Verb.ADJUDICATE),
    "exclude": ({S.DISPUTED}, S.EXCLUDED, Verb.ADJUDICATE),
    "release": ({S.ACCEPTED, S.RELEASED}, S.RELEASED, Verb.MANAGE),
    "reopen": ({S.RELEASED, S.ACCEPTED}, S.REVISE, Verb.MANAGE),
}
"""Typed from the drawing of the states, not from the code: verb → from, to, what one must be allowed."""


def test_the_table_of_the_code_is_that_of_the_drawing():
    assert {name: (set(move.source), move.target, move.needs) for name, move in MOVES.items()} == TABLE


@pytest.mark.parametrize("role", Role)
def test_every_move_happens_exactly_where_state_and_role_allow_it(role):
    home = project()
    author, actor = person(home, Role.AUTHOR), person(home, role)
    made = item(home, author)
    for state, verb in product(S, TABLE):
        sources, target, needs = TABLE[verb]
        # Submitting is for one's own items; of strangers only an owner does it.
        allowed = needs is None or (role in ROLES[needs] and (needs is not Verb.SUBMIT or role == Role.OWNER))
        Item.objects.filter(pk=made.pk).update(state=state)
        events = Event.objects.filter(project=home).count()
        if state in sources and allowed:
            assert transition(made, verb, actor).state == target
            assert Event.objects.filter(project=home).count() == events + 1
        else:
            with pytest.raises(NotAllowed):
                transition(made, verb, actor)
            assert Item.objects.get(pk=made.pk).state == state
            assert Event.objects.filter(project=home).count() == events


def test_an_author_moves_their_own_item_and_no_judge_moves_theirs():
    home = project()
    author = person(home, *(set(Role) - {Role.PARTICIPANT, Role.OWNER}))
    made = item(home, author)
    assert transition(made, "submit", author).state == S.IN_REVIEW
    Item.objects.filter(pk=made.pk).update(state=S.DISPUTED)
    for verb in ("keep", "rework", "exclude", "resume"):
        with pytest.raises(NotAllowed, match="someone else must judge"):
            transition(made, verb, author)


def test_a_stranger_moves_nothing():
    made = item(home := project(), person(home, Role.AUTHOR), state="disputed")
    for verb, (_, _, needs) in TABLE.items():
        if needs is not None:
            for actor in (None, person(None), person(project(), *ROLES[needs])):
                with pytest.raises(NotAllowed):
                    transition(made, verb, actor)


def test_single_user_mode_allows_a_conflict_and_writes_it_down():
    home = project(settings={"single_user": True})
    alone = person(home, Role.OWNER, Role.AUTHOR, Role.ADJUDICATOR)
    made = item(home, alone, state="disputed")
    transition(made, "keep", alone)
    assert "someone else" in Event.objects.filter(project=home).last().data["conflict"]


@pytest.mark.parametrize(("verb", "state"), [("submit", "draft"), ("pass_all", "in_review"), ("release", "accepted")])
def test_open_errors_keep_an_item_from_going_forward(verb, state):
    home = project()
    owner = person(home, Role.OWNER)
    made = item(home, owner, state=state)
    finding = Finding.objects.create(project=home, item=made, rule="Q101", severity="error", message={"en": "x"})
    with pytest.raises(NotAllowed, match="Findings"):
        transition(made, verb, owner)
    finding.state = Finding.State.WAIVED
    finding.save()
    transition(made, verb, owner)
