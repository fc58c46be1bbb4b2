"""What the pictures and clips of a benchmark are: number, size, format, length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from keju.benchmark import Benchmark
from keju.checks.measuring import MeasuredClip, MeasuredImage
from keju.items import Item
from keju.phrase import Phrase
from keju.results.counts import SHARE, Count
from keju.results.labels import named
from keju.results.spread import SUMMARY, ranges, summary
from keju.results.table import Column, Table

MOST_SIZES = 20
"""Sizes of pictures that are listed one by one."""

MEASURES = {
    "width": Phrase("width (pixels)", "宽（像素）"),
    "height": Phrase("height (pixels)", "高（像素）"),
    "seconds": Phrase("duration (s)", "时长（秒）"),
    "rate": Phrase("sampling rate (Hz)", "采样率（Hz）"),
    "kbits": Phrase("bit rate (kbit/s)", "比特率（kbit/s）"),
    "kibibytes": Phrase("file (KiB)", "文件（KiB）"),
}
PICTURES = Column("n", "Pictures", "count", "图片数")
CLIPS = Column("n", "Clips", "count", "音频数")

Measured = Sequence[MeasuredImage | MeasuredClip]
_Use = tuple[str, str, str, str, bool]
"""Of an item's medium: its kind, its digest (its name where it is absent), the item, its name, whether it is there."""


def media_use(benchmark: Benchmark, measured: Measured | None) -> Table:
    """For each kind of medium: items that have it, how many distinct ones there are (by their bytes, where measured),
    and how many of them serve several items (paper 001, "Data Distribution": 397 images for 450 items)."""
    return uses(measured).of(benchmark)


def uses(measured: Measured | None) -> Count:
    """As `media_use`."""
    return Count(_uses, partial(_media_use, measured=measured))


def _uses(item: Item) -> Iterator[_Use]:
    for medium in item.media:
        there = medium.exists
        yield medium.kind, medium.sha256 if there else medium.name, item.id, medium.name, there


def _media_use(_benchmark: Benchmark, counts: Counter[_Use], *, measured: Measured | None) -> Table:
    rows = []
    for kind, title in (("image", Phrase("pictures", "图片")), ("audio", Phrase("clips", "音频"))):
        having = [use for use in counts if use[0] == kind]
        if not having:
            continue
        users: dict[str, set[str]] = {}
        for _, content, item_id, _, _ in having:
            users.setdefault(content, set()).add(item_id)
        there = {name: exists for *_, name, exists in having}
        broken = None if measured is None else sum(m.medium.kind == kind and bool(_facts(m).trouble) for m in measured)
        rows.append(
            {
                "kind": title,
                "items": len({item_id for _, _, item_id, _, _ in having}),
                "distinct": len(users),
                "shared": sum(len(ids) > 1 for ids in users.values()),
                "absent": sum(not exists for exists in there.values()),
                "broken": broken,
            }
        )
    columns = (
        Column("kind", "Media", "text", "媒体"),
        Column("items", "Items", "count", "题数"),
        Column("distinct", "Distinct", "count", "不同"),
        Column("shared", "Of several items", "count", "多题共用"),
        Column("absent", "Absent", "count", "缺失", hide_zero=True),
        Column("broken", "Not readable", "count", "无法读取", hide_zero=True),
    )
    return Table("media", "Media", columns, tuple(rows), title_zh="媒体")


def media_summary(measured: Measured) -> Table:
    """Mean, median and extremes of what was measured of pictures and clips."""
    rows = []
    for kind, title in (("image", Phrase("pictures", "图片")), ("audio", Phrase("clips", "音频"))):
        of_kind = [_facts(one) for one in measured if one.medium.kind == kind and not _facts(one).trouble]
        for name, measure in MEASURES.items():
            figures = [_measure(facts, name) for facts in of_kind if _has(facts, name)]
            if figures:
                rows.append({"kind": title, "measure": measure, **summary(figures)})
    columns = (Column("kind", "Media", "text", "媒体"), Column("measure", "Measure", "text", "指标"), *SUMMARY)
    return Table("media_measures", "Media in figures", columns, tuple(rows), title_zh="媒体指标")


def image_sizes(measured: Measured) -> Table | None:
    """Pictures by width and height, the most frequent first; None where there are no pictures."""
    pictures = [m.picture for m in measured if isinstance(m, MeasuredImage) and not m.picture.trouble]
    if not pictures:
        return None
    sizes = Counter((picture.width, picture.height) for picture in pictures).most_common()
    listed: list[dict[str, Any]] = [
        {"size": f"{width} × {height}", "n": n, "share": n / len(pictures)} for (width, height), n in sizes[:MOST_SIZES]
    ]
    if more := sum(n for _, n in sizes[MOST_SIZES:]):
        title = Phrase(f"{len(sizes) - MOST_SIZES} other sizes", f"另外 {len(sizes) - MOST_SIZES} 种尺寸")
        listed.append({"size": title, "n": more, "share": more / len(pictures)})
    small = sum(picture.width < 1280 or picture.height < 720 for picture in pictures)  # paper 000, "Image Selection"
    note = Phrase(f"Below 1280 × 720, TCO's least: {small:,}.", f"小于 TCO 最低要求 1280 × 720 的图片：{small:,}。")
    columns = (Column("size", "Pixels", "text", "像素"), PICTURES, SHARE)
    return Table("image_sizes", "Sizes of pictures", columns, tuple(listed), (note,), "图片尺寸")


def media_formats(measured: Measured) -> Table:
    """Media by their format, told by content."""
    counts = Counter((one.medium.kind, _facts(one).mime) for one in measured)
    rows = tuple(
        {
            "format": mime or Phrase("not known", "不明"),
            "kind": named("modality", kind),
            "n": n,
            "share": n / len(measured),
        }
        for (kind, mime), n in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    )
    columns = (
        Column("format", "Format", "text", "格式"),
        Column("kind", "Kind", "text", "种类"),
        Column("n", "Files", "count", "文件数"),
        SHARE,
    )
    return Table("media_formats", "Formats of media", columns, rows, title_zh="媒体格式")


def audio_durations(measured: Measured) -> Table | None:
    """The histogram of the clips' seconds (paper 001, Figure 4); None where there are none."""
    seconds = [m.clip.seconds for m in measured if isinstance(m, MeasuredClip) and m.clip.seconds > 0]
    if not seconds:
        return None
    return ranges("audio_durations", ("Duration of clips (s)", "音频时长（秒）"), seconds, CLIPS)


def _facts(measured: MeasuredImage | MeasuredClip) -> Any:
    return measured.picture if isinstance(measured, MeasuredImage) else measured.clip


def _has(facts: Any, name: str) -> bool:
    return name == "kibibytes" or bool(getattr(facts, name, 0))


def _measure(facts: Any, name: str) -> float:
    return float(facts.bytes / 1024 if name == "kibibytes" else getattr(facts, name))
