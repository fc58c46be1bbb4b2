"""One item ↔ one row of Parquet: which columns a benchmark needs, and what stands in each."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from keju.benchmark import Benchmark
from keju.errors import BadFile, MissingExtra
from keju.items import LABELS, Item, MediaKind, Wording

_TEXT: dict[str, Any] = {"dtype": "string", "_type": "Value"}
_TEXTS: dict[str, Any] = {"feature": _TEXT, "_type": "List"}
_KINDS: tuple[MediaKind, ...] = ("image", "audio")
BYTES = re.compile(r"(image|audio)(|s\.\w+\.\w+)\.bytes")
"""The leaf of a file's columns that holds a medium's bytes: of `image`, or of the list `images`."""


def schema_of(needs: Needs, *, positions: bool) -> Any:
    """The Arrow schema of rows with these needs, with the features that `datasets` reads from its metadata.

    A column is there only if some item needs it. `positions` adds the place of each item in the benchmark.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtra("parquet", "writing Parquet") from error
    features = _features(needs) | ({"position": {"dtype": "int64", "_type": "Value"}} if positions else {})
    info = json.dumps({"info": {"features": features}}, ensure_ascii=False)
    fields = [pa.field(name, _arrow_type(feature)) for name, feature in features.items()]
    return pa.schema(fields, {b"huggingface": info.encode("utf-8")})


def row_of(item: Item, position: int, columns: Collection[str]) -> dict[str, Any]:
    """The item as a row with those of its fields that `columns` has, media with their bytes."""
    row: dict[str, Any] = {
        "id": item.id,
        "answer": item.answer,
        "labels": dict(item.labels),
        "split": item.split,
        "languages": list(item.wordings),
        "media": [{"kind": medium.kind, "name": medium.name} for medium in item.media],
        "extra": json.dumps(dict(item.extra), ensure_ascii=False) if item.extra else None,
        "position": position,
    }
    for tag, wording in item.wordings.items():
        for part, value in _parts(wording).items():
            row[_column(part, tag, columns)] = value
    for kind in _KINDS:
        cells = [{"bytes": m.read(), "path": m.name} for m in item.media if m.kind == kind and m.exists]
        row |= {f"{kind}s": cells, kind: cells[0] if cells else None}
    return {name: value for name, value in row.items() if name in columns}


