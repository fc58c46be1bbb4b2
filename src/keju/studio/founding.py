"""Founding a project: its owner, and the vocabulary, thresholds and review steps of a profile in `profiles/`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from keju.studio.journal import record
from keju.studio.models import Membership, Project, Role, Term
from keju.studio.points import LANGUAGES, Point
from keju.studio.standing import Settings, Step

_FOLDER = Path(__file__).parent / "profiles"


@transaction.atomic
def found(slug: str, title: str, profile: str, owner: User) -> Project:
    """A new project. Checklists and the words of the vocabulary come in all three languages."""
    told = tomllib.loads((_FOLDER / f"{profile}.toml").read_text(encoding="utf-8"))
    project = Project.objects.create(
        slug=slug,
        title=title,
        profile=profile,
        languages=told["languages"],
        id_template=told["id_template"],
        settings=_settings(told).model_dump(),
    )
    Membership.objects.create(project=project, user=owner, roles=[Role.OWNER])
    _terms(project, told)
    record(project, owner, "found", f"project:{slug}", profile=profile)
    return project


def _settings(told: dict[str, Any]) -> Settings:
    return Settings(
        **told["settings"],
        include_if=_points(told["screening"]["include"]),
        exclude_if=_points(told["screening"]["exclude"]),
        steps=[
            Step(**{**step, "label": _label(step["label"]), "checklist": _points(step["checklist"])})
            for step in told["steps"]
        ],
    )


def _points(texts: list[list[str]]) -> list[Point]:
    """Each known by its English text."""
    return [Point(code=each[0], label=_label(each)) for each in texts]


def _label(texts: list[str]) -> dict[str, str]:
    return dict(zip(LANGUAGES, texts, strict=True))


def _terms(project: Project, told: dict[str, Any]) -> None:
    made: dict[tuple[str, str], Term] = {}
    for kind, words in told["terms"].items():
        for order, (code, texts) in enumerate(words.items(), 1):
            label = _label(texts)
            parent = made.get((Term.Kind.DIMENSION, told.get("dimension_of", {}).get(code, "")))
            if kind != Term.Kind.QUESTION_TYPE:
                parent = None
            made[kind, code] = Term.objects.create(
                project=project, kind=kind, code=code, label=label, order=order, parent=parent
            )
