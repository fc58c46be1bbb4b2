"""What the API takes and gives, as OpenAPI describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, Field

from keju.studio.content import Content, Text
from keju.studio.models import Asset, Assignment, Item, Project, Release
from keju.studio.presenting import Audience, ShownItem, present
from keju.studio.saving import COLUMNS

LABELS = tuple(name for name in COLUMNS if name not in ("original_language", "locator", "reserve", "split", "extra"))
"""Labels of an item, by the kind of their terms."""


class ProjectOut(BaseModel):
    slug: str
    title: str
    languages: list[str]
    roles: list[str]

    @classmethod
    def of(cls, project: Project, roles: list[str]) -> ProjectOut:
        return cls(slug=project.slug, title=project.title, languages=list(project.languages), roles=roles)


class OptionOut(BaseModel):
    label: str
    text: Text
    media: str | None = None
    strategy: str | None = None


class QuestionOut(BaseModel):
    """An item as its reader may see it: what must be hidden is null."""

    stem: Text
    options: list[OptionOut]
    instruction: Text
    image: str | None
    audio: str | None
    code: str | None = None
    key: str | None = None
    rationale: Text | None = None
    revision: int | None = None

    @classmethod
    def of(cls, shown: ShownItem) -> QuestionOut:
        return cls.model_validate(asdict(shown))


class ItemOut(BaseModel):
    id: str
    state: str
    version: int | None = None
    """Name it when you save."""
    author: str | None = None
    original_language: str | None = None
    locator: dict[str, Any] | None = None
    labels: dict[str, str] | None = None
    reserve: bool | None = None
    question: QuestionOut | None = None
    """Null where you see no more than id and state."""

    @classmethod
    def bare(cls, item: Item) -> ItemOut:
        return cls(id=item.code, state=item.state)

    @classmethod
    def whole(cls, item: Item, audience: Audience) -> ItemOut:
        labels = {name: term.code for name in LABELS if (term := getattr(item, name))}
        return cls(
            id=item.code,
            state=item.state,
            version=item.version,
            author=item.author.get_username(),
            original_language=item.original_language,
            locator=item.locator,
            labels=labels,
            reserve=item.reserve,
            question=QuestionOut.of(present(item.current, audience)) if item.current else None,
        )


class ItemsOut(BaseModel):
    count: int
    items: list[ItemOut]


class ItemIn(BaseModel):
    content: Content
    image: str | None = None
    """sha256 of a picture of the project."""
    audio: str | None = None
    original_language: str | None = None
    labels: dict[str, str | None] = {}
    """Kind of term → its code, or null to take it away; kinds that are not here stay as they are."""
    reserve: bool | None = None
    reason: Annotated[str, Field(max_length=200)] = ""


class NewItemIn(ItemIn):
    locator: dict[str, int | str] = {}
    """The fields of the project's id template; empty for the next free place."""


class ChangeIn(ItemIn):
    base_version: int
    """The version that you have read; where another came since, nothing is written."""
    typo: bool = False


class AssetOut(BaseModel):
    sha256: str
    kind: str
    mime: str
    size: int
    name: str
    state: str
    measured: dict[str, Any]
    new: bool = False
    warnings: list[str] = []

    @classmethod
    def of(cls, asset: Asset, *, new: bool = False, warnings: list[str] | None = None) -> AssetOut:
        told = {name: getattr(asset, name) for name in ("sha256", "kind", "mime", "size", "name", "state")}
        return cls(**told, measured=dict(asset.measured), new=new, warnings=warnings or [])


class TermOut(BaseModel):
    kind: str
    code: str
    label: dict[str, str]
    active: bool


class TaskOut(BaseModel):
    """A task that one has begun."""

    number: int
    kind: str
    step: str
    round: int
    question: QuestionOut | None = None

    @classmethod
    def of(cls, assignment: Assignment, audience: Audience | None = None) -> TaskOut:
        shown = present(assignment.revision, audience) if assignment.revision and audience else None
        return cls(
            number=assignment.pk,
            kind=assignment.batch.kind,
            step=assignment.step,
            round=assignment.round,
            question=QuestionOut.of(shown) if shown else None,
        )


class ReleaseOut(BaseModel):
    version: str
    state: str
    items: int
    sha256: str

    @classmethod
    def of(cls, release: Release) -> ReleaseOut:
        sha256, items = release.manifest_sha256, int(release.report.get("items") or 0)
        return cls(version=release.version, state=release.state, items=items, sha256=sha256)


class Problem(BaseModel):
    detail: str
    version: int | None = None
    """Of a conflict: the version that is there."""
    question: QuestionOut | None = None
    """Of a conflict: what the other person saved."""
