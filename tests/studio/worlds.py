"""A studio in which there is one of everything: what tests of all pages at once walk through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from building import asset, item, person
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import get_resolver
from working import CHANGE, PASS, REJECT, Team, judge, opened, team

from keju.studio import screening, sittings
from keju.studio.models import (
    ApiToken,
    Asset,
    Assignment,
    Batch,
    Comment,
    Dispute,
    Finding,
    Item,
    Job,
    ModelMark,
    ModelRun,
    Project,
    Release,
    Role,
    Source,
    Term,
)
from keju.studio.policy import Verb
from keju.studio.queue import take_next
from keju.studio.tokens import new_token

ROLES: dict[str, tuple[Role, ...]] = {
    "author": (Role.AUTHOR,),
    "other author": (Role.AUTHOR,),
    "expert": (Role.EXPERT,),
    "linguist": (Role.LINGUIST,),
    "formatter": (Role.FORMATTER,),
    "annotator": (Role.ANNOTATOR,),
    "blind expert": (Role.EXPERT, Role.ANNOTATOR),
    "adjudicator": (Role.ADJUDICATOR,),
    "owner": (Role.OWNER,),
}


@dataclass
class World:
    project: Project
    people: dict[str, User]
    items: dict[str, Item]
    """What is special about it → the item."""
    picture: Asset
    source: Source
    rounds: dict[str, Batch]
    tasks: dict[str, Assignment]
    """Person → a task that they have begun."""
    dispute: Dispute
    comment: Comment
    findings: dict[str, Finding]
    term: Term
    release: Release
    run: ModelRun
    token: ApiToken
    job: Job
    store: str
    """The folder of its media."""


def furnished() -> World:
    """Items in every state; every kind of round, with tasks begun; a dispute, comments, findings, a release, a run."""
    crew = team([{"name": "expert", "verb": "review expert"}, {"name": "format", "verb": "review formatting"}])
    home = crew.project
    people = {name: person(home, *roles) for name, roles in ROLES.items()}
    for name, known in (("owner", crew.owner), ("author", crew.author), ("adjudicator", crew.adjudicator)):
        people[name] = known
    people |= {"expert": crew.experts[0], "formatter": crew.formatter, "annotator": crew.annotators[0]}
    source = Source.objects.create(project=home, title="Archive", licence="own")
    pictures = [asset(home, people["author"], source=source, name=f"净-{at}.png") for at in range(2)]
    made = {state: item(home, people["author"], state=state, key=at % 4) for at, state in enumerate(Item.State.values)}
    made |= {f"blind {at}": item(home, people["author"], state="accepted", key=at) for at in range(4)}
    made |= {f"reviewed {at}": item(home, people["author"], state="in_review", key=at) for at in range(3)}
    made["reserve"] = item(home, people["other author"], state="accepted", reserve=True)
    rounds = _rounds(crew, people, made)
    tasks = {name: task for name, task in _begun(rounds, people).items() if task}
    first = made["blind 0"]
    comment = Comment.objects.create(item=first, revision=first.current, author=people["author"], text="COMMENT-SECRET")
    return World(
        home,
        people,
        made,
        pictures[0],
        source,
        rounds,
        tasks,
        Dispute.objects.filter(item__project=home).get(),
        comment,
        {name: _finding(home, **{name: it}) for name, it in (("item", first), ("asset", pictures[0]))},
        home.terms.filter(kind="genre").first() or Term(),
        Release.objects.create(project=home, version="1.0.0", built_by=people["owner"]),
        _run(home, people["owner"], first),
        _token(people["owner"]),
        Job.objects.create(
            project=home, kind="benchmark", subject="import", state="done", language="en", started_by=people["linguist"]
        ),
        str(settings.MEDIA_STORE),
    )


def _rounds(crew: Team, people: dict[str, User], made: dict[str, Item]) -> dict[str, Batch]:
    home, owner = crew.project, people["owner"]
    waiting = list(screening.candidates(home))
    rounds = {
        "screen": screening.open_round(home, owner, "screening", 2, "majority", waiting),
        "review": opened(crew, Batch.Kind.REVIEW),
        "equivalence": opened(crew, Batch.Kind.EQUIVALENCE),
        "reannotate": opened(crew, Batch.Kind.REANNOTATE, persons=[people["annotator"]]),
        "rate": opened(crew, Batch.Kind.RATE, persons=[people["blind expert"]]),
        "baseline": sittings.draw(home, owner, "sitting", 4, labels=[]),
    }
    for verdict in (PASS | {"checklist": []}, CHANGE, REJECT):
        judge(rounds["review"], people["expert"], verdict)
    seat = sittings.invite(rounds["baseline"], owner, "expert")[0].participant
    sittings.consent(seat)
    people["participant"] = seat.user
    return rounds


def _begun(rounds: dict[str, Batch], people: dict[str, User]) -> dict[str, Assignment | None]:
    return {
        "expert": take_next(rounds["review"], people["expert"]),
        "formatter": take_next(rounds["review"], people["formatter"]),
        "linguist": take_next(rounds["equivalence"], people["linguist"]),
        "annotator": take_next(rounds["reannotate"], people["annotator"]),
        "blind expert": take_next(rounds["rate"], people["blind expert"]),
        "participant": sittings.current(rounds["baseline"].participants.get()),
    }


def _finding(home: Project, **of: Any) -> Finding:
    message = {"en": "Odd.", "zh-hans": "奇怪。", "remedy": {"en": "Mend it.", "zh-hans": "请修改。"}}
    return Finding.objects.create(project=home, rule="I001", severity="warning", message=message, **of)


def _run(home: Project, owner: User, asked: Item) -> ModelRun:
    run = ModelRun.objects.create(project=home, model="baseline/random", protocol="tco", taken_by=owner)
    ModelMark.objects.create(run=run, item=asked, label="A", correct=True)
    return run


def _token(user: User) -> ApiToken:
    new_token(user, "a script")
    return ApiToken.objects.get(user=user)


# Its addresses, which are those that Django itself knows


UNSIGNED = {"asset-upload": Verb.UPLOAD, "media": Verb.SEE_MEDIA, "thumbnail": Verb.SEE_MEDIA}
"""Pages that read before `page` may: their verb stands here."""
ITEMS = ("draft", "reviewed 1", "blind 0", "disputed")
"""Items of the world on which the pages of an item are tried."""


@dataclass(frozen=True)
class Address:
    name: str
    route: str
    view: Any
    namespace: str

    @property
    def verb(self) -> Verb | None:
        return UNSIGNED.get(self.name) or getattr(self.view, "verb", None)


def addresses(patterns: Any = None, before: str = "", namespace: str = "") -> Iterator[Address]:
    for pattern in patterns or get_resolver().url_patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from addresses(pattern.url_patterns, route, pattern.namespace or namespace)
        else:
            yield Address(pattern.name, route, pattern.callback, namespace)


PAGES = [one for one in addresses() if not one.namespace]
PROJECT_PAGES = [one for one in PAGES if one.route.startswith("projects/")]


def arguments(world: World, page: Address, item: Item, who: str) -> list[Any]:
    """What the route asks for. A page with an argument that is not told here has no test: tell it."""
    at = {
        "slug": world.project.slug,
        "sha256": item.image and item.image.sha256,
        "kind": "genre" if page.name == "terms-kind" else "rate",
        "verb": "submit",
        "number": 1,
        "token": "no-such-token",
        "comment": world.comment.pk,
        "asset": world.picture.pk,
        "participant": world.rounds["baseline"].participants.get().pk,
        "finding": world.findings["asset" if page.name.startswith("asset") else "item"].pk,
        "assignment": task.pk if (task := world.tasks.get(who)) else world.tasks["expert"].pk,
        "pk": _pk(world, page, item, who),
    }
    return [at[name] for name in re.findall(r"<(?:\w+:)?(\w+)>", page.route)]


def _pk(world: World, page: Address, item: Item, who: str) -> int:
    kinds = {
        "member": world.project.memberships.get(user=world.people["linguist"]).pk,
        "source": world.source.pk,
        "asset": world.picture.pk,
        "screen": world.rounds["screen"].pk,
        "sitting": world.rounds["baseline"].pk,
        "batch": world.rounds["review"].pk,
        "work": world.rounds["review"].pk,
        "assignment": (world.tasks.get(who) or world.tasks["expert"]).pk,
        "dispute": world.dispute.pk,
        "release": world.release.pk,
        "model": world.run.pk,
        "token": world.token.pk,
        "job": world.job.pk,
        "item": item.pk,
    }
    return next(pk for kind, pk in kinds.items() if page.name.startswith(kind)) if "<int:pk>" in page.route else 0


def visits(world: World, pages: list[Address], who: str) -> Iterator[tuple[Address, Item, str]]:
    """(page, item, path) of every address."""
    for page in pages:
        for name in ITEMS if page.name == "media" or "/items/<int:pk>" in page.route else ITEMS[:1]:
            item = world.items[name]
            values = iter(arguments(world, page, item, who))
            yield page, item, "/" + re.sub(r"<[^>]+>", lambda _: str(next(values)), page.route)  # noqa: B023
