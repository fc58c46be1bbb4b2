"""evalscope's own data set of questions with media (`general_vmcq`): `NAME_val.jsonl` beside the media.

evalscope looks for media from the folder in which it runs, so their paths are written whole.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.formats.format import Format, final
from keju.formats.losses import first_wording_only, need_letters, need_media, refuse
from keju.formats.media import copied
from keju.formats.names import to_disk
from keju.formats.prompt_text import stem_text
from keju.formats.task_name import task_name
from keju.items import Item
from keju.media_types import suffix_of

TOOL = "evalscope"
_TAG = re.compile(r"<(?:image|audio|video) \d+>")
"""Where evalscope puts a medium into the text."""


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that evalscope could not put or mark."""
    need_letters(benchmark, TOOL)
    need_media(benchmark, TOOL, ("image", "audio"))
    strange = (item for item in benchmark if set(_tags_in(item)) - set(_tags_of(item)))
    refuse(
        strange, f"{TOOL} puts media where tags like <image 1> stand, and these items have tags without one", "reword"
    )
    return first_wording_only(benchmark)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write the data set into the folder `path`; its subset is called as the benchmark is."""
    root = final(path)
    with (path / to_disk(f"{task_name(benchmark.name)}_val.jsonl")).open("w", encoding="utf-8", newline="\n") as file:
        for item in benchmark:
            file.write(json.dumps(_row(copied(item, path), root), ensure_ascii=False) + "\n")


def _row(item: Item, root: Path) -> dict[str, Any]:
    text = stem_text(item.wording)
    tags = dict(zip(_tags_of(item), item.media, strict=True))
    missing = [tag for tag in tags if tag not in _tags_in(item)]
    row = {"id": item.id, "question": " ".join([*missing, text]), "options": list(item.options.values())}
    for tag, medium in tags.items():
        column = tag.strip("<>").replace(" ", "_")
        row[column] = str(root / to_disk(medium.name))
        if medium.kind == "audio":
            row[f"{column}_format"] = suffix_of(medium.mime).removeprefix(".")
    return row | {"answer": item.answer}


def _tags_of(item: Item) -> list[str]:
    """A tag for each medium, counted by kind: `<image 1>`, `<image 2>`, `<audio 1>`."""
    counts: Counter[str] = Counter()
    tags = []
    for medium in item.media:
        counts[medium.kind] += 1
        tags.append(f"<{medium.kind} {counts[medium.kind]}>")
    return tags


def _tags_in(item: Item) -> list[str]:
    return _TAG.findall("\n".join([stem_text(item.wording), *item.options.values()]))


FORMAT = Format(
    "evalscope",
    "evalscope's general_vmcq: NAME_val.jsonl and media/, which stay where they are written",
    None,
    None,
    write,
    losses,
)
