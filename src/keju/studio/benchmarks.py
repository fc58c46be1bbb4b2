"""The studio's items as a `keju.Benchmark`: what checks, dashboards and releases work on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from keju.benchmark import Benchmark
from keju.items import LABELS, MediaKind, Medium, Wording
from keju.items import Item as BenchmarkItem
from keju.studio.content import Content
from keju.studio.models import Asset, Item, Project, Revision
from keju.studio.option_pictures import pictures_of, shown_by, texts_with
from keju.studio.store import place

LABEL_COLUMNS = ("genre", "question_type", "difficulty", "dimension", "instruction")
FORMATS = {Project.Profile.TCO: "tco", Project.Profile.MULTI_TW: "multi-tw"}


def benchmark_of(project: Project, pairs: Iterable[tuple[Item, Revision]]) -> Benchmark:
    """A benchmark of these revisions, in the order given, media by their place in the store."""
    pairs = list(pairs)
    pictures = pictures_of(project, (revision.content for _item, revision in pairs))
    items = tuple(item_of(item, revision, pictures) for item, revision in pairs)
    card = {"title": project.title, "languages": list(project.languages)}
    return Benchmark(project.slug, items, card=card, format=FORMATS.get(Project.Profile(project.profile), "jsonl"))


def item_of(item: Item, revision: Revision, pictures: Mapping[str, Asset] | None = None) -> BenchmarkItem:
    """One revision as keju's item; its original language first. `pictures` are those of options, if known already."""
    content = revision.content
    if pictures is None:
        pictures = pictures_of(item.project, [content])
    own = [asset for asset in (revision.image, revision.audio) if asset]
    shown = [pictures[sha256] for sha256 in shown_by(content)]
    before = int(revision.image is not None)
    return BenchmarkItem(
        id=item.code,
        wordings={wording.language: wording for wording in wordings_of(content, item.original_language, before)},
        answer=None if content.key is None else LABELS[content.key],
        media=tuple(map(_medium, [*own, *shown])),
        labels=_labels(item),
        split=item.split or None,
        extra=item.extra,
    )


def wordings_of(content: Content, language: str, before: int) -> Iterator[Wording]:
    """The texts, those in the original `language` first. `before`: pictures of the question itself."""
    for tag in sorted(content.languages, key=lambda tag: tag != language) or [language]:
        options = dict(zip(LABELS, texts_with(content, tag, before), strict=False))
        yield Wording(tag, content.stem.get(tag, ""), options, instruction=content.instruction.get(tag, ""))


def _medium(asset: Asset) -> Medium:
    suffix = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "audio/mpeg": ".mp3"}.get(asset.mime)
    suffix = suffix or "." + asset.mime.rpartition("/")[2].removeprefix("x-")
    folder = "images" if asset.kind == Asset.Kind.IMAGE else "audio"
    kind: MediaKind = "image" if asset.kind == Asset.Kind.IMAGE else "audio"
    return Medium(kind, f"{folder}/{asset.sha256[:16]}{suffix}", place(asset.sha256))


def _labels(item: Item) -> dict[str, str]:
    terms = {name: getattr(item, name) for name in LABEL_COLUMNS}
    located = {name: str(value) for name, value in item.locator.items()}
    return {**located, **{n: t.code for n, t in terms.items() if t}, "original_language": item.original_language}
