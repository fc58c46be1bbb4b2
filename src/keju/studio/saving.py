"""Saving an item: a revision by compare-and-set, so that nobody overwrites what they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from keju.studio.content import Content
from keju.studio.journal import record
from keju.studio.models import Asset, Item, Project, Revision

COLUMNS = (
    "original_language",
    "locator",
    "genre",
    "question_type",
    "difficulty",
    "dimension",
    "instruction",
    "reserve",
    "split",
    "extra",
)
"""What a save may change besides text and media."""


class Conflict(Exception):
    """Someone else saved since the editor was opened. Holds their revision; nothing was written."""

    def __init__(self, theirs: Revision, version: int) -> None:
        super().__init__(f"saved by {theirs.author} in the meantime")
        self.theirs = theirs
        self.version = version


@dataclass(frozen=True, slots=True)
class Edit:
    """What an editor sends: the whole content, the media, and the columns that change."""

    content: Content
    image: Asset | None = None
    audio: Asset | None = None
    columns: dict[str, Any] | None = None
    """Names of `COLUMNS` → values."""


@transaction.atomic
def create(project: Project, code: str, author: User, edit: Edit, reason: str = "") -> Item:
    """A new item with its first revision. Raises `IntegrityError` where the code is taken."""
    columns = {"original_language": project.languages[0] if project.languages else "zh-Hans", **(edit.columns or {})}
    item = Item.objects.create(project=project, code=code, author=author, **columns)
    _revise(item, author, edit, reason)
    record(project, author, "create", f"item:{code}")
    return item


@transaction.atomic
def save(item: Item, editor: User, edit: Edit, *, base_version: int, reason: str = "") -> Revision:
    """A new revision of `item`; the same content again makes none. Raises `Conflict` where `base_version` is old."""
    item = Item.objects.select_for_update(of=("self",)).select_related("current", "project").get(pk=item.pk)
    if item.version != base_version and item.current:
        raise Conflict(item.current, item.version)
    for name, value in (edit.columns or {}).items():
        setattr(item, name, value)
    revision = _revise(item, editor, edit, reason)
    record(item.project, editor, "save", f"item:{item.code}", revision=revision.number, reason=reason)
    return revision


def _revise(item: Item, editor: User, edit: Edit, reason: str) -> Revision:
    current = item.current
    digest = edit.content.sha256
    if current and (current.sha256, current.image, current.audio) == (digest, edit.image, edit.audio):
        revision = current
    else:
        revision = Revision.objects.create(
            item=item,
            number=current.number + 1 if current else 1,
            body=edit.content.model_dump(),
            sha256=digest,
            image=edit.image,
            audio=edit.audio,
            author=editor,
            reason=reason,
            parent=current,
        )
    item.current, item.image, item.audio = revision, edit.image, edit.audio
    item.version += 1
    item.save()
    return revision
