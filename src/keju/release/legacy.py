"""The items in the papers' own layouts: those that fit the TCO-Dataset's, and those that fit Multi-TW's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from keju.benchmark import Benchmark
from keju.formats import multi_tw, tco
from keju.items import LABELS, Item
from keju.splits import USES

TCO = "legacy/tco"
MULTI_TW = "legacy/multi-tw.json"
_MULTI_TW_ID = re.compile(r"\d+-[LR]-[NABC]-P\d+-\d+")


def write_legacy(benchmark: Benchmark, folder: Path) -> None:
    """Write what fits below `folder`; an item without a key fits neither."""
    fitting = {item.id for item in benchmark if _fits_tco(item)}
    if fitting:
        target = folder / TCO
        target.mkdir(parents=True)
        items = benchmark.select(ids=fitting).items
        flat = items if benchmark.format == "tco" else tuple(map(_flat, items))
        tco.write(replace(benchmark, items=flat), target)
    fitting = {item.id for item in benchmark if _fits_multi_tw(item)}
    if fitting:
        file = Path(MULTI_TW)
        told = benchmark.card.get(multi_tw.LAYOUT)
        layout = {**(told if isinstance(told, Mapping) else {}), "file": file.name}
        chosen = replace(benchmark.select(ids=fitting), card={multi_tw.LAYOUT: layout})
        target = folder / file.parent
        target.mkdir(parents=True, exist_ok=True)
        multi_tw.write(chosen, target)


def _fits_tco(item: Item) -> bool:
    """One picture, four options A to D, one key (paper 000, "Data Organization"), and no id of the other paper's.

    Of splits the paper has three (its "Data Records"); an item of another is left out.
    """
    shown = item.modality == "image" and len(item.media) == 1
    known = item.split is None or item.split in USES
    return shown and known and item.answer is not None and _labelled(item, 4) and not _MULTI_TW_ID.fullmatch(item.id)


def _fits_multi_tw(item: Item) -> bool:
    """Its id says volume, section, level, part and number (paper 001, section 2)."""
    kinds = [medium.kind for medium in item.media]
    fits = _MULTI_TW_ID.fullmatch(item.id) and (_labelled(item, 3) or _labelled(item, 4))
    return bool(fits) and item.answer is not None and len(set(kinds)) == len(kinds)


def _flat(item: Item) -> Item:
    """The item with its picture named as in the paper, without folders."""
    return replace(item, media=tuple(replace(each, name=each.name.rpartition("/")[2]) for each in item.media))


def _labelled(item: Item, options: int) -> bool:
    return "".join(item.options) == LABELS[:options]