@dataclass(frozen=True, slots=True)
class Rows:
    """Reads the rows of one file; `columns` are those it has."""

    columns: Collection[str]

    def item(self, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The row in the neutral form that `jsonl.item_in` reads. Raises `BadFile` naming `place` and column."""
        if lacking := {"id", "answer", "languages"} - set(self.columns):
            raise BadFile(f"{place}: no column {', '.join(sorted(lacking))}; the file is not as keju wrote it")
        labels = row.get("labels") or {}
        return {
            "id": row["id"],
            "wordings": {tag: self._wording(row, tag) for tag in row["languages"] or ()},
            "answer": row["answer"],
            "media": row.get("media"),
            "labels": {name: text for name, text in labels.items() if text is not None},
            "split": row.get("split"),
            "extra": _json(row.get("extra"), place),
        }

    def media(self, row: Mapping[str, Any]) -> dict[str, deque[tuple[str, bytes]]]:
        """By kind, the media whose bytes the row holds, in their order: (name, bytes). Bytes not read are empty."""
        held: dict[str, deque[tuple[str, bytes]]] = {}
        for kind in _KINDS:
            cells = row.get(f"{kind}s") or [row.get(kind)]
            held[kind] = deque(
                (cell["path"], data) for cell in cells if cell and (data := cell.get("bytes", b"")) is not None
            )
        return held

    def _wording(self, row: Mapping[str, Any], tag: str) -> dict[str, Any]:
        parts = {part: row.get(_column(part, tag, self.columns)) for part in _PARTS}
        labels = parts.pop("option_labels") or LABELS
        parts["options"] = dict(zip(labels, parts["options"] or (), strict=False))
        return {part: value for part, value in parts.items() if value is not None}


_PARTS: Mapping[str, Mapping[str, Any]] = {
    "question": _TEXT,
    "options": _TEXTS,
    "option_labels": _TEXTS,
    "instruction": _TEXT,
    "as_written": _TEXTS,
}


def _parts(wording: Wording) -> dict[str, Any]:
    """What a wording needs columns for; labels only where they are not A, B, C, … in order."""
    labels = list(wording.options)
    needed = {
        "question": wording.question,
        "options": list(wording.options.values()),
        "option_labels": None if labels == list(LABELS[: len(labels)]) else labels,
        "instruction": wording.instruction or None,
        "as_written": list(wording.as_written) or None,
    }
    return {part: value for part, value in needed.items() if value is not None}


def _column(part: str, tag: str, columns: Collection[str]) -> str:
    """`question_en`; in a benchmark of one language, `question`."""
    return part if part in columns else f"{part}_{tag}"


@dataclass
class Needs:
    """What the items of a benchmark need columns and files for, found in one pass."""

    splits: dict[str | None, None] = field(default_factory=dict)
    tags: dict[str, None] = field(default_factory=dict)
    parts: set[tuple[str, str]] = field(default_factory=set)
    """(part, tag) of any wording."""
    labels: dict[str, None] = field(default_factory=dict)
    most: Counter[str] = field(default_factory=Counter)
    """Kind of media → the most that are there in one item."""
    media: bool = False
    extra: bool = False

    @classmethod
    def of(cls, benchmark: Benchmark) -> Needs:
        needs = cls()
        for item in benchmark:
            needs.add(item)
        return needs

    def add(self, item: Item) -> None:
        self.splits[item.split] = None
        self.labels |= dict.fromkeys(item.labels)
        for tag, wording in item.wordings.items():
            self.tags[tag] = None
            self.parts |= {(part, tag) for part in _parts(wording)}
        self.most |= Counter(medium.kind for medium in item.media if medium.exists)
        self.media |= bool(item.media)
        self.extra |= bool(item.extra)


def _features(needs: Needs) -> dict[str, Any]:
    features = {"id": _TEXT, **dict(_media_features(needs)), **_wording_features(needs), "answer": _TEXT}
    if needs.labels:
        features["labels"] = dict.fromkeys(needs.labels, _TEXT)
    features |= {"split": _TEXT, "languages": _TEXTS}
    if needs.media:
        features["media"] = {"feature": {"kind": _TEXT, "name": _TEXT}, "_type": "List"}
    if needs.extra:
        features["extra"] = _TEXT
    return features


def _media_features(needs: Needs) -> Iterator[tuple[str, dict[str, Any]]]:
    """`image` where no item has two, else `images`; the same for audio; nothing where no item has any."""
    for kind in _KINDS:
        feature = {"_type": kind.capitalize()}
        if most := needs.most[kind]:
            yield (kind, feature) if most == 1 else (f"{kind}s", {"feature": feature, "_type": "List"})


def _wording_features(needs: Needs) -> dict[str, Any]:
    return {
        part if len(needs.tags) == 1 else f"{part}_{tag}": feature
        for tag in needs.tags
        for part, feature in _PARTS.items()
        if (part, tag) in needs.parts
    }


def _arrow_type(feature: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    match feature.get("_type"):
        case "Value":
            return pa.int64() if feature["dtype"] == "int64" else pa.string()
        case "List":
            return pa.list_(_arrow_type(feature["feature"]))
        case "Image" | "Audio":
            return pa.struct({"bytes": pa.binary(), "path": pa.string()})
    return pa.struct([pa.field(name, _arrow_type(inner)) for name, inner in feature.items()])


def _json(text: str | None, place: str) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadFile(f"{place}: column `extra` is not JSON ({error})") from error
