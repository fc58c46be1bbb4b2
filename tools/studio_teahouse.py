"""The teahouse in the studio: a project made of the demo, built into a release, and worked on to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User


def filled(data: Path) -> dict[str, str]:
    """A project made of the demo; what its pages are called by."""
    import keju
    from keju.release.prose import QUESTIONS
    from keju.studio import importer, model_marks, release_builder
    from keju.studio.founding import found
    from keju.studio.models import Item, Membership, Release, Role, Source
    from keju.studio.release_form import begun
    from keju.studio.signing_in import new_person

    owner = new_person("Mei Lin", kind="owner")
    project = found("teahouse", "Teahouse", "custom", owner)
    for name, role in (("Guo An", Role.AUTHOR), ("Tang Wen", Role.EXPERT), ("He Jing", Role.ANNOTATOR)):
        Membership.objects.create(project=project, user=new_person(name), roles=[role])
    source = Source.objects.create(
        project=project, title="Drawings and voices of the team", stream="made for this set", licence="own"
    )
    teahouse = keju.load("teahouse")
    importer.take(project, owner, teahouse, source)
    for model in ("baseline/random", "baseline/always-a", "baseline/longest-option"):
        keju.run(teahouse, model, out=data / "runs")
    model_marks.take_runs(project, owner, data / "runs")
    draft = project.items.order_by("code").first()
    assert draft is not None
    Item.objects.filter(project=project).exclude(pk=draft.pk).update(state=Item.State.ACCEPTED)
    config = {
        **begun(project),
        "description": "Questions on opera and daily life.",
        "changes": "First release.",
        "url": "https://example.org/teahouse",
        "creators": "Mei Lin; Lin; Mei; Opera School",
        "keywords": "opera, daily life",
        "collection_types": "Manual Human Curation",
        "collection_start": "2025-09-01",
        "collection_end": "2026-01-31",
        "date": "2026-03-31",
        "recognisable": "no",
        **{key: "Told in docs." for key, question in QUESTIONS.items() if question.required},
    }
    release = Release.objects.create(project=project, version="1.0.0", config=config, built_by=owner)
    if blocked := release_builder.build(release, owner):
        raise SystemExit(f"the demo's release is blocked: {blocked[:3]}")
    accepted = project.items.filter(state=Item.State.ACCEPTED).order_by("code").first()
    assert accepted is not None
    return {"item": str(accepted.pk), "draft": str(draft.pk), "release": str(release.pk)}


def rounds(home: Any, people: dict[str, User]) -> dict[str, str]:
    """Rounds that are over: name → path of its page."""
    from building import asset, person
    from working import RATED

    from keju.studio import closing, screening, sittings
    from keju.studio.drawing import Draw, freeze
    from keju.studio.models import Batch, Role
    from keju.studio.queue import submit, take_next
    from keju.studio.reviewing import advance, answer

    owner, blind = people["owner"], [person(home, Role.ANNOTATOR, name=name) for name in ("Xu Yue", "Yu Qing", "An He")]
    made = {}
    for kind, name, each in ((Batch.Kind.REANNOTATE, "Blind", blind[:1]), (Batch.Kind.RATE, "Ratings", blind[1:])):
        batch = freeze(home, owner, Draw(kind, name, size=20, people=len(each)))
        advance(batch)
        for at, user in enumerate(each):
            while task := take_next(batch, user):
                key = task.revision.content.key or 0
                chosen = {"answer": (key + (task.order % 5 == 0)) % 3, "confidence": 4}
                answer(
                    task,
                    user,
                    chosen if kind == Batch.Kind.REANNOTATE else {**RATED, "clarity": 4 + (at + task.order) % 2},
                )
        closing.close(batch, owner)
        made[kind] = f"rounds/{batch.pk}"
    pictures = [asset(home, owner, name=f"候选-{at}.png") for at in range(5)]
    batch = screening.open_round(home, owner, "Pictures of spring", 2, "majority", pictures)
    for user, against in ((people["expert"], 3), (people["formatter"], 1)):
        while task := take_next(batch, user):
            out = task.order > against + 1
            submit(
                task,
                user,
                {"decision": "exclude" if out else "include", "met": [], "reasons": [], "note": "模糊。" * out},
            )
    for tally in screening.tallies(batch):
        screening.settle(batch, tally, None)
    made["screening"] = f"screening/{batch.pk}"
    batch = sittings.draw(home, owner, "Spring sitting", 6)
    for group in ("expert", "other"):
        seat = sittings.invite(batch, owner, group)[0].participant
        sittings.consent(seat)
        while task := sittings.current(seat):
            sittings.answer(seat, task.pk, "AB"[task.order % 2], sittings.Measured())
    made["sitting"] = f"sittings/{batch.pk}/results"
    people["finished"], people["newcomer"] = seat.user, sittings.invite(batch, owner, "expert")[0].participant.user
    over = sittings.draw(home, owner, "Winter sitting", 4)
    people["late"] = sittings.invite(over, owner, "expert")[0].participant.user
    closing.close(over, owner)
    made |= {
        "sitting-closed": f"sittings/{over.pk}/results",
        "sat": f"sittings/{batch.pk}",
        "over": f"sittings/{over.pk}",
    }
    return made
