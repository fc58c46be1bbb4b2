"""What `studio_screens.py all` photographs beside what an address of its world opens.

A project that is empty, one that is played to its end, and the answers to forms that are refused, late or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User


@dataclass(frozen=True, slots=True)
class State:
    """A page and how one comes to see it."""

    name: str
    who: str
    """Of the people; empty where nobody is signed in."""
    path: str
    sent: dict[str, str] | None = None
    """The form that is sent there; None where the page is only opened. `{n}` in it is another number each time."""
    bare: bool = False
    """Sent without the token that forms carry."""
    files: tuple[str, ...] = ()
    """Names of files that are chosen on the page, none of which is what it says."""


def prepared(data: Path) -> tuple[Any, list[State]]:
    """The world, its people with those of the other projects, and the states; before there is a browser."""
    from building import person
    from django.conf import settings
    from tests.studio.worlds import furnished

    settings.UPLOAD_LIMIT = 2**20  # bytes: what is too large need not be large
    world = furnished()
    world.people["administrator"] = person(None, name="administrator")
    world.people["administrator"].is_superuser = True
    world.people["administrator"].save()
    made = [*answered(world), *played(data, world.people), *empty(world.people)]
    return world, made


def played(data: Path, people: dict[str, User]) -> list[State]:
    """The teahouse: its release let out and the next one built, every kind of round closed, a sitting sat."""
    from studio_teahouse import filled, rounds

    from keju.studio import release_builder
    from keju.studio.models import Membership, Project, Release, Role

    filled(data)
    home = Project.objects.get(slug="teahouse")
    roles = {"author": Role.AUTHOR, "expert": Role.EXPERT, "formatter": Role.FORMATTER, "adjudicator": Role.ADJUDICATOR}
    for name, role in {"owner": Role.OWNER, **roles}.items():
        Membership.objects.create(project=home, user=people[name], roles=[role])
    owner, first = people["owner"], home.releases.get()
    release_builder.freeze(first, owner)
    config = {**first.config, "version": "1.1.0", "withheld": ["test"]}
    built = Release.objects.create(project=home, version="1.1.0", config=config, built_by=owner)
    release_builder.build(built, owner)
    place = "/projects/teahouse"
    over = {name: f"{place}/{path}" for name, path in rounds(home, people).items()}
    seats = {"finished": over.pop("sat"), "late": over.pop("over")}
    seats["newcomer"] = seats["finished"]
    items = [State(f"item-{one.code}", "owner", f"{place}/items/{one.pk}") for one in home.items.order_by("code")[:3]]
    return [
        State("release-out", "owner", f"{place}/releases/{first.pk}"),
        State("release-built", "owner", f"{place}/releases/{built.pk}"),
        *items,
        *(State(f"round-{name}", "owner", path) for name, path in over.items()),
        *(State("sitting", who, path) for who, path in seats.items()),
        *_jobs(owner),
        *_screened(people),
        *(
            State(f"teahouse-{path.replace('/', '-')}", "owner", f"{place}/{path}")
            for path in ("dashboard", "models", "items", "assets", "releases", "rounds", "disputes", "log?page=2")
        ),
        State("items-none-fits", "owner", f"{place}/items?q=nothing"),
        State("log-verified", "owner", f"{place}/log?verify=1"),
        State("asset-clip", "owner", f"{place}/assets/{home.assets.filter(kind='audio')[0].pk}"),
        State("teahouse-work", "author", f"{place}/work"),
    ]


def _screened(people: dict[str, User]) -> list[State]:
    """Candidates with the criteria of the paper, the first of which is voted on."""
    from building import asset

    from keju.studio import screening
    from keju.studio.founding import found
    from keju.studio.models import Membership, Role
    from keju.studio.queue import submit, take_next

    owner, expert = people["owner"], people["expert"]
    home = found("spring", "春季", "tco", owner)
    Membership.objects.create(project=home, user=expert, roles=[Role.EXPERT])
    batch = screening.open_round(home, owner, "Spring", 1, "majority", [asset(home, owner) for _ in range(3)])
    task = take_next(batch, expert)
    assert task is not None
    submit(task, expert, {"decision": "include", "met": [], "reasons": [], "note": ""})
    place = f"/projects/spring/screening/{batch.pk}/vote"
    return [State("screen-criteria", "expert", place), State("screen-again", "expert", f"{place}/{task.pk}")]


def _jobs(owner: User) -> list[State]:
    """Imports in every state, each in a project of its own: a page shows the last."""
    from django.utils import timezone

    from keju.studio.founding import found
    from keju.studio.models import Job

    troubles = {"trouble_list": [{"item": "0007", "message": "0007.png is not there."}], "troubles": 1}
    told: dict[str, dict[str, Any]] = {
        "running": {"state": "running", "done": 120, "total": 400},
        "failed": {"state": "failed", "report": {"failed": "opera.zip: no benchmark in it"}},
        "interrupted": {"state": "interrupted", "done": 3},
        "taken-in": {
            "state": "done",
            "report": {"new": 12, "changed": 1, "same": 3, "media": 9, "terms": 4, **troubles},
        },
        "runs": {"state": "done", "kind": "runs", "report": {"runs": [{"model": "m", "protocol": "tco", "items": 3}]}},
    }
    states = []
    for name, values in told.items():
        project = found(f"job-{name}", f"导入：{name}", "multi-tw", owner)
        common = {"kind": "benchmark", "subject": "import", "language": "en", "started_by": owner}
        common["told"] = {"name": "opera.zip"}
        Job.objects.create(
            project=project, alive_at=timezone.now() + timezone.timedelta(days=1), **{**common, **values}
        )
        states.append(State(f"import-{name}", "owner", f"/projects/job-{name}/import"))
    return states


def empty(people: dict[str, User]) -> Iterator[State]:
    """A project on its first day."""
    from tests.studio.worlds import PROJECT_PAGES

    from keju.studio.founding import found
    from keju.studio.models import Membership, Role

    home = found("empty", "新项目", "tco", people["owner"])
    for name, role in (("author", Role.AUTHOR), ("annotator", Role.ANNOTATOR)):
        Membership.objects.create(project=home, user=people[name], roles=[role])
    for page in PROJECT_PAGES:
        if page.route.count("<") == 1:
            for who in ("owner", "author", "annotator") if page.name in {"project", "work", "items"} else ("owner",):
                yield State(f"empty-{page.name}", who, "/" + page.route.replace("<slug:slug>", "empty"))


def answered(world: Any) -> Iterator[State]:
    """The furnished world: each kind of round and word, items in each state, and what forms are answered with."""
    place = f"/projects/{world.project.slug}"
    draft = world.items["draft"]
    for kind in ("review", "equivalence", "reannotate", "rate"):
        yield State(f"batch-{kind}", "owner", f"{place}/rounds/{world.rounds[kind].pk}")
        yield State(f"batch-new-{kind}", "owner", f"{place}/rounds/new/{kind}")
    for kind in ("question_type", "exclusion_reason"):
        yield State(f"terms-{kind}", "owner", f"{place}/vocabulary/{kind}")
    for state in ("in_review", "disputed", "excluded", "blind 0"):
        yield State(f"item-{state.replace(' ', '-')}", "owner", f"{place}/items/{world.items[state].pk}")
    yield State("item-closed", "annotator", f"{place}/items/{draft.pk}")
    for name, path in (("sign-in", "/sign-in"), ("by-link", "/enter/unknown"), ("not-found", "/nowhere")):
        yield State(name, "", path)
    yield State("link-used", "", "/enter/unknown", {})
    yield State("sign-in-wrong", "", "/sign-in", {"username": "nobody-{n}", "password": "x"})
    for _attempt in range(6):
        yield State("locked", "", "/sign-in", {"username": "guesser", "password": "x"})
    yield State("not-allowed", "annotator", f"{place}/settings")
    yield State("not-found", "owner", f"{place}/items/999999")
    yield State("forged", "owner", f"{place}/settings", {}, bare=True)
    yield State("unholdable", "owner", f"{place}/items?author=" + "9" * 30)
    late = {
        "token": "t{n}",
        "base_version": "0",
        "base_revision": "0",
        "base_columns": "{{}}",
        "count": "4",
        "key": "2",
    }
    late |= {"original_language": "zh-Hans", "stem_zh-Hans": "这是什么？", "stem_en": "What is it?", "reason": "短些"}
    late |= {
        f"option_{at}_{tag}": text for at in range(4) for tag, text in (("zh-Hans", "生旦末丑"[at]), ("en", "abcd"[at]))
    }
    late |= {"image": str(draft.image_id), "locator_seq": "1"}
    yield State("item-conflict", "owner", f"{place}/items/{draft.pk}/edit", late)
    yield State(
        "item-invalid", "owner", f"{place}/items/new?draft=d{{n}}", {"token": "d{n}", "count": "4", "locator_seq": "x"}
    )
    yield State("answers-looked-at", "owner", f"{place}/items/answers", {"text": f"{draft.code}-C 9999-B"})
    yield State("history", "owner", f"{place}/items/{draft.pk}/history?from=1&to=1")
    invited = {"name": "客人{n}", "roles": "expert"}
    yield State("member-link", "owner", f"{place}/people/invite", invited)
    yield State("member-invalid", "owner", f"{place}/people/invite", {"name": "a b"})
    sitting = f"{place}/sittings/{world.rounds['baseline'].pk}"
    yield State("sitting-links", "owner", f"{sitting}/invite", {"group": "expert", "number": "2"})
    yield State("sitting-no-answer", "participant", f"{sitting}/answer", {})
    yield State("token-made", "owner", "/tokens", {"name": "script {n}"})
    yield State("password-wrong", "owner", "/account/password", {"new_password1": "1", "new_password2": "2"})
    yield State("project-new", "administrator", "/new-project")
    yield State("home-admin", "administrator", "/")
    yield State("project-new-invalid", "administrator", "/new-project", {"title": "", "slug": "a b"})
    yield State("settings-invalid", "owner", f"{place}/settings", {"title": ""})
    yield State("release-invalid", "owner", f"{place}/releases/{world.release.pk}", {"then": "build", "version": "one"})
    yield State("import-invalid", "owner", f"{place}/import", {"what": "benchmark"})
    yield State("source-invalid", "owner", f"{place}/sources/new", {"title": "", "licence": "?"})
    yield State("upload-refused", "owner", f"{place}/assets", files=("drawing.svg", "empty.png"))
    for who, wrong in (("expert", {}), ("annotator", {}), ("blind expert", {}), ("linguist", {"decision": "revise"})):
        yield State("assignment-invalid", who, f"{place}/work/{world.tasks[who].pk}", wrong)
    yield State("dispute-invalid", "adjudicator", f"{place}/disputes/{world.dispute.pk}", {})
    yield State("too-large", "owner", f"{place}/import", {"what": "x" * 2**22})
