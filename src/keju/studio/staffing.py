"""Whether a project has the people for a round: what stands in its way, and tasks that wait for nobody.

Without this a round hangs in silence: a named person has no task, or a task waits for someone who is not there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from keju.studio.models import Assignment, Batch, Dispute, Item, Project, Role
from keju.studio.policy import ROLES, Verb, may
from keju.studio.standing import pasts_apart, pasts_of, roles_of, settings_of
from keju.studio.tasks import VERBS, members_with, verb_of
from keju.studio.wording import in_a_row

State = Assignment.State


def objections(project: Project, kind: str, persons: Sequence[User], items: Sequence[Item]) -> list[str]:
    """Why a round over these items cannot be for these people, in words that name them and the remedy."""
    return [*_without_tasks(project, kind, persons, items), *_still_answering(project, kind, persons, items)]


def lacking(batch: Batch) -> list[str]:
    """What of an open round waits for ever as people and roles now are, in words that name the remedy."""
    return [*_roles_nobody_has(batch), *_nobody_may(batch), *_named_may_not(batch)] if batch.closed_at is None else []


def stuck(project: Project, disputes: Sequence[Dispute]) -> list[Dispute]:
    """Those that nobody of the project may settle."""
    single_user, items = settings_of(project).single_user, [dispute.item for dispute in disputes]
    free: set[int] = set()
    for user in members_with(Batch(project=project), {Role.ADJUDICATOR}):
        roles, pasts = roles_of(user, project), pasts_of(user, items)
        free |= {pk for pk, past in pasts.items() if may(Verb.ADJUDICATE, roles, past, single_user=single_user)}
    return [dispute for dispute in disputes if dispute.item_id not in free]


def _without_tasks(project: Project, kind: str, persons: Sequence[User], items: Sequence[Item]) -> Iterable[str]:
    """Named people who may do none of it, by the reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    single_user = settings_of(project).single_user
    for user in persons:
        roles = roles_of(user, project)
        pasts = pasts_of(user, items)
        verdicts = [may(VERBS[kind], roles, past, single_user=single_user) for past in pasts.values()]
        if verdicts and not any(verdicts):
            reasons[str(verdicts[0].reason)].append(user.get_username())
    for reason, names in reasons.items():
        told = _("%(names)s may do none of these items, and would wait in vain. %(reason)s Choose other people.")
        yield told % {"names": in_a_row(names), "reason": reason}


def _still_answering(project: Project, kind: str, persons: Sequence[User], items: Sequence[Item]) -> Iterable[str]:
    """Named raters who have yet to answer some of the items blind: who has rated an item cannot any more."""
    if kind != Batch.Kind.RATE or settings_of(project).single_user:
        return
    due = Assignment.objects.filter(batch__kind=Batch.Kind.REANNOTATE, item__in=items, user__in=persons)
    due = due.filter(state__in=(State.OPEN, State.TAKEN), batch__closed_at=None)
    rounds: dict[str, set[str]] = defaultdict(set)
    for name, batch in due.values_list("user__username", "batch__name"):
        rounds[batch].add(name)
    for batch, names in rounds.items():
        told = _(
            "%(names)s still answer some of these items blind in “%(round)s”, which a rating would put an end to. "
            "Let that round be answered first, or choose other people."
        )
        yield told % {"names": in_a_row(sorted(names)), "round": batch}


def _roles_nobody_has(batch: Batch) -> Iterable[str]:
    steps = settings_of(batch.project).steps if batch.kind == Batch.Kind.REVIEW else []
    verbs = {Verb(step.verb) for step in steps} if batch.kind == Batch.Kind.REVIEW else {VERBS[batch.kind]}
    for verb in sorted(verbs):
        if not members_with(batch, set(ROLES[verb])):
            told = _(
                "Nobody in this project is %(role)s, so some of this work waits for ever. Give somebody that role."
            )
            yield told % {"role": _named(verb)}


def _nobody_may(batch: Batch) -> Iterable[str]:
    """Places that are free and that too few people may take."""
    free = batch.assignments.filter(user__isnull=True, state=State.OPEN).select_related(
        "batch__project", "item__image", "item__audio"
    )
    by_verb: dict[Verb, list[Assignment]] = defaultdict(list)
    for task in free:
        if task.item and (verb := verb_of(task)):
            by_verb[verb].append(task)
    for verb, tasks in by_verb.items():
        people = members_with(batch, set(ROLES[verb]))
        if people and (short := _short(batch, verb, tasks, people)):
            told = ngettext(
                "%(n)d task waits for somebody who may do it and is not here: %(role)s who neither wrote, changed nor "
                "answered the item. Invite one under People.",
                "%(n)d tasks wait for somebody who may do them and is not here: %(role)s who neither wrote, changed "
                "nor answered the item. Invite one under People.",
                short,
            )
            yield told % {"n": short, "role": _named(verb)}


def _short(batch: Batch, verb: Verb, tasks: list[Assignment], people: list[User]) -> int:
    """How many of these places nobody is left for."""
    items = list({task.item_id: task.item for task in tasks if task.item}.values())
    held = set(
        batch.assignments.filter(user__isnull=False)
        .exclude(state=State.VOID)
        .values_list("item", "step", "round", "user")
    )
    single_user = settings_of(batch.project).single_user
    places = Counter((task.item_id, task.step, task.round) for task in tasks)
    fit: Counter[tuple[int | None, str, int]] = Counter()
    for user in people:
        roles, pasts = roles_of(user, batch.project), pasts_of(user, items)
        for item, step, round_ in places:
            there = (item, step, round_, user.pk) in held
            if item and not there and may(verb, roles, pasts[item], single_user=single_user):
                fit[item, step, round_] += 1
    return sum(max(0, wanted - fit[place]) for place, wanted in places.items())


def _named_may_not(batch: Batch) -> Iterable[str]:
    """Tasks that were made for a person who may not do them any more."""
    named = batch.assignments.filter(user__isnull=False, state__in=(State.OPEN, State.TAKEN))
    theirs: dict[User, list[Assignment]] = defaultdict(list)
    for task in named.select_related("batch__project", "item__image", "item__audio", "user"):
        if task.item and task.user:
            theirs[task.user].append(task)
    lost = {user: n for user, tasks in theirs.items() if (n := _barred(batch, user, tasks))}
    for user, n in lost.items():
        told = ngettext(
            "%(name)s may not do %(n)d task that was made for them any more. Give the role back, or close the round "
            "and open another.",
            "%(name)s may not do %(n)d tasks that were made for them any more. Give the role back, or close the round "
            "and open another.",
            n,
        )
        yield told % {"name": user.get_username(), "n": n}


def _barred(batch: Batch, user: User, tasks: list[Assignment]) -> int:
    """How many of their tasks this person may not do."""
    roles, pasts = roles_of(user, batch.project), pasts_apart(user, tasks)
    single_user = settings_of(batch.project).single_user
    verbs = [(verb_of(task), pasts[task.pk]) for task in tasks]
    return sum(verb is None or not may(verb, roles, past, single_user=single_user) for verb, past in verbs)


def _named(verb: Verb) -> str:
    return " / ".join(str(Role(role).label) for role in sorted(ROLES[verb]))
