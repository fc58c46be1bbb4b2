"""What each audience sees of an item: only this reaches templates and the API.

To those who answer blind, items are stem, options in their stored order and media by digest, and nothing else: what
they get is byte for byte the same whatever the key is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from keju.items import LABELS, same_language
from keju.studio.content import Content, Text
from keju.studio.models import Asset, Revision


class Audience(StrEnum):
    AUTHOR = "author"
    REVIEWER = "reviewer"
    BLIND = "blind"
    PARTICIPANT = "participant"


@dataclass(frozen=True, slots=True)
class ShownOption:
    label: str
    text: Text
    media: str | None = None
    """sha256 of the picture or clip that is the option."""
    strategy: str | None = None


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item as one audience sees it. Fields that the audience must not see are None or empty."""

    stem: Text
    options: tuple[ShownOption, ...]
    instruction: Text
    image: str | None
    """sha256, from which the media URL is made."""
    audio: str | None
    code: str | None = None
    key: str | None = None
    """Label of the right option."""
    rationale: Text | None = None
    revision: int | None = None


def present(revision: Revision, audience: Audience, language: str | None = None) -> ShownItem:
    """The item of a revision as `audience` may see it; `language` leaves one language of each text."""
    content = revision.content
    open_to_all = audience in {Audience.AUTHOR, Audience.REVIEWER}
    shown = ShownItem(
        stem=_chosen(content.stem, language),
        options=tuple(
            ShownOption(label, _chosen(option.text, language), option.asset, option.strategy if open_to_all else None)
            for label, option in zip(LABELS, content.options, strict=False)
        ),
        instruction=_chosen(content.instruction, language),
        image=_digest(revision.image),
        audio=_digest(revision.audio),
    )
    return _with_key(shown, revision, content) if open_to_all else shown


def _with_key(shown: ShownItem, revision: Revision, content: Content) -> ShownItem:
    return ShownItem(
        shown.stem,
        shown.options,
        shown.instruction,
        shown.image,
        shown.audio,
        code=revision.item.code,
        key=None if content.key is None else LABELS[content.key],
        rationale=content.rationale,
        revision=revision.number,
    )


def _chosen(text: Text, language: str | None) -> Text:
    return text if language is None else {tag: t for tag, t in text.items() if same_language(tag, language)}


def _digest(asset: Asset | None) -> str | None:
    return asset.sha256 if asset else None
