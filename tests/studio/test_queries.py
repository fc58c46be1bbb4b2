"""Every page asks the data base as often in a large project as in a small one, whatever pages there will be."""

from __future__ import annotations

from typing import Any

import pytest
from building import client_of
from django.db import connection, models, transaction
from django.db.models import Max
from django.test import Client
from django.test.utils import CaptureQueriesContext
from worlds import PROJECT_PAGES, World, visits

from keju.studio.models import (
    Asset,
    Assignment,
    Batch,
    Comment,
    Dispute,
    Event,
    Finding,
    Item,
    Job,
    ModelMark,
    ModelRun,
    Project,
    Release,
    Response,
    Revision,
    Source,
    Term,
)
from keju.studio.reviewing import advance

TIMES = 6
"""How often everything is there once more."""

MORE = 4
"""Queries by which a page may differ: a second page of a list, a link that only a longer list has."""

ROWS: tuple[tuple[type[models.Model], str], ...] = (
    (Term, "project"),
    (Source, "project"),
    (Asset, "project"),
    (Item, "project"),
    (Revision, "item__project"),
    (Assignment, "batch__project"),
    (Response, "assignment__batch__project"),
    (Dispute, "item__project"),
    (Comment, "item__project"),
    (Finding, "project"),
    (ModelRun, "project"),
    (ModelMark, "run__project"),
    (Release, "project"),
    (Job, "project"),
    (Event, "project"),
)
NAMES: dict[type[models.Model], str] = {
    Term: "code",
    Asset: "sha256",
    Item: "code",
    ModelRun: "model",
    Release: "version",
}
"""The field in which no two rows of a model are alike."""


def rows(home: Project) -> list[tuple[type[models.Model], list[Any]]]:
    return [(model, list(model._default_manager.filter(**{among: home}))) for model, among in ROWS]


def grow(home: Project, there: list[tuple[type[models.Model], list[Any]]], time: int) -> None:
    """Everything of the project once more, in the same rounds and for the same people."""
    copies: dict[tuple[Any, Any], Any] = {}
    last = Event.objects.filter(project=home).aggregate(Max("seq"))["seq__max"] or 0
    for model, originals in there:
        for original in originals:
            values = {field.attname: getattr(original, field.attname) for field in model._meta.fields[1:]}
            for field in model._meta.fields[1:]:
                if isinstance(field, models.ForeignKey) and (
                    copy := copies.get((field.related_model, values[field.attname]))
                ):
                    values[field.attname] = copy.pk
            if name := NAMES.get(model):
                values[name] = f"{time}.{values[name]}"[:64]
            if model is Item:
                values["current_id"] = None
            if model is Event:
                last += 1
                values["seq"] = last
            copies[model, original.pk] = model._default_manager.bulk_create([model(**values)])[0]
    for (model, pk), copy in copies.items():
        if model is Item:
            first = next(each for kind, them in there if kind is Item for each in them if each.pk == pk)
            Item.objects.filter(pk=copy.pk).update(current=copies.get((Revision, first.current_id)))
    for batch in Batch.objects.filter(project=home):
        kind = Asset if batch.kind == Batch.Kind.SCREEN else Item
        more = [copies[kind, pk].pk for pk in batch.targets if (kind, pk) in copies]
        Batch.objects.filter(pk=batch.pk).update(targets=batch.targets + more)
        advance(Batch.objects.get(pk=batch.pk))  # the first who looks for work hands it out, once


def counted(world: World, who: str, client: Client) -> dict[str, int]:
    """Address → queries of every page that this person may open."""
    numbers = {}
    for _, _, path in visits(world, PROJECT_PAGES, who):
        with transaction.atomic(), CaptureQueriesContext(connection) as asked:
            answer = client.get(path)
            if answer.streaming:
                b"".join(answer.streaming_content)
            transaction.set_rollback(True)
        if answer.status_code == 200:
            numbers[path] = len(asked)
    return numbers


@pytest.mark.parametrize(
    "who", ["owner", "author", "expert", "annotator", "blind expert", "adjudicator", "participant"]
)
def test_no_page_asks_the_data_base_once_a_row(world: World, who: str) -> None:
    client = client_of(world.people[who])
    counted(world, who, client)  # what is asked once in a process is asked
    small = counted(world, who, client)
    there = rows(world.project)
    for time in range(TIMES):
        grow(world.project, there, time)
    large = counted(world, who, client)
    assert large.keys() == small.keys() != set()
    assert {path: (small[path], number) for path, number in large.items() if number > small[path] + MORE} == {}


def test_a_sitting_stands_beside_a_run_over_a_thousand_items(world: World) -> None:
    """SQLite refuses a statement with a thousand conditions, so nothing may be asked for item by item in one."""
    like = world.items["accepted"]
    values = {field.attname: getattr(like, field.attname) for field in Item._meta.fields[1:]} | {"current_id": None}
    many = Item.objects.bulk_create(Item(**{**values, "code": f"many-{at}"}) for at in range(1_100))
    ModelMark.objects.bulk_create(ModelMark(run=world.run, item=each, label="A", correct=True) for each in many)
    page = client_of(world.people["owner"]).get(
        f"/projects/{world.project.slug}/sittings/{world.rounds['baseline'].pk}/results"
    )
    assert page.status_code == 200
