"""The exam that the other tools are given, as `teahouse`: the demo benchmark, and items that such tools spoil."""

from __future__ import annotations

from dataclasses import replace

from keju import load
from keju.benchmark import Benchmark
from keju.items import Item, Wording

NAME = "teahouse"
_LANGUAGE = "zh-Hans"
_SPOILT = {
    "2024-01-01": ("哪一个是出版日期？", ("1949-10-01", "1950-10-01 00:00:00", "2024-01-01", "1.50"), "A"),
    "007": ("哪一项表示“没有”？", ("None", "NA", "null", "nan"), "B"),
    "1e3": ("{question} 与 {choices}\n\n哪个是占位符？\t(见“{0}”)", ("{{0}}", "%s", '"引号"', "\\n"), "C"),
    "true": ("第一行\n\n第二行\n\n问：共有几行字？", ("1", "02", "3.0", "4"), "D"),
}
"""Id → question, options, key: texts that look like dates, numbers, truth values or nothing; braces; blank lines."""


def exam() -> Benchmark:
    """The demo's items, then those, each with a picture of the demo's."""
    demo = load(NAME)
    picture = next(item for item in demo if item.modality == "image").media
    spoilt = (
        Item(name, {_LANGUAGE: Wording(_LANGUAGE, question, dict(zip("ABCD", options, strict=True)))}, key, picture)
        for name, (question, options, key) in _SPOILT.items()
    )
    return replace(demo, items=(*demo.items, *spoilt))
