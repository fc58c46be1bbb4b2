"""Founding a project: its owner, and the vocabulary, thresholds and review steps of a profile in `profiles/`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import get_language

from keju.studio.journal import record
from keju.studio.models import Membership, Project, Role, Term
from keju.studio.standing import Settings, Step

LANGUAGES = ("en", "zh-hans", "zh-hant")
"""Of the three texts that a profile gives of everything, in this order."""
_FOLDER = Path(__file__).parent / "profiles"


@transaction.atomic
def found(slug: str, title: str, profile: str, owner: User) -> Project:
    """A new project. Checklists come in the language that its owner works in; words of the vocabulary in all three."""
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
        include_if=_own(told["screening"]["include"]),
        exclude_if=_own(told["screening"]["exclude"]),
        steps=[Step(**{**step, "checklist": _own(step["checklist"])}) for step in told["steps"]],
    )


def _own(texts: list[list[str]]) -> list[str]:
    """The texts in the language of the interface."""
    language = (get_language() or "en").lower()
    return [each[LANGUAGES.index(language) if language in LANGUAGES else 0] for each in texts]


def _terms(project: Project, told: dict[str, Any]) -> None:
    made: dict[tuple[str, str], Term] = {}
    for kind, words in told["terms"].items():
        for order, (code, texts) in enumerate(words.items(), 1):
            label = dict(zip(LANGUAGES, texts, strict=True))
            parent = made.get((Term.Kind.DIMENSION, told.get("dimension_of", {}).get(code, "")))
            if kind != Term.Kind.QUESTION_TYPE:
                parent = None
            made[kind, code] = Term.objects.create(
                project=project, kind=kind, code=code, label=label, order=order, parent=parent
            )
