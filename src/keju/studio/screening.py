"""Screening: several people look at each candidate, and their votes decide whether it is taken.

The paper says that eight annotators reviewed each picture and not how their votes were counted; here the rule is set,
and kept with the round, before the first vote.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from keju.stats import Agreement, fleiss_kappa
from keju.studio.journal import record
from keju.studio.models import Asset, Assignment, Batch, Membership, Project, Response, Role
from keju.studio.points import Point, named, points_of
from keju.studio.policy import Past, Verb, may
from keju.studio.standing import settings_of

Rule = Literal["majority", "unanimous"]
Outcome = Literal["include", "exclude", "tie"]


def open_round(project: Project, owner: User, name: str, votes: int, rule: Rule, assets: Iterable[Asset]) -> Batch:
    """A round over these candidates, each seen by `votes` people or as many as may: nobody screens their uploads."""
    settings = settings_of(project)
    criteria = settings.model_dump(include={"include_if", "exclude_if"})
    policy = {"votes": votes, "rule": rule, **criteria}
    people = screeners(project)
    wanted = {asset.pk: min(votes, _fit(people, asset, settings.single_user)) for asset in assets}
    targets = [pk for pk, number in wanted.items() if number]
    with transaction.atomic():
        batch = Batch.objects.create(
            project=project, kind=Batch.Kind.SCREEN, name=name, policy=policy, targets=targets, created_by=owner
        )
        Assignment.objects.bulk_create(
            Assignment(batch=batch, asset_id=pk, order=order, round=1)
            for order, pk in enumerate(targets, 1)
            for _vote in range(wanted[pk])
        )
        record(project, owner, "screen", f"batch:{batch.pk}", assets=len(targets), votes=votes, rule=rule)
    return batch


def short_of_votes(batch: Batch) -> int:
    """How many of a round are seen by fewer people than it asks for."""
    tasks = batch.assignments.order_by().values("asset").annotate(votes=Count("pk"))
    return int(tasks.filter(votes__lt=batch.policy["votes"]).count())


def screeners(project: Project) -> list[tuple[int, frozenset[Role]]]:
    """(user, roles) of the people who may screen."""
    found = []
    for user, names in Membership.objects.filter(project=project).values_list("user_id", "roles"):
        roles = frozenset(Role(name) for name in names)
        if may(Verb.SCREEN, roles):
            found.append((user, roles))
    return found


def _fit(people: list[tuple[int, frozenset[Role]]], asset: Asset, single_user: bool) -> int:
    """How many of them may screen this one."""
    pasts = ((roles, Past(uploaded=user == asset.uploaded_by_id)) for user, roles in people)
    return sum(bool(may(Verb.SCREEN, roles, past, single_user=single_user)) for roles, past in pasts)


def candidates(project: Project) -> QuerySet[Asset]:
    """Candidates that no open round has."""
    busy = Assignment.objects.filter(batch__project=project, batch__kind=Batch.Kind.SCREEN, batch__closed_at=None)
    waiting = busy.exclude(asset=None).values("asset_id")
    return Asset.objects.filter(project=project, state=Asset.State.CANDIDATE).exclude(pk__in=waiting)


@dataclass(slots=True)
class Tally:
    """The votes on one picture or clip."""

    asset: Asset
    criteria: list[Point] = field(default_factory=list)
    """What the round may hold against it."""
    waiting: int = 0
    """Votes that are still to come."""
    votes: list[Response] = field(default_factory=list)

    @property
    def included(self) -> int:
        return sum(vote.data["decision"] == "include" for vote in self.votes)

    @property
    def excluded(self) -> int:
        return len(self.votes) - self.included

    @property
    def reasons(self) -> list[str]:
        """Reasons against it, each once, as this reader reads them."""
        codes = dict.fromkeys(reason for vote in self.votes for reason in vote.data["reasons"])
        return named(self.criteria, codes)

    @property
    def notes(self) -> list[str]:
        return [vote.data["note"] for vote in self.votes if vote.data["note"]]


def outcome(tally: Tally, rule: Rule) -> Outcome | None:
    """What the votes say; None where there are none. A tie is for the owner to settle."""
    if not tally.votes:
        return None
    if rule == "unanimous":
        return "exclude" if tally.excluded else "include"
    if tally.included == tally.excluded:
        return "tie"
    return "include" if tally.included > tally.excluded else "exclude"


def tallies(batch: Batch, *, asset: Asset | None = None) -> list[Tally]:
    """The votes that stand, by asset, in the order of the round."""
    rows = batch.assignments.exclude(state=Assignment.State.VOID).select_related("asset").order_by("order", "pk")
    rows = rows.filter(asset=asset) if asset else rows
    against, found = points_of(batch.policy.get("exclude_if", [])), dict[int, Tally]()
    of_assignment: dict[int, Tally] = {}
    for row in rows:
        if row.asset is None:
            continue
        tally = found.setdefault(row.asset.pk, Tally(row.asset, against))
        of_assignment[row.pk] = tally
        tally.waiting += row.state != Assignment.State.DONE
    standing = Response.objects.filter(assignment__batch=batch, superseded_by=None)
    standing = standing.filter(assignment__asset=asset) if asset else standing
    for response in standing.order_by("assignment__user_id"):
        if tally_ := of_assignment.get(response.assignment_id):
            tally_.votes.append(response)
    return list(found.values())


def reasons_against(asset: Asset) -> list[str]:
    """What the screeners of its latest round held against a picture or clip that was rejected."""
    if asset.state != Asset.State.REJECTED:
        return []
    batch = Batch.objects.filter(kind=Batch.Kind.SCREEN, assignments__asset=asset).order_by("-pk").first()
    return tallies(batch, asset=asset)[0].reasons if batch else []


def decide(batch: Batch, asset: Asset) -> None:
    """Take or reject an asset whose votes are all in; once more where somebody changes a vote."""
    [tally] = tallies(batch, asset=asset)
    if tally.waiting == 0:
        settle(batch, tally, None)


def settle(batch: Batch, tally: Tally, actor: User | None, decision: Outcome | None = None) -> None:
    """Set the state that the votes, or the owner's `decision`, ask for; a tie leaves it a candidate."""
    asset, said = tally.asset, decision or outcome(tally, batch.policy["rule"])
    states = {"include": Asset.State.SELECTED, "exclude": Asset.State.REJECTED, "tie": Asset.State.CANDIDATE}
    if said is None or asset.state == states[said]:
        return
    with transaction.atomic():
        asset.state = states[said]
        asset.save(update_fields=("state",))
        counts = {"for": tally.included, "against": tally.excluded}
        record(batch.project, actor, f"screened {said}", f"asset:{asset.sha256[:16]}", batch=batch.pk, **counts)


def close(batch: Batch, actor: User) -> None:
    """End a round: what has votes is decided by them, votes that never came are void."""
    with transaction.atomic():
        for tally in tallies(batch):
            settle(batch, tally, actor)
        batch.assignments.exclude(state=Assignment.State.DONE).update(state=Assignment.State.VOID)
        batch.closed_at = timezone.now()
        batch.save(update_fields=("closed_at",))
        record(batch.project, actor, "close", f"batch:{batch.pk}")


def agreement(found: list[Tally]) -> Agreement | None:
    """Fleiss' κ of the screeners over assets with two votes and more; None where there are none."""
    rows = [[vote.data["decision"] for vote in tally.votes] for tally in found if len(tally.votes) > 1]
    most = max(map(len, rows), default=0)
    return fleiss_kappa([[*row, *[None] * (most - len(row))] for row in rows]) if rows else None
