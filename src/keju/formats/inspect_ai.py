"""A task of Inspect AI: `task.py` beside `items.jsonl` and the media, run by `inspect eval task.py --model …`.

Inspect letters the options and asks in its own form (`ANSWER: B`), in the language of most items.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from keju.benchmark import Benchmark, Problem
from keju.formats.format import Format
from keju.formats.losses import first_wording_only, need_letters, need_media, refuse
from keju.formats.media import copied
from keju.formats.prompt_text import stem_text, written_in
from keju.items import Item, Medium

TOOL = "Inspect AI"
_SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
"""The sounds that Inspect sends, by MIME type, under its own names."""
_TEMPLATES = {
    "hans": "回答下面的单项选择题。请只回复一行：“ANSWER: 字母”（不带引号），字母为 {letters} 之一。",
    "hant": "回答下面的單項選擇題。請只回覆一行：「ANSWER: 字母」（不帶引號），字母為 {letters} 之一。",
    "en": "Answer the following multiple choice question. Reply with one line only: 'ANSWER: LETTER' (without quotes), "
    "where LETTER is one of {letters}.",
}
_TASK = '''"""{title} as a task of Inspect AI; written by keju. Run it: inspect eval task.py --model PROVIDER/NAME"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

TEMPLATE = {template}


@task(name={name})
def exam() -> Task:
    items = json_dataset(str(Path(__file__).parent / "items.jsonl"), name={name})
    return Task(dataset=items, solver=multiple_choice(template=TEMPLATE), scorer=choice())
'''


def losses(benchmark: Benchmark) -> list[Problem]:
    """Raises `Misuse` for items that Inspect cannot send or mark."""
    need_letters(benchmark, TOOL)
    need_media(benchmark, TOOL, ("image", "audio"))
    odd = (
        item
        for item in benchmark
        if any(medium.kind == "audio" and medium.mime not in _SOUNDS for medium in item.media)
    )
    refuse(odd, f"{TOOL} sends WAV and MP3 only, and these items have other audio", "convert their clips")
    return first_wording_only(benchmark)


def write(benchmark: Benchmark, path: Path) -> None:
    """Write `task.py`, `items.jsonl` and `media/` into the folder `path`."""
    with (path / "items.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for item in benchmark:
            file.write(json.dumps(_sample(copied(item, path)), ensure_ascii=False) + "\n")
    most = Counter(written_in(item.wording.language) for item in benchmark).most_common(1)[0][0]
    texts = {
        "title": benchmark.name.replace("\\", "").replace('"', ""),
        "name": json.dumps(benchmark.name, ensure_ascii=False),
        "template": json.dumps(f"{_TEMPLATES[most]}\n\n{{question}}\n\n{{choices}}", ensure_ascii=False),
    }
    (path / "task.py").write_text(_TASK.format(**texts), encoding="utf-8", newline="\n")


def _sample(item: Item) -> dict[str, Any]:
    text = {"type": "text", "text": stem_text(item.wording)}
    told = {**item.labels, "language": item.wording.language}
    return {
        "id": item.id,
        "input": [{"role": "user", "content": [*map(_part, item.media), text]}],
        "choices": list(item.options.values()),
        "target": item.answer,
        "metadata": told | ({"split": item.split} if item.split else {}),
    }


def _part(medium: Medium) -> dict[str, str]:
    part = {"type": medium.kind, medium.kind: medium.name}
    return part | ({"format": _SOUNDS[medium.mime]} if medium.kind == "audio" else {})


FORMAT = Format("inspect", "a task of Inspect AI: task.py, items.jsonl and media/", None, None, write, losses)
