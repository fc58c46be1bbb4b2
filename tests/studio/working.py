"""Makes what tests of work handed out need: a project with people of every role, and items in every stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from building import client_of, content, item, person, project
from django.contrib.auth.models import User

from keju.studio.drawing import Draw, freeze
from keju.studio.models import Assignment, Batch, Dispute, Item, Project, Role, Term
from keju.studio.queue import take_next
from keju.studio.reviewing import advance, answer

PASS = {"decision": "pass", "checklist": ["right", "only one"], "note": ""}
CHANGE = {"decision": "change", "checklist": [], "note": "The second option is right as well."}
REJECT = {"decision": "reject", "checklist": [], "note": "The picture shows someone else."}
RATED = {"clarity": 5, "plausibility": 4, "appropriateness": 5}
STEPS = [
    {"name": "expert", "verb": "review expert", "rounds": 3, "checklist": ["right", "only one"]},
    {"name": "linguistic", "verb": "review linguistic"},
    {"name": "formatting", "verb": "review formatting"},
]


@dataclass
class Team:
    project: Project
    owner: User
    author: User
    experts: list[User]
    linguist: User
    formatter: User
    annotators: list[User]
    adjudicator: User


def team(steps: list[dict[str, Any]] = STEPS, *, experts: int = 3, annotators: int = 3, **settings: Any) -> Team:
    home = project(settings={"steps": steps, **settings})
    for kind in (Term.Kind.DISPUTE_CATEGORY, Term.Kind.EVIDENCE, Term.Kind.EXCLUSION_REASON):
        Term.objects.create(project=home, kind=kind, code="one", label={"en": "One"})
    return Team(
        home,
        person(home, Role.OWNER),
        person(home, Role.AUTHOR),
        [person(home, Role.EXPERT) for _ in range(experts)],
        person(home, Role.LINGUIST),
        person(home, Role.FORMATTER),
        [person(home, Role.ANNOTATOR) for _ in range(annotators)],
        person(home, Role.ADJUDICATOR),
    )


def items(crew: Team, number: int, state: str = "accepted", **fields: Any) -> list[Item]:
    """Items of the crew's author, with keys A, B, C, D, A, …"""
    return [item(crew.project, crew.author, state=state, key=at % 4, **fields) for at in range(number)]


def opened(crew: Team, kind: str, **wanted: Any) -> Batch:
    made = freeze(crew.project, crew.owner, Draw(kind, "round", **wanted))
    advance(made)
    return made


def judge(batch: Batch, user: User, data: dict[str, Any], **measured: Any) -> Assignment:
    """The person's next task, answered."""
    advance(batch)
    task = take_next(batch, user)
    assert task is not None, f"nothing for {user}"
    answer(task, user, data, **measured)
    return task


def choose(batch: Batch, user: User, answers: dict[int, int | str]) -> None:
    """Answer every task of a re-annotation: item → index of the option, or a problem; else the key."""
    while task := take_next(batch, user):
        chosen = answers.get(task.item_id, task.revision.content.key)
        data = {"problem": chosen} if isinstance(chosen, str) else {"answer": chosen, "confidence": 4}
        answer(task, user, data)


def term(crew: Team, kind: str) -> Term:
    return Term.objects.get(project=crew.project, kind=kind, code="one")


def state_of(made: Item) -> str:
    return Item.objects.get(pk=made.pk).state


__all__ = ["Dispute", "client_of", "content"]
